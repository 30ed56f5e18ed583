// Sends requests to the control API and to the cluster's API, with the token of this tab.

/** The field manager of the page's own writes. */
export const MANAGER = "fakeapi-page";
const KEY = "fakeapi-token";
const BASE = new URL("..", location.href).pathname.replace(/\/$/, "");
// The path prefix of the cluster's API: "" unless a proxy adds a prefix.
const API = BASE.replace(/\/_fakeapi$/, "");

/** An error response of the server, with the causes that its Status names. */
export class Refused extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {{field: string, message: string}[]} causes
   */
  constructor(code, message, causes = []) {
    super(message);
    this.code = code;
    this.causes = causes;
  }
}

/** @param {string} token */
export function setToken(token) {
  sessionStorage.setItem(KEY, token);
}

/** @returns {string} */
export function serverUrl() {
  return `${location.origin}${API}`;
}

/** @param {Record<string, string>} more */
function headers(more) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

/** @param {Response} response */
async function answer(response) {
  const text = await response.text();
  if (!response.ok) {
    let message = `${response.status} ${response.statusText}`;
    let causes = [];
    try {
      const status = JSON.parse(text);
      message = status.message || message;
      causes = (status.details?.causes ?? []).map((each) => ({
        field: String(each.field ?? ""),
        message: String(each.message ?? ""),
      }));
    } catch {
      // The body is not a Status, so the message is the status line.
    }
    throw new Refused(response.status, message, causes);
  }
  return text ? JSON.parse(text) : null;
}

/** @param {Record<string, unknown>} query */
function search(query) {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return present.length ? `?${new URLSearchParams(present.map(([name, value]) => [name, String(value)]))}` : "";
}

/**
 * Sends a request below /_fakeapi. Leaves out parameters that are undefined or empty.
 *
 * @param {string} method
 * @param {string} path
 * @param {{query?: Record<string, unknown>, body?: unknown, signal?: AbortSignal}} [more]
 * @returns {Promise<any>}
 */
export async function control(method, path, { query = {}, body, signal } = {}) {
  /** @type {RequestInit} */
  const options = { method, signal, headers: headers({ Accept: "application/json" }) };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { ...options.headers, "Content-Type": "application/json" };
  }
  return answer(await fetch(`${BASE}${path}${search(query)}`, options));
}

/**
 * Sends a request to the cluster's API.
 *
 * @param {string} method
 * @param {string} path
 * @param {{query?: Record<string, unknown>, body?: string, type?: string}} [more]
 * @returns {Promise<any>}
 */
export async function cluster(method, path, { query = {}, body, type = "application/json" } = {}) {
  const sent = headers(body === undefined ? { Accept: "application/json" } : { Accept: "application/json", "Content-Type": type });
  const target = `${API}${path.split("/").map(encodeURIComponent).join("/")}${search(query)}`;
  return answer(await fetch(target, { method, headers: sent, body }));
}

/**
 * Calls `handle` with each server-sent event until the signal aborts. Throws if the stream ends with an error.
 *
 * @param {Record<string, string>} query
 * @param {(event: any) => void} handle
 * @param {AbortSignal} signal
 */
export async function events(query, handle, signal) {
  const response = await fetch(`${BASE}/events?${new URLSearchParams(query)}`, {
    headers: headers({ Accept: "text/event-stream" }),
    signal,
  });
  if (!response.ok || !response.body) {
    await answer(response);
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) {
        handle(JSON.parse(line.slice(5)));
      }
    }
  }
}
