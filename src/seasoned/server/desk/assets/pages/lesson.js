// One lesson: its words, why it is believed, where it comes from, what became of it; and what to do with it.

import { attempt, can, toast } from "../app.js";
import { get, patch, post, read, remove } from "../api.js";
import { amount, badge, code, h, kindOf, metaLine, number, owner, show, when, wide } from "../dom.js";
import { askText, confirmed } from "../overlays.js";
import { callText } from "./inbox.js";

const RULES = ["rule", "preference"];
const MOST_SHOWN = 10; // rows of a panel

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
      uses(why, lesson),
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
    ["Kind", lesson.rule ? `${lesson.kind}: ${lesson.rule.type.replaceAll("_", " ")}` : kindOf(lesson)],
    ["Confidence", `${lesson.confidence.toFixed(2)} (for ${round(lesson.belief.worked)}, against ${round(lesson.belief.failed)}, what it began with included)`],
    ["Verdict", lesson.verdict !== "undecided" && lesson.verdict],
    ["Tool", lesson.fix && h("code", {}, lesson.fix.tool)],
    ["Applies when", lesson.trigger || "always"],
    ["For", owner(lesson.scope)],
    ["Said by", `${lesson.source} (trusted as ${lesson.trust})`],
    ["Given", amount(lesson.times_given, "time")],
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
      toast(said, { undo: undo && (() => attempt(async () => (await undo(), toast("Taken back."), await reload()))) });
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
  if (!isRule) return [editWords(lesson, done), flip(lesson, done), h("button", { class: "danger", onclick: () => bulk("forget", lesson, "Forgotten.", done) }, "Forget")];
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

/** An act of one lesson that is taken back as it was done. */
async function bulk(act, lesson, said, done) {
  let decision = null;
  const doIt = async () => (decision = await post("/v1/lessons/bulk", { act, lessons: [lesson.id] }));
  await done(doIt, said, () => post(`/v1/lessons/bulk/${decision.id}/undo`));
}

function flip(lesson, done) {
  if (lesson.status === "active") return h("button", { onclick: () => bulk("suspend", lesson, "Switched off: it is told no more.", done) }, "Switch off");
  if (lesson.status === "suspended") return h("button", { class: "main-act", onclick: () => bulk("resume", lesson, "Switched on.", done) }, "Switch on");
  return null;
}

/** Other words count as the operator's own. */
function editWords(lesson, done) {
  const edit = async () => {
    const words = await askText("Edit the lesson", "The lesson, as one sentence that a colleague would write", lesson.content);
    if (!words || words === lesson.content) return;
    await done(() => post(`/v1/review/${lesson.id}/edit`, { words }), "Changed.", () => post(`/v1/review/${lesson.id}/reopen`));
  };
  return h("button", { onclick: edit }, "Edit");
}

function uses(why, lesson) {
  if (!why.uses.length) return lesson.times_given ? null : section("Where it was given", h("p", { class: "faint" }, "In no session yet."));
  const row = (one) => [sessionLink(one.scope.session), owner({ ...one.scope, session: "" }), number(one.times), when(one.last_at)];
  return section("Where it was given", small("Sessions that were given it", ["Session", "Whose", "Times", "Last"], why.uses.slice(0, MOST_SHOWN).map(row), 2));
}

function sessionLink(name) {
  return h("a", { href: `/sessions/${encodeURIComponent(name)}` }, name);
}

/** A table in a panel; columns from `numbersFrom` on stand to the right. */
function small(label, names, rows, numbersFrom) {
  const head = h("tr", {}, names.map((name, place) => h("th", { scope: "col", class: place >= numbersFrom && "num" }, name)));
  const body = rows.map((row) => h("tr", {}, row.map((cell, place) => h("td", { class: place >= numbersFrom && "num" }, cell))));
  return wide(label, h("table", { class: "data" }, h("thead", {}, head), h("tbody", {}, body)));
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
        metaLine(one.outcome, when(one.opened_at), sessionLink(one.session)),
      ),
    ),
  );
}

function evidence(why) {
  if (!why.evidence.length) return section("Evidence", h("p", { class: "faint" }, "Nothing has spoken for or against it yet."));
  const newest = [...why.evidence].sort((a, b) => (a.at < b.at ? 1 : -1));
  const row = (one, place) => [
    [one.reason, one.session && [" in ", sessionLink(one.session)], one.quote && one.quote !== newest[place - 1]?.quote && h("div", { class: "faint small" }, one.quote)],
    when(one.at),
    round(one.worked),
    round(one.failed),
  ];
  return section("Evidence", small("Evidence", ["What came of it", "When", "For", "Against"], newest.slice(0, MOST_SHOWN).map(row), 2), newest.length > MOST_SHOWN && h("p", { class: "small faint" }, `and ${number(newest.length - MOST_SHOWN)} earlier`));
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

const ROUTINE = ["tool.failed", "tool.succeeded"]; // calls, which the evidence tells already

/** What was done with it, newest first: who changed what, and why. */
function events(list) {
  const told = list.filter((one) => !ROUTINE.includes(one.kind)).map((one) => ({ ...one, words: eventWords(one), count: 1 }));
  const runs = [];
  for (const one of told) {
    const last = runs[runs.length - 1];
    if (last && last.words === one.words && last.actor === one.actor) {
      runs[runs.length - 1] = { ...one, count: last.count + 1, detail: { ...one.detail, before: last.detail.before } };
    } else runs.push(one);
  }
  return section(
    "History",
    h(
      "ul",
      { class: "events" },
      runs.reverse().slice(0, 15).map((one) =>
        h(
          "li",
          {},
          h("div", {}, one.words, one.count > 1 && ` (${number(one.count)} times)`, one.actor && h("span", { class: "faint" }, ` by ${one.actor}`)),
          h("div", { class: "faint small" }, changes(one.detail), when(one.at)),
        ),
      ),
    ),
    h("p", { class: "small" }, h("a", { href: `/audit?subject=${list[0]?.subject ?? ""}` }, "as it was recorded")),
  );
}

const eventWords = (event) => event.detail.reason || event.kind.split(".")[1].replaceAll("_", " ");

/** "confidence 0.67 → 0.75, " for an event that changed it. */
function changes({ before, after }) {
  if (!before || !after) return "";
  const pairs = [
    ["confidence", believed(before), believed(after)],
    ["state", before.status, after.status],
  ];
  return pairs.filter(([, old, now]) => old !== now).map(([name, old, now]) => `${name} ${old} → ${now}, `).join("");
}

const believed = ({ worked, failed }) => (worked + failed ? (worked / (worked + failed)).toFixed(2) : "0.00");
