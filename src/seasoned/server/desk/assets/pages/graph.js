// How errors, fixes, tools and sessions connect: explore from a node, or find a way between two.

import { attempt, filters, setFilters } from "../app.js";
import { get, query } from "../api.js";
import { empty, h, number, show, svg, when } from "../dom.js";

const WIDTH = 900;
const HEIGHT = 560;

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

/** Nodes on rings around the start; each can be chosen. */
function picture(starts, edges, labels, look) {
  const nodes = [...new Set([...starts, ...edges.flatMap((edge) => [edge.subject, edge.object])])];
  const near = distances(starts, edges);
  const rings = Map.groupBy ? Map.groupBy(nodes, (one) => near.get(one) ?? 3) : new Map([[0, nodes]]);
  const place = new Map();
  for (const [ring, members] of rings) {
    members.forEach((one, at) => {
      const angle = (2 * Math.PI * at) / members.length + ring * 0.6;
      const radius = ring === 0 && members.length === 1 ? 0 : 60 + ring * 115;
      place.set(one, [WIDTH / 2 + radius * 1.5 * Math.cos(angle), HEIGHT / 2 + radius * Math.sin(angle) * 0.95]);
    });
  }
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart graph", role: "img", "aria-label": `${nodes.length} nodes around ${starts.map((one) => named(one, labels[one])).join(", ")}` });
  for (const edge of edges) {
    const [x1, y1] = place.get(edge.subject);
    const [x2, y2] = place.get(edge.object);
    drawing.append(svg("line", { x1, y1, x2, y2, class: "grid" }, svg("title", {}, `${edge.predicate} ${edge.weight.toFixed(2)}`)));
  }
  for (const one of nodes) {
    const [x, y] = place.get(one);
    const kind = one.split(":")[0];
    const which = { tool: 0, error: 2, fix: 1, session: 3, rule: 4 }[kind] ?? 5;
    const shape = svg("g", { class: "node" }, svg("circle", { cx: x, cy: y, r: starts.includes(one) ? 9 : 6, class: `series-${which}` }), svg("text", { x: x + 10, y: y + 4 }, short(named(one, labels[one]))), svg("title", {}, named(one, labels[one])));
    shape.addEventListener("click", () => look(one));
    drawing.append(shape);
  }
  return drawing;
}

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
