// The view of pending pods and claims with their reasons.

import { control } from "./api.js";
import { CAUSES_MAX, keyOf, knownText, outdate, useKnownCauses, useReading } from "./causes.js";
import { isRemedy, useLive, WORKLOADS } from "./live.js";
import { html, useMemo, useState } from "./preact.js";
import { SilentNodes } from "./silent.js";
import { attention, counted, partOf, placed } from "./text.js";
import { Choice, Empty, Heading, Problem, remember, Search } from "./ui.js";
import { HAVE_NODES, isAt, isFolded, isPlain, isStarting, leadOf, NO_KUBELETS, rowsOf, SHOWN, WaitingGroup } from "./waiting.js";

const followed = new Set(["pods", "resourceclaims", "resourceslices", "nodes", "deviceclasses", "resourceclaimtemplates", "namespaces", ...WORKLOADS]);
const GROUPS_SHOWN = 40;
// Up to this number of explanations, the page reads all of them at once, also those of rows that are not visible.
const READ_AT_ONCE = 30;
/** @type {any[]} */
const NO_ROWS = [];
const KINDS = [["pod", "Pods"], ["claim", "Claims without a pod"]];
// Kinds of groups that the filter offers only if there are such groups.
const RARE_KINDS = [["crashing", "Crashing pods"], ["workload", "Workloads that lack pods"], ["deletingPod", "Pods being deleted"], ["deleting", "Claims being deleted"], ["namespace", "Namespaces being deleted"]];

