// A list that a keyboard walks through (j, k), with pages that are fetched when their end comes near.

import { empty, h, show } from "./dom.js";

const NEAR = 600; // pixels below the window from which the next page is fetched

/**
 * fetchPage(cursor) → {items, next}; row(item) → children of the row.
 * keys: {a: (item) => …} act on the chosen row.
 */
export class PagedList {
  constructor({ label, fetchPage, row, whenEmpty, keys = {}, onChoose }) {
    this.fetchPage = fetchPage;
    this.row = row;
    this.whenEmpty = whenEmpty;
    this.keys = keys;
    this.onChoose = onChoose;
    this.items = [];
    this.next = null;
    this.chosen = -1;
    this.turn = 0;
    this.list = h("ul", { class: "list", "aria-label": label });
    this.end = h("div", { class: "more" });
    this.element = h("div", {}, this.list, this.end);
    this.watcher = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.more(), {
      rootMargin: `${NEAR}px`,
    });
    this.watcher.observe(this.end);
  }

  /** Begin anew, e.g. with other filters; an answer to an earlier question is dropped. */
  async load() {
    const turn = ++this.turn;
    const page = await this.fetchPage(null);
    if (turn !== this.turn) return;
    this.items = page.items;
    this.next = page.next ?? null;
    this.chosen = Math.min(this.chosen, this.items.length - 1);
    show(this.list, this.items.map((item) => this.made(item)));
    if (!this.items.length) show(this.list, h("li", {}, this.whenEmpty?.() ?? empty("Nothing here.")));
    this.finish();
    if (this.chosen >= 0) this.choose(this.chosen, false);
  }

  async more() {
    if (!this.next || this.loading) return;
    this.loading = true;
    const turn = this.turn;
    try {
      const page = await this.fetchPage(this.next);
      if (turn !== this.turn) return;
      this.items.push(...page.items);
      this.next = page.next ?? null;
      this.list.append(...page.items.map((item) => this.made(item)));
      this.finish();
    } finally {
      this.loading = false;
    }
    // The observer tells only of changes: where the end is still near, nothing would come.
    if (this.end.getBoundingClientRect().top < innerHeight + NEAR) await this.more();
  }

  finish() {
    show(this.end, this.next ? h("button", { onclick: () => this.more() }, "Show more") : null);
  }

  made(item) {
    const element = h("li", {}, this.row(item));
    element.addEventListener("click", () => this.choose(this.items.indexOf(item), false));
    return element;
  }

  /** Draw one row again after its item changed. */
  redraw(item, changed = item) {
    const place = this.items.indexOf(item);
    if (place < 0) return;
    this.items[place] = changed;
    const element = this.made(changed);
    if (place === this.chosen) element.classList.add("chosen");
    this.list.children[place].replaceWith(element);
  }

  drop(item) {
    const place = this.items.indexOf(item);
    if (place < 0) return;
    this.items.splice(place, 1);
    this.list.children[place].remove();
    if (!this.items.length) return void this.load();
    this.choose(Math.min(place, this.items.length - 1));
  }

  get current() {
    return this.items[this.chosen] ?? null;
  }

  choose(place, scroll = true) {
    this.list.querySelector(".chosen")?.classList.remove("chosen");
    this.chosen = place;
    const element = this.list.children[place];
    if (!element || !this.items.length) return;
    element.classList.add("chosen");
    if (scroll) element.scrollIntoView({ block: "nearest" });
    this.onChoose?.(this.current);
  }

  /** Handle a key; tell whether it was one of the list's. */
  onKey(key) {
    if (key === "j" || key === "k") {
      const place = Math.max(0, Math.min(this.items.length - 1, this.chosen + (key === "j" ? 1 : -1)));
      if (this.items.length) this.choose(place);
      return true;
    }
    const act = this.keys[key];
    if (!act || !this.current) return false;
    act(this.current);
    return true;
  }

  close() {
    this.watcher.disconnect();
    this.turn += 1;
  }
}
