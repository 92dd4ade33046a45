// The frame of the desk: who is logged in, the navigation, the page for an address, keys, messages.

import { get, post, signedOut, useCsrf } from "./api.js";
import { h, show } from "./dom.js";
import { connect, disconnect, onEvent } from "./live.js";
import { openHelp, openSearch } from "./overlays.js";

const PAGES = [
  { path: "/", name: "Overview", group: "Learning", module: "overview", key: "o" },
  { path: "/inbox", name: "Inbox", group: "Learning", module: "inbox", key: "i", counted: true },
  { path: "/lessons", name: "Lessons", group: "Learning", module: "lessons", key: "l" },
  { path: "/behavioral-rules", name: "Behavioral rules", group: "Learning", module: "rules", key: "b" },
  { path: "/sessions", name: "Sessions", group: "Agent", module: "sessions", key: "s" },
  { path: "/chat", name: "Chat", group: "Agent", module: "chat", key: "c", role: "learn" },
  { path: "/tools", name: "Tools and skills", group: "Agent", module: "tools", key: "t" },
  { path: "/choices", name: "Choices", group: "Agent", module: "choices", key: "v" },
  { path: "/memory", name: "Memory", group: "Agent", module: "memory", key: "m" },
  { path: "/graph", name: "Graph", group: "Agent", module: "graph", key: "g" },
  { path: "/jobs", name: "Jobs", group: "Agent", module: "jobs", key: "j" },
  { path: "/health", name: "Health", group: "Desk", module: "health", key: "h" },
  { path: "/audit", name: "Audit", group: "Desk", module: "audit", key: "a" },
  { path: "/settings", name: "Settings", group: "Desk", module: "settings", key: "e", role: "admin" },
  { path: "/keys", name: "Keys", group: "Desk", module: "keys", key: "k", role: "admin" },
];
const DETAILS = [
  { path: /^\/lessons\/([^/]+)$/, module: "lesson", under: "/lessons" },
  { path: /^\/sessions\/([^/]+)$/, module: "session", under: "/sessions" },
];
const ROLES = ["read", "learn", "operate", "admin"];

const root = document.getElementById("app");
const main = h("main", { id: "main", class: "main", tabindex: "-1" });
const state = { who: null, page: null, goes: false, turn: 0, undos: [] };

/** Whether the user may do what needs this role; a button that would fail is not shown. */
export const can = (role) => ROLES.indexOf(state.who?.role) >= ROLES.indexOf(role);
export const me = () => state.who;
export const pages = () => PAGES.filter((page) => !page.role || can(page.role));

/** Say something that passes, with a way back where there is one; `u` takes back the latest shown. */
export function toast(message, { bad = false, undo } = {}) {
  const close = () => {
    item.remove();
    state.undos = state.undos.filter((one) => one !== takeBack);
  };
  const takeBack = () => {
    close();
    return undo();
  };
  const back = undo && h("button", { onclick: takeBack }, "Undo");
  const item = h("div", { class: bad ? "toast bad" : "toast" }, h("span", {}, message), back);
  document.getElementById("toasts").append(item);
  if (undo) state.undos.push(takeBack);
  setTimeout(close, bad || undo ? 12000 : 6000);
}

/** Run an act of the user's; what goes wrong is said in the gateway's own words. */
export async function attempt(act) {
  try {
    return await act();
  } catch (failure) {
    if (failure.name !== "AbortError") toast(failure.message, { bad: true });
    return undefined;
  }
}

export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return render();
}

/** The values of the address's query, for filters that survive a reload and can be shared. */
export function filters() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

export function setFilters(values) {
  const kept = Object.entries(values).filter(([, value]) => value);
  const text = new URLSearchParams(kept).toString();
  history.replaceState(null, "", text ? `${location.pathname}?${text}` : location.pathname);
}

function found(path) {
  const page = PAGES.find((one) => one.path === path);
  if (page) return { ...page, match: [] };
  for (const one of DETAILS) {
    const match = path.match(one.path);
    if (match) return { ...one, match: match.slice(1).map(decodeURIComponent) };
  }
  return null;
}

async function render() {
  const turn = ++state.turn;
  state.page?.close?.();
  state.page = null;
  const target = found(location.pathname);
  mark(target?.under ?? target?.path);
  if (!target) {
    document.title = "Not found · Seasoned";
    show(main, h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: "/" }, "Back to the overview")));
    return;
  }
  if (target.role && !can(target.role)) {
    document.title = `${target.name} · Seasoned`;
    const why = `Your role is ${state.who.role}; this page needs ${target.role}. Ask whoever made your key.`;
    show(main, h("div", { class: "head" }, h("h1", {}, target.name)), h("div", { class: "notice", role: "alert" }, why));
    return;
  }
  try {
    const module = await import(`./pages/${target.module}.js`);
    const page = await module.open(...target.match);
    if (turn !== state.turn) return void page.close?.();
    state.page = page;
    document.title = `${page.title} · Seasoned`;
    show(main, page.element);
    page.shown?.();
  } catch (failure) {
    if (turn !== state.turn) return;
    document.title = "Seasoned";
    show(main, h("h1", {}, target.name ?? "This page"), h("div", { class: "notice bad", role: "alert" }, failure.message));
  }
}

