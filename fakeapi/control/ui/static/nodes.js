// The nodes in the map of the cluster: which nodes are shown, in which order and groups, with their pools and devices.

import { Icon } from "./icons.js";
import { html, useState } from "./preact.js";
import { useSilentNodes } from "./silent.js";
import { counted, objectHref, shortDriver } from "./text.js";
import { Pill } from "./ui.js";

/** The orders of the nodes, with their names. The first is the default. */
export const ORDERS = [["problems", "problems, then most free"], ["free", "most free first"], ["name", "by name"]];

const SHOWN = 48;
// Maximum number of nodes with problems that the view shows at first, so that the other nodes are near.
const PROBLEMS_SHOWN = 12;
// In a group with more nodes, nodes that look the same are one line.
const UNFOLDED_MAX = 24;
// The least part of a shared device in use that is filled, in percent, so that the device does not look free.
const LEAST_FILL = 30;
// The least number of nodes that look the same in one line.
const FOLDED_LEAST = 4;

/** @param {any} device */
export function kindOfDevice(device) {
  if (device.unhealthy) return "unhealthy";
  if (device.state) return device.state;
  return device.taints?.length ? "tainted" : "free";
}

/** Returns the kind of a device, and the other states of the claims that share the device. */
const kindsOfDevice = (device) => [...new Set([kindOfDevice(device), ...(device.unhealthy ? [] : (device.states ?? []))])];

// choosing and grouping -------------------------------------------------------------------------------------

/** Returns the nodes with devices that match the filter, or whose name matches. Marks the other devices as dim. */
export function matching(nodes, { search, driver, state }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length && !driver && !state) {
    return nodes;
  }
  return nodes
    .map((node) => {
      const isNode = words.length > 0 && words.every((word) => node.name.toLowerCase().includes(word));
      const pools = node.pools
        .filter((pool) => !driver || pool.driver === driver)
        .map((pool) => ({ ...pool, devices: pool.devices.map((device) => ({ ...device, dim: !fits(pool, device, isNode ? [] : words, state) })) }))
        .filter((pool) => pool.devices.some((device) => !device.dim));
      return { ...node, pools, isNode };
    })
    .filter((node) => node.pools.length || (node.isNode && !driver && !state));
}

