// Small charts as SVG: lines and stacked bars over days. A table below says the same in words.

import { h, number, svg } from "./dom.js";

const WIDTH = 520;
const HEIGHT = 132;
const LEFT = 34;
const BOTTOM = 20;
const TOP = 8;

const dayName = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

function top(values) {
  const most = Math.max(1, ...values);
  const step = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((each) => each * step).find((each) => each >= most);
}

function frame(days, most, label) {
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "chart" });
  for (const share of [0, 0.5, 1]) {
    const y = TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
    chart.append(svg("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: "grid" }));
    chart.append(svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, shortNumber(most * share)));
  }
  const shown = [0, Math.floor((days.length - 1) / 2), days.length - 1];
  for (const place of new Set(shown)) {
    const anchor = place === 0 ? "start" : place === days.length - 1 ? "end" : "middle";
    const x = xOf(place, days.length, anchor);
    chart.append(svg("text", { x, y: HEIGHT - 4, "text-anchor": anchor }, dayName.format(new Date(days[place].at))));
  }
  return chart;
}

function xOf(place, count, anchor = "middle") {
  const width = (WIDTH - LEFT) / Math.max(1, count);
  const offset = { start: 0, middle: width / 2, end: width }[anchor];
  return LEFT + place * width + offset;
}

function shortNumber(value) {
  if (value >= 1000) return `${Math.round(value / 100) / 10}k`;
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

const yOf = (value, most) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most);

/** Bars by day, each a stack of named series: [{name, values}]. */
export function bars(days, series, label) {
  const totals = days.map((_, place) => series.reduce((sum, one) => sum + one.values[place], 0));
  const most = top(totals);
  const chart = frame(days, most, label);
  const width = Math.max(1, ((WIDTH - LEFT) / Math.max(1, days.length)) * 0.7);
  days.forEach((day, place) => {
    let sum = 0;
    series.forEach((one, which) => {
      const value = one.values[place];
      if (!value) return;
      const y = yOf(sum + value, most);
      const bar = svg("rect", {
        x: xOf(place, days.length) - width / 2,
        y,
        width,
        height: yOf(sum, most) - y,
        class: `series-${which}`,
      });
      bar.append(svg("title", {}, `${dayName.format(new Date(day.at))}: ${number(value)} ${one.name}`));
      chart.append(bar);
      sum += value;
    });
  });
  return h("figure", {}, chart, series.length > 1 && legend(series), asTable(days, series, label));
}

/** One line over days; days without a value (null) are gaps. */
export function line(days, values, label, name) {
  const known = values.filter((value) => value !== null);
  const most = top(known);
  const chart = frame(days, most, label);
  let path = "";
  let begun = false;
  values.forEach((value, place) => {
    if (value === null) {
      begun = false;
      return;
    }
    path += `${begun ? "L" : "M"}${xOf(place, days.length)} ${yOf(value, most)}`;
    begun = true;
  });
  chart.append(svg("path", { d: path, class: "line" }));
  values.forEach((value, place) => {
    if (value === null) return;
    const dot = svg("circle", { cx: xOf(place, days.length), cy: yOf(value, most), r: 2.5, class: "dot" });
    dot.append(svg("title", {}, `${dayName.format(new Date(days[place].at))}: ${shortNumber(value)} ${name}`));
    chart.append(dot);
  });
  return h("figure", {}, chart, asTable(days, [{ name, values }], label));
}

/** A line without axes, for a table's cell. */
export function spark(values, label) {
  const most = Math.max(1, ...values);
  const points = values.map((value, place) => `${(place / Math.max(1, values.length - 1)) * 80},${18 - (value / most) * 16}`);
  return svg(
    "svg",
    { viewBox: "0 0 80 20", class: "spark", role: "img", "aria-label": label },
    svg("polyline", { points: points.join(" ") }),
  );
}

function legend(series) {
  return h(
    "figcaption",
    { class: "legend" },
    series.map((one, which) => h("span", {}, h("i", { class: `swatch series-${which}` }), one.name)),
  );
}

/** The figures in a table that only a screen reader sees. */
function asTable(days, series, label) {
  const table = h(
    "table",
    {},
    h("caption", {}, label),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "day"), series.map((one) => h("th", { scope: "col" }, one.name)))),
    h(
      "tbody",
      {},
      days.map((day, place) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, dayName.format(new Date(day.at))),
          series.map((one) => h("td", {}, one.values[place] === null ? "–" : shortNumber(one.values[place]))),
        ),
      ),
    ),
  );
  return h("div", { class: "unseen" }, table); // a table itself would not stay one pixel wide
}
