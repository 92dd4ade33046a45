// What opens above a page: the search over all lessons, and the list of keys.

import { go, pages } from "./app.js";
import { get, query } from "./api.js";
import { badge, h, kindOf, show } from "./dom.js";

function dialog(label, ...children) {
  const element = h("dialog", { "aria-label": label }, ...children);
  element.addEventListener("close", () => element.remove());
  element.addEventListener("click", (event) => event.target === element && element.close());
  document.body.append(element);
  element.showModal();
  return element;
}

const KEYS = [
  ["/", "search all lessons"],
  ["?", "this list"],
  ["j  k", "next, previous in a list"],
  ["Enter", "open what is chosen"],
  ["a  e  r", "in the inbox: accept, edit, reject"],
  ["x", "in the rules: switch off or on"],
  ["u", "undo what the last message with Undo said"],
];

export function openHelp() {
  const element = dialog(
    "Shortcuts",
    h("h2", {}, "Shortcuts"),
    h(
      "dl",
      { class: "keys" },
      [...KEYS, ...pages().map((page) => [`g ${page.key}`, page.name])].map(([keys, words]) => [
        h("dt", {}, h("kbd", {}, keys)),
        h("dd", {}, words),
      ]),
    ),
    h("p", {}),
    h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close")),
  );
  return element;
}

export function openSearch() {
  const results = h("ul", { class: "list", "aria-label": "Results" });
  const input = h("input", {
    type: "search",
    placeholder: "Search what was learned",
    "aria-label": "Search what was learned",
    autofocus: true,
  });
  let turn = 0;
  const search = async () => {
    const asked = input.value.trim();
    const now = ++turn;
    if (!asked) return show(results);
    const found = await get(query("/v1/lessons/search", { query: asked, limit: 8 })).catch(() => ({ items: [] }));
    if (now !== turn) return;
    show(
      results,
      found.items.map(({ lesson }) =>
        h(
          "li",
          {},
          h("a", { class: "title", href: `/lessons/${lesson.id}`, onclick: () => element.close() }, lesson.content),
          h("div", { class: "meta" }, badge(lesson.status), kindOf(lesson)),
        ),
      ),
      !found.items.length && h("li", { class: "faint" }, "Nothing fits these words."),
    );
  };
  input.addEventListener("input", search);
  const element = dialog(
    "Search",
    h(
      "form",
      {
        class: "stack",
        onsubmit: (event) => {
          event.preventDefault();
          element.close();
          go(`/lessons?text=${encodeURIComponent(input.value.trim())}`);
        },
      },
      input,
      results,
    ),
  );
}

/** Ask for a text, e.g. the words in which a lesson is to hold; null if it was given up. */
export function askText(title, label, value = "", act = "Save") {
  return new Promise((answer) => {
    const input = h("textarea", { id: "asked", value });
    let given = null;
    const element = dialog(
      title,
      h(
        "form",
        {
          onsubmit: (event) => {
            event.preventDefault();
            given = input.value.trim();
            element.close();
          },
        },
        h("h2", {}, title),
        h("div", { class: "field" }, h("label", { for: "asked" }, label), input),
        h(
          "div",
          { class: "row" },
          h("button", { class: "main-act", type: "submit" }, act),
          h("button", { type: "button", onclick: () => element.close() }, "Cancel"),
        ),
      ),
    );
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) input.form.requestSubmit();
    });
    element.addEventListener("close", () => answer(given));
  });
}

/** Ask before something that cannot be taken back. */
export function confirmed(title, words, act) {
  return new Promise((answer) => {
    let sure = false;
    const element = dialog(
      title,
      h("h2", {}, title),
      h("p", {}, words),
      h(
        "div",
        { class: "row" },
        h("button", { class: "danger", onclick: () => ((sure = true), element.close()) }, act),
        h("button", { autofocus: true, onclick: () => element.close() }, "Cancel"),
      ),
    );
    element.addEventListener("close", () => answer(sure));
  });
}
