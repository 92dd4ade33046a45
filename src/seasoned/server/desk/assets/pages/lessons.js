// All lessons: search as you type, filters in the address, acts on one or on many.

import { attempt, can, filters, go, setFilters, toast } from "../app.js";
import { get, query, remove } from "../api.js";
import { badge, empty, h, number, owner, when } from "../dom.js";
import { PagedList } from "../list.js";
import { confirmed } from "../overlays.js";

const KINDS = ["fix", "rule", "preference", "fact", "pattern", "correction", "example"];
const STATUSES = ["active", "candidate", "suspended", "retired"];

export async function open() {
  const wanted = { text: "", kind: "", status: "", tool: "", ...filters() };
  const marked = new Set();
  const bulk = h("div", { class: "row", hidden: true });
  const list = new PagedList({
    label: "Lessons",
    fetchPage: (cursor) => get(query("/v1/lessons", { ...wanted, limit: 50, cursor })),
    row: (lesson) => row(lesson, marked, showBulk),
    whenEmpty: () =>
      wanted.text || wanted.kind || wanted.status
        ? empty("No lesson fits.", h("p", {}, "Try other words, or fewer filters."))
        : empty("Nothing was learned yet.", h("p", {}, "A tool error that is repaired, or a correction, makes the first lesson.")),
    keys: { Enter: (lesson) => go(`/lessons/${lesson.id}`) },
  });
  function showBulk() {
    bulk.hidden = !marked.size;
    bulk.replaceChildren(
      h("span", {}, `${number(marked.size)} chosen`),
      h("button", { class: "danger", onclick: forgetMarked }, "Forget"),
      h("button", { class: "quiet", onclick: () => (marked.clear(), showBulk(), list.load()) }, "Clear"),
    );
  }
  async function forgetMarked() {
    const amount = marked.size;
    if (!(await confirmed("Forget these lessons?", `${amount} lessons will be told to nobody any more.`, "Forget"))) return;
    for (const id of [...marked]) {
      const done = await attempt(() => remove(`/v1/lessons/${id}`));
      if (!done) break;
      marked.delete(id);
    }
    toast(`${amount - marked.size} lessons are forgotten.`);
    showBulk();
    await list.load();
  }
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
    h("div", { class: "head" }, h("h1", {}, "Lessons"), bulk),
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
    ),
    list.element,
  );
  await list.load();
  return {
    title: "Lessons",
    element,
    onKey: (key) => list.onKey(key),
    onEvent: (event) => event.type === "fact" && !marked.size && list.load().catch(() => {}),
    close: () => (clearTimeout(soon), list.close()),
  };
}

function row(lesson, marked, changed) {
  const mark =
    can("operate") &&
    h("input", {
      type: "checkbox",
      "aria-label": `Choose: ${lesson.content.slice(0, 80)}`,
      checked: marked.has(lesson.id),
      onchange: (event) => {
        if (event.target.checked) marked.add(lesson.id);
        else marked.delete(lesson.id);
        changed();
      },
    });
  return h("div", { class: "row between" }, h("div", { class: "row" }, mark), h("div", { class: "grow" }, title(lesson), meta(lesson)));
}

export function title(lesson) {
  return h("a", { class: "title", href: `/lessons/${lesson.id}` }, lesson.content);
}

export function meta(lesson) {
  return h(
    "div",
    { class: "meta" },
    badge(lesson.status),
    h("span", {}, lesson.kind),
    lesson.fix && h("code", {}, lesson.fix.tool),
    lesson.verdict !== "undecided" && badge(lesson.verdict),
    h("span", {}, `confidence ${lesson.confidence.toFixed(2)}`),
    h("span", {}, `given ${number(lesson.times_given)} times`),
    h("span", {}, owner(lesson.scope)),
    when(lesson.updated_at),
  );
}
