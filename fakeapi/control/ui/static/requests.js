// Requests as they come, by actor. Where they come too fast to be read, some are shown, and it is said how many.

import { control } from "./api.js";
import { clock, el, field, objectLink, table } from "./dom.js";

const SHOWN = 200;
const WAITING = 1000;
const A_DRAWING = 20;
// New rows are marked while they are few: a stream of them would be painted without end, for nobody to see.
const A_GLANCE = 5;

let waiting = [];
let unshown = 0;
let seen = 0;

export function note(event) {
  if (event.type === "lost") {
    seen += event.requests;
    unshown += event.requests;
  } else if (event.type === "request") {
    seen += 1;
    waiting.push(event.request);
    if (waiting.length > WAITING) {
      unshown += waiting.length - WAITING;
      waiting = waiting.slice(-WAITING);
    }
  }
}

export const FOLLOWS = ["request"];

export async function show(main) {
  const actor = el("input", { type: "search", id: "actor", autocomplete: "off" });
  const failing = el("input", { type: "checkbox", id: "failing" });
  const pause = el("button", { type: "button", "aria-pressed": "false" }, "Pause");
  const told = el("p", { class: "soft", role: "status" });
  const drawn = table(
    "The last requests, newest first",
    ["Time", "Code", "ms", "Verb", "Object", "Actor", "Says"],
    [],
  );
  const detail = el("section", { "aria-label": "One request" });
  let paused = false;
  let rows = [];
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
  });
  for (const each of [actor, failing]) {
    each.addEventListener("input", () => paint());
  }
  main.append(
    el("h2", {}, "Requests"),
    el(
      "form",
      { class: "row", onsubmit: (event) => event.preventDefault() },
      field("User or agent contains", actor),
      field("Only refused ones", failing),
      pause,
    ),
    told,
    detail,
    drawn.box,
  );
  waiting = [];
  rows = (await control("GET", "/requests", { query: { last: SHOWN } })).requests.reverse();

  function wanted(each) {
    const who = `${each.user ?? ""} ${each.agent ?? ""}`.toLowerCase();
    return who.includes(actor.value.toLowerCase()) && (!failing.checked || each.code >= 400);
  }

  async function open(number) {
    const one = await control("GET", `/requests/${number}`);
    detail.replaceChildren(
      el("h3", {}, one.text ?? `${one.method} ${one.path}`),
      el("pre", { tabindex: "0" }, JSON.stringify(one, null, 2)),
      el("button", { type: "button", onclick: () => detail.replaceChildren() }, "Close"),
    );
  }

  function paint() {
    drawn.body.replaceChildren(...rows.filter(wanted).map((each) => row(each, open, false)));
    tell();
  }

  // Puts new rows before the others, which stay as they are.
  function add(fresh) {
    const isNew = fresh.length <= A_GLANCE;
    drawn.body.prepend(...fresh.filter(wanted).map((each) => row(each, open, isNew)));
    while (drawn.body.rows.length > SHOWN) {
      drawn.body.rows[drawn.body.rows.length - 1].remove();
    }
    tell();
  }

  function tell() {
    const hidden = unshown ? `; ${unshown.toLocaleString("en")} came too fast and are not shown (the journal has them)` : "";
    told.textContent = `${seen.toLocaleString("en")} since the page was opened${hidden}`;
  }

  async function draw() {
    if (paused) {
      return;
    }
    const fresh = waiting.length > A_DRAWING ? sample(waiting) : waiting;
    unshown += waiting.length - fresh.length;
    waiting = [];
    fresh.reverse();
    rows = [...fresh, ...rows].slice(0, SHOWN);
    add(fresh);
  }

  paint();
  return draw;
}

// Every nth request, and every one that was refused, as far as there is room.
function sample(all) {
  const step = Math.ceil(all.length / A_DRAWING);
  return all.filter((each, index) => index % step === 0 || each.code >= 400).slice(-2 * A_DRAWING);
}

function row(each, open, isNew) {
  const resource = (each.resource ?? "").split("/")[0];
  const place = `${each.namespace ? `${each.namespace}/` : ""}${each.name ?? ""}`;
  const object = each.name && resource ? objectLink(each.group, resource, each.namespace, each.name, `${each.resource} ${place}`) : `${each.resource ?? each.path} ${place}`;
  const kind = each.code >= 500 ? "bad" : each.code >= 400 ? "warn" : "good";
  const faults = each.faults?.length ? ` (fault ${each.faults.join(", ")})` : "";
  const number = el("button", { type: "button", onclick: () => open(each.number), "aria-label": `Request ${each.number}` }, clock(each.received));
  return el(
    "tr",
    { class: isNew ? "new" : undefined },
    el("td", {}, number),
    el("td", { class: `number ${kind}` }, String(each.code)),
    el("td", { class: "number" }, (each.seconds * 1000).toFixed(1)),
    el("td", {}, each.verb || each.method),
    el("td", {}, object),
    el("td", { title: each.agent ?? "" }, (each.agent ?? "").split("/")[0] || each.user || ""),
    el("td", {}, `${each.message ?? ""}${faults}`),
  );
}
