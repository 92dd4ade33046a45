// What sessions amount to: observations and reflections, session by session.

import { get, query } from "../api.js";
import { amount, badge, empty, h, metaLine, number, owner, show, when } from "../dom.js";
import { PagedList } from "../list.js";

export async function open() {
  const detail = h("section", { class: "panel first-when-narrow" }, empty("Choose a session."));
  const list = new PagedList({
    label: "Sessions with memory",
    fetchPage: (cursor) => get(query("/v1/memory", { limit: 50, cursor })),
    row: (one) => [
      h("span", { class: "title" }, one.session.title || one.session.name),
      metaLine(amount(one.observations, "observation"), amount(one.reflections, "reflection"), owner(one.session.scope), when(one.session.active_at)),
    ],
    whenEmpty: () => empty("Nothing is remembered yet.", h("p", {}, "After about 1,000 tokens of conversation a session is observed.")),
    onChoose: (one) => one && fill(detail, one.session.name),
  });
  await list.load();
  const remembered = list.items.findIndex((one) => one.observations || one.reflections);
  if (list.items.length) list.choose(Math.max(0, remembered), false);
  return {
    title: "Memory",
    element: h("div", {}, h("div", { class: "head" }, h("h1", {}, "Memory")), h("div", { class: "two" }, list.element, detail)),
    onKey: (key) => list.onKey(key),
    close: () => list.close(),
  };
}

async function fill(place, name) {
  const path = `/v1/memory/${encodeURIComponent(name)}`;
  const [observations, reflections] = await Promise.all([get(`${path}/observations?limit=100`), get(`${path}/reflections?limit=20`)]);
  show(
    place,
    h("h2", {}, name, h("a", { class: "small", href: `/sessions/${encodeURIComponent(name)}` }, "the conversation")),
    reflections.items.length > 0 && h("h3", {}, "Reflections"),
    reflections.items.map((one) => h("p", { class: "said" }, one.text)),
    h("h3", {}, "Observations"),
    observations.items.map((one) => h("p", { class: "said" }, badge("plain", one.kind), " ", one.text)),
    !observations.items.length && h("p", { class: "faint" }, "None."),
  );
}
