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

/** What a lesson is, as a person would say it: an example may be one to follow, or one to avoid. */
export function kindOf(lesson) {
  const polarity = lesson.example?.polarity ?? lesson.polarity;
  if (lesson.kind !== "example" || !polarity) return lesson.kind;
  return polarity === "negative" ? h("span", { class: "avoid" }, "✕ example to avoid") : "example to follow";
}

const DRAWN = {
  up: "M7 11v9H4v-9zm2 9h8.2a2 2 0 0 0 2-1.6l1.3-6.5A2 2 0 0 0 18.5 9.5H14V5a2 2 0 0 0-2-2l-3 7z",
  down: "M17 13V4h3v9zm-2-9H6.8a2 2 0 0 0-2 1.6L3.5 12.1A2 2 0 0 0 5.5 14.5H10V19a2 2 0 0 0 2 2l3-7z",
};

/** A drawing beside a word; fonts do not have each sign everywhere. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: DRAWN[name] }));
}

const PLACES = { prompt: "in the prompt", note: "in a tool's description", hint: "beside an error" };

/** A lesson that an agent read, with the place where it stood and why it was given. */
export function givenLine(one, lesson) {
  const fits = one.score === null || one.score === undefined || one.place !== "prompt" ? null : `score ${one.score.toFixed(2)}`;
  const why = one.place === "prompt" ? one.why : one.why.replace(/^known fix /, "");
  return h(
    "div",
    {},
    h("a", { class: "title", href: `/lessons/${lesson.id}` }, lesson.content),
    metaLine(badge("plain", one.place === "note" ? one.why : PLACES[one.place]), kindOf(lesson), one.place !== "note" && why, fits),
  );
}
