// The frame of the page: views by the address's fragment, the state of the server, one stream of events.

import { control, events, Refused, setToken } from "./api.js";
import { el, notice, say } from "./dom.js";
import * as claims from "./claims.js";
import * as faults from "./faults.js";
import * as objects from "./objects.js";
import * as requests from "./requests.js";
import * as time from "./time.js";
import * as watches from "./watches.js";

const VIEWS = [
  ["objects", "Objects", objects],
  ["claims", "Claims", claims],
  ["requests", "Requests", requests],
  ["watches", "Watches", watches],
  ["faults", "Faults", faults],
  ["time", "Clock and snapshots", time],
];
const STATE_MS = 1000;
const REFRESH_MS = 400;
const IDLE_SHARE = 4;
const MOST_A_SECOND = 100;
const RETRY_MS = 2000;

let leave = new AbortController();
let refresh = null;
let refreshDue = false;
let followed = null;
let drawingMs = 0;

async function show() {
  const [name, ...place] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const chosen = VIEWS.find(([each]) => each === name) ?? VIEWS[0];
  leave.abort();
  leave = new AbortController();
  for (const link of document.querySelectorAll("#views a")) {
    if (link.dataset.view === chosen[0]) {
      link.setAttribute("aria-current", "page");
    } else {
      link.removeAttribute("aria-current");
    }
  }
  document.title = `${chosen[1]} · fakeapi`;
  const main = document.getElementById("main");
  main.replaceChildren();
  refresh = null;
  await guarded(async () => {
    followed = chosen[2].FOLLOWS;
    refresh = await chosen[2].show(main, { name, place, signal: leave.signal, guarded });
  });
}

// Runs work; what the server refuses is told, and a 401 asks for the token.
async function guarded(work) {
  try {
    await work();
    notice("");
  } catch (error) {
    if (error.name === "AbortError") {
      return;
    }
    document.getElementById("token").hidden = !(error instanceof Refused && error.code === 401);
    notice(error instanceof Refused ? error.message : `The server does not answer: ${error.message}`);
  }
}

// Draws anew; what had the focus and was replaced has it again, so that the keyboard is not lost.
async function keepFocus(draw) {
  const had = document.activeElement;
  await draw();
  if (had && !had.isConnected && document.activeElement === document.body) {
    const same = [...document.querySelectorAll(`main ${had.localName}`)].find((each) => label(each) === label(had));
    same?.focus({ preventScroll: true });
  }
}

function label(element) {
  return element.id || element.getAttribute("href") || element.getAttribute("aria-label") || element.textContent;
}

function concerns(event) {
  const wanted = followed ?? ["request", "object"];
  return wanted.includes(event.type) || event.type === "reset" || (event.type === "lost" && wanted.some((each) => event[`${each}s`]));
}

async function redraw() {
  const begun = performance.now();
  refreshDue = false;
  if (refresh) {
    await keepFocus(() => guarded(refresh));
  }
  drawingMs = performance.now() - begun;
}

async function tellState() {
  try {
    const state = await control("GET", "/state");
    const clock = await control("GET", "/clock");
    document.getElementById("release").textContent = state.release ? `Kubernetes ${state.release}` : "";
    const shown = [
      ["Objects", state.objects.toLocaleString("en")],
      ["resourceVersion", state.resourceVersion],
      ["Clock", clock.now.replace("T", " ") + (clock.frozen ? " (frozen)" : clock.adjusted ? " (adjusted)" : "")],
    ];
    const rows = shown.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
    document.getElementById("state").replaceChildren(...rows);
  } catch {
    document.getElementById("state").replaceChildren(el("div", {}, el("dd", { class: "bad" }, "not connected")));
  }
  setTimeout(tellState, STATE_MS);
}

// A view is drawn again after events that it follows: at most every REFRESH_MS, however many come, and no more often
// than leaves the browser IDLE_SHARE times as long as a drawing takes. The server sends MOST_A_SECOND, and counts the rest.
async function follow() {
  try {
    await events({ objects: "true", most: MOST_A_SECOND }, (event) => {
      requests.note(event);
      if (!refreshDue && refresh && concerns(event)) {
        refreshDue = true;
        setTimeout(redraw, Math.max(REFRESH_MS, IDLE_SHARE * drawingMs));
      }
    });
  } catch {
    // the state line says that the server is away; it is asked again
  }
  setTimeout(follow, RETRY_MS);
}

document.getElementById("views").append(
  ...VIEWS.map(([name, text]) => el("li", {}, el("a", { href: `#/${name}`, "data-view": name }, text))),
);
document.getElementById("token").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(document.getElementById("token-value").value);
  document.getElementById("token").hidden = true;
  show();
});
addEventListener("hashchange", () => {
  show();
  document.getElementById("main").focus();
  say(document.title);
});
show();
tellState();
follow();
