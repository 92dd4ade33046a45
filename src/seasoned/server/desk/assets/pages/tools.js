// Tools with their records and the notes they carry; skills.

import { attempt, can, toast } from "../app.js";
import { get, post } from "../api.js";
import { spark } from "../charts.js";
import { badge, empty, h, number, percent, show, when } from "../dom.js";
import { table } from "./health.js";

export async function open() {
  const content = h("div", { class: "stack" });
  const load = async () => show(content, await body(load));
  await load();
  return {
    title: "Tools and skills",
    element: h(
      "div",
      {},
      h("div", { class: "head" }, h("h1", {}, "Tools and skills"), h("a", { class: "button", href: "/choices" }, "What the bandit chooses")),
      content,
    ),
  };
}

async function body(reload) {
  const [tools, skills, performance] = await Promise.all([
    get("/v1/tools?limit=200"),
    get("/v1/skills?limit=100"),
    get("/v1/performance/days?days=30&kind=tool"),
  ]);
  const places = new Map(tools.items.map((tool) => [tool.name, h("div", {})]));
  showNotes(places);
  return [toolTable(tools.items, places, performance.items), skillList(skills.items, reload)];
}

/** Wording the notes takes a moment; they join the table when they come. */
async function showNotes(places) {
  const { notes } = (await attempt(() => post("/v1/tool-notes", { given: false }))) ?? { notes: [] };
  for (const [tool, place] of places) {
    const own = notes.filter((note) => note.tool === tool);
    if (own.length) show(place, h("ul", { class: "small" }, own.map((note) => h("li", {}, h("a", { href: `/lessons/${note.lesson}` }, note.text)))));
  }
}

function toolTable(tools, places, performance) {
  if (!tools.length) return h("section", { class: "panel" }, h("h2", {}, "Tools"), empty("No tool was called yet.", h("p", {}, "Every call that is observed counts here.")));
  const days = new Map(performance.map((one) => [one.name, one]));
  const row = (tool) => {
    const record = days.get(tool.name);
    return [
      h("div", {}, h("code", {}, tool.name), places.get(tool.name)),
      record ? spark(record.failed, `Failures of ${tool.name} by day: ${record.failed.join(", ")}`) : "",
      number(tool.calls),
      percent(tool.failing),
      tool.average_ms === null ? "–" : `${Math.round(tool.average_ms)} ms`,
      when(tool.last_called_at),
    ];
  };
  return table("Tools", ["Tool, and the notes in its description", "Failures, 30 days", "Calls", "Failing", "Average", "Last"], tools.map(row), 2);
}

function skillList(skills, reload) {
  if (!skills.length) {
    return h("section", { class: "panel" }, h("h2", {}, "Skills"), empty("No skills yet.", h("p", {}, "Procedures that worked several times are proposed here; ", h("code", {}, "seasoned skills load DIR"), " adds yours.")));
  }
  const done = (skill, act, said) =>
    attempt(async () => {
      await post(`/v1/skills/${skill.id}/${act}`);
      toast(said);
      await reload();
    });
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Skills"),
    h(
      "ul",
      { class: "list" },
      skills.map((skill) =>
        h(
          "li",
          {},
          h("details", {}, h("summary", {}, h("b", {}, skill.name), ` ${skill.description}`), h("pre", { class: "code" }, skill.body)),
          h(
            "div",
            { class: "meta" },
            badge(skill.status === "adopted" ? "active" : "candidate", skill.status),
            skill.record && `worked ${number(skill.record.succeeded)}, failed ${number(skill.record.failed)}`,
            when(skill.updated_at),
            can("operate") && skill.status !== "adopted" && h("button", { onclick: () => done(skill, "adopt", "Adopted.") }, "Adopt"),
            can("operate") && skill.status !== "retired" && h("button", { class: "danger", onclick: () => done(skill, "retire", "Retired.") }, "Retire"),
          ),
        ),
      ),
    ),
  );
}
