// Why pods and claims are pending, and why others are where they are.

import { control, Refused } from "./api.js";
import { claimHref, podHref } from "./claims.js";
import { serverNow, useLive } from "./live.js";
import { html, useEffect, useState } from "./preact.js";
import { Explained } from "./explained.js";
import { age, counted, placed, python, secondsOf, shell } from "./text.js";
import { Choice, Empty, Heading, Pill, Problem, remember, SameAs, Search } from "./ui.js";

const followed = new Set(["pods", "resourceclaims", "resourceslices", "nodes", "deviceclasses"]);
// Rows of one reason that are shown at first.
const SHOWN = 12;
const GROUPS_SHOWN = 40;
// The rows of the first groups that show their short answer before they are opened.
const SUMMARIES = { groups: 6, rows: 6 };
const SLOW_MS = 1000;

/** @param {string} kind */
export function explainable(kind) {
  return kind === "Pod" || kind === "ResourceClaim";
}

/** @param {{place: string[]}} props */
export function Why({ place }) {
  const [search, setSearch] = remember("search", "");
  const [what, setWhat] = remember("what", "all");
  const [wantedKind, wantedNamespace, wantedName] = place;
  const { data, error } = useLive(() => control("GET", "/claims", { query: { state: "pending", search, limit: 1000 } }), [search], {
    only: (event) => followed.has(event.resource ?? ""),
    least: 1000,
  });
  const rows = data ? waiting(data) : [];
  const shown = rows.filter((row) => what === "all" || row.kind === what);
  const isOpen = (row) => row.kind === wantedKind && row.namespace === wantedNamespace && row.name === wantedName;
  const groups = grouped(wantedName ? [...shown].sort((a, b) => Number(isOpen(b)) - Number(isOpen(a))) : shown);
  const numbers = { pod: rows.filter((row) => row.kind === "pod").length, claim: rows.filter((row) => row.kind === "claim").length };
  return html`<${Heading} title="Pending" lead=${data ? `${counted(data.pendingPods, "pod")} and ${counted(data.states.pending ?? 0, "claim")} wait` : "Reading…"} />
    <div class="filters"><${Search} value=${search} onInput=${setSearch} label="Filter by name, node or reason" />
      <${Choice} label="What" value=${what} onChange=${setWhat} choices=${[["all", "All"], ["pod", `Pods ${numbers.pod}`], ["claim", `Claims without a pod ${numbers.claim}`]]} /></div>
    <${Problem} error=${error} />
    ${data && !rows.length && html`<${Empty} icon="why" title=${search ? "Nothing pending matches" : "Nothing is pending"}><p>Pods that wait for a node or for their devices appear here, each with the reason.</p><//>`}
    ${groups.slice(0, GROUPS_SHOWN).map((group, index) => html`<${Group} key=${group.reason} ...${group} isOpen=${isOpen} summaries=${index < SUMMARIES.groups ? SUMMARIES.rows : 0} />`)}
    ${groups.length > GROUPS_SHOWN && html`<p class="soft">${counted(groups.length - GROUPS_SHOWN, "more reason")}. Use the filter to see them.</p>`}
    ${data && data.pods.length < data.pendingPods && !search && html`<p class="soft">The first ${data.pods.length.toLocaleString("en")} of ${data.pendingPods.toLocaleString("en")} pods. Use the filter to see others.</p>`}`;
}

/** Rows with the same reason together, in the order of the first of each. */
function grouped(rows) {
  const groups = new Map();
  for (const row of rows) {
    const reason = reasonOf(row);
    groups.set(reason, [...(groups.get(reason) ?? []), row]);
  }
  return [...groups].map(([reason, some]) => ({ reason, rows: some }));
}

function reasonOf(row) {
  if (row.message) return row.message;
  if (row.kind === "claim") return "No pod uses this claim. The scheduler allocates a claim when a pod that names it is scheduled.";
  return row.reason || "No component has written a reason yet.";
}

function Group({ reason, rows, isOpen, summaries }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, SHOWN);
  return html`<section class="card waiting" aria-label=${reason.slice(0, 100)}>
    <p class="reason">${rows.length > 1 && html`<${Pill} kind="warn">${rows.length.toLocaleString("en")}<//> `}${reason}</p>
    ${shown.map((row, index) => html`<${Waiting} key=${`${row.kind}/${row.namespace}/${row.name}`} row=${row} open=${isOpen(row)} short=${index < summaries} />`)}
    ${shown.length < rows.length && html`<button type="button" onClick=${() => setAll(true)}>Show ${(rows.length - shown.length).toLocaleString("en")} more</button>`}
  </section>`;
}

/** Pending pods, then the pending claims that no pod waits for. */
function waiting(data) {
  const pods = data.pods.map((pod) => ({ kind: "pod", ...pod }));
  const claims = data.claims.filter((claim) => !claim.pods.length).map((claim) => ({ kind: "claim", message: claim.reason, ...claim }));
  return [...pods, ...claims];
}

/** Explanations are read one after the other, and no more of them once one took the server long. */
let reading = Promise.resolve();
let isSlow = false;

/**
 * Reads the explanation of a row when it is its turn; leaves it out if the row has gone by then.
 *
 * @param {any} row
 * @param {(summary: string) => void} show
 */
function summarize(row, show) {
  let isGone = false;
  reading = reading.then(async () => {
    if (!isGone && !isSlow) {
      const begun = performance.now();
      const answer = await explain(row.kind, row.namespace, row.name).catch(() => null);
      isSlow = performance.now() - begun > SLOW_MS;
      if (!isGone) show(answer?.summary ?? "");
    }
  });
  return () => {
    isGone = true;
  };
}

const explain = (kind, namespace, name) => control("GET", `/explain/${kind}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

function Waiting({ row, open, short }) {
  const [opened, setOpened] = useState(open);
  const [summary, setSummary] = useState("");
  // The scheduler's message is the same for many reasons: the short answer tells them apart.
  useEffect(() => (short ? summarize(row, setSummary) : undefined), [row.kind, row.namespace, row.name, row.message, short]);
  const to = row.kind === "pod" ? podHref(row.namespace, row.name) : claimHref(row.namespace, row.name);
  return html`<details class="one-waiting" open=${opened} onToggle=${(event) => setOpened(event.target.open)}>
    <summary>
      <span class="soft">${row.kind === "pod" ? "Pod" : "Claim"}</span> <strong>${placed(row.namespace, row.name)}</strong> ${""}
      <span class="soft">${row.node ? `waits on ${row.node}, ` : ""}${age(serverNow() - secondsOf(row.created))}</span>
      ${summary && html`<span class="summary">${summary}</span>`}
    </summary>
    ${opened && html`<${Explanation} kind=${row.kind} namespace=${row.namespace} name=${row.name} message=${row.message} />
      <p><a href=${to}>Open the ${row.kind}</a></p>`}
  </details>`;
}

/**
 * The explanation of a pod or claim. A server without the endpoint shows the conditions instead.
 *
 * @param {{kind: string, namespace: string, name: string, object?: any, message?: string}} props
 */
export function Explanation({ kind, namespace, name, object, message = "" }) {
  const [explained, setExplained] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {Error | undefined} */ (undefined));
  const version = object?.metadata?.resourceVersion;
  useEffect(() => {
    explain(kind, namespace, name).then(
      (answer) => (setExplained(answer), setError(undefined)),
      (problem) => setError(problem),
    );
  }, [kind, namespace, name, version]);
  const isMissing = error instanceof Refused && error.code === 404;
  return html`<div class="explanation">
    ${error && !isMissing && html`<${Problem} error=${error} />`}
    ${explained && html`<${Explained} value=${explained} />`}
    ${isMissing && html`<${Conditions} object=${object} message=${message} />`}
    <${SameAs} command=${`fakeapi explain ${kind} ${shell(`${namespace}/${name}`)}`} python=${`print(fakeapi.explain(${python(kind)}, ${python(name)}, namespace=${python(namespace)}))`} />
  </div>`;
}

function Conditions({ object, message }) {
  const conditions = (object?.status?.conditions ?? []).filter((each) => each.message);
  const texts = conditions.length ? conditions.map((each) => `${each.type} is ${each.status}: ${each.message}`) : [message].filter(Boolean);
  if (!texts.length) {
    return html`<p class="soft">No condition says more.</p>`;
  }
  return html`<ul class="reasons">${texts.flatMap(sentences).map((each) => html`<li>${each}</li>`)}</ul>`;
}

/** The parts of a message of the scheduler, one to a line. */
export function sentences(text) {
  return String(text).split(/(?<=[.;])\s+|, (?=\d+ )/).map((each) => each.trim()).filter(Boolean);
}
