// Sends the forms of the docs page, and shows answers as text.
"use strict";

const caller = document.getElementById("caller");

function headers() {
  const sent = {};
  for (const field of caller.elements) {
    if (!field.value) continue;
    if (field.name === "token") sent["Authorization"] = "Bearer " + field.value;
    else sent["X-Seasoned-" + field.name] = encodeURIComponent(field.value) === field.value
      ? field.value : unescape(encodeURIComponent(field.value)); // names are UTF-8 in headers, too
  }
  return sent;
}

async function send(form) {
  const query = new URLSearchParams();
  const sent = headers();
  let path = form.dataset.path;
  for (const field of form.elements) {
    if (!field.dataset.in || !field.value) continue;
    if (field.dataset.in === "path") path = path.replace("{" + field.name + "}", encodeURIComponent(field.value));
    else if (field.dataset.in === "header") sent[field.name] = field.value;
    else query.append(field.name, field.value);
  }
  const options = { method: form.dataset.method, headers: sent };
  const body = form.elements.namedItem("body");
  if (body) {
    sent["Content-Type"] = "application/json";
    options.body = body.value;
  }
  const answer = await fetch(path + (query.size ? "?" + query : ""), options);
  const text = await answer.text();
  let shown = text;
  try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* it is no JSON: as it is */ }
  const tag = answer.headers.get("etag");
  return answer.status + " " + answer.statusText + (tag ? "\nETag: " + tag : "") + "\n\n" + shown;
}

for (const form of document.querySelectorAll("form.try")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const place = form.querySelector(".answer");
    place.hidden = false;
    place.textContent = "…";
    try { place.textContent = await send(form); } catch (failure) { place.textContent = String(failure); }
  });
}
caller.addEventListener("submit", (event) => event.preventDefault());
