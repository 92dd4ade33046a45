// Build elements. Learned text is only ever set as text, so markup in a lesson does nothing.

/** h("button", {class: "quiet", onclick: save}, "Save") */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  return element;
}

/** The same for SVG. */
export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== null) element.setAttribute(name, String(value));
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Replace what an element shows. */
export function show(element, ...children) {
  element.replaceChildren(...flat(children));
  return element;
}

const NUMBER = new Intl.NumberFormat("en");
export const number = (value) => NUMBER.format(value ?? 0);
export const percent = (share) => (share === null ? "–" : `${Math.round(share * 100)} %`);

const UNITS = [
  ["year", 31536000],
  ["month", 2592000],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A moment as a person says it, with the exact time as its title. */
export function when(moment) {
  if (!moment) return h("span", { class: "faint" }, "never");
  const then = new Date(moment);
  const seconds = (then - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  const said = Math.abs(seconds) < 45 ? "just now" : AGO.format(Math.round(seconds / size), unit);
  return h("time", { datetime: then.toISOString(), title: then.toLocaleString() }, said);
}

/** A word with a shape before it, so that colour is never the only sign. */
export function badge(kind, words = kind) {
  return h("span", { class: `badge ${kind}` }, words);
}

/** Whose a thing is. */
export function owner(scope) {
  const parts = [scope.tenant, scope.project, scope.user && `@${scope.user}`].filter(Boolean);
  return parts.length ? parts.join(" / ") : "everybody";
}

/** Small facts in a row; each is an element of its own, so that there is a gap between them. */
export function metaLine(...facts) {
  const spaced = (fact) => (typeof fact === "string" ? h("span", {}, fact) : fact);
  return h("div", { class: "meta" }, flat(facts).map(spaced));
}

/** amount(1, "turn") → "1 turn" */
export const amount = (count, name) => `${number(count)} ${name}${count === 1 ? "" : "s"}`;

/** What stands where there is nothing yet: what it would be, and what to do first. */
export function empty(title, ...more) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), ...more);
}

/** What may be wider than its place; a keyboard scrolls it, too. */
export function wide(label, ...children) {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
}

export function code(text) {
  return h("pre", { class: "code" }, text);
}
