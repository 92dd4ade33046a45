// How errors, fixes, tools and sessions connect: explore from a node, or find a way between two.

import { attempt, filters, setFilters } from "../app.js";
import { get, query } from "../api.js";
import { empty, h, number, show, svg, when, wide } from "../dom.js";

const WIDTH = 1000;
const COLUMN = 290; // where there are many columns, the drawing is wider than its place
const ROW = 30; // pixels from one node to the next below it
const MOST_SESSIONS = 6; // drawn in a column; the list has all
const KINDS = ["tool", "fix", "error", "session", "rule"]; // in the order of the series' colours

export async function open() {
  const wanted = { node: "", to: "", ...filters() };
  let stats = null; // counting a large graph takes a while; the page does not wait for it
  const drawing = h("div", { class: "panel" });
  const node = h("input", { type: "text", id: "node", value: wanted.node, list: "nodes", placeholder: "tool:shell" });
  const to = h("input", { type: "text", id: "to", value: wanted.to, list: "nodes" });
  const known = h("datalist", { id: "nodes" });
  const size = h("p", { class: "lead" }, "Counting its connections …");
  const count = async () => {
    stats = await get("/v1/graph/stats?busiest=12");
    const old = Date.now() - new Date(stats.counted_at) > 5000;
    show(size, `${number(stats.triples)} connections between ${number(stats.nodes)} nodes`, old && [", counted ", when(stats.counted_at)]);
    show(known, stats.busiest.map((one) => h("option", { value: one.node, label: one.label ?? one.node })));
    if (drawing.querySelector(".begin")) show(drawing, start(stats, look));
  };
  const look = (from, end = "") => {
    node.value = from;
    to.value = end;
    setFilters({ node: from, to: end });
    return attempt(async () => {
      show(drawing, start(stats, look)); // stays where a node is not found
      if (!from) return drawing;
      if (end) {
        const path = await get(query("/v1/graph/path", { start: from, end }));
        return show(drawing, picture([from, end], path.edges, path.labels, look), listed(path.edges, look, path.labels));
      }
      const found = await get(query("/v1/graph/neighbours", { node: from, depth: 2, most: 60 }));
      return show(drawing, picture(found.starts, found.edges, found.labels, look), listed(found.edges, look, found.labels));
    });
  };
  const submit = (event) => {
    event.preventDefault();
    look(node.value.trim(), to.value.trim());
  };
  const element = h(
    "div",
    {},
    h("div", { class: "head" }, h("div", {}, h("h1", {}, "Graph"), size)),
    h(
      "form",
      { class: "filters", onsubmit: submit },
      h("label", { for: "node" }, "From"),
      node,
      h("label", { for: "to" }, "to (a way between the two)"),
      to,
      known,
      h("button", { class: "main-act", type: "submit" }, "Show"),
    ),
    drawing,
  );
  attempt(count);
  await look(wanted.node, wanted.to);
  return { title: "Graph", element };
}

function start(stats, look) {
  if (!stats) return h("p", { class: "begin soft" }, "Give a node above, or wait for the busiest ones.");
  if (!stats.nodes) {
    return empty("The graph is empty.", h("p", {}, "It is drawn while ", h("code", {}, "graph.enabled"), " is on; ", h("code", {}, "seasoned graph redraw"), " draws what was learned before."));
  }
  return h(
    "div",
    {},
    h("h2", {}, "Begin with a busy node"),
    h("ul", { class: "list" }, stats.busiest.map((one) => h("li", {}, h("button", { class: "quiet", title: one.node, onclick: () => look(one.node) }, named(one.node, one.label)), h("span", { class: "faint" }, ` ${number(one.triples)} connections`)))),
  );
}

