// Every change of what was learned, as it was recorded; and whether the record is intact.

import { attempt, filters, setFilters } from "../app.js";
import { get, query } from "../api.js";
import { badge, empty, h, metaLine, number, show, when } from "../dom.js";
import { PagedList } from "../list.js";

const KINDS = ["", "lesson.", "rule.", "correction.", "tool.", "feedback.", "key.", "session."];
const LESSONS = /^(lesson|rule)\./;

/** Lessons have a page of their own; other subjects are names. */
function subject(event) {
  if (!event.subject) return null;
  if (!LESSONS.test(event.kind)) return h("code", {}, event.subject);
  return h("a", { href: `/lessons/${encodeURIComponent(event.subject)}` }, event.subject);
}

export async function open() {
  const wanted = { kind: "", subject: "", ...filters() };
  const verdict = h("span", { role: "status" });
  const list = new PagedList({
    label: "Audit events",
    fetchPage: (cursor) => get(query("/v1/audit", { ...wanted, limit: 50, cursor })),
    row: (event) => [
      h("b", {}, event.kind),
      " ",
      subject(event),
      metaLine(`no. ${number(event.seq)}`, when(event.at), event.actor && `by ${event.actor}`),
      h("details", {}, h("summary", { class: "small" }, "details"), h("pre", { class: "code" }, JSON.stringify(event.detail, null, 2))),
    ],
    whenEmpty: () => empty("Nothing was recorded yet."),
  });
  const verify = () =>
    attempt(async () => {
      show(verdict, "checking…");
      const report = await get("/v1/audit/verify");
      show(
        verdict,
        report.intact ? badge("ok", `intact: ${number(report.events)} events`) : badge("failed", `broken at no. ${report.broken_at}: ${report.reason}`),
      );
    });
  const changed = (value) => {
    wanted.kind = value;
    setFilters(wanted);
    attempt(() => list.load());
  };
  await list.load();
  return {
    title: "Audit",
    element: h(
      "div",
      {},
      h("div", { class: "head" }, h("h1", {}, "Audit"), h("div", { class: "row" }, verdict, h("button", { onclick: verify }, "Verify the chain"))),
      h(
        "div",
        { class: "filters" },
        h("select", { "aria-label": "kind of event", onchange: (event) => changed(event.target.value) }, KINDS.map((kind) => h("option", { value: kind, selected: kind === wanted.kind }, kind ? kind.replace(".", "s") : "all events"))),
      ),
      list.element,
    ),
    onKey: (key) => list.onKey(key),
    close: () => list.close(),
  };
}
