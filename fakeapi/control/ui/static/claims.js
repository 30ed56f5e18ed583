// The view of all claims with their states, pending claims first. The server filters the claims and sends pages.

import { control } from "./api.js";
import { knownText, placeOf, useCause, useKnownCauses } from "./causes.js";
import { serverNow, useLive } from "./live.js";
import { html, useMemo, useState } from "./preact.js";
import { oldStatus, useSilentNodes } from "./silent.js";
import { Table, TWO_LINES_HEIGHT } from "./table.js";
import { age, counted, objectHref, secondsOf, shortDriver } from "./text.js";
import { Choice, Empty, Heading, Problem, remember, Search } from "./ui.js";

/** Maximum number of claims in one response. */
export const CLAIMS_MAX = 1000;
// A card has room for three lines of the reason.
const CARD_HEIGHT = 112;
// Maximum number of pending claims whose explanations the filter searches.
const EXPLAINED = 100;
export const STATES = ["pending", "allocated", "reserved", "prepared", "deleting"];
/** What the states of a claim mean, after the words "The claim". */
export const MEANING = {
  pending: "has no devices yet",
  allocated: "has devices, and no pod may use it yet",
  reserved: "has devices for a pod whose node has not prepared them yet",
  prepared: "has devices that its node has prepared, and its pod runs",
  deleting: "is being deleted",
};
const followed = new Set(["resourceclaims", "pods"]);

export const claimHref = (namespace, name) => objectHref("resource.k8s.io", "resourceclaims", namespace, name);
export const podHref = (namespace, name) => objectHref("", "pods", namespace, name);

/** @param {{state: string}} props */
export function ClaimState({ state }) {
  return html`<span class=${`state ${state}`} title=${`The claim ${MEANING[state]}.`}>${stateText(state)}</span>`;
}

/** Returns the text for a state of a claim. */
const stateText = (state) => (state === "deleting" ? "being deleted" : state);

export function Claims() {
  const [state, setState] = remember("state", "");
  const [search, setSearch] = remember("search", "");
  const [limit, setLimit] = useState(CLAIMS_MAX);
  const [opened, setOpened] = useState(/** @type {string[]} */ ([]));
  const turn = (cause) => setOpened(opened.includes(cause) ? opened.filter((each) => each !== cause) : [...opened, cause]);
  const { data, error } = useLive(() => readClaims({ state, search }, limit, opened), [state, search, limit, opened], {
    only: (event) => followed.has(event.resource ?? ""),
    least: 800,
  });
  useKnownCauses(Boolean(search));
  const more = data ? explained(data, search) : [];
  const silent = useSilentNodes();
  const claims = useMemo(() => [...more, ...(data?.claims ?? [])].map((row) => (silent.has(row.node) ? { ...row, silent: silent.get(row.node) } : row)), [data, silent, more.map(placeOf).join()]);
  const columns = useMemo(() => COLUMNS.map((each) => (each.name === "Name" ? { ...each, show: (row) => html`<${Name} row=${row} isOpen=${opened.includes(row.cause)} turn=${turn} />` } : each)), [opened]);
  const total = data ? data.total + claims.length - data.claims.length : 0;
  const all = Object.values(data?.states ?? {}).reduce((sum, each) => sum + each, 0);
  return html`<${Heading} title="Claims" lead=${data ? `${counted(total, "claim")}${total === all ? "" : ` of ${all.toLocaleString("en")}`}, pending first${shownText(data)}` : "Reading…"} />
    <div class="filters">
      <${Search} value=${search} onInput=${setSearch} label="Filter by claim, pod, device, node or reason" placeholder="Claim, pod, device, node or reason" />
      <${Choice} label="State" value=${state} onChange=${setState}
        choices=${[["", html`All <span class="count">${all.toLocaleString("en")}</span>`], ...STATES.map((each) => [each, html`<span class=${`dot ${each}`}></span>${stateText(each)} <span class="count">${(data?.states[each] ?? 0).toLocaleString("en")}</span>`])]} />
    </div>
    <${Problem} error=${error} />
    ${data &&
    html`<${Table} cards=${CARD_HEIGHT} height=${claims.some(waits) ? TWO_LINES_HEIGHT : undefined} label="Claims" order="pending first, then by name" columns=${columns} rows=${claims} id=${(row) => `${row.number} ${row.namespace}/${row.name}`}
      empty=${html`<${Empty} icon="claims" title=${all ? "No claim matches" : "There are no claims"}>
        ${!all && html`<p>A ResourceClaim asks for devices. Create one under <a href="#/objects/resource.k8s.io/resourceclaims">Objects</a>, or start the server with <code>--driver</code> and a pod to see devices in use.</p>`}
      <//>`} />
      ${data.read < data.rows && html`<p class="after"><button type="button" onClick=${() => setLimit(limit + CLAIMS_MAX)}>Show ${Math.min(CLAIMS_MAX, data.rows - data.read).toLocaleString("en")} more</button></p>`}`}`;
}

/** Says how many claims the view shows, counting those of a row for several claims; "" if it shows all. */
function shownText(data) {
  const behind = data.claims.filter((each) => each.number).reduce((sum, each) => sum + each.number - 1, 0);
  const shown = data.read + behind;
  return shown < data.total ? `; ${shown.toLocaleString("en")} of ${data.total.toLocaleString("en")} shown` : "";
}

/**
 * Reads claims. Many claims with the same cause are one row, which has the member `number`.
 *
 * @param {any} query
 * @param {number} limit the maximum number of rows
 * @param {string[]} opened the causes whose claims are shown one by one
 */
