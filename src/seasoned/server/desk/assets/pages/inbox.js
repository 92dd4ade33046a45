// What waits for a person: candidates with their evidence, conflicts side by side, open questions.

import { attempt, can, countInbox, go, toast } from "../app.js";
import { get, post, query } from "../api.js";
import { badge, code, empty, h, metaLine, owner, show, when } from "../dom.js";
import { PagedList } from "../list.js";
import { askText } from "../overlays.js";

export async function open() {
  const questions = h("div", {});
  const list = new PagedList({
    label: "What waits for you",
    fetchPage: (cursor) => get(query("/v1/review", { limit: 30, cursor })),
    row: (item) => row(item, acts),
    whenEmpty: () =>
      empty(
        "Nothing waits for you.",
        h("p", {}, "Lessons that need a person come here: candidates with one witness, changes that add power, rules that contradict each other."),
      ),
    keys: can("operate")
      ? { a: (item) => acts.accept(item), e: (item) => acts.edit(item), r: (item) => acts.reject(item), Enter: (item) => openLesson(item) }
      : { Enter: (item) => openLesson(item) },
  });
  const openLesson = (item) => go(`/lessons/${item.lesson.id}`);
  const decide = async (item, path, body, said) => {
    const done = await attempt(() => post(`/v1/review/${item.id}/${path}`, body, { etag: `"${item.version}"` }));
    if (!done) return;
    list.drop(item);
    countInbox();
    const undo = async () => {
      if (await attempt(() => post(`/v1/review/${item.id}/reopen`))) {
        toast("Taken back: it waits again.");
        await list.load();
        countInbox();
      }
    };
    toast(said, { undo });
  };
  const acts = {
    accept: (item, keep) => decide(item, "accept", keep ? { keep } : {}, item.conflict ? "Decided." : "Accepted: it is active now."),
    reject: (item) => decide(item, "reject", {}, item.conflict ? "The earlier rule holds." : "Rejected: it will not come back."),
    edit: async (item) => {
      if (item.conflict) return go(`/lessons/${item.lesson.id}`);
      const words = await askText("Accept in other words", "The lesson, as a colleague would say it", item.lesson.content, "Accept");
      if (words) await decide(item, "edit", { words }, "Accepted in your words.");
    },
  };
  const element = h(
    "div",
    {},
    h(
      "div",
      { class: "head" },
      h(
        "div",
        {},
        h("h1", {}, "Inbox"),
        h("p", { class: "lead" }, "Lessons that wait for your word. Silence is safe: what waits here is told to nobody."),
      ),
      h("span", { class: "faint small keys-hint" }, h("kbd", {}, "j"), " ", h("kbd", {}, "k"), " walk · ", h("kbd", {}, "a"), " accept · ", h("kbd", {}, "e"), " edit · ", h("kbd", {}, "r"), " reject · ", h("kbd", {}, "u"), " undo"),
    ),
    list.element,
    questions,
  );
  attempt(() => showQuestions(questions)); // they come below
  await list.load();
  if (list.items.length) list.choose(0, false);
  return {
    title: "Inbox",
    element,
    onKey: (key) => list.onKey(key),
    onEvent: (event) => event.type === "fact" && list.load().catch(() => {}),
    close: () => list.close(),
  };
}

function row(item, acts) {
  const buttons =
    can("operate") &&
    (item.conflict
      ? h(
          "div",
          { class: "row" },
          h("button", { class: "main-act", onclick: () => acts.accept(item, "later") }, "Keep the later"),
          h("button", { onclick: () => acts.accept(item, "earlier") }, "Keep the earlier"),
          h("button", { onclick: () => acts.accept(item, "both") }, "Both hold"),
        )
      : h(
          "div",
          { class: "row" },
          h("button", { class: "main-act", onclick: () => acts.accept(item) }, "Accept"),
          h("button", { onclick: () => acts.edit(item) }, "Edit"),
          h("button", { class: "danger", onclick: () => acts.reject(item) }, "Reject"),
        ));
  return h("div", { class: "stack" }, item.conflict ? conflict(item) : candidate(item), buttons);
}

function candidate(item) {
  const { lesson } = item;
  return h(
    "div",
    {},
    h("a", { class: "title", href: `/lessons/${lesson.id}` }, lesson.content),
    metaLine(badge("candidate", item.kind === "fix" ? "fix" : "rule"),
      lesson.fix && h("code", {}, lesson.fix.tool),
      h("span", {}, `${item.witnesses} ${item.witnesses === 1 ? "session" : "sessions"}`),
      h("span", {}, owner(lesson.scope)),
      when(lesson.created_at),
    ),
    h("p", { class: "soft small" }, item.reason),
    item.repairs.slice(0, 2).map(repair),
    item.exchanges.slice(0, 2).map(exchange),
    !item.repairs.length && !item.exchanges.length && item.quotes.slice(0, 3).map((quote) => h("blockquote", { class: "said" }, quote)),
  );
}

function repair(one) {
  return h(
    "div",
    { class: "pair" },
    h("div", {}, h("h3", {}, "Failed"), code(callText(one.failed)), h("p", { class: "small wrap" }, one.error)),
    h("div", {}, h("h3", {}, "Worked"), code([...one.steps, ...(one.worked ? [one.worked] : [])].map(callText).join("\n") || "the same call, later")),
  );
}

export function callText(call) {
  return `${call.tool} ${JSON.stringify(call.params, null, 1).replace(/\n\s*/g, " ")}`;
}

export function exchange(one) {
  return h(
    "div",
    {},
    one.request && h("p", { class: "small" }, h("b", {}, "Asked: "), one.request),
    one.reply && h("p", { class: "small" }, h("b", {}, "Answered: "), one.reply),
    h("blockquote", { class: "said" }, one.said),
  );
}

function conflict(item) {
  const side = (title, lesson) =>
    h(
      "div",
      { class: "panel" },
      h("h3", {}, title),
      h("a", { class: "title", href: `/lessons/${lesson.id}` }, lesson.content),
      metaLine(owner(lesson.scope), when(lesson.created_at)),
    );
  return h(
    "div",
    {},
    metaLine(badge("waiting", "conflict"), item.reason),
    h("div", { class: "pair" }, side("Earlier", item.earlier), side("Later: holds until you decide", item.lesson)),
  );
}

async function showQuestions(place) {
  const found = await get("/v1/inquiries?status=pending&limit=20").catch(() => ({ items: [] }));
  if (!found.items.length) return show(place);
  const done = (inquiry, path, body, said) =>
    attempt(async () => {
      await post(`/v1/inquiries/${inquiry.id}/${path}`, body);
      toast(said);
      await showQuestions(place);
    });
  return show(
    place,
    h("h2", {}, "Questions of the librarian"),
    h(
      "ul",
      { class: "list" },
      found.items.map((inquiry) =>
        h(
          "li",
          {},
          h("p", {}, inquiry.question),
          metaLine(owner(inquiry.scope ?? {}), when(inquiry.asked_at ?? inquiry.created_at)),
          can("operate") &&
            h(
              "div",
              { class: "row" },
              h(
                "button",
                {
                  onclick: async () => {
                    const answer = await askText("Answer", inquiry.question, "", "Answer");
                    if (answer) await done(inquiry, "answer", { text: answer }, "Answered.");
                  },
                },
                "Answer",
              ),
              h("button", { class: "quiet", onclick: () => done(inquiry, "dismiss", {}, "Dismissed.") }, "Dismiss"),
            ),
        ),
      ),
    ),
  );
}
