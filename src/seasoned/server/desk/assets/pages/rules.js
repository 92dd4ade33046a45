// Behavioral rules: how the agent is to behave. Search, switch off and on, edit, delete, add.

import { attempt, can, filters, go, setFilters, toast } from "../app.js";
import { get, post, query } from "../api.js";
import { Bulk } from "../bulk.js";
import { amount, badge, empty, h, owner, when } from "../dom.js";
import { PagedList } from "../list.js";
import { askText } from "../overlays.js";

const TYPES = ["preference", "refusal", "hallucination", "wrong_skill", "missing_context"];
const STATUSES = ["active", "candidate", "suspended", "retired"];

export async function open() {
  const wanted = { text: "", rule_type: "", status: "", ...filters() };
  const list = new PagedList({
    label: "Behavioral rules",
    fetchPage: (cursor) => get(query("/v1/rules", { ...wanted, provisional: true, limit: 50, cursor })),
    row: (rule) => row(rule, list, bulk),
    whenEmpty: () =>
      empty(
        wanted.text || wanted.rule_type || wanted.status ? "No rule fits." : "No rules yet.",
        h("p", {}, "Correct your agent once (“No, always answer in German”), or add a rule yourself."),
      ),
    keys: { Enter: (rule) => go(`/lessons/${rule.id}`), x: (rule) => can("operate") && toggle(rule, list) },
  });
  const bulk = new Bulk("rule", () => list.load());
  let soon = null;
  const changed = (name, value) => {
    wanted[name] = value;
    setFilters(wanted);
    clearTimeout(soon);
    soon = setTimeout(() => attempt(() => list.load()), 120);
  };
  const add = async () => {
    const words = await askText("Add a rule", "What is to hold from now on, for everybody in this scope", "", "Add");
    if (!words) return;
    const rule = await attempt(() => post("/v1/rules", { description: words }));
    if (!rule) return;
    toast("Added: it holds from the next turn on.");
    await list.load();
  };
  const choice = (name, label, values) =>
    h(
      "select",
      { "aria-label": label, onchange: (event) => changed(name, event.target.value) },
      h("option", { value: "" }, label),
      values.map((value) => h("option", { value, selected: wanted[name] === value }, value.replaceAll("_", " "))),
    );
  const element = h(
    "div",
    {},
    h(
      "div",
      { class: "head" },
      h("div", {}, h("h1", {}, "Behavioral rules"), h("p", { class: "lead" }, "How the agent is to behave: what people said outright, and what their corrections taught.")),
      h("div", { class: "row" }, bulk.element, can("operate") && h("button", { class: "main-act", onclick: add }, "Add a rule")),
    ),
    h(
      "div",
      { class: "filters" },
      h("input", { type: "search", placeholder: "Search in rules", "aria-label": "Search in rules", value: wanted.text, oninput: (event) => changed("text", event.target.value.trim()) }),
      choice("rule_type", "any type", TYPES),
      choice("status", "any state", STATUSES),
    ),
    list.element,
  );
  await list.load();
  return {
    title: "Behavioral rules",
    element,
    onKey: (key) => list.onKey(key),
    onEvent: (event) => event.type === "fact" && !bulk.marked.size && list.load().catch(() => {}),
    close: () => (clearTimeout(soon), list.close()),
  };
}

async function toggle(rule, list) {
  const act = rule.status === "active" ? "deactivate" : "activate";
  const changed = await attempt(() => post(`/v1/rules/${rule.id}/${act}`, {}, { etag: `"${rule.version}"` }));
  if (!changed) return void attempt(() => list.load());
  list.redraw(rule, changed);
  toast(act === "activate" ? "Switched on." : "Switched off: it is told no more.", { undo: () => toggle(changed, list) });
}

/** What was just said holds in its session at once; the learner replaces it by a lasting rule. */
const isProvisional = (rule) => Boolean(rule.rule?.provisional_of) && rule.status === "active";

function row(rule, list, bulk) {
  const isOn = rule.status === "active";
  const flip =
    can("operate") &&
    ["active", "suspended"].includes(rule.status) &&
    h("button", { role: "switch", "aria-checked": String(isOn), "aria-label": `In force: ${rule.content.slice(0, 80)}`, onclick: () => toggle(rule, list) }, isOn ? "on" : "off");
  return h(
    "div",
    { class: "row between" },
    h("div", { class: "row" }, bulk.box(rule)),
    h(
      "div",
      { class: "grow" },
      h("a", { class: "title", href: `/lessons/${rule.id}` }, rule.content),
      rule.rule?.poison && h("div", { class: "small soft" }, `not: ${rule.rule.poison}`),
      h(
        "div",
        { class: "meta" },
        badge(rule.status),
        isProvisional(rule) && badge("waiting", "provisional, this session"),
        (rule.rule?.type ?? rule.kind).replaceAll("_", " "),
        h("span", {}, rule.trigger ? `when: ${rule.trigger}` : "always"),
        h("span", {}, `applied ${amount(rule.times_given, "time")}`),
        h("span", {}, owner(rule.scope)),
        when(rule.updated_at),
      ),
    ),
    flip,
  );
}