async function readClaims(query, limit, opened) {
  const read = (more) => control("GET", "/claims", { query: { ...query, limit: CLAIMS_MAX, ...more } });
  const first = await read({ fold: true });
  while (first.claims.length < Math.min(limit, first.rows)) {
    const next = await read({ fold: true, skip: first.claims.length });
    if (!next.claims.length) {
      break;
    }
    first.claims = [...first.claims, ...next.claims];
  }
  first.read = first.claims.length;
  first.claims.forEach((claim) => Object.assign(claim, { number: first.folded[claim.cause] ?? 0 }));
  for (const cause of opened.filter((each) => first.folded[each])) {
    const { claims } = await read({ cause });
    const at = first.claims.findIndex((claim) => claim.cause === cause);
    if (at >= 0) first.claims.splice(at + 1, 0, ...claims.map((claim) => ({ ...claim, isMember: true })));
  }
  if (query.search && (!query.state || query.state === "pending")) {
    first.waiting = (await control("GET", "/claims", { query: { state: "pending", limit: EXPLAINED } })).claims;
  }
  const names = namesOf(first.claims.flatMap((claim) => claim.devices));
  for (const claim of [...first.claims, ...(first.waiting ?? [])]) {
    Object.assign(claim, { kind: "claim", shared: claim.state === "pending" ? claim.cause : "", names: claim.devices.map((device) => names.get(device)) });
  }
  return first;
}

/** Returns the pending claims that only their explanations match. Searches the explanations that the page has read. */
function explained(data, search) {
  const known = new Set(data.claims.map(placeOf));
  return (data.waiting ?? []).filter((claim) => !known.has(placeOf(claim)) && knownText(claim).includes(search.toLowerCase()));
}

/** Shows the reason why a claim waits: the summary of its explanation. Before that arrives, the reason of its pod. */
function Cause({ claim }) {
  const [link, known] = useCause(claim);
  const cause = known?.summary || short(claim.reason) || (claim.pods.length ? "reading the reason…" : "no pod uses it");
  return html`<a class="plainly" ref=${link} href=${`${claimHref(claim.namespace, claim.name)}?tab=why`} title=${`${cause}. ${claim.reason}`}>${cause}</a>`;
}

const several = (names, show) => names.map((name, index) => html`${index > 0 && ", "}${show(name)}`);

/**
 * Returns the name of each device as POOL/DEVICE, or with its driver if devices of two drivers have the same name.
 *
 * @param {string[]} devices as DRIVER/POOL/DEVICE
 * @returns {Map<string, string>}
 */
function namesOf(devices) {
  /** @type {Map<string, Set<string>>} */
  const drivers = new Map();
  const parts = devices.map((device) => [device, device.split("/")[0], device.split("/").at(-1) ?? ""]);
  parts.forEach(([, driver, name]) => drivers.set(name, (drivers.get(name) ?? new Set()).add(driver)));
  const isShared = (name) => (drivers.get(name)?.size ?? 0) > 1;
  return new Map(parts.map(([device, driver, name]) => [device, `${isShared(name) ? `${shortDriver(driver)}: ` : ""}${device.split("/").slice(1).join("/")}`]));
}

const COLUMNS = [
  { name: "State", className: "of-state", width: "7.5rem", sort: (row) => STATES.indexOf(row.state), show: (row) => html`<${ClaimState} state=${row.state} />` },
  { name: "Name", className: "name", sort: (row) => row.name, show: (row) => html`<a href=${claimHref(row.namespace, row.name)}>${row.name}</a>` },
  {
    name: "Devices or reason",
    className: "grow of-reason",
    sort: (row) => row.devices.join() || row.reason,
    show: (row) =>
      waits(row)
        ? html`<${Cause} key=${placeOf(row)} claim=${row} />`
        : several(row.devices, (each) => html`<a href=${`#/devices?search=${encodeURIComponent(`${row.namespace}/${row.name}`)}`} title=${each}>${row.names[row.devices.indexOf(each)]}</a>`),
  },
  { name: "Pods", className: "of-pods", label: "pod", sort: (row) => row.pods.join(), show: (row) => several(row.number ? [] : row.pods, (name) => html`<a href=${podHref(row.namespace, name)}>${name}</a>`) },
  { name: "Namespace", className: "of-namespace", show: (row) => (row.number ? "" : row.namespace) },
  { name: "Node", className: "of-node", label: "node", show: (row) => row.node && html`<a href=${objectHref("", "nodes", "", row.node)}>${row.node}</a><${Silent} row=${row} />`, sort: (row) => row.node },
  { name: "Age", number: true, className: "of-age", width: "5rem", sort: (row) => -secondsOf(row.created), show: (row) => (row.number ? "" : age(serverNow() - secondsOf(row.created))) },
];

/** Shows the name of a claim, or the number of claims with the same cause in one row. */
function Name({ row, isOpen, turn }) {
  if (!row.number) {
    return html`<a href=${claimHref(row.namespace, row.name)}>${row.name}</a>`;
  }
  return html`<button type="button" class="link" aria-expanded=${String(isOpen)} title="Shows the claims one by one" onClick=${() => turn(row.cause)}>${isOpen ? "▾" : "▸"} ${counted(row.number, "claim")}</button>`;
}

const waits = (claim) => claim.state === "pending" || claim.state === "deleting";

/** Marks a claim that its node may have changed without telling the server, because the kubelet is silent. */
function Silent({ row }) {
  return row.silent ? html` <span class="warn" title=${oldStatus(row.silent)}>not ready</span>` : null;
}

/** Returns the first sentence of a reason, without the number of nodes at its start. */
function short(reason) {
  return reason.replace(/^\d+\/\d+ nodes are available: /, "").split(". ")[0];
}