function fits(pool, device, words, state) {
  if (state && !kindsOfDevice(device).includes(state) && !(state === "tainted" && device.taints?.length)) {
    return false;
  }
  const users = (device.users ?? []).map((each) => `${each.namespace}/${each.name} ${each.pods.join(" ")}`).join(" ");
  const taints = device.taints?.length ? `tainted ${device.taints.join(" ")}` : "";
  const text = `${pool.name} ${device.name} ${device.product ?? ""} ${users} ${taints}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** @typedef {{title: string, hint: string, nodes: any[], shown: number}} Group */

const ATTENTION = "Nodes that are not ready or are cordoned, and nodes with unhealthy devices or with pools that are not complete or have only tainted devices";

/**
 * Groups and sorts the nodes of the map. Pools of several nodes come last.
 *
 * @param {any[]} nodes in the natural order of their names
 * @param {string} order one of ORDERS
 * @returns {Group[]} groups with nodes
 */
export function grouped(nodes, order) {
  const group = (title, hint = "", shown = SHOWN) => ({ title, hint, shown, nodes: /** @type {any[]} */ ([]) });
  const groups = {
    problems: group("Needs attention", ATTENTION, PROBLEMS_SHOWN),
    free: group("With free devices"),
    full: group("Without free devices"),
    none: group("Without devices"),
    name: group("Nodes"),
    several: group("Pools of several nodes"),
  };
  nodes.forEach((node) => groups[groupOf(node, order)].nodes.push(node));
  groups.free.nodes.sort((a, b) => freeOf(b) - freeOf(a));
  const { problems, free, full, none, name, several } = groups;
  const ordered = order === "free" ? [free, problems, full, none, several] : [problems, free, full, none, name, several];
  return ordered.filter((each) => each.nodes.length);
}

/** Returns the number of free devices of a node that match the filter. */
const freeOf = (node) => node.pools.flatMap((pool) => pool.devices).filter((each) => !each.dim && kindOfDevice(each) === "free").length;

function groupOf(node, order) {
  if (!node.name) return "several";
  if (order === "name") return "name";
  if (problemsOf(node).length) return "problems";
  if (!node.pools.some((pool) => pool.devices.length)) return "none";
  return freeOf(node) ? "free" : "full";
}

/**
 * Returns why a node needs attention, as badges with the members kind, text and title.
 *
 * @returns {any[]}
 */
function problemsOf(node) {
  const devices = node.pools.flatMap((pool) => pool.devices);
  const unhealthy = devices.filter((each) => each.unhealthy).length;
  const isTainted = (pool) => pool.devices.length > 0 && pool.devices.every((each) => kindOfDevice(each) === "tainted");
  const drivers = (test) => [...new Set(node.pools.filter(test).map((pool) => shortDriver(pool.driver)))];
  return [
    !node.exists && node.name && { kind: "warn", text: "no Node", title: "ResourceSlices name this node, and there is no such Node" },
    !node.ready && { kind: "bad", text: "not ready" },
    !node.schedulable && { kind: "warn", text: "cordoned" },
    unhealthy > 0 && { kind: "bad", text: `${unhealthy.toLocaleString("en")} unhealthy`, title: "The status of a pod reports that a device is not healthy" },
    ...drivers(isTainted).map((driver) => ({ kind: "warn", text: `all ${driver} tainted`, title: "Each device of a pool has a taint, and no claim has it" })),
    ...drivers((pool) => !pool.complete).map((driver) => ({ kind: "warn", text: `${driver} not complete`, title: "The driver has not published all ResourceSlices of a pool" })),
  ].filter(Boolean);
}

/**
 * Returns the nodes, or sets of nodes that look the same if there are many nodes.
 *
 * @param {any[]} nodes
 * @returns {any[][]} sets; most sets have one node
 */
function sets(nodes) {
  if (nodes.length <= UNFOLDED_MAX) return nodes.map((node) => [node]);
  /** @type {Map<string, any[]>} */
  const alike = new Map();
  nodes.forEach((node) => alike.set(lookOf(node), [...(alike.get(lookOf(node)) ?? []), node]));
  return [...alike.values()].flatMap((some) => (some.length < FOLDED_LEAST ? some.map((node) => [node]) : [some]));
}

/** Describes how a node looks in the map, apart from names. */
function lookOf(node) {
  const pools = node.pools.map((pool) => [
    pool.driver, pool.name === node.name, pool.complete, pool.counters.map((each) => each.fraction),
    pool.devices.map((each) => [kindsOfDevice(each), Boolean(each.dim), each.consumes?.length > 0, each.shared, each.taints]),
  ]);
  return JSON.stringify([pools, problemsOf(node).map(({ text }) => text)]);
}

/** @param {Group & {open: (place: any) => void, alone: boolean}} props */
export function NodeGroup({ title, hint, nodes, shown, open, alone }) {
  const [all, setAll] = useState(false);
  const items = sets(nodes);
  const some = all ? items : items.slice(0, alone ? SHOWN : shown);
  const left = nodes.length - some.flat().length;
  return html`<section class="node-group" aria-label=${title}>
    ${!alone && html`<h2>${title} <span class="count">${nodes.length.toLocaleString("en")}</span></h2>`}${!alone && hint && html`<p class="soft small">${hint}</p>`}
    <div class="nodes">${some.map((set) => (set.length > 1 ? html`<${NodeSet} key=${`set ${set[0].name}`} nodes=${set} open=${open} />` : html`<${NodeCard} key=${set[0].name} node=${set[0]} open=${open} />`))}</div>
    ${left > 0 && html`<button type="button" onClick=${() => setAll(true)}>Show ${counted(left, "more node", "more nodes")}</button>`}
  </section>`;
}

// nodes -----------------------------------------------------------------------------------------------------

/** Shows nodes that look the same as one line with the pools of the first node. The line opens on a click. */
function NodeSet({ nodes, open }) {
  const [opened, setOpened] = useState(false);
  const [limit, setLimit] = useState(SHOWN);
  const [first] = nodes;
  return html`<details class="node node-set" open=${opened} onToggle=${(event) => setOpened(event.target.open)}>
    <summary><span class="set-name"><strong>${counted(nodes.length, "node")}</strong> <span class="soft">${first.name} … ${nodes.at(-1).name}</span></span>
      ${problemsOf(first).map(({ kind, text, title }) => html`<${Pill} kind=${kind} title=${title}>${text}<//>`)}
      ${first.pools.map((pool) => html`<span class="set-pool"><span>${shortDriver(pool.driver)}</span><${Squares} devices=${pool.devices} /><span class="count">${freeText(pool)} each</span></span>`)}</summary>
    ${opened && html`<div class="nodes">${nodes.slice(0, limit).map((node) => html`<${NodeCard} key=${node.name} node=${node} open=${open} />`)}</div>`}
    ${opened && limit < nodes.length && html`<button type="button" onClick=${() => setLimit(limit + SHOWN)}>Show ${Math.min(SHOWN, nodes.length - limit)} more of these nodes</button>`}
  </details>`;
}

function NodeCard({ node, open }) {
  return html`<article class="node">
    <header>
      ${node.name ? html`<a href=${objectHref("", "nodes", "", node.name)}><${Icon} name="node" />${node.name}</a>` : html`<span>Several nodes</span>`}
      ${problemsOf(node).map(({ kind, text, title }) => html`<${Pill} kind=${kind} title=${title}>${text}<//>`)}
      ${node.name && html`<span class="count">${counted(node.pods, "pod")}</span>`}
    </header>
    ${!node.ready && html`<${NotReady} name=${node.name} />`}
    ${node.pools.map((pool) => html`<${PoolStrip} pool=${pool} node=${node.name} open=${open} />`)}
    ${!node.pools.length && html`<p class="soft">no devices</p>`}
  </article>`;
}

/** Says why the pods and devices of a node may have an old state. */
function NotReady({ name }) {
  const silent = useSilentNodes().get(name);
  return html`<p class="small warn" title=${silent?.reason}>${silent?.isUnreachable ? "Its kubelet is silent" : "Its kubelet is not ready"}: pods and claims keep their last state</p>`;
}

/** Returns the number of free devices of a pool as text. */
function freeText(pool) {
  const free = pool.devices.filter((each) => kindOfDevice(each) === "free").length;
  return `${free} of ${pool.devices.length} free`;
}

function PoolStrip({ pool, node, open }) {
  const label = `${pool.driver}${pool.name === node ? "" : `, pool ${pool.name}`}: ${freeText(pool)}`;
  return html`<button type="button" class="pool" title=${label} onClick=${() => open({ node, pool: pool.name, driver: pool.driver })}>
    <span class="pool-name"><span>${shortDriver(pool.driver)}</span><span class="count">${freeText(pool)}</span></span>
    <${Squares} devices=${pool.devices} />
    ${pool.counters.length > 0 && html`<span class="counters">${pool.counters.map((each) => html`<span class="counter" title=${`${each.set} ${each.name}: ${each.used} of ${each.total} used`}><span style=${{ width: `${each.fraction * 100}%` }}></span></span>`)}</span>`}
    ${!pool.complete && html`<span class="warn small">not all slices are published</span>`}
  </button>`;
}

function Squares({ devices }) {
  return html`<span class="squares">${devices.map((device) => html`<${Square} device=${device} />`)}</span>`;
}

/** Returns stripes with the colours of the states of a shared device, as an image in CSS. */
function stripes(device) {
  const kinds = kindsOfDevice(device);
  const stops = kinds.map((kind, index) => `var(--device-${kind}) ${(100 * index) / kinds.length}% ${(100 * (index + 1)) / kinds.length}%`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

function Square({ device }) {
  const users = device.users ?? [];
  const isPart = device.consumes?.length > 0;
  const share = device.shared === undefined ? undefined : { "--share": `${Math.max(LEAST_FILL, Math.round(device.shared * 100))}%`, "--stripes": stripes(device) };
  const kinds = kindsOfDevice(device);
  const classes = ["square", kinds[0], device.dim ? "dim" : "", isPart ? "part" : "", share ? "shared" : "", device.taints?.length ? "has-taint" : ""];
  const uses = users.map((each) => `${each.name}${each.pods.length ? ` (${each.pods.join(", ")})` : ""}`).join(", ");
  const used = share && users.length ? `, ${Math.round(device.shared * 100)} % used` : "";
  return html`<span class=${classes.filter(Boolean).join(" ")} style=${share} title=${`${device.name}: ${kinds.join(" and ")}${used}${device.taints?.length ? ` (${device.taints.join(", ")})` : ""}${uses ? `, ${uses}` : ""}`}></span>`;
}
