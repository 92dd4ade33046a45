// Conversations of agents, latest first.

import { go } from "../app.js";
import { get, query } from "../api.js";
import { amount, badge, empty, h, metaLine, number, owner, when } from "../dom.js";
import { PagedList } from "../list.js";

const SECONDS = 10;

export async function open() {
  const list = new PagedList({
    label: "Sessions",
    fetchPage: (cursor) => get(query("/v1/sessions", { limit: 50, cursor })),
    row: (session) => [
      h("a", { class: "title", href: address(session) }, session.title || session.name),
      metaLine(session.ended_at ? badge("plain", "ended") : badge("active", "open"),
        amount(session.turns, "turn"),
        amount(session.messages, "message"),
        owner(session.scope),
        when(session.active_at),
      ),
    ],
    whenEmpty: () =>
      empty("No conversations yet.", h("p", {}, "Those of the agent, of the chat page, and those that programs report with ", h("code", {}, "s.conversation"), " stand here.")),
    keys: { Enter: (session) => go(address(session)) },
  });
  await list.load();
  // Nobody tells of new sessions: look now and then, but not away from where a person reads.
  const isAtRest = () => document.visibilityState === "visible" && list.chosen < 0 && scrollY < 100 && !list.element.contains(document.activeElement);
  const looking = setInterval(() => isAtRest() && list.load().catch(() => {}), SECONDS * 1000);
  const element = h("div", {}, h("div", { class: "head" }, h("h1", {}, "Sessions")), list.element);
  return { title: "Sessions", element, onKey: (key) => list.onKey(key), close: () => (clearInterval(looking), list.close()) };
}

const address = (session) => `/sessions/${encodeURIComponent(session.name)}`;
