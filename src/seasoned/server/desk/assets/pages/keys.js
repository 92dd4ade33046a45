// Keys of agents and people: make, rotate, revoke. A key is shown once.

import { attempt, toast } from "../app.js";
import { get, post, remove } from "../api.js";
import { badge, code, empty, h, metaLine, owner, show, when } from "../dom.js";
import { confirmed } from "../overlays.js";

const ROLES = ["read", "learn", "operate", "admin"];

export async function open() {
  const content = h("div", {});
  const made = h("div", { role: "status" });
  const load = async () => show(content, await body(load, made));
  await load();
  const name = h("input", { id: "key-name", type: "text", required: true, maxlength: 100 });
  const role = h("select", { id: "key-role" }, ROLES.map((one) => h("option", { value: one, selected: one === "learn" }, one)));
  const project = h("input", { id: "key-project", type: "text", maxlength: 200 });
  const user = h("input", { id: "key-user", type: "text", maxlength: 200 });
  const create = (event) => {
    event.preventDefault();
    attempt(async () => {
      const body = { name: name.value.trim(), role: role.value, project: project.value.trim(), user: user.value.trim() };
      showKey(made, await post("/v1/keys", body));
      event.target.reset();
      await load();
    });
  };
  const field = (label, input) => h("div", { class: "field" }, h("label", { for: input.id }, label), input);
  return {
    title: "Keys",
    element: h(
      "div",
      {},
      h("div", { class: "head" }, h("h1", {}, "Keys")),
      made,
      h(
        "form",
        { class: "panel", onsubmit: create },
        h("h2", {}, "New key"),
        h("div", { class: "row" }, field("Name", name), field("Role", role), field("Project (optional)", project), field("User (optional)", user)),
        h("button", { class: "main-act", type: "submit" }, "Make a key"),
      ),
      h("p", {}),
      content,
    ),
  };
}

function showKey(place, made) {
  show(place, h("div", { class: "notice" }, h("p", {}, h("b", {}, "Copy this key now; it is not shown again.")), code(made.key), h("button", { onclick: () => attempt(async () => (await navigator.clipboard.writeText(made.key), toast("Copied."))) }, "Copy")));
}

async function body(reload, made) {
  const { keys: items } = await get("/v1/keys");
  if (!items.length) return empty("No keys yet.", h("p", {}, "On this machine the token of the home folder is enough."));
  const done = (act, said) =>
    attempt(async () => {
      const answer = await act();
      if (answer?.key) showKey(made, answer);
      toast(said);
      await reload();
    });
  const revoke = async (key) => {
    if (await confirmed(`Revoke ${key.name}?`, "Whoever uses it is refused from now on.", "Revoke")) {
      await done(() => remove(`/v1/keys/${key.id}`), "Revoked.");
    }
  };
  const rotate = async (key) => {
    if (await confirmed(`Rotate ${key.name}?`, "The old key ends at once, and a new one is shown: whoever uses it needs the new one.", "Rotate")) {
      await done(() => post(`/v1/keys/${key.id}/rotate`), "Rotated: the old key ends.");
    }
  };
  return h(
    "ul",
    { class: "list", "aria-label": "Keys" },
    items.map((key) =>
      h(
        "li",
        { class: "row between" },
        h("div", {}, h("b", {}, key.name), metaLine(badge(key.revoked_at ? "retired" : "active", key.revoked_at ? "revoked" : key.role), owner(key), h("span", {}, "last used ", when(key.used_at)), key.expires_at && h("span", {}, "expires ", when(key.expires_at)))),
        !key.revoked_at &&
          h("div", { class: "row" }, h("button", { onclick: () => rotate(key) }, "Rotate"), h("button", { class: "danger", onclick: () => revoke(key) }, "Revoke")),
      ),
    ),
  );
}
