// One lesson: its words, why it is believed, where it comes from, what became of it; and what to do with it.

import { attempt, can, toast } from "../app.js";
import { get, patch, post, read, remove } from "../api.js";
import { badge, code, h, metaLine, number, owner, show, when, wide } from "../dom.js";
import { askText, confirmed } from "../overlays.js";
import { callText } from "./inbox.js";

const RULES = ["rule", "preference"];

export async function open(id) {
  const element = h("div", {});
  const load = async () => show(element, await body(id, load));
  await load();
  return {
    title: "Lesson",
    element,
    onEvent: (event) => event.lesson?.id === id && load().catch(() => {}),
  };
}

async function body(id, reload) {
  const { answer: lesson, etag } = await read(`/v1/lessons/${encodeURIComponent(id)}`);
  const isRule = RULES.includes(lesson.kind) && lesson.rule;
  const [why, history, story] = await Promise.all([
    get(`/v1/lessons/${lesson.id}/why`),
    get(`/v1/lessons/${lesson.id}/history`),
    isRule ? get(`/v1/rules/${lesson.id}/story`) : null,
  ]);
  return [
    h("p", {}, h("a", { href: isRule ? "/behavioral-rules" : "/lessons" }, isRule ? "Behavioral rules" : "Lessons")),
    h("div", { class: "head" }, h("h1", {}, lesson.content), h("div", { class: "row" }, acts(lesson, etag, isRule, reload))),
    facts(lesson),
    h(
      "div",
      { class: "columns" },
      lesson.rule?.poison && section("What not to do", h("p", { class: "said" }, lesson.rule.poison)),
      lesson.example && section("The exchange", h("p", { class: "said" }, lesson.example.request), h("p", { class: "said" }, lesson.example.reply)),
      story && corrections(story),
      why.episodes.length > 0 && episodes(why),
      evidence(why),
      versions(history),
      story && relations(story),
      events(history.events),
    ),
  ];
}

function section(title, ...children) {
  return h("section", { class: "panel" }, h("h2", {}, title), ...children);
}

