// The map of the cluster: nodes, their pools and devices, and the claim and pod on each device.

import { control } from "./api.js";
import { claimHref, ClaimState, MEANING, podHref } from "./claims.js";
import { DeviceSwitches, readDrivers } from "./drivers.js";
import { Icon } from "./icons.js";
import { useLive, usePending } from "./live.js";
import { grouped, kindOfDevice, matching, NodeGroup, ORDERS } from "./nodes.js";
import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { attention, counted, href, objectHref, partOf } from "./text.js";
import { Choice, Code, Empty, Heading, Panel, Pill, Problem, remember, Search } from "./ui.js";

// Maximum number of claims and pods without devices that a search shows.
const ELSEWHERE_MAX = 12;
const followed = new Set(["nodes", "pods", "resourceclaims", "resourceslices", "devicetaintrules"]);
// The states of a device that a claim has, the furthest first. They are the states of the claim.
const IN_USE = ["prepared", "reserved", "allocated"];
const STATE_MEANS = {
  free: "No claim has the device",
  ...Object.fromEntries([...IN_USE].reverse().map((state) => [state, `A claim of the device ${MEANING[state]}. A device that claims share counts in each of their states`])),
  tainted: "No claim has the device. Only claims that tolerate its taint can get it",
  unhealthy: "The status of a pod reports that the device is not healthy",
};

export function Devices() {
  const [search, setSearch] = remember("search", "");
  const [driver, setDriver] = remember("driver", "");
  const [state, setState] = remember("state", "");
  const [order, setOrder] = remember("order", ORDERS[0][0]);
  const [opened, setOpened] = remember("pool", "");
  const [device, setDevice] = remember("device", "");
  const show = (address) => {
    setOpened(address);
    setDevice("");
  };
  const open = opened ? placeOf(opened) : null;
  const { data, error } = useLive(readMap, [], { only: (event) => followed.has(event.resource ?? ""), least: 1000 });
  const nodes = useMemo(() => matching(data?.nodes ?? [], { search, driver, state }), [data, search, driver, state]);
  const groups = useMemo(() => grouped(nodes, order), [nodes, order]);
  const pool = open && data?.nodes.find((each) => each.name === open.node)?.pools.find((each) => each.name === open.pool && each.driver === open.driver);
  const pending = attention(usePending());
  const note = pending && html`<a class="note" href="#/pending"><${Icon} name="warning" />${pending}: why?</a>`;
  const real = (data?.nodes ?? []).filter((each) => each.name);
  if (data && !data.nodes.length) {
    return html`<${Heading} title="Devices" />${note}<${Nothing} />`;
  }
  return html`<${Heading} title="Devices" lead=${data ? leadOf(real.length, data.drivers) : "Reading…"} />
    <${Problem} error=${error} />
    ${note}
    ${data && html`<${Drivers} drivers=${data.drivers} chosen=${driver} choose=${setDriver} />`}
    <div class="filters">
      <${Search} value=${search} onInput=${setSearch} label="Find a node, device, claim, pod or taint" />
      <${Choice} label="State" value=${state} onChange=${setState}
        choices=${[["", "All"], ...Object.entries(STATE_MEANS).map(([each, means]) => [each, html`<span title=${means}><span class=${`dot ${each}`}></span>${each}</span>`])]} />
      <label class="order">Order <select id="order" value=${order} onChange=${(event) => setOrder(event.target.value)}>${ORDERS.map(([name, text]) => html`<option value=${name} selected=${name === order}>${text}</option>`)}</select></label>
    </div>
    ${data && html`<${Legend} nodes=${nodes} />`}
    ${data && search.trim() && html`<${Elsewhere} search=${search.trim()} nodes=${data.nodes} none=${!nodes.length && html`<${NoMatch} />`} />`}
    ${data && !search.trim() && !nodes.length && html`<${NoMatch} />`}
    ${groups.map((each) => html`<${NodeGroup} key=${each.title} ...${each} open=${(place) => show(addressOf(place))} alone=${groups.length === 1} />`)}
    ${pool && open && html`<${PoolPanel} pool=${pool} node=${open.node} chosen=${device} onClose=${() => show("")} />`}`;
}

