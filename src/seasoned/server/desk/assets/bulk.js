// Acts on many rows of a list at once, which are taken back as one.

import { attempt, can, toast } from "./app.js";
import { post } from "./api.js";
import { amount, h, number } from "./dom.js";

/** The marked rows of a list of lessons; `element` shows what can be done with them. */
export class Bulk {
  constructor(name, reload) {
    this.name = name;
    this.reload = reload;
    this.marked = new Set();
    this.element = h("div", { class: "row", hidden: true });
  }

  /** The box that marks a row. */
  box(lesson) {
    const changed = (event) => {
      if (event.target.checked) this.marked.add(lesson.id);
      else this.marked.delete(lesson.id);
      this.draw();
    };
    const label = `Choose: ${lesson.content.slice(0, 80)}`;
    return can("operate") && h("input", { type: "checkbox", "aria-label": label, checked: this.marked.has(lesson.id), onchange: changed });
  }

  draw() {
    this.element.hidden = !this.marked.size;
    this.element.replaceChildren(
      h("span", {}, `${number(this.marked.size)} chosen`),
      h("button", { onclick: () => this.act("suspend", "switched off") }, "Switch off"),
      h("button", { class: "danger", onclick: () => this.act("forget", "forgotten") }, "Forget"),
      h("button", { class: "quiet", onclick: () => this.clear() }, "Clear"),
    );
  }

  clear() {
    this.marked.clear();
    this.draw();
    return attempt(this.reload);
  }

  async act(act, done) {
    const decision = await attempt(() => post("/v1/lessons/bulk", { act, lessons: [...this.marked] }));
    if (!decision) return;
    const undo = async () => {
      const back = await attempt(() => post(`/v1/lessons/bulk/${decision.id}/undo`));
      if (back) toast("Taken back: all are as they were.");
      await attempt(this.reload);
    };
    toast(`${amount(decision.changed, this.name)} ${done}.`, { undo });
    await this.clear();
  }
}