/** @param {{place: string[]}} props */
export function Why({ place }) {
  const [search, setSearch] = remember("search", "");
  const [what, setWhat] = remember("what", "all");
  const { data, error } = useLive(() => readWaiting(search, place), [search], { only: (event) => (isRemedy(event) && outdate(), isRemedy(event) || followed.has(event.resource ?? "")), least: 1000 });
  useKnownCauses(Boolean(search));
  const all = data?.groups ?? NO_ROWS;
  const matching = search ? filtered(all, data?.matching ?? NO_ROWS, search) : all;
  const shown = matching.filter((group) => what === "all" || group.kind === what);
  const isOpen = (group) => group.rows.some((row) => isAt(row, place));
  const groups = place[2] ? [...shown].sort((a, b) => Number(isOpen(b)) - Number(isOpen(a))) : shown;
  const explained = useMemo(() => all.flatMap(readable), [data]);
  const unread = search ? explained.filter((row) => !knownText(row)) : NO_ROWS;
  useReading(explained.length <= READ_AT_ONCE ? explained : NO_ROWS);
  const rare = RARE_KINDS.filter(([name]) => name === what || all.some((group) => group.kind === name));
  const choices = [["all", "All"], ...[...KINDS, ...rare].map(([name, text]) => [name, html`${text} <span class="count">${numberOf(matching, name).toLocaleString("en")}</span>`])];
  const left = Math.max(0, groups.length - GROUPS_SHOWN) + (search ? 0 : (data?.moreGroups ?? 0));
  return html`<${Heading} title="Pending" lead=${data ? summaryOf(data) : "Reading…"} />
    <div class="filters"><${Search} value=${search} onInput=${setSearch} label="Filter by name, node or reason" />
      <${Choice} label="What" value=${what} onChange=${setWhat} choices=${choices} /></div>
    <${Problem} error=${error} />
    <${SilentNodes} />
    ${unread.length > 0 && explained.length > READ_AT_ONCE && html`<${Unread} key=${search} rows=${unread} />`}
    ${unread.length > 0 && explained.length <= READ_AT_ONCE && html`<p class="soft" role="status">Reading ${counted(unread.length, "reason")}…</p>`}
    ${data && !shown.length && html`<${Empty} icon="why" title=${!all.length ? "Nothing is pending" : unread.length ? "No name or known reason matches" : "Nothing pending matches"}><p>Pods without a node or without their devices appear here, and objects that wait for finalizers, pods that crash, and workloads that lack pods, each with the reason.</p><//>`}
    ${groups.slice(0, GROUPS_SHOWN).map((group) => html`<${WaitingGroup} key=${group.cause} group=${group} place=${place} />`)}
    ${left > 0 && html`<p class="soft">${counted(left, "more reason")}. Use the filter to see them.</p>`}`;
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

/** Reads the groups of waiting objects: all groups, those that match the filter, and the row that the address names. */
async function readWaiting(search, place) {
  const read = (query) => control("GET", "/waiting", { query: { limit: SHOWN, ...query } });
  const [all, namespaces, found, open] = await Promise.all([
    read({}),
    control("GET", "/terminating"),
    search ? read({ search }) : null,
    place[2] ? read({ namespace: partOf(place[1]), search: place[2] }) : null,
  ]);
  const groups = [...all.groups.map(withRows), ...namespaces.namespaces.map(namespaceGroup)];
  for (const each of (open?.groups ?? []).map(withRows)) {
    const row = each.rows.find((one) => isAt(one, place));
    const group = groups.find((one) => one.cause === each.cause);
    if (row && !group) groups.push({ ...each, rows: [row], number: 1 });
    if (row && group && !group.rows.some((one) => isAt(one, place))) group.rows.push(row);
  }
  return { ...all, groups, matching: (found?.groups ?? []).map(withRows) };
}

const withRows = (group) => ({ ...group, rows: rowsOf(group) });

function namespaceGroup(namespace) {
  const row = { kind: "namespace", namespace: "", state: "deleting", message: namespace.reason, ...namespace };
  return { cause: `namespace/${namespace.name}`, kind: "namespace", number: 1, classes: [], rows: [row] };
}

/** Returns the rows of a group whose explanations the page reads. A folded group has one explanation. */
const readable = (group) => (isStarting(group) || isPlain(group) ? [] : isFolded(group) ? [leadOf(group)] : group.rows);
const numberOf = (groups, kind) => groups.filter((group) => group.kind === kind).reduce((sum, group) => sum + group.number, 0);

/**
 * Returns the groups that match the filter: groups whose explanation matches, and others with the rows that match.
 *
 * @param {any[]} groups
 * @param {any[]} matching the groups that match in the server, which searches all rows and no explanations
 * @param {string} search
 */
function filtered(groups, matching, search) {
  const served = new Map(matching.map((group) => [group.cause, group]));
  const known = groups.flatMap((group) => {
    const found = served.get(group.cause);
    served.delete(group.cause);
    if (isFolded(group) && matches(leadOf(group), search, true)) return [group];
    const rows = group.rows.filter((row) => matches(row, search, !isFolded(group)));
    const more = (found?.rows ?? []).filter((row) => !rows.some((each) => each.name === row.name && each.namespace === row.namespace));
    const number = Math.max(found?.number ?? 0, rows.length + more.length);
    return number ? [{ ...group, rows: [...rows, ...more], number, search: found && number === found.number ? search : "" }] : [];
  });
  return [...known, ...[...served.values()].map((group) => ({ ...group, search }))];
}

/** Whether the texts of a row, and of its explanation if it `isExplained`, contain each word of the filter. */
function matches(row, search, isExplained) {
  const own = row.shared ? [row.message || (row.node && `${HAVE_NODES} ${NO_KUBELETS}`), row.reason] : [placed(row.namespace, row.name), row.node, row.reason, row.message, row.state === "workload" && row.kind, ...(row.claims ?? []), ...(row.pods ?? [])];
  const text = [...own, isExplained && knownText(row)].filter(Boolean).join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).filter(Boolean).every((word) => text.includes(word));
}

/** Describes all objects in the view, with the same numbers as beside its name in the navigation. */
function summaryOf({ count, claims }) {
  const used = claims - count.unusedClaims;
  const also = used > 0 ? `. The pods use ${counted(used, "pending claim")}` : "";
  return `${attention(count) || "No pod and no claim is pending"}${also}`;
}
