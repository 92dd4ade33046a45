// Talk to the agent: its answer on one side; what was given, noticed and learned on the other, live.

import { filters, setFilters } from "../app.js";
import { amount, badge, empty, givenLine, h, kindOf, show, when } from "../dom.js";
import { follow, send } from "../live.js";

export async function open() {
  const session = filters().session ?? `desk-${crypto.randomUUID().slice(0, 8)}`;
  const hint = empty("Say what you want done.", h("p", {}, "When the answer is not what you meant, say so: “No. Always answer in German.”"));
  const talk = h("div", { class: "talk", "aria-live": "polite" }, hint);
  const side = h("div", { class: "stack" }, h("section", { class: "panel" }, h("h2", {}, "What it learns"), h("p", { class: "soft" }, "The lessons that the agent is given, and what it notices and learns, appear here while you talk.")));
  const input = h("textarea", { id: "message", rows: 3, "aria-label": "Message", placeholder: "Say something. Enter sends, Shift+Enter makes a new line." });
  const stop = h("button", { hidden: true, onclick: () => send({ type: "cancel", session }) }, "Stop");
  const state = { reply: null, text: "", next: "", isSent: false, isNoted: false };
  const said = (text) => {
    hint.remove();
    state.reply = h("div", { class: "bubble assistant" }, h("span", { class: "faint" }, "…"));
    state.text = "";
    talk.append(h("div", { class: "bubble user" }, text), state.reply);
    stop.hidden = false;
  };
  const queued = h("p", { class: "small faint", hidden: true }, "Sent when this answer is done.");
  const submit = (event) => {
    event?.preventDefault();
    const text = input.value.trim();
    if (!text || state.next) return;
    input.value = "";
    if (state.reply) state.next = text;
    else say(text);
    queued.hidden = !state.next;
  };
  const say = (text) => {
    said(text);
    state.isSent = true;
    setFilters({ session }); // a reload goes on with this conversation
    send({ type: "message", session, text });
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  });
  const note = (title, ...children) => {
    if (!state.isNoted) show(side);
    state.isNoted = true;
    side.prepend(h("section", { class: "panel" }, h("h2", {}, title, h("span", { class: "small faint" }, when(new Date().toISOString()))), ...children));
  };
  const finish = () => {
    state.reply = null;
    stop.hidden = true;
    const { next } = state;
    state.next = "";
    queued.hidden = true;
    if (next) say(next);
    else input.focus();
  };
  const handlers = {
    message: (event) => {
      if (!state.isSent) said(event.text); // from another window, or before a reload
      state.isSent = false;
    },
    waiting: (event) => state.reply && show(state.reply, h("span", { class: "faint" }, `asks again in ${Math.max(1, Math.round(event.seconds ?? 0))} s: ${event.text}`)),
    recalled: ({ lessons }) => note(`${amount(lessons.length, "lesson")} given to the agent`, given(lessons)),
    chunk: (event) => {
      state.text += event.text;
      if (state.reply) state.reply.textContent = state.text;
    },
    tool: (event) => {
      const failed = event.state === "failed";
      const line = h("div", { class: failed ? "call failed" : "call" }, h("code", {}, `${event.tool} ${JSON.stringify(event.params)}`), event.state !== "started" && h("div", { class: "wrap small" }, event.text));
      if (event.state !== "started") state.reply?.before(line);
      if (event.hint) note("given beside an error", h("p", {}, h("code", {}, event.tool), ": ", h("a", { href: `/lessons/${event.hint}` }, "the known fix")));
    },
    approval: (event) => {
      const answer = (decision) => {
        send({ type: "approve", session, request: event.id, answer: decision });
        asked.remove();
      };
      const asked = h(
        "div",
        { class: "notice", role: "alert" },
        h("p", {}, "May this run? ", h("span", { class: "faint" }, event.reason)),
        h("pre", { class: "code" }, event.call),
        h("div", { class: "row" }, event.answers.map((one) => h("button", { class: one === "allow" ? "main-act" : "", onclick: () => answer(one) }, { allow: "Yes", always: "Always this call", deny: "No" }[one]))),
      );
      state.reply?.before(asked);
    },
    noticed: (event) =>
      note(
        event.lasts ? "noted from now on" : "noted for this session",
        h("p", {}, event.lesson ? h("a", { href: `/lessons/${event.lesson}` }, event.text) : event.text),
        (event.replaces ?? []).map((one) => h("p", { class: "small soft" }, "replaces: ", h("del", {}, one.text))),
        (event.against ?? []).map((one) => h("p", { class: "small soft" }, "contradicts ", h("a", { href: `/lessons/${one.id}` }, one.text), "; what was said last holds")),
      ),
    done: (event) => {
      if (state.reply) state.reply.textContent = event.text || state.text;
      finish();
    },
    error: (event) => {
      const message = event.message ?? event.text ?? "The turn failed.";
      if (state.reply) show(state.reply, h("span", { class: "badge failed" }, "error"), " ", message);
      finish();
    },
    refused: (event) => handlers.error(event.error ?? event),
  };
  const onEvent = (event) => {
    if (event.type === "fact") {
      if (event.lesson) note(event.fact.replaceAll("_", " "), lessonLine(event.lesson));
      return;
    }
    if (event.session && event.session !== session) return;
    handlers[event.type]?.(event);
  };
  follow(session);
  return {
    title: "Chat",
    element: h(
      "div",
      {},
      h("div", { class: "head" }, h("div", {}, h("h1", {}, "Chat"), h("p", { class: "lead" }, "Correct it, and watch what it learns."))),
      h("div", { class: "two" }, h("div", { class: "panel stack" }, talk, h("form", { class: "stack tight", onsubmit: submit }, input, h("div", { class: "row" }, h("button", { class: "main-act", type: "submit" }, "Send"), stop), queued)), h("aside", { "aria-label": "What is learned" }, side)),
    ),
    onEvent,
    shown: () => input.focus(),
  };
}

function given(lessons) {
  return h("ul", { class: "list" }, lessons.map((one) => h("li", {}, givenLine(one, { id: one.lesson, content: one.text, kind: one.kind, polarity: one.polarity }))));
}

function lessonLine(lesson) {
  return h("p", {}, badge(lesson.status), " ", kindOf(lesson), ": ", h("a", { href: `/lessons/${lesson.id}` }, lesson.content));
}