/** The place of a pool as text in the address of the view: NODE/DRIVER/POOL, with "-" for several nodes. */
const addressOf = ({ node, driver, pool }) => [node || "-", driver, pool].join("/");

function placeOf(text) {
  const [node, driver, ...pool] = text.split("/");
  return { node: partOf(node), driver, pool: pool.join("/") };
}

async function readMap(old) {
  const map = await control("GET", "/devices", { query: { unless: old?.resourceVersion ?? "" } });
  return map.changed ? map : old;
}

function NoMatch() {
  return html`<${Empty} icon="search" title="No device matches"><p>Change the filter above.</p><//>`;
}

/** Shows the claims and pods that match the search and have no device, each with a link to its view; or else `none`. */
function Elsewhere({ search, nodes, none }) {
  const { data } = useLive(() => readElsewhere(search), [search], { only: (event) => event.resource === "pods" || event.resource === "resourceclaims", least: 1000 });
  const shown = useMemo(() => new Set(nodes.flatMap((node) => node.pools).flatMap((pool) => pool.devices).flatMap((device) => device.users ?? []).flatMap((user) => user.pods.map((pod) => `pod ${user.namespace}/${pod}`))), [nodes]);
  const rows = (data ?? []).filter((each) => !shown.has(`${each.kind} ${each.place}`));
  if (!rows.length) {
    return data ? none : null;
  }
  return html`<section class="elsewhere" aria-label="Matches without a device"><h2>Without a device</h2>
    <ul>${rows.slice(0, ELSEWHERE_MAX).map((each) => html`<li><span class="soft">${each.kind}</span> <a href=${each.to}>${each.place}</a>${each.waits && html` <${Pill} kind="warn">pending<//>`}</li>`)}
      ${rows.length > ELSEWHERE_MAX && html`<li class="soft">and more: see <a href=${`#/pending?search=${encodeURIComponent(search)}`}>Pending</a> and <a href=${`#/objects/-/pods?search=${encodeURIComponent(search)}`}>Pods</a></li>`}</ul></section>`;
}

async function readElsewhere(search) {
  const limit = ELSEWHERE_MAX + 1;
  const [{ claims, pods }, others] = await Promise.all([
    control("GET", "/claims", { query: { state: "pending", search, limit } }),
    control("GET", "/objects", { query: { resource: "pods", search: search.toLowerCase(), limit } }).catch(() => ({ objects: [] })),
  ]);
  const row = (kind, each, waits) => ({ kind, waits, place: `${each.namespace}/${each.name}`, to: waits ? href("pending", kind, each.namespace, each.name) : podHref(each.namespace, each.name) });
  const waiting = [...pods.map((each) => row("pod", each, true)), ...claims.map((each) => row("claim", each, true))];
  const known = new Set(waiting.map((each) => `${each.kind} ${each.place}`));
  return [...waiting, ...others.objects.map((each) => row("pod", each, false)).filter((each) => !known.has(`${each.kind} ${each.place}`))];
}

const sum = (rows, name) => rows.reduce((all, each) => all + each[name], 0);

function leadOf(nodes, drivers) {
  const used = sum(drivers, "inUse");
  const left = drivers.reduce((all, each) => all + unusable(each), 0);
  const use = `${used.toLocaleString("en")} in use, ${sum(drivers, "free").toLocaleString("en")} free${elsewhere(sum(drivers, "freeUnschedulable"))}${left ? `, ${left.toLocaleString("en")} tainted` : ""}`;
  return `${counted(nodes, "node")}, ${counted(sum(drivers, "devices"), "device")} of ${counted(drivers.length, "driver")}: ${use}`;
}

/** Says how many of the free devices are on nodes that take no pods; "" for none. */
const elsewhere = (number) => (number ? ` (${number.toLocaleString("en")} of them on nodes that take no pods)` : "");

