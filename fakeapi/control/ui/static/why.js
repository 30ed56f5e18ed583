// The view of pending pods and claims with their reasons. Also shows the explanation of one pod or claim.

import { control, Refused } from "./api.js";
import { CAUSES_MAX, explain, keyOf, useCause, useKnownCauses, useReading } from "./causes.js";
import { claimHref, CLAIMS_MAX, podHref } from "./claims.js";
import { serverNow, useLive } from "./live.js";
import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { Explained } from "./explained.js";
import { age, counted, href, objectHref, partOf, placed, python, secondsOf, shell } from "./text.js";
import { Choice, Empty, Heading, Pill, Problem, remember, SameAs, Search } from "./ui.js";

const followed = new Set(["pods", "resourceclaims", "resourceslices", "nodes", "deviceclasses", "resourceclaimtemplates", "namespaces"]);
// Number of rows with one reason that are shown at first.
const SHOWN = 12;
const GROUPS_SHOWN = 40;
const DELETING_MAX = 100;
// Up to this number of rows, the page reads the reasons of all rows at once, also of rows that are not visible.
const READ_AT_ONCE = 30;
/** @type {any[]} */
const NO_ROWS = [];
const READING = "Reading the reason…";
const KINDS = [["pod", "Pods"], ["claim", "Claims without a pod"], ["deleting", "Claims being deleted"], ["namespace", "Namespaces being deleted"]];
const TITLES = { pod: "Pod", claim: "Claim", namespace: "Namespace" };

/**
 * The word for the kind of an object that has an explanation: a pod, a claim, or a namespace that is being deleted.
 *
 * @param {any} object
 * @returns {"" | "pod" | "claim" | "namespace"} "" for other objects
 */
export function explainable(object) {
  if (object?.kind === "Pod") return "pod";
  if (object?.kind === "ResourceClaim") return "claim";
  return object?.kind === "Namespace" && object.metadata.deletionTimestamp ? "namespace" : "";
}

