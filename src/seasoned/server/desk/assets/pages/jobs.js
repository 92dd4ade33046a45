// What runs by itself: schedules with their next run, and jobs with what came of them.

import { attempt, can, filters, setFilters, toast } from "../app.js";
import { get, post, query, remove } from "../api.js";
import { amount, badge, code, empty, h, metaLine, owner, show, when } from "../dom.js";
import { PagedList } from "../list.js";
import { confirmed } from "../overlays.js";

const SECONDS = 5;
const STATUSES = ["waiting", "running", "done", "failed", "cancelled"];
const QUEUES = { cron: "scheduled", background: "in the background", workflow: "workflow" };
const LOOKS = { waiting: "waiting", running: "waiting", done: "ok", failed: "failed", cancelled: "off" };

export async function open() {
  const wanted = { status: "", queue: "", system: "", ...filters() };
  const plans = h("div", {});
  const list = new PagedList({
    label: "Jobs",
    fetchPage: (cursor) => get(query("/v1/jobs", { ...wanted, limit: 50, cursor })),
    row: (job) => row(job, load),
    whenEmpty: () => empty("No job fits.", h("p", {}, "Plan one with ", h("code", {}, "seasoned cron add"), ", or start one with ", h("code", {}, "seasoned jobs start"), ".")),
  });
  const load = async () => {
    const [found] = await Promise.all([get("/v1/schedules?limit=200"), list.load()]);
    show(plans, schedules(found.items.sort((a, b) => a.system - b.system), load));
  };
  const changed = (name, value) => {
    wanted[name] = value;
    setFilters(wanted);
    attempt(() => list.load());
  };
  const choice = (name, label, values) =>
    h(
      "select",
      { "aria-label": label, onchange: (event) => changed(name, event.target.value) },
      h("option", { value: "" }, label),
      Object.entries(values).map(([value, said]) => h("option", { value, selected: wanted[name] === value }, said)),
    );
  await load();
  // A job ends without anybody telling: look now and then, but not under somebody's hands.
  const element = h(
    "div",
    {},
    h("div", { class: "head" }, h("div", {}, h("h1", {}, "Jobs"), h("p", { class: "lead" }, "What the agent does by itself: at set times, in the background, and step by step."))),
    h("h2", { class: "above" }, "Schedules"),
    plans,
    h("h2", { class: "above" }, "Runs"),
    h("div", { class: "filters" }, choice("status", "any state", Object.fromEntries(STATUSES.map((one) => [one, one]))), choice("queue", "any kind", QUEUES), choice("system", "of agents", { true: "of the installation" })),
    list.element,
  );
  const isAtRest = () => document.visibilityState === "visible" && scrollY < 100 && !element.contains(document.activeElement) && !element.querySelector("details[open]");
  const looking = setInterval(() => isAtRest() && load().catch(() => {}), SECONDS * 1000);
  return { title: "Jobs", element, onKey: (key) => list.onKey(key), close: () => (clearInterval(looking), list.close()) };
}

function schedules(items, reload) {
  if (!items.length) {
    return h("section", { class: "panel" }, empty("Nothing is planned.", code('seasoned cron add digest "Summarise the new tickets" --cron "30 7 * * 1-5"')));
  }
  return h("ul", { class: "list", "aria-label": "Schedules" }, items.map((one) => h("li", { class: "row between" }, planned(one), can("operate") && acts(one, reload))));
}

function planned(one) {
  return h(
    "div",
    { class: "broad" },
    h("b", {}, one.name),
    one.prompt && h("div", { class: "small soft" }, one.prompt),
    metaLine(
      one.paused ? badge("off", "paused") : badge("active", "planned"),
      one.system && badge("plain", "looks after the installation"),
      h("code", {}, one.kind === "cron" ? one.rule : `${one.kind} ${one.rule}`),
      one.timezone,
      one.next_at && !one.paused && h("span", {}, "next ", when(one.next_at)),
      `missed runs: ${one.catch_up}`,
      owner(one.scope),
    ),
  );
}

function acts(one, reload) {
  const path = `/v1/schedules/${encodeURIComponent(one.id)}`;
  const done = (act, said, undo) => attempt(async () => (await act(), toast(said, { undo }), await reload()));
  const pause = () => done(() => post(`${path}/pause`), "Paused.", resume);
  const resume = () => done(() => post(`${path}/resume`), "It runs again.", pause);
  const drop = async () => {
    if (await confirmed(`Remove ${one.name}?`, "It is planned no more. Its runs stay in the list.", "Remove")) await done(() => remove(path), "Removed.");
  };
  return h(
    "div",
    { class: "row" },
    h("button", { onclick: () => done(() => post(`${path}/run`), "Started: a worker runs it now.") }, "Run now"),
    one.paused ? h("button", { onclick: resume }, "Resume") : h("button", { onclick: pause }, "Pause"),
    !one.system && h("button", { class: "danger", onclick: drop }, "Remove"),
  );
}

function row(job, reload) {
  const isOver = ["done", "failed", "cancelled"].includes(job.status);
  const path = `/v1/jobs/${job.id}`;
  const done = (act, said) => attempt(async () => (await post(`${path}/${act}`), toast(said), await reload()));
  const told = job.error || job.result;
  return h(
    "div",
    { class: "row between" },
    h(
      "div",
      { class: "broad" },
      h("span", { class: "title" }, (job.queue === "background" && job.prompt) || job.name || job.id),
      metaLine(
        badge(LOOKS[job.status], job.cancelling && !isOver ? "stopping" : job.status),
        QUEUES[job.queue],
        job.started_at ? h("span", {}, isOver ? "ended " : "began ", when(job.ended_at ?? job.started_at)) : h("span", {}, "due ", when(job.due_at)),
        job.tries > 1 && amount(job.tries, "try").replace("trys", "tries"),
        owner(job.scope),
      ),
      job.deliver !== "none" && (job.delivered_at || job.delivery_error) && h("div", { class: "small faint" }, job.delivered_at ? `result sent to ${job.deliver}` : `not delivered to ${job.deliver}: ${job.delivery_error}`),
      told && h("details", {}, h("summary", { class: "small" }, job.error ? "why it failed" : "result"), h("pre", { class: "code" }, told)),
    ),
    can("operate") && !isOver && !job.cancelling && h("button", { class: "danger", onclick: () => done("cancel", "It is being cancelled.") }, "Cancel"),
    can("operate") && ["failed", "cancelled"].includes(job.status) && h("button", { onclick: () => done("restart", "It runs again.") }, "Run again"),
  );
}
