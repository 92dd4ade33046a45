// Is my agent getting better? The figures of the last weeks, and what happened today.

import { attempt } from "../app.js";
import { get } from "../api.js";
import { bars, line } from "../charts.js";
import { badge, code, empty, h, kindOf, metaLine, number, percent, show, when, wide } from "../dom.js";

const DAYS = 30;
const NATURES = [
  ["misuse", "mistakes in the call"],
  ["check", "checks of the work"],
  ["nothing_found", "nothing found"],
  ["outage", "outages"],
  ["refused", "refused"],
  ["cancelled", "cancelled"],
];

const STATES = ["active", "candidate", "suspended", "superseded", "retired"];

export async function open() {
  const element = h("div", {}, h("div", { class: "head" }, h("h1", {}, "Overview")));
  const content = h("div", {});
  element.append(content);
  const load = async () => show(content, await body());
  await load();
  let soon = null;
  return {
    title: "Overview",
    element,
    onEvent: (event) => {
      if (event.type !== "fact") return;
      clearTimeout(soon);
      soon = setTimeout(() => load().catch(() => {}), 1500);
    },
    close: () => clearTimeout(soon),
  };
}

async function body() {
  const [{ days }, latest] = await Promise.all([get(`/v1/progress?days=${DAYS}`), get("/v1/lessons?limit=8")]);
  const calls = sum(days, (day) => day.calls);
  if (!calls && !latest.items.length) return firstSteps();
  // Counting a large store takes a moment: what needs it is filled in when it comes.
  const waits = h("b", {}, "…");
  const cost = h("b", {}, "…");
  const byState = h("div", {}, h("p", { class: "soft" }, "Counting …"));
  attempt(async () => {
    const waiting = await get("/v1/review?limit=50");
    show(waits, waiting.next ? "50+" : number(waiting.items.length));
  });
  attempt(async () => {
    const status = await get("/v1/status");
    show(cost, `$${spent(status).toFixed(2)}`);
    show(byState, states(status));
  });
  return [
    tiles(days, waits, cost),
    h(
      "div",
      { class: "grid halves even" },
      panel(
        "Mistakes made again",
        "Calls that failed with an error that was known before. They should become fewer.",
        bars(days, [{ name: "made again", values: days.map((day) => day.repeated) }], "Mistakes made again, by day"),
      ),
      panel(
        "First calls that fail",
        "Of the first calls of a tool in a session, the share that was wrong, in per cent.",
        line(days, days.map(firstFailed), "First calls that fail, by day", "%"),
      ),
      panel("Failures by nature", "Only mistakes in the call teach a fix.", natures(days)),
      panel("Corrections per 100 turns", "How often people had to correct the agent.", corrections(days)),
    ),
    h(
      "div",
      { class: "grid below" },
      panel("Learned lately", h("a", { href: "/lessons" }, "all lessons"), lately(latest.items)),
      panel("Lessons by state", null, byState),
    ),
  ];
}

const sum = (days, of) => days.reduce((total, day) => total + of(day), 0);
const firstFailed = (day) => (day.first_calls ? (100 * day.first_failed) / day.first_calls : null);

function share(days, part, whole) {
  const total = sum(days, whole);
  return total ? sum(days, part) / total : null;
}

function tiles(days, waits, cost) {
  const week = days.slice(-7);
  const before = days.slice(-14, -7);
  const now = share(week, (day) => day.first_failed, (day) => day.first_calls);
  const then = share(before, (day) => day.first_failed, (day) => day.first_calls);
  const today = days[days.length - 1];
  const learned = Object.values(today.learned).reduce((total, one) => total + one, 0);
  return h(
    "div",
    { class: "tiles" },
    tile(percent(now), "first calls fail", then === null ? "this week" : `this week; ${percent(then)} the week before`),
    tile(number(sum(week, (day) => day.repeated)), "mistakes made again", `this week; ${number(sum(before, (day) => day.repeated))} the week before`),
    tile(number(sum(week, (day) => day.hints)), "hints given", "this week"),
    tile(number(learned), learned === 1 ? "lesson learned" : "lessons learned", "today", "/lessons"),
    tile(waits, "waiting for you", "in the inbox", "/inbox"),
    tile(cost, "cost of learning", "today, by models"),
  );
}

const spent = (status) => (status.models ?? []).reduce((total, one) => total + (one.cost_usd ?? one.usd ?? 0), 0);

function tile(figure, words, more, href) {
  const children = [typeof figure === "string" ? h("b", {}, figure) : figure, h("span", {}, words), h("small", {}, more)];
  return href ? h("a", { class: "tile", href }, children) : h("div", { class: "tile" }, children);
}

function panel(title, more, ...children) {
  const said = typeof more === "string" ? h("p", { class: "soft small" }, more) : null;
  const link = more && typeof more !== "string" ? h("span", { class: "small" }, more) : null;
  return h("section", { class: "panel" }, h("h2", {}, title, link), said, ...children);
}

function natures(days) {
  const series = NATURES.map(([key, name]) => ({ name, values: days.map((day) => day.failures[key] ?? 0) }));
  const there = series.filter((one) => one.values.some(Boolean));
  if (!there.length) return empty("No call has failed in these days.");
  return bars(days, there, "Failures by nature, by day");
}

function corrections(days) {
  if (!sum(days, (day) => day.turns)) {
    return empty("No conversation yet.", h("p", { class: "small" }, "Report turns with ", h("code", {}, "s.conversation"), ", a proxy, or hooks."));
  }
  const values = days.map((day) => (day.turns ? (100 * day.corrections) / day.turns : null));
  return line(days, values, "Corrections per 100 turns, by day", "per 100 turns");
}

function lately(lessons) {
  if (!lessons.length) return empty("Nothing was learned yet.");
  return h(
    "ul",
    { class: "list" },
    lessons.map((lesson) =>
      h(
        "li",
        {},
        h("a", { class: "title", href: `/lessons/${lesson.id}` }, lesson.content),
        metaLine(badge(lesson.status), kindOf(lesson), lesson.fix?.tool, when(lesson.created_at)),
      ),
    ),
  );
}

function states(status) {
  const kinds = Object.entries(status.lessons ?? {});
  if (!kinds.length) return empty("No lessons yet.");
  const there = STATES.filter((state) => kinds.some(([, counts]) => counts[state]));
  const head = (name, place) => h("th", { scope: "col", class: place > 0 && "num" }, name);
  return wide(
      "Lessons by state",
    h(
      "table",
      { class: "data" },
      h("thead", {}, h("tr", {}, ["Kind", ...there].map(head))),
      h(
        "tbody",
        {},
        kinds.map(([kind, counts]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, kind),
            there.map((state) =>
              h("td", { class: "num" }, counts[state] ? h("a", { href: `/lessons?kind=${kind}&status=${state}` }, number(counts[state])) : "–"),
            ),
          ),
        ),
      ),
    ),
  );
}

function firstSteps() {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Nothing has happened yet"),
    h("p", {}, "Seasoned learns from tool calls that fail and are repaired, and from people who correct the agent. Begin with one of these:"),
    h("h3", {}, "Learn from the sessions you have"),
    code("seasoned learn"),
    h("h3", {}, "Connect a coding assistant"),
    code("seasoned connect claude-code"),
    h("h3", {}, "Point an agent's base URL here"),
    code(`OPENAI_BASE_URL=${location.origin}/openai/v1`),
    h("h3", {}, "Or look at sample data"),
    code("seasoned demo --serve"),
  );
}
