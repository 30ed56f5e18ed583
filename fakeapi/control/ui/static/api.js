// The control API and the cluster's API, with the token of this tab.

const KEY = "fakeapi-token";
const BASE = new URL("..", location.href).pathname.replace(/\/$/, "");

export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export function setToken(token) {
  sessionStorage.setItem(KEY, token);
}

function headers(more) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

async function answer(response) {
  const text = await response.text();
  if (!response.ok) {
    let message = `${response.status} ${response.statusText}`;
    try {
      message = JSON.parse(text).message || message;
    } catch {
      // not a Status: the status line says what there is to say
    }
    throw new Refused(response.status, message);
  }
  return text ? JSON.parse(text) : null;
}

// One request below /_fakeapi; undefined and empty parameters are left out.
export async function control(method, path, { query = {}, body } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  const options = { method, headers: headers({ Accept: "application/json" }) };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  return answer(await fetch(`${BASE}${path}${search}`, options));
}

// Calls `handle` with each server-sent event until the signal aborts; throws where the stream cannot be had.
export async function events(query, handle, signal) {
  const url = `${BASE}/events?${new URLSearchParams(query)}`;
  const response = await fetch(url, { headers: headers({ Accept: "text/event-stream" }), signal });
  if (!response.ok) {
    await answer(response);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data:")) {
        handle(JSON.parse(line.slice(5)));
      }
    }
  }
}