/** Nodes in columns by their distance from the start; each can be chosen. */
function picture(starts, edges, labels, look) {
  const near = distances([starts[0]], edges);
  const { columns, rests } = shownOf(near, edges);
  const rows = Math.max(...columns.map((members, at) => members.length + (rests[at] ? 1 : 0)));
  const height = Math.max(120, rows * ROW + 30);
  const width = Math.max(WIDTH, columns.length * COLUMN);
  const step = (width - 20) / Math.max(2, columns.length);
  const place = new Map();
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "graph", role: "img", "aria-label": `${near.size} nodes around ${starts.map((one) => named(one, labels[one])).join(", ")}` });
  const above = (one) => {
    const known = neighbours(one, edges).map((other) => place.get(other)?.[1]).filter((y) => y !== undefined);
    return known.length ? known.reduce((sum, y) => sum + y, 0) / known.length : height;
  };
  columns.forEach((members, column) => {
    const order = column ? [...members].sort((a, b) => above(a) - above(b) || KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b))) : members;
    const first = (height - (order.length + (rests[column] ? 1 : 0)) * ROW) / 2 + ROW / 2;
    order.forEach((one, at) => place.set(one, [16 + column * step, first + at * ROW]));
    if (rests[column]) drawing.append(svg("text", { x: 28 + column * step, y: first + order.length * ROW + 4 }, `and ${number(rests[column])} more, in the list below`));
  });
  for (const edge of edges) {
    const [from, to] = [place.get(edge.subject), place.get(edge.object)];
    if (!from || !to) continue;
    const [[x1, y1], [x2, y2]] = from[0] <= to[0] ? [from, to] : [to, from];
    const bend = x1 === x2 ? 60 : (x2 - x1) / 2;
    drawing.prepend(svg("path", { d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x1 === x2 ? x2 + bend : x2 - bend} ${y2} ${x2} ${y2}`, class: "edge" }, svg("title", {}, `${edge.predicate} ${edge.weight.toFixed(2)}`)));
  }
  for (const [one, [x, y]] of place) {
    const which = KINDS.indexOf(kindOf(one));
    const label = named(one, labels[one]);
    const dot = svg("circle", { cx: x, cy: y, r: starts.includes(one) ? 8 : 5.5, class: `series-${which < 0 ? 5 : which}` });
    const shape = svg("g", { class: "node" }, dot, svg("text", { x: x + 12, y: y + 4 }, short(label)), svg("title", {}, label));
    shape.addEventListener("click", () => look(one));
    drawing.append(shape);
  }
  return wide("The graph", drawing);
}

const kindOf = (node) => node.split(":")[0];

/** The nodes to draw, by column, and how many are left out: most sessions, and what hangs on these alone. */
function shownOf(near, edges) {
  const all = [];
  for (const [one, distance] of near) (all[distance] ??= []).push(one);
  const drawn = new Set(all[0]);
  const columns = all.map((members, at) => {
    if (!at) return members;
    const held = members.filter((one) => neighbours(one, edges).some((other) => near.get(other) < at && drawn.has(other)));
    const sessions = held.filter((one) => kindOf(one) === "session").slice(0, MOST_SESSIONS);
    const kept = held.filter((one) => kindOf(one) !== "session" || sessions.includes(one));
    for (const one of kept) drawn.add(one);
    return kept;
  });
  return { columns, rests: all.map((members, at) => members.length - columns[at].length) };
}

const neighbours = (one, edges) => edges.flatMap(({ subject, object }) => (subject === one ? [object] : object === one ? [subject] : []));

function distances(starts, edges) {
  const found = new Map(starts.map((one) => [one, 0]));
  const waiting = [...starts];
  while (waiting.length) {
    const one = waiting.shift();
    for (const edge of edges) {
      const other = edge.subject === one ? edge.object : edge.object === one ? edge.subject : null;
      if (other === null || found.has(other)) continue;
      found.set(other, found.get(one) + 1);
      waiting.push(other);
    }
  }
  return found;
}

/** A node's readable name, with its kind: digests say nothing to people. */
const named = (node, label) => (label ? `${node.split(":")[0]}: ${label}` : node);

const short = (text) => (text.length > 34 ? `${text.slice(0, 32)}…` : text);

/** The same as a list, for keyboards and readers. */
function listed(edges, look, labels = {}) {
  const node = (name) => h("button", { class: "quiet", onclick: () => look(name) }, short(named(name, labels[name])));
  return h(
    "details",
    {},
    h("summary", {}, `${number(edges.length)} connections as a list`),
    h("ul", {}, edges.map((edge) => h("li", {}, node(edge.subject), ` ${edge.predicate} `, node(edge.object)))),
  );
}
