// The bandit's view: what each variant earned, and how likely it is to be chosen now.

import { get } from "../api.js";
import { amount, code, empty, h, metaLine, number, percent, svg, when, wide } from "../dom.js";

const WIDTH = 200;

export async function open() {
  const { items } = await get("/v1/adapt?limit=50");
  return {
    title: "Choices",
    element: h(
      "div",
      {},
      h(
        "div",
        { class: "head" },
        h("div", {}, h("h1", {}, "Choices"), h("p", { class: "lead" }, "Where variants compete: what each one earned, and how likely it is to be chosen next.")),
        h("a", { class: "button", href: "/tools" }, "Tools and skills"),
      ),
      items.length ? h("div", { class: "stack" }, items.map(decision)) : h("section", { class: "panel" }, start()),
    ),
  };
}

function start() {
  return empty(
    "Nothing was chosen yet.",
    h("p", {}, "Let Seasoned choose between variants, and tell it what each one earned; the next choice follows:"),
    code("seasoned adapt choose search --arm bm25 --arm vectors\nseasoned adapt reward search bm25 1"),
  );
}

function decision(one) {
  const set = Object.entries(one.params).map(([name, value]) => `${name} ${value}`);
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, h("span", {}, one.name || "all skills and tools"), h("code", {}, one.strategy)),
    metaLine(
      amount(one.choices, "choice"),
      amount(one.rewards, "reward"),
      one.restarts > 0 && `began anew ${number(one.restarts)} times, as rewards changed`,
      h("span", {}, "last chosen ", when(one.chosen_at)),
      set.length > 0 && h("span", {}, `settings: ${set.join(", ")}`),
    ),
    one.note ? h("p", { class: "soft" }, one.note) : table(one),
  );
}

function table(one) {
  const known = one.arms.flatMap((arm) => [arm.low, arm.high, arm.mean]).filter((value) => value !== null);
  const range = [Math.min(0, ...known), Math.max(1, ...known)];
  const heads = ["Variant", "Chosen now with", "Tries", "Mean reward", "95 % interval"];
  return wide(
    `Variants of ${one.name || "all"} by ${one.strategy}`,
    h(
      "table",
      { class: "data arms" },
      h("thead", {}, h("tr", {}, heads.map((name, place) => h("th", { scope: "col", class: [2, 3].includes(place) && "num" }, name)))),
      h(
        "tbody",
        {},
        one.arms.map((arm) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, arm.name),
            h("td", {}, share(arm.probability)),
            h("td", { class: "num" }, Number.isInteger(arm.tries) ? number(arm.tries) : arm.tries.toFixed(1)),
            h("td", { class: "num" }, arm.mean === null ? "–" : figure(arm.mean)),
            h("td", {}, arm.low === null ? h("span", { class: "faint" }, "too few tries") : interval(arm, range)),
          ),
        ),
      ),
    ),
  );
}

const figure = (value) => (Math.abs(value) >= 100 ? number(Math.round(value)) : value.toFixed(2));

/** A share as a bar with its figure. */
function share(value) {
  const bar = svg(
    "svg",
    { viewBox: "0 0 100 8", class: "share", "aria-hidden": "true", preserveAspectRatio: "none" },
    svg("rect", { width: 100, height: 8, rx: 4, class: "ground" }),
    svg("rect", { width: 100 * value, height: 8, rx: 4, class: "series-0" }),
  );
  return h("span", { class: "row tight" }, bar, h("span", {}, percent(value)));
}

function interval(arm, [low, high]) {
  const x = (value) => (WIDTH * (value - low)) / (high - low || 1);
  const words = `${figure(arm.low)} to ${figure(arm.high)}`;
  const drawn = svg(
    "svg",
    { viewBox: `-6 0 ${WIDTH + 12} 16`, class: "interval", role: "img", "aria-label": `${words}, mean ${figure(arm.mean)}` },
    svg("line", { x1: 0, x2: WIDTH, y1: 8, y2: 8, class: "grid" }),
    svg("line", { x1: x(arm.low), x2: x(arm.high), y1: 8, y2: 8, class: "line" }),
    svg("circle", { cx: x(arm.mean), cy: 8, r: 4, class: "dot" }),
  );
  return h("span", { class: "row tight" }, drawn, h("span", { class: "faint small" }, words));
}
