// Log in with a key or the server's token, or at the identity provider.

import { post } from "../api.js";
import { h, show } from "../dom.js";

export function form(who, done) {
  const told = h("div", { role: "alert" });
  const key = h("input", { id: "key", type: "password", autocomplete: "current-password", required: true });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await post("/auth/login", { key: key.value });
      await done();
    } catch (failure) {
      show(told, h("div", { class: "notice bad" }, failure.message));
    }
  };
  document.title = "Log in · Seasoned";
  return h(
    "main",
    { id: "main", class: "main" },
    h(
      "div",
      { class: "panel narrow" },
      h("h1", {}, "Seasoned"),
      h("p", { class: "lead" }, "See what your agent learned, and take charge of it."),
      told,
      h(
        "form",
        { onsubmit: submit },
        h("div", { class: "field" }, h("label", { for: "key" }, "Key, or the server's token"), key),
        h("button", { class: "main-act", type: "submit" }, "Log in"),
      ),
      who.provider && h("p", {}, h("a", { class: "button", href: `/auth/login?return_to=${encodeURIComponent(location.pathname)}` }, "Log in with your organisation")),
      h(
        "p",
        { class: "faint small" },
        "On the machine that runs it, ",
        h("code", {}, "seasoned desk"),
        " opens this page logged in; ",
        h("code", {}, "seasoned keys create NAME"),
        " makes a key.",
      ),
    ),
  );
}
