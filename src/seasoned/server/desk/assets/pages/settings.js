// The settings in force, and where each comes from. They are changed in the file or the environment.

import { get } from "../api.js";
import { h } from "../dom.js";

export async function open() {
  const { settings } = await get("/v1/settings");
  const groups = Map.groupBy ? Map.groupBy(settings, (one) => one.key.split(".")[0]) : grouped(settings);
  return {
    title: "Settings",
    element: h(
      "div",
      {},
      h(
        "div",
        { class: "head" },
        h("div", {}, h("h1", {}, "Settings"), h("p", { class: "lead" }, "What is in force in this process. Change them in ", h("code", {}, "seasoned.toml"), " of the home folder, with ", h("code", {}, "seasoned config set"), " or by environment variables, then restart.")),
      ),
      h(
        "div",
        { class: "grid halves" },
        [...groups].map(([name, rows]) =>
          h(
            "section",
            { class: "panel" },
            h("h2", {}, name),
            h("table", { class: "data" }, h("tbody", {}, rows.map((one) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, one.key)), h("td", {}, one.value === "" || one.value === null ? h("span", { class: "faint" }, "not set") : String(one.value), h("div", { class: "faint small" }, one.origin)))))),
          ),
        ),
      ),
    ),
  };
}

function grouped(rows) {
  const found = new Map();
  for (const row of rows) {
    const name = row.key.split(".")[0];
    found.set(name, [...(found.get(name) ?? []), row]);
  }
  return found;
}
