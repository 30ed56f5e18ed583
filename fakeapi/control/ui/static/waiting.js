// Groups of pods and claims that wait for the same cause. Many of them are one line, which opens on a click.

import { control } from "./api.js";
import { placeOf, useCause, useKnownCauses } from "./causes.js";
import { claimHref, CLAIMS_MAX, podHref } from "./claims.js";
import { serverNow, useLive, WORKLOADS } from "./live.js";
import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { age, counted, href, objectHref, partOf, placed, python, secondsOf } from "./text.js";
import { Code, Pill } from "./ui.js";
import { Explanation } from "./explanation.js";

/** Number of rows of a group that the page reads at first. */
export const SHOWN = 12;
// A group with more rows is one line until the user opens it.
const UNFOLDED_MAX = 5;
const READING = "Reading the reason…";
const NO_MESSAGE = "No condition of the pod has a message. Its events may say more.";
/** The reason of pods that have nodes, and no message. It needs no explanation. */
export const HAVE_NODES = "the kubelets of their nodes have not started them yet";
/** The reason of such pods if no kubelet of the server runs for their nodes. */
export const NO_KUBELETS = "no kubelet runs for their nodes, so nothing starts them";
const TITLES = { pod: "Pod", claim: "Claim", namespace: "Namespace" };
const NOUNS = { pod: "pod", crashing: "pod that crashes", deletingPod: "pod being deleted", claim: "claim without a pod", deleting: "claim being deleted" };
const PLURALS = { pod: "pods", crashing: "pods that crash", deletingPod: "pods being deleted", claim: "claims without a pod", deleting: "claims being deleted" };
const PLAIN = new Set(["crashing", "deletingPod", "workload"]);
const STATES = { crashing: "crashing", deletingPod: "deleting" };
const HREFS = { pod: podHref, claim: claimHref, namespace: (_, name) => objectHref("", "namespaces", "", name) };

/** Returns the pods, claims or workloads of a group of the control API as rows. */
export function rowsOf(group) {
  const pods = group.pods.map((pod) => ({ ...pod, kind: "pod", state: STATES[group.kind] ?? "" }));
  const claims = group.claims.map((claim) => ({ ...claim, kind: "claim", message: claim.reason }));
  const workloads = group.workloads.map((workload) => ({ ...workload, state: "workload", number: workload.pods, pods: [] }));
  return [...pods, ...claims, ...workloads];
}

/** Whether the message of each row of a group is the whole reason, so that the page requests no explanation. */
export const isPlain = (group) => PLAIN.has(group.kind);

export const isFolded = (group) => group.number > UNFOLDED_MAX;

/** Whether the pods of a folded group only wait for the kubelets of their nodes. */
export const isStarting = (group) => isFolded(group) && group.kind === "pod" && Boolean(group.rows[0].node) && !group.rows[0].message;

/** Returns the first row of a group. Its explanation stands for the whole group. */
export const leadOf = (group) => ({ ...group.rows[0], shared: group.cause });

/** Whether an address names the row, or a claim of the row's pod. */
export function isAt(row, place) {
  const [kind, namespace, name] = place;
  const names = kind === row.kind ? [row.name] : kind === "claim" ? row.claims ?? [] : [];
  return row.namespace === partOf(namespace) && names.includes(name);
}

