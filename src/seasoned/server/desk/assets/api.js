// The public REST API under the user's own key and role; the desk has no other way in.

export class ApiError extends Error {
  constructor(status, type, message) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

let csrf = "";
const onSignedOut = new Set();

export function signedOut(listener) {
  onSignedOut.add(listener);
}

export function useCsrf(token) {
  csrf = token;
}

/** `also` are statuses beyond 2xx whose answer is wanted, too. */
async function call(method, path, { body, etag, signal, also = [] } = {}) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET") headers["x-seasoned-csrf"] = csrf;
  if (etag) headers["if-match"] = etag;
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      signal,
      credentials: "same-origin",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new ApiError(0, "Unreachable", "The gateway does not answer. Is `seasoned serve` running?");
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(response.status, "HTTPError", `The gateway answered ${response.status} without JSON.`);
  }
  if (response.ok || also.includes(response.status)) return { answer, etag: response.headers.get("etag") };
  if (response.status === 401) for (const listener of onSignedOut) listener();
  const error = answer?.error ?? {};
  throw new ApiError(response.status, error.type ?? "HTTPError", error.message ?? response.statusText);
}

export const get = async (path, options) => (await call("GET", path, options)).answer;
export const read = (path, options) => call("GET", path, options);
export const post = async (path, body = {}, options) => (await call("POST", path, { ...options, body })).answer;
export const patch = async (path, body, options) => (await call("PATCH", path, { ...options, body })).answer;
export const remove = async (path, options) => (await call("DELETE", path, options)).answer;

/** A path with a query; empty values are left out. */
export function query(path, values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}
