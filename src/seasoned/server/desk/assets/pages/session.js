// One conversation: what was said, what was told to the agent and why; rate and correct in place.

import { attempt, can, go, toast } from "../app.js";
import { get, post, query, remove } from "../api.js";
import { amount, empty, givenLine, h, icon, owner, show, when } from "../dom.js";
import { follow } from "../live.js";
import { askText, confirmed } from "../overlays.js";

export async function open(name) {
  const element = h("div", {});
  const load = async () => {
    try {
      show(element, await body(name));
    } catch (failure) {
      if (failure.status !== 404) throw failure;
      show(element, unknown(name));
    }
  };
  await load();
  follow(name);
  let soon = null;
  return {
    title: "Session",
    element,
    onEvent: (event) => {
      if (event.session !== name || !["done", "error"].includes(event.type)) return;
      if (element.querySelector(":focus")) return; // nobody loses the button at hand
      clearTimeout(soon);
      soon = setTimeout(() => load().catch(() => {}), 300);
    },
    close: () => clearTimeout(soon),
  };
}

/** Programs may report calls under a name without any conversation. */
function unknown(name) {
  return [
    h("p", {}, h("a", { href: "/sessions" }, "Sessions")),
    h("div", { class: "head" }, h("h1", {}, name)),
    h("section", { class: "panel" }, empty("No conversation is kept under this name.", h("p", {}, "Only its tool calls were reported, or it was deleted. ", h("a", { href: "/audit?kind=tool." }, "The audit"), " has the calls."))),
  ];
}

async function body(name) {
  const path = `/v1/sessions/${encodeURIComponent(name)}`;
  const [session, messages, given] = await Promise.all([
    get(path),
    all(`${path}/messages`),
    get(`${path}/given`).catch(() => ({ items: [] })),
  ]);
  const byTurn = Map.groupBy ? Map.groupBy(given.items, (one) => one.turn) : group(given.items);
  return [
    h("p", {}, h("a", { href: "/sessions" }, "Sessions")),
    h(
      "div",
      { class: "head" },
      h(
        "div",
        {},
        h("h1", {}, session.title || session.name),
        h("p", { class: "lead" }, `${amount(session.turns, "turn")} · ${owner(session.scope)} · `, when(session.active_at)),
      ),
      can("operate") && h("button", { class: "danger", onclick: () => forget(session, path) }, "Delete"),
    ),
    session.summary && h("section", { class: "panel" }, h("h2", {}, "Summary"), h("p", { class: "wrap" }, session.summary)),
    messages.length ? h("div", { class: "talk" }, turns(messages).map((turn) => shown(session, turn, byTurn.get(turn.number) ?? []))) : empty("Nothing was said."),
  ];
}

async function all(path) {
  const found = [];
  let cursor = null;
  do {
    const page = await get(query(path, { limit: 200, cursor }));
    found.push(...page.items);
    cursor = page.next;
  } while (cursor && found.length < 2000);
  return found;
}

function group(items) {
  const found = new Map();
  for (const item of items) found.set(item.turn, [...(found.get(item.turn) ?? []), item]);
  return found;
}

function turns(messages) {
  const found = [];
  for (const message of messages) {
    const last = found[found.length - 1];
    if (last && last.number === message.turn) last.messages.push(message);
    else found.push({ number: message.turn, messages: [message] });
  }
  return found;
}

function shown(session, turn, given) {
  const asked = turn.messages.find((one) => one.role === "user")?.text ?? "";
  const reply = turn.messages.filter((one) => one.role === "assistant").at(-1)?.text ?? "";
  return h(
    "article",
    { class: "turn" },
    turn.messages.map(said),
    given.length > 0 &&
      h(
        "details",
        { class: "given" },
        h("summary", {}, `${amount(given.length, "lesson")} given in this turn`),
        h("ul", { class: "list" }, given.map((one) => h("li", {}, givenLine(one, one.lesson)))),
      ),
    reply && can("learn") && rating(session, asked, reply),
  );
}

/** A message; calls of tools and their results stand beside the talk. */
function said(message) {
  const role = () => h("span", { class: "unseen" }, `${message.role}: `);
  const isTool = message.role === "tool";
  const lines = message.text.split("\n");
  const first = isTool ? 0 : lines.findIndex((line) => line.startsWith("[calls "));
  const words = (first < 0 ? lines : lines.slice(0, first)).join("\n");
  const calls = first < 0 ? "" : lines.slice(first).join("\n").replace(/^\[calls |^\[|\]$/gm, "");
  return [
    words && h("div", { class: `bubble ${message.role}` }, role(), words),
    calls && h("div", { class: calls.includes("Known fix (") ? "call hinted" : "call" }, role(), h("code", {}, calls)),
  ];
}

function rating(session, asked, reply) {
  const rated = async (polarity, said) => {
    const body = { polarity, source: "human", session: session.name, prompt: asked, response: reply };
    if (await attempt(() => post("/v1/feedback", body))) toast(said);
  };
  const correct = async () => {
    const words = await askText("Correct this reply", "What was wrong, or what is to hold from now on", "", "Correct");
    if (!words) return;
    const body = { message: words, request: asked, reply, session: session.name };
    if (await attempt(() => post("/v1/correct", body))) toast("Noted. It is in the rules when it was read.");
  };
  return h(
    "div",
    { class: "row" },
    h("button", { class: "quiet", "aria-label": "Good reply", onclick: () => rated("positive", "Thank you: counted as good.") }, icon("up"), "Good"),
    h("button", { class: "quiet", "aria-label": "Bad reply", onclick: () => rated("negative", "Counted as bad.") }, icon("down"), "Bad"),
    h("button", { class: "quiet", onclick: correct }, "Correct"),
  );
}

async function forget(session, path) {
  if (!(await confirmed("Delete this session?", "Its messages and memory are deleted. What was learned from it stays.", "Delete"))) return;
  if (await attempt(() => remove(path, { etag: `"${session.version}"` }))) {
    toast("Deleted.");
    go("/sessions");
  }
}