/** @param {{group: any, place: string[]}} props `place`: the row that is open, as in the address of the view */
export function WaitingGroup({ group, place }) {
  const isOpen = (row) => isAt(row, place);
  if (isFolded(group)) {
    return html`<${Folded} group=${group} isOpen=${isOpen} />`;
  }
  if (isPlain(group)) {
    return html`<section class="card waiting" aria-label=${group.rows[0].message.slice(0, 100)}>
      ${group.rows.map((row) => html`<${Row} key=${placeOf(row)} row=${row} open=${isOpen(row)}><span class="summary">${textOf(row)}</span><//>`)}
    </section>`;
  }
  const reason = reasonOf(group.rows[0]);
  return html`<section class="card waiting" aria-label=${reason.slice(0, 100)}>
    ${group.rows.map((row) => html`<${Waiting} key=${placeOf(row)} row=${row} open=${isOpen(row)} />`)}
    <${Message} reason=${reason} rows=${group.rows} />
  </section>`;
}

/** Returns the sentence about a row that needs no explanation. */
const textOf = (row) => row.summary || row.message;

function reasonOf(row) {
  if (row.message) return row.message;
  if (row.state === "deleting") return `The ${row.kind} has a deletionTimestamp, and no finalizer.`;
  if (row.kind === "claim") return "No pod uses this claim. The scheduler allocates a claim when a pod that names it is scheduled.";
  return row.reason || NO_MESSAGE;
}

/** Shows the reason in the objects, unless the explanations of the rows say the same or more. */
function Message({ reason, rows }) {
  const isSilent = reason === NO_MESSAGE;
  const causes = useKnownCauses(rows.length === 1 || isSilent);
  if (rows.length === 1 && causes.get(placeOf(rows[0]))?.summary === reason) {
    return null;
  }
  if (isSilent && rows.every((row) => causes.get(placeOf(row))?.summary)) {
    return null;
  }
  return html`<p class="reason">${rows.length > 1 && html`<${Pill}>${rows.length.toLocaleString("en")}<//> `}${rows[0].message && rows[0].state !== "deleting" ? "Message in the pod: " : ""}${reason}</p>`;
}

// many rows ------------------------------------------------------------------------------------------------------

/** Shows a group as one line: the number of rows, and the explanation of the first row. */
function Folded({ group, isOpen }) {
  const [opened, setOpened] = useState(group.rows.some(isOpen));
  const lead = useMemo(() => leadOf(group), [group]);
  const hasNodes = isStarting(group);
  const isLost = hasNodes && group.withoutKubelet > 0;
  const plain = hasNodes ? startingText(group) : isPlain(group) ? textOf(lead) : "";
  const kind = lead.state === "workload" ? lead.kind : "";
  const names = kind ? [`${kind} that lacks pods`, `${kind}s that lack pods`] : [NOUNS[group.kind], PLURALS[group.kind]];
  return html`<details class="card waiting folded" open=${opened} onToggle=${(event) => event.target.open !== opened && event.target.classList.contains("folded") && setOpened(event.target.open)}>
    <summary><strong>${counted(group.number, names[0], names[1])}:</strong> ${plain ? html`<span class="summary">${plain}</span>` : html`<${Summary} lead=${lead} />`}
      ${group.classes.length > 0 && html`<span class="soft asks">${group.number === 1 ? "asks" : "ask"} for ${group.classes.join(", ")}</span>`}</summary>
    ${opened && isLost && html`<${StartKubelets} node=${lead.node} />`}
    ${opened && html`<${Rows} group=${group} isOpen=${isOpen} lead=${lead} isExplained=${!plain} />`}
  </details>`;
}

/** Returns the reason of pods that have nodes. Counts the pods on nodes without a kubelet if there are both kinds. */
function startingText({ number, withoutKubelet }) {
  if (!withoutKubelet) return HAVE_NODES;
  return withoutKubelet === number ? NO_KUBELETS : `${HAVE_NODES}; no kubelet runs for the nodes of ${counted(withoutKubelet, "pod")}`;
}

/** Says how to start kubelets. `node`: one of the nodes without a kubelet. */
function StartKubelets({ node }) {
  return html`<p>A kubelet prepares the claims of a pod and starts its containers. Start the server with kubelets that it simulates, for these nodes or for others:</p>
    <${Code} text=${`fakeapi serve --controllers all --nodes ${node}`} label="command" />
    <${Code} text=${`FakeAPI(controllers="all", nodes=${python(node)})`} label="Python line" />
    <p class="soft">Or let a program of your own write the status of the pods.</p>`;
}

/** Shows the explanation of the first row of a group. Until the page has read it, shows the message in the row. */
function Summary({ lead }) {
  const [element, known] = useCause(lead);
  const text = known?.summary || lead.message || READING;
  return html`<span ref=${element} class=${known ? "summary" : "summary soft"}>${text}</span>`;
}

function Rows({ group, isOpen, lead, isExplained }) {
  const [limit, setLimit] = useState(SHOWN);
  const { data } = useLive(
    async () => (limit > SHOWN ? (await control("GET", "/waiting", { query: { cause: group.cause, search: group.search, limit } })).groups.flatMap(rowsOf) : null),
    [group.cause, group.search, limit],
    { only: (event) => event.resource === "pods" || event.resource === "resourceclaims" || WORKLOADS.includes(event.resource ?? ""), least: 1000 },
  );
  const rows = data ?? group.rows;
  const next = limit > SHOWN ? CLAIMS_MAX : 100;
  const left = group.number - rows.length;
  return html`${isExplained && html`<p class="soft small">The reason is that of ${placed(lead.namespace, lead.name)}. All of them ask for the same, and have the same message. Open one to see its own reason.</p>`}
    ${isExplained && lead.message && html`<p class="reason">${lead.state === "deleting" ? "" : "Message in the pod: "}${lead.message}</p>`}
    ${rows.map((row) => html`<${Row} key=${placeOf(row)} row=${row} open=${isOpen(row)} />`)}
    ${left > 0 && limit < CLAIMS_MAX && html`<button type="button" onClick=${() => setLimit(next)}>Show ${Math.min(left, next - rows.length).toLocaleString("en")} more</button>`}
    ${left > 0 && limit >= CLAIMS_MAX && html`<p class="soft">${left.toLocaleString("en")} more. Use the filter to see them.</p>`}`;
}

// one row --------------------------------------------------------------------------------------------------------

/** Shows a waiting object with the summary of its explanation, which the page reads while the row is visible. */
function Waiting({ row, open }) {
  const [summary, known] = useCause(row);
  const cause = known ? known.summary : READING;
  return html`<${Row} row=${row} open=${open} summary=${summary}>${cause && html`<span class=${known ? "summary" : "summary soft"}>${cause}</span>`}<//>`;
}

/** Shows a waiting object. Reads its explanation when the user opens it. */
function Row({ row, open, summary, children }) {
  const [opened, setOpened] = useState(open);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (open) box.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const isWorkload = row.state === "workload";
  const to = isWorkload ? objectHref(row.group, row.resource, row.namespace, row.name) : HREFS[row.kind](row.namespace, row.name);
  const since = (stamp) => age(serverNow() - secondsOf(stamp));
  const ends = row.state === "deleting" && (row.deleted ? `being deleted for ${since(row.deleted)}` : "being deleted");
  const has = isWorkload && !row.summary && `has ${row.number.toLocaleString("en")} of ${counted(row.wanted, "pod")}, ${row.ready.toLocaleString("en")} ready`;
  const at = row.node && `on node ${row.node}`;
  const facts = [ends, has, at, !row.deleted && since(row.created)].filter(Boolean).join(", ");
  return html`<details class="one-waiting" ref=${box} open=${opened} aria-current=${open ? "true" : undefined} onToggle=${(event) => (event.target.open !== opened && keepOpen(row, event.target.open), setOpened(event.target.open))}>
    <summary ref=${summary}><span class="soft">${TITLES[row.kind] ?? row.kind}</span> <strong>${placed(row.namespace, row.name)}</strong> ${""}
      <span class="soft">${facts}</span> ${children}</summary>
    ${opened && html`${isWorkload ? html`<p>${row.summary ? "The API server says: " : ""}${row.message}</p>` : html`<${Explanation} kind=${row.kind} namespace=${row.namespace} name=${row.name} message=${row.message} />`}
      <p><a href=${to}>Open the ${row.kind}</a></p>`}
  </details>`;
}

/** Keeps the open row in the address of the view, so that the browser's button Back opens the row again. */
function keepOpen(row, isOpen) {
  const query = location.hash.split("?")[1];
  history.replaceState(null, "", `${isOpen ? href("pending", row.kind, row.namespace, row.name) : "#/pending"}${query ? `?${query}` : ""}`);
}