/** @param {{place: string[]}} props */
export function Why({ place }) {
  const [search, setSearch] = remember("search", "");
  const [what, setWhat] = remember("what", "all");
  const { data, error } = useLive(() => readWaiting(search), [search], { only: (event) => followed.has(event.resource ?? ""), least: 1000 });
  const all = useMemo(() => (data ? waiting(data) : []), [data]);
  const causes = useKnownCauses(Boolean(search));
  const rows = all.filter((row) => matches(row, causes.get(keyOf(row)), search));
  const shown = rows.filter((row) => what === "all" || groupOf(row) === what);
  const isOpen = (row) => isAt(row, place);
  const groups = grouped(place[2] ? [...shown].sort((a, b) => Number(isOpen(b)) - Number(isOpen(a))) : shown);
  const unread = search ? all.filter((row) => !causes.has(keyOf(row))) : [];
  useReading(all.length <= READ_AT_ONCE ? all : NO_ROWS);
  const choices = [["all", "All"], ...KINDS.map(([name, text]) => [name, html`${text} <span class="count">${(name === "pod" && data && !search ? data.pendingPods : count(rows, name)).toLocaleString("en")}</span>`])];
  return html`<${Heading} title="Pending" lead=${data ? leadOf(data, all) : "Reading…"} />
    <div class="filters"><${Search} value=${search} onInput=${setSearch} label="Filter by name, node or reason" />
      <${Choice} label="What" value=${what} onChange=${setWhat} choices=${choices} /></div>
    <${Problem} error=${error} />
    ${unread.length > 0 && all.length > READ_AT_ONCE && html`<${Unread} key=${search} rows=${unread} />`}
    ${unread.length > 0 && all.length <= READ_AT_ONCE && html`<p class="soft" role="status">Reading ${counted(unread.length, "reason")}…</p>`}
    ${data && !shown.length && html`<${Empty} icon="why" title=${!all.length ? "Nothing is pending" : unread.length ? "No name or known reason matches" : "Nothing pending matches"}><p>Pods that wait for a node or for their devices appear here, and claims and namespaces that wait for finalizers, each with the reason.</p><//>`}
    ${groups.slice(0, GROUPS_SHOWN).map((group) => html`<${Group} key=${group.reason} ...${group} isOpen=${isOpen} />`)}
    ${groups.length > GROUPS_SHOWN && html`<p class="soft">${counted(groups.length - GROUPS_SHOWN, "more reason")}. Use the filter to see them.</p>`}
    ${data && data.pods.length < data.pendingPods && !search && html`<p class="soft">The first ${data.pods.length.toLocaleString("en")} of ${data.pendingPods.toLocaleString("en")} pods. Use the filter to see others.</p>`}`;
}

/** Tells how many explanations the filter does not search, because their rows were not visible. Reads them on request. */
function Unread({ rows }) {
  const [chosen, choose] = useState(/** @type {Set<string>} */ (new Set()));
  const left = rows.filter((row) => chosen.has(keyOf(row)));
  if (left.length) {
    return html`<p class="soft" role="status">Reading the explanations of ${counted(left.length, "row")}…<${Reader} rows=${left} /></p>`;
  }
  const next = rows.slice(0, CAUSES_MAX);
  return html`<p class="soft" role="status">The explanations of ${counted(rows.length, "row")} are not read yet: the filter does not search them.
    ${" "}<button type="button" onClick=${() => choose(new Set(next.map(keyOf)))}>Read ${next.length === rows.length ? "them" : `${next.length} of them`}</button></p>`;
}

function Reader({ rows }) {
  useReading(rows);
  return null;
}

/** Reads waiting objects. Uses the server's filter only if one response cannot contain all pods and claims. */
async function readWaiting(search) {
  const query = { state: "pending", limit: CLAIMS_MAX };
  const [data, namespaces] = await Promise.all([control("GET", "/claims", { query }), control("GET", "/terminating")]);
  data.namespaces = namespaces.namespaces;
  data.terminating = namespaces.total;
  if (data.states.deleting) {
    data.deleting = (await control("GET", "/claims", { query: { state: "deleting", limit: DELETING_MAX } })).claims;
  }
  if (search && (data.pods.length < data.pendingPods || data.claims.length < data.total)) {
    const found = await control("GET", "/claims", { query: { ...query, search } });
    data.pods = merged(data.pods, found.pods);
    data.claims = merged(data.claims, found.claims);
  }
  return data;
}

function merged(rows, more) {
  const known = new Set(rows.map((row) => placed(row.namespace, row.name)));
  return [...rows, ...more.filter((row) => !known.has(placed(row.namespace, row.name)))];
}

const groupOf = (row) => (row.state === "deleting" && row.kind === "claim" ? "deleting" : row.kind);
const count = (rows, group) => rows.filter((row) => groupOf(row) === group).length;

/** Whether an address names the row, or a claim of the row's pod. */
function isAt(row, place) {
  const [kind, namespace, name] = place;
  const names = kind === row.kind ? [row.name] : kind === "claim" ? row.claims ?? [] : [];
  return row.namespace === partOf(namespace) && names.includes(name);
}

/** Whether the texts of a row and of its explanation contain each word of the filter. */
function matches(row, cause, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return true;
  const texts = [placed(row.namespace, row.name), row.node, row.reason, row.message, ...(row.claims ?? []), ...(row.pods ?? []), cause?.text];
  const text = texts.filter(Boolean).join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function leadOf(data, rows) {
  const [claims, alone] = [data.states.pending ?? 0, count(rows, "claim")];
  const deleting = count(rows, "deleting");
  const used = !claims ? "" : !alone ? "; these pods use all of the claims" : `; ${alone === 1 ? "1 claim has" : `${alone.toLocaleString("en")} claims have`} no pod`;
  const ends = [deleting && counted(deleting, "claim"), data.terminating && counted(data.terminating, "namespace")].filter(Boolean);
  const last = ends.length ? `. ${ends.join(" and ")} ${deleting + data.terminating === 1 ? "is" : "are"} being deleted` : "";
  return `${counted(data.pendingPods, "pod")} and ${counted(claims, "claim")} wait${used}${last}`;
}

/** Groups rows by reason, in the order of the first row of each group. */
function grouped(rows) {
  const groups = new Map();
  for (const row of rows) {
    const reason = reasonOf(row);
    groups.set(reason, groups.get(reason) ?? []);
    groups.get(reason).push(row);
  }
  return [...groups].map(([reason, some]) => ({ reason, rows: some }));
}

const NO_MESSAGE = "No condition of the pod has a message. Its events may say more.";

function reasonOf(row) {
  if (row.message) return row.message;
  if (row.state === "deleting") return `The ${row.kind} has a deletionTimestamp, and no finalizer.`;
  if (row.kind === "claim") return "No pod uses this claim. The scheduler allocates a claim when a pod that names it is scheduled.";
  return row.reason || NO_MESSAGE;
}

function Group({ reason, rows, isOpen }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, SHOWN);
  return html`<section class="card waiting" aria-label=${reason.slice(0, 100)}>
    ${shown.map((row) => html`<${Waiting} key=${keyOf(row)} row=${row} open=${isOpen(row)} />`)}
    ${shown.length < rows.length && html`<button type="button" onClick=${() => setAll(true)}>Show ${(rows.length - shown.length).toLocaleString("en")} more</button>`}
    <${Message} reason=${reason} rows=${rows} />
  </section>`;
}

/** Shows the reason in the objects, unless the explanations of the rows say the same or more. */
function Message({ reason, rows }) {
  const isSilent = reason === NO_MESSAGE;
  const causes = useKnownCauses(rows.length === 1 || isSilent);
  if (rows.length === 1 && causes.get(keyOf(rows[0]))?.summary === reason) {
    return null;
  }
  if (isSilent && rows.every((row) => causes.get(keyOf(row))?.summary)) {
    return null;
  }
  return html`<p class="reason">${rows.length > 1 && html`<${Pill}>${rows.length.toLocaleString("en")}<//> `}${rows[0].message && rows[0].state !== "deleting" ? "Message in the pod: " : ""}${reason}</p>`;
}

/** Returns pending pods, then pending claims that no pod uses, then claims and namespaces that are being deleted. */
function waiting(data) {
  const pods = data.pods.map((pod) => ({ kind: "pod", ...pod }));
  const claims = [...data.claims.filter((claim) => !claim.pods.length), ...(data.deleting ?? [])];
  const namespaces = data.namespaces.map((each) => ({ kind: "namespace", namespace: "", state: "deleting", message: each.reason, ...each }));
  return [...pods, ...claims.map((claim) => ({ kind: "claim", message: claim.reason, ...claim })), ...namespaces];
}

const HREFS = { pod: podHref, claim: claimHref, namespace: (_, name) => objectHref("", "namespaces", "", name) };

function Waiting({ row, open }) {
  const [opened, setOpened] = useState(open);
  const [summary, known] = useCause(row);
  const cause = known ? known.summary : READING;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (open) box.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const to = HREFS[row.kind](row.namespace, row.name);
  const since = (stamp) => age(serverNow() - secondsOf(stamp));
  const ends = row.state === "deleting" && (row.deleted ? `being deleted for ${since(row.deleted)}` : "being deleted");
  const facts = [ends, row.node && `waits for the kubelet of ${row.node}`, !row.deleted && since(row.created)].filter(Boolean).join(", ");
  return html`<details class="one-waiting" ref=${box} open=${opened} aria-current=${open ? "true" : undefined} onToggle=${(event) => (event.target.open !== opened && keepOpen(row, event.target.open), setOpened(event.target.open))}>
    <summary ref=${summary}><span class="soft">${TITLES[row.kind]}</span> <strong>${placed(row.namespace, row.name)}</strong> ${""}
      <span class="soft">${facts}</span>
      ${cause && html`<span class=${cause === READING ? "summary soft" : "summary"}>${cause}</span>`}
    </summary>
    ${opened && html`<${Explanation} kind=${row.kind} namespace=${row.namespace} name=${row.name} message=${row.message} />
      <p><a href=${to}>Open the ${row.kind}</a></p>`}
  </details>`;
}

/** Keeps the open row in the address of the view, so that the browser's button Back opens the row again. */
function keepOpen(row, isOpen) {
  const query = location.hash.split("?")[1];
  history.replaceState(null, "", `${isOpen ? href("why", row.kind, row.namespace, row.name) : "#/why"}${query ? `?${query}` : ""}`);
}

/**
 * Shows the explanation of a pod, claim or namespace; the conditions if the server does not have the endpoint.
 *
 * @param {{kind: string, namespace: string, name: string, object?: any, message?: string}} props
 */
export function Explanation({ kind, namespace, name, object, message = "" }) {
  const [explained, setExplained] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {Error | undefined} */ (undefined));
  const version = object?.metadata?.resourceVersion;
  const latest = useRef({ version, isRead: true });
  const [asked, ask] = useState(version);
  useEffect(() => {
    const leave = new AbortController();
    const end = () => {
      latest.current.isRead = true;
      ask(latest.current.version);
    };
    latest.current.isRead = false;
    explain(kind, namespace, name, leave.signal).then(
      (answer) => (setExplained(answer), setError(undefined), end()),
      (problem) => leave.signal.aborted || (setError(problem), end()),
    );
    return () => leave.abort();
  }, [kind, namespace, name, asked]);
  useEffect(() => {
    // An answer on its way is not cancelled: an object that changes often would never get one.
    latest.current.version = version;
    if (latest.current.isRead) ask(version);
  }, [version]);
  const isMissing = error instanceof Refused && error.code === 404;
  return html`<div class="explanation">
    ${error && !isMissing && html`<${Problem} error=${error} />`}
    ${!explained && !error && html`<p class="soft" role="status">Reading the explanation…</p>`}
    ${explained && html`<${Explained} value=${explained} />`}
    ${isMissing && html`<${Conditions} object=${object} message=${message} />`}
    <${SameAs} command=${`fakeapi explain ${kind} ${shell(placed(namespace, name))}`} python=${`print(fakeapi.explain(${python(kind)}, ${python(name)}${namespace && `, namespace=${python(namespace)}`}))`} />
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

/** Splits a message of the scheduler into its parts. */
export function sentences(text) {
  return String(text).split(/(?<=[.;])\s+|, (?=\d+ )/).map((each) => each.trim()).filter(Boolean);
}