function mark(path) {
  for (const link of root.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Show how many things wait for a person. */
export async function countInbox() {
  const waiting = await get("/v1/review?limit=100").catch(() => null);
  const shown = root.querySelector("#inbox-count");
  if (!shown || !waiting) return;
  const amount = waiting.items.length;
  shown.textContent = amount ? (waiting.next || amount >= 100 ? "100+" : String(amount)) : "";
  shown.className = amount ? "count waits" : "count";
}

function frame() {
  const groups = [...new Set(PAGES.map((page) => page.group))];
  const link = (page) =>
    h("li", {}, h("a", { href: page.path }, page.name, page.counted && h("span", { id: "inbox-count", class: "count" })));
  const side = h(
    "header",
    { class: "side" },
    h("a", { class: "brand", href: "/" }, h("img", { src: "/assets/icon.svg", alt: "" }), "Seasoned"),
    h("button", { class: "menu", "aria-expanded": "false", "aria-controls": "pages", onclick: () => openMenu(!root.querySelector(".side.open")) }, "Menu"),
    h(
      "nav",
      { id: "pages", "aria-label": "Pages" },
      groups.map((group) => [
        h("h2", {}, group),
        h("ul", {}, pages().filter((page) => page.group === group).map(link)),
      ]),
    ),
    h(
      "div",
      { class: "foot" },
      h("button", { class: "quiet", onclick: openSearch }, "Search ", h("kbd", {}, "/")),
      h("button", { class: "quiet", onclick: openHelp }, "Shortcuts ", h("kbd", {}, "?")),
      h("button", { class: "quiet", onclick: switchTheme }, "Light or dark"),
      h("span", { class: "who" }, `${state.who.name} · ${state.who.role}`),
      h("button", { class: "quiet", onclick: logOut }, "Log out"),
    ),
  );
  show(root, side, main);
}

/** Open or close the menu of a narrow window. */
function openMenu(open) {
  root.querySelector(".side")?.classList.toggle("open", open);
  root.querySelector(".menu")?.setAttribute("aria-expanded", String(open));
}

async function logOut() {
  await attempt(() => post("/auth/logout"));
  disconnect();
  await start();
}

function theme(name) {
  document.documentElement.dataset.theme = name;
}

function switchTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("theme", next);
  theme(next);
}

/** A key in the address's fragment logs in without typing; it is never sent in an address. */
async function keyInAddress() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!given) return;
  history.replaceState(null, "", location.pathname + location.search);
  await attempt(() => post("/auth/login", { key: given }));
}

async function start() {
  await keyInAddress();
  const who = await get("/auth/session");
  if (!who.logged_in) {
    const login = await import("./pages/login.js");
    show(root, login.form(who, start));
    return;
  }
  state.who = who;
  useCsrf(who.csrf ?? "");
  frame();
  connect();
  await render();
  countInbox();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const target = new URL(link.href);
  if (target.origin !== location.origin || link.target || !found(target.pathname)) return;
  event.preventDefault();
  openMenu(false);
  go(target.pathname + target.search).then(() => main.focus({ preventScroll: true }));
  scrollTo(0, 0);
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, dialog");
  if (typing || event.metaKey || event.ctrlKey || event.altKey || !state.who) return;
  if (event.key === "Enter" && event.target.closest?.("a, button, summary")) return; // it presses what has the focus
  if (state.goes) {
    state.goes = false;
    const page = pages().find((one) => one.key === event.key);
    if (page) {
      event.preventDefault();
      go(page.path);
    }
    return;
  }
  const handled = {
    "/": openSearch,
    "?": openHelp,
    g: () => (state.goes = true),
    u: () => state.undos.at(-1)?.(),
  }[event.key];
  if (state.page?.onKey?.(event.key)) event.preventDefault();
  else if (handled) {
    event.preventDefault();
    handled();
  }
});

onEvent((event) => {
  if (event.type === "fact") countInbox();
  state.page?.onEvent?.(event);
});
addEventListener("popstate", () => state.who && render());
// A link may bring a key to the login, never in place of somebody who is logged in.
addEventListener("hashchange", () => location.hash.startsWith("#key=") && !state.who && start());
signedOut(() => state.who && (state.who = null, disconnect(), start()));
theme(localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
start().catch((failure) => show(root, h("main", { class: "main" }, h("div", { class: "notice bad", role: "alert" }, failure.message))));