function facts(lesson) {
  const pairs = [
    ["State", badge(lesson.status)],
    ["Kind", lesson.rule ? `${lesson.kind}: ${lesson.rule.type}` : lesson.kind],
    ["Confidence", `${lesson.confidence.toFixed(2)} (worked ${round(lesson.belief.worked)}, failed ${round(lesson.belief.failed)})`],
    ["Verdict", lesson.verdict],
    ["Tool", lesson.fix && h("code", {}, lesson.fix.tool)],
    ["Applies when", lesson.trigger || "always"],
    ["For", owner(lesson.scope)],
    ["Said by", `${lesson.source} (trusted as ${lesson.trust})`],
    ["Given", `${number(lesson.times_given)} times`],
    ["Last given", when(lesson.last_given_at)],
    ["Learned", when(lesson.created_at)],
    ["Waits because", lesson.fix?.waits],
  ];
  return h(
    "dl",
    { class: "panel facts" },
    pairs.filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

const round = (value) => Math.round(value * 10) / 10;

function acts(lesson, etag, isRule, reload) {
  if (!can("operate") || lesson.status === "retired") return null;
  const done = (act, said, undo) =>
    attempt(async () => {
      await act();
      toast(said, { undo: undo && (() => attempt(async () => (await undo(), await reload()))) });
      await reload();
    });
  const forget = async () => {
    if (!(await confirmed("Forget this lesson?", "It is told to nobody any more. What it superseded holds again.", "Forget"))) return;
    await done(() => remove(`/v1/lessons/${lesson.id}`, { etag }), "Forgotten.");
  };
  if (lesson.status === "candidate") {
    return [
      h("button", { class: "main-act", onclick: () => done(() => post(`/v1/review/${lesson.id}/accept`), "Accepted: it is active now.") }, "Accept"),
      h("button", { class: "danger", onclick: () => done(() => post(`/v1/review/${lesson.id}/reject`), "Rejected.") }, "Reject"),
    ];
  }
  if (!isRule) return h("button", { class: "danger", onclick: forget }, "Forget");
  const path = `/v1/rules/${lesson.id}`;
  const edit = async () => {
    const words = await askText("Edit the rule", "The rule, as one sentence that a colleague would write", lesson.content);
    if (!words || words === lesson.content) return;
    const back = () => patch(path, { description: lesson.content });
    await done(() => patch(path, { description: words }, { etag }), "Changed.", back);
  };
  const isActive = lesson.status === "active";
  return [
    h("button", { onclick: edit }, "Edit"),
    isActive
      ? h("button", { onclick: () => done(() => post(`${path}/deactivate`, {}, { etag }), "Switched off.", () => post(`${path}/activate`)) }, "Switch off")
      : h("button", { class: "main-act", onclick: () => done(() => post(`${path}/activate`, {}, { etag }), "Switched on.", () => post(`${path}/deactivate`)) }, "Switch on"),
    lesson.scope.user &&
      h("button", { onclick: () => done(() => post(`${path}/share`, { reach: "project" }), "It holds for the project now.") }, "Share with the project"),
    h("button", { class: "danger", onclick: forget }, "Delete"),
  ];
}

function corrections(story) {
  if (!story.corrections.length) return null;
  return section(
    "Where it comes from",
    story.corrections.slice(0, 5).map((one) =>
      h(
        "div",
        { class: "case" },
        one.case?.request && h("p", { class: "small" }, h("b", {}, "Asked: "), one.case.request),
        one.case?.reply && h("p", { class: "small" }, h("b", {}, "Answered: "), one.case.reply),
        h("blockquote", { class: "said" }, one.message || "(the words were erased)"),
        metaLine(when(one.at), one.scope.session && h("a", { href: `/sessions/${encodeURIComponent(one.scope.session)}` }, "the session"), `read by ${one.by}`),
      ),
    ),
  );
}

function episodes(why) {
  return section(
    "What failed, what worked",
    why.episodes.slice(0, 4).map((one) =>
      h(
        "div",
        { class: "case" },
        code(callText({ tool: one.tool, params: one.params })),
        h("p", { class: "small wrap" }, one.message),
        one.worked && code(callText({ tool: one.tool, params: one.worked })),
        metaLine(one.outcome, when(one.opened_at), h("a", { href: `/sessions/${encodeURIComponent(one.session)}` }, one.session)),
      ),
    ),
  );
}

function evidence(why) {
  if (!why.evidence.length) return section("Evidence", h("p", { class: "faint" }, "Nothing has spoken for or against it yet."));
  return section(
    "Evidence",
    wide(
      "Evidence",
      h(
        "table",
        { class: "data" },
        h("thead", {}, h("tr", {}, ["When", "What", "For", "Against"].map((name, place) => h("th", { scope: "col", class: place > 1 && "num" }, name)))),
        h(
          "tbody",
          {},
          why.evidence.slice(0, 20).map((one) =>
            h("tr", {}, h("td", {}, when(one.at)), h("td", {}, one.reason, one.quote && h("div", { class: "faint small" }, one.quote)), h("td", { class: "num" }, round(one.worked)), h("td", { class: "num" }, round(one.failed))),
          ),
        ),
      ),
    ),
  );
}

function versions(history) {
  if (history.versions.length < 2) return null;
  const newest = [...history.versions].sort((a, b) => (a.at < b.at ? 1 : -1));
  return section(
    "Its words over time",
    newest.map((one, place) =>
      h("div", {}, metaLine(when(one.at)), h("p", { class: "wrap" }, newest[place + 1] ? difference(newest[place + 1].content, one.content) : one.content)),
    ),
  );
}

/** The words of the new text, with what was taken out and put in marked. */
export function difference(before, after) {
  const old = before.split(/(\s+)/);
  const now = after.split(/(\s+)/);
  const longest = Array.from({ length: old.length + 1 }, () => new Array(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i][j] = old[i] === now[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const shown = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      shown.push(document.createTextNode(now[j]));
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && longest[i + 1][j] >= longest[i][j + 1])) shown.push(h("del", {}, old[i++]));
    else shown.push(h("ins", {}, now[j++]));
  }
  return shown;
}

function relations(story) {
  const link = (lesson) => h("a", { href: `/lessons/${lesson.id}` }, lesson.content);
  const rows = [
    story.superseded_by && ["Replaced by", link(story.superseded_by)],
    ...story.supersedes.map((one) => ["Replaces", link(one)]),
    ...story.conflicts.map((one) => ["Contradicts", link(one.other)]),
    ...story.examples.map((one) => ["Example", link(one)]),
  ].filter(Boolean);
  if (!rows.length) return null;
  return section("Beside it", h("table", { class: "data" }, h("tbody", {}, rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))))));
}

function events(list) {
  return section(
    "History",
    h(
      "table",
      { class: "data" },
      h("tbody", {}, list.slice(0, 20).map((one) => h("tr", {}, h("td", {}, when(one.at)), h("td", {}, one.kind, one.actor && h("span", { class: "faint" }, ` by ${one.actor}`))))),
    ),
  );
}