/** Explains the forms in the map that the buttons of the filter do not explain, if the map has such forms. */
function Legend({ nodes }) {
  const has = useMemo(() => {
    const pools = nodes.flatMap((node) => node.pools);
    const any = (test) => pools.some((pool) => pool.devices.some(test));
    return { parts: any((each) => each.consumes?.length > 0), counters: pools.some((pool) => pool.counters.length > 0), shared: any((each) => each.shared !== undefined), taints: any((each) => each.state && each.taints?.length > 0) };
  }, [nodes]);
  const items = [
    has.parts && html`<span><span class="square part sample"></span>partition of a device</span>`,
    has.counters && html`<span><span class="counter"><span style=${{ width: "60%" }}></span></span>counter that partitions share, filled as far as they use it</span>`,
    has.shared && html`<span><span class="square shared sample" style=${{ "--share": "60%" }}></span>device that claims share, filled as far as they use it, with a stripe for each state</span>`,
    has.taints && html`<span><span class="square sample has-taint"></span>in use, and tainted</span>`,
  ].filter(Boolean);
  return items.length ? html`<p class="legend soft small" aria-label="Legend">${items}</p>` : null;
}

function Nothing() {
  return html`<${Empty} icon="devices" title="There are no nodes and no devices">
    <p>Drivers publish devices in ResourceSlices. Start the server with nodes and simulated drivers, or create a Node and a ResourceSlice.</p>
    <${Code} text="fakeapi serve --controllers all --nodes node-1,node-2 --driver gpu.example.com=8" label="command" />
    <p>Then this page shows each device, and the claim and the pod that use it.</p>
  <//>`;
}

const TAKES_NO_PODS = "These devices are free, but the scheduler does not use them: their node is not ready, is cordoned or does not exist";

function Drivers({ drivers, chosen, choose }) {
  return html`<ul class="drivers" aria-label="Drivers">${drivers.map((each) => html`<li><${Driver} numbers=${each} is=${each.driver === chosen} choose=${choose} /></li>`)}</ul>`;
}

/** Shows the devices of a driver by state. Devices that a claim has may be tainted as well. */
function Driver({ numbers, is, choose }) {
  const { driver, tainted, unhealthy } = numbers;
  const parts = [...IN_USE.map((state) => [state, numbers[state]]), ["free", numbers.free], ["tainted", unusable(numbers)]].filter(([, number]) => number > 0);
  return html`<button type="button" class="driver" aria-pressed=${String(is)} onClick=${() => choose(is ? "" : driver)}>
    <strong>${driver}</strong>
    <span class="bar" aria-hidden="true">${parts.map(([state, number]) => html`<span class=${state} style=${{ flexGrow: number }}></span>`)}</span>
    <span class="numbers">${parts.map(([state, number]) => html`<span title=${STATE_MEANS[state]}><span class=${`dot ${state}`}></span>${number.toLocaleString("en")} ${state}</span>`)}
      ${numbers.freeUnschedulable > 0 && html`<span class="warn" title=${TAKES_NO_PODS}>${numbers.freeUnschedulable.toLocaleString("en")} of the free are on nodes that take no pods</span>`}
      ${tainted > unusable(numbers) && html`<span class="warn">${tainted.toLocaleString("en")} with a taint</span>`}${unhealthy > 0 && html`<span class="bad">${unhealthy.toLocaleString("en")} unhealthy</span>`}</span>
  </button>`;
}

/** Returns the number of devices of a driver that no claim has, and that are tainted. */
const unusable = (numbers) => numbers.devices - numbers.free - numbers.inUse;

// one pool ---------------------------------------------------------------------------------------------------

