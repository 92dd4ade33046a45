// Does learning work? Parts, buffers, the queue of corrections, the canary, the last errors.

import { get } from "../api.js";
import { badge, h, number, show, when, wide } from "../dom.js";

export async function open() {
  const content = h("div", {});
  const load = async () => show(content, await body());
  await load();
  const timer = setInterval(() => load().catch(() => {}), 5000);
  return {
    title: "Health",
    element: h("div", {}, h("div", { class: "head" }, h("h1", {}, "Health")), content),
    close: () => clearInterval(timer),
  };
}

async function body() {
  const health = await get("/health", { also: [503] });
  return [
    h(
      "div",
      { class: `notice ${{ ok: "good", failing: "bad" }[health.status] ?? ""}`, role: "status" },
      badge(health.status),
      " ",
      health.reasons?.length ? h("ul", {}, health.reasons.map((reason) => h("li", {}, reason))) : "Everything works.",
    ),
    h(
      "div",
      { class: "grid halves" },
      h("div", { class: "stack" }, health.corrections && queue(health.corrections), health.canary && canary(health.canary), health.parts && errors(health)),
      health.buffers && buffers(health.buffers),
    ),
    health.parts && h("div", { class: "below" }, parts(health.parts)),
    !health.parts && h("p", { class: "faint" }, "Parts, buffers and errors are shown to operators."),
  ];
}

function queue(corrections) {
  const share = Math.min(1, corrections.pending / Math.max(1, corrections.cap));
  return h(
    "section",
    { class: "panel", id: "queue" },
    h("h2", {}, "Corrections that wait", badge(corrections.colour, corrections.label || corrections.colour)),
    h("p", {}, h("b", {}, number(corrections.pending)), ` of ${number(corrections.cap)}`),
    h("div", { class: `meter ${corrections.colour}`, role: "meter", "aria-label": "Corrections that wait", "aria-valuemin": 0, "aria-valuemax": corrections.cap, "aria-valuenow": corrections.pending }, bar(share)),
    h("p", { class: "small soft" }, `${number(corrections.failing)} failing, ${number(corrections.archived)} archived over the cap`, corrections.error && `; last error: ${corrections.error}`),
  );
}

function bar(share) {
  const element = h("i", {});
  element.style.width = `${Math.round(share * 100)}%`;
  return element;
}

function canary(flight) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Canary", badge(flight.state)),
    h("p", { class: "small soft" }, "A lesson that travels the whole loop: an error, its repair, the hint for the next one."),
    h("p", {}, flight.at ? when(flight.at) : "not sent yet", flight.seconds !== undefined && flight.seconds !== null && `, in ${Math.round(flight.seconds * 1000)} ms`),
    flight.reason && h("p", { class: "wrap" }, flight.reason),
  );
}

function parts(all) {
  return table("Parts", ["Part", "State", "Why, and what to do"], Object.entries(all).map(([name, part]) => [name.replaceAll("_", " "), badge(part.state), [part.reason, part.remedy].filter(Boolean).join("; ")]));
}

function buffers(all) {
  return table(
    "Buffers",
    ["Buffer", "Waiting", "Done", "Spilled", "Failed"],
    Object.entries(all).map(([name, one]) => [name, number(one.waiting ?? one.nudges), number(one.processed), number(one.spilled), number(one.failed)]),
    1,
  );
}

function errors(health) {
  const found = health.errors ?? health.worker_errors ?? {};
  const rows = Object.entries(found).filter(([, text]) => text && String(text) !== "");
  if (!rows.length) return h("section", { class: "panel" }, h("h2", {}, "Last errors"), h("p", { class: "faint" }, "None."));
  return table("Last errors", ["Where", "What"], rows.map(([name, text]) => [name, typeof text === "string" ? text : JSON.stringify(text)]));
}

export function table(title, names, rows, numbersFrom = Infinity) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, title),
    wide(
      title,
      h(
        "table",
        { class: "data" },
        h("thead", {}, h("tr", {}, names.map((name, place) => h("th", { scope: "col", class: place >= numbersFrom && "num" }, name)))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, place) => h("td", { class: place >= numbersFrom && "num" }, cell))))),
      ),
    ),
  );
}
