// All lessons: search as you type, filters in the address, acts on one or on many.

import { attempt, filters, go, setFilters } from "../app.js";
import { get, query } from "../api.js";
import { Bulk } from "../bulk.js";
import { amount, badge, empty, h, kindOf, owner, when } from "../dom.js";
import { PagedList } from "../list.js";

const KINDS = ["fix", "rule", "preference", "fact", "pattern", "correction", "example"];
const STATUSES = ["active", "candidate", "suspended", "retired"];

export async function open() {
  const wanted = { text: "", kind: "", status: "", tool: "", ...filters() };
  const bulk = new Bulk("lesson", () => list.load());
  const list = new PagedList({
    label: "Lessons",
    fetchPage: (cursor) => get(query("/v1/lessons", { ...wanted, limit: 50, cursor })),
    row: (lesson) => row(lesson, bulk),
    whenEmpty: () =>
      wanted.text || wanted.kind || wanted.status || wanted.tool
        ? empty("No lesson fits.", h("p", {}, "Try other words, or fewer filters."))
        : empty("Nothing was learned yet.", h("p", {}, "A tool error that is repaired, or a correction, makes the first lesson.")),
    keys: { Enter: (lesson) => go(`/lessons/${lesson.id}`) },
  });
  let soon = null;
  const changed = (name, value) => {
    wanted[name] = value;
    setFilters(wanted);
    clearTimeout(soon);
    soon = setTimeout(() => attempt(() => list.load()), 120);
  };
  const choice = (name, label, values) =>
    h(
      "select",
      { "aria-label": label, onchange: (event) => changed(name, event.target.value) },
      h("option", { value: "" }, label),
      values.map((value) => h("option", { value, selected: wanted[name] === value }, value)),
    );
  const element = h(
    "div",
    {},
    h("div", { class: "head" }, h("h1", {}, "Lessons"), bulk.element),
    h(
      "div",
      { class: "filters" },
      h("input", {
        type: "search",
        placeholder: "Search in lessons",
        "aria-label": "Search in lessons",
        value: wanted.text,
        oninput: (event) => changed("text", event.target.value.trim()),
      }),
      choice("kind", "any kind", KINDS),
      choice("status", "any state", STATUSES),
      h("input", { type: "text", placeholder: "any tool", "aria-label": "Tool", value: wanted.tool, oninput: (event) => changed("tool", event.target.value.trim()) }),
    ),
    list.element,
  );
  await list.load();
  return {
    title: "Lessons",
    element,
    onKey: (key) => list.onKey(key),
    onEvent: (event) => event.type === "fact" && !bulk.marked.size && list.load().catch(() => {}),
    close: () => (clearTimeout(soon), list.close()),
  };
}

function row(lesson, bulk) {
  return h("div", { class: "row between" }, h("div", { class: "row" }, bulk.box(lesson)), h("div", { class: "grow" }, title(lesson), meta(lesson)));
}

export function title(lesson) {
  return h("a", { class: "title", href: `/lessons/${lesson.id}` }, lesson.content);
}

export function meta(lesson) {
  return h(
    "div",
    { class: "meta" },
    badge(lesson.status),
    h("span", {}, kindOf(lesson)),
    lesson.fix && h("code", {}, lesson.fix.tool),
    lesson.verdict !== "undecided" && badge(lesson.verdict),
    h("span", {}, `confidence ${lesson.confidence.toFixed(2)}`),
    h("span", {}, `given ${amount(lesson.times_given, "time")}`),
    h("span", {}, owner(lesson.scope)),
    when(lesson.created_at),
  );
}