function PoolPanel({ pool, node, chosen, onClose }) {
  const { data } = useLive(() => control("GET", "/device-pool", { query: { driver: pool.driver, pool: pool.name } }), [pool.driver, pool.name], {
    only: (event) => event.resource === "resourceslices" || event.resource === "devicetaintrules",
    least: 1000,
  });
  const details = new Map((data?.devices ?? []).map((each) => [each.name, each]));
  const [isSimulated, setSimulated] = useState(false);
  useEffect(() => {
    readDrivers().then((drivers) => setSimulated(drivers.some((each) => each.name === pool.driver)), () => undefined);
  }, [pool.driver]);
  const slices = `#/objects/resource.k8s.io/resourceslices?search=${encodeURIComponent(pool.name)}`;
  return html`<${Panel} title=${`${pool.driver}: pool ${pool.name}`} onClose=${onClose} wide>
    <p class="soft">${node ? html`On node <a href=${objectHref("", "nodes", "", node)}>${node}</a>` : "For several nodes"}, generation ${pool.generation}, <a href=${slices}>its ResourceSlices</a></p>
    ${!pool.complete && html`<p class="note">The driver has not published all ResourceSlices of this generation. The scheduler does not use the pool until then.</p>`}
    ${pool.counters.length > 0 &&
    html`<h3>Counters that its partitions share</h3><dl class="counter-list">${pool.counters.map(
      (each) => html`<div><dt>${each.set} · ${each.name}</dt><dd><span class="counter"><span style=${{ width: `${each.fraction * 100}%` }}></span></span> ${each.used} of ${each.total} used</dd></div>`,
    )}</dl>`}
    <h3>Devices</h3>
    <ul class="device-list">${pool.devices.map((device) => html`<${DeviceItem} key=${device.name} device=${device} details=${details.get(device.name)} to=${`#/devices?${new URLSearchParams({ pool: addressOf({ node, driver: pool.driver, pool: pool.name }), device: device.name })}`} isChosen=${device.name === chosen} driver=${isSimulated && node ? pool.driver : ""} node=${node} />`)}</ul>
  <//>`;
}

function DeviceItem({ device, details, to, isChosen, driver, node }) {
  const item = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: "center" });
  }, [isChosen]);
  const kind = kindOfDevice(device);
  const taints = details?.taints ?? (device.taints ?? []).map((text) => ({ text, rule: "" }));
  // The list of its claims already shows the state of a device in use.
  const isShownByClaims = Boolean(device.users?.length) && kind === device.state;
  return html`<li ref=${item} aria-current=${isChosen ? "true" : undefined}>
    <div><p><span class=${`dot ${kind}`}></span> <a class="plainly" href=${to} title="The address of this device"><strong>${device.name}</strong></a> ${device.product && html`<span class="soft">${device.product}</span>`}</p>
      ${device.consumes?.length > 0 && html`<p class="soft">takes ${device.consumes.join(", ")}</p>`}</div>
    <div><p>${!isShownByClaims && html`<${Pill} kind=${PILLS[kind]}>${kind}<//>`}
        ${device.shared !== undefined && html` <${Pill}>shared, ${Math.round(device.shared * 100)} % used<//>`}
        ${taints.map(({ text, rule }) => html` <${Pill} kind="warn" title="taint">${text}<//>${rule && html` <span class="soft">from</span> <a href=${ruleHref(rule)}>DeviceTaintRule ${rule}</a>`}`)}</p>
      ${(device.users ?? []).map(
        (each) => html`<p><${ClaimState} state=${each.state} /> <a href=${claimHref(each.namespace, each.name)}>${each.namespace}/${each.name}</a>
          ${each.admin && html` <${Pill} kind="warn">admin access<//>`}
          ${each.pods.map((pod) => html` → <a href=${podHref(each.namespace, pod)}>${pod}</a>`)}</p>`,
      )}</div>
    <${Values} details=${details} />
    ${driver && html`<${DeviceSwitches} driver=${driver} node=${node} device=${device} taints=${taints} />`}</li>`;
}

const ruleHref = (name) => objectHref("resource.k8s.io", "devicetaintrules", "", name);

/** Shows the attributes and the capacity of a device. */
function Values({ details }) {
  const rows = [...Object.entries(details?.attributes ?? {}), ...Object.entries(details?.capacity ?? {}).map(([name, value]) => [`capacity ${name}`, value])];
  if (!rows.length) {
    return null;
  }
  const count = (values, one, many) => (Object.keys(values).length ? [counted(Object.keys(values).length, one, many)] : []);
  return html`<details class="values"><summary>${[...count(details.attributes, "attribute", "attributes"), ...count(details.capacity, "capacity", "capacities")].join(", ")}</summary>
    <dl class="links">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></details>`;
}

const PILLS = { free: "", allocated: "accent", reserved: "violet", prepared: "good", tainted: "warn", unhealthy: "bad" };
