// Shows the timeline of one object: writes with their clients, refused writes, faults and events.

import { control } from "./api.js";
import { differences } from "./diff.js";
import { Lanes } from "./lanes.js";
import { serverNow, useLive } from "./live.js";
import { lengthOf, PHASE_COLORS, Phases, phasesOf } from "./phases.js";
import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { actorName, agentName, isDryRun } from "./requests.js";
import { clock, counted, duration, secondsOf } from "./text.js";
import { Pill, Problem } from "./ui.js";

const REQUESTS = 500;
// Maximum number of pods of a claim whose steps are shown; older pods are omitted.
const PODS = 4;
// The length of the current phase in the drawing, as a share of the time between the first and the last step.
const OPEN_SHARE = 0.2;
// The lane of the events, which have no client.
const EVENTS = "events";
// Seconds, less than the time between two requests.
const TINY = 1e-6;

/**
 * @typedef {object} Step
 * @property {number} at seconds since the epoch
 * @property {number} took seconds
 * @property {string} who
 * @property {string} text
 * @property {string} kind created, allocated, reserved, prepared, changed, refused, event, warning, deleted, start, dry
 * @property {number} [order] the sort key of the step, if it differs from the time
 * @property {string} [details]
 * @property {boolean} rough whether the time is known only to the second
 * @property {string[]} faults
 */

/** @param {{group: string, resource: string, namespace: string, name: string, versions: any[]}} props */
export function ObjectTimeline({ group, resource, namespace, name, versions }) {
  const newest = versions.at(-1)?.resourceVersion;
  const kind = versions.at(-1)?.object.kind;
  const { data, error } = useLive(
    async () => {
      const [around, pods] = await Promise.all([readAround({ group, resource, namespace, name, kind }), kind === "ResourceClaim" ? readPods(namespace, versions) : []]);
      return { ...around, pods };
    },
    [resource, namespace, name, newest],
    { types: ["object"], only: (event) => event.resource === "events" || (kind === "ResourceClaim" && event.resource === "pods"), least: 1000 },
  );
  const steps = useMemo(() => (data ? [...stepsOf(versions, data), ...data.pods].sort((a, b) => sortTime(a) - sortTime(b)) : []), [versions, data]);
  const phases = useMemo(() => phasesOf(steps, kind), [steps]);
  const [chosen, setChosen] = useState(-1);
  if (!data) {
    return html`<${Problem} error=${error} />`;
  }
  const refused = steps.filter((each) => each.kind === "refused").length;
  const last = steps.at(-1);
  const whole = last ? between(steps[0], last) : "";
  return html`<p class="soft">${counted(steps.length, "step")}${whole && ` in ${whole}`}${refused ? html`, <span class="bad">${counted(refused, "refused write")}</span>` : ""}</p>
    <${Phases} phases=${phases} now=${serverNow()} />
    <${Drawing} steps=${steps} phases=${phases} chosen=${chosen} choose=${setChosen} />
    <ol class="steps-list">${steps.map((step, index) => html`<${StepItem} step=${step} before=${steps[index - 1]} first=${steps[0]} chosen=${index === chosen} />`)}</ol>`;
}

function StepItem({ step, before, first, chosen }) {
  const item = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (chosen) item.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const since = before ? between(before, step) : "";
  return html`<li ref=${item} class=${`step ${step.kind}`} aria-current=${chosen ? "true" : undefined}>
    <span class="when"><span title=${new Date(step.at * 1000).toISOString()}>${step.rough ? `~ ${clock(step.at).slice(0, 8)}` : clock(step.at)}</span>
      ${since && html`<span class="soft" title=${`${between(first, step) || "Less than a second"} after the first step`}>${since.startsWith("~") ? since : `+${since}`}</span>`}</span>
    <span class="what"><strong>${step.text}</strong> ${step.faults.map((each) => html`<${Pill} kind="warn">fault ${each}<//> `)}<span class="soft">${step.who === EVENTS ? "event" : step.who && `by ${step.who}`}</span>
      ${step.details && html`<span class="detail">${words(step.details)}</span>`}</span>
  </li>`;
}

/** Shows a text whose words, such as names of devices, break only if a line has no room for the whole word. */
const words = (text) => text.split(" ").map((word) => html`<span class="word">${word}</span> `);

/** Returns the time between two steps; "" for steps at the same time. Rough times give "~" and whole seconds. */
function between(first, last) {
  if (!first.rough && !last.rough) return last.at > first.at ? duration(last.at - first.at) : "";
  const seconds = Math.floor(last.at) - Math.floor(first.at);
  return seconds > 0 ? `~${duration(seconds)}` : "";
}

const COLORS = { reserved: "device-reserved", refused: "lanes-bad", warning: "lanes-bad", event: "lanes-faint", prepared: "lanes-good", created: "lanes-good", deleted: "lanes-faint", start: "lanes-faint", dry: "lanes-faint" };
const SHAPES = { refused: "diamond", event: "low", warning: "low", dry: "low" };

function Drawing({ steps, phases, chosen, choose }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const tip = useRef(/** @type {HTMLElement | null} */ (null));
  const lanes = useRef(/** @type {Lanes | null} */ (null));
  useEffect(() => {
    if (!canvas.current || !tip.current || !steps.length) {
      return undefined;
    }
    const tracks = [...new Set(phases.map((each) => each.track))];
    const names = [...new Set(steps.map((each) => each.who || "unknown"))];
    // Draw a step with a rough time no earlier than the steps before it.
    const times = steps.reduce((/** @type {number[]} */ all, each) => [...all, Math.max(each.at, all.at(-1) ?? each.at)], []);
    // The current phase has no end: draw it up to a little after the last step.
    const end = (times.at(-1) ?? 0) + ((times.at(-1) ?? 0) - times[0] || 1) * OPEN_SHARE;
    const endOf = (phase) => (phase.to ? times[steps.indexOf(phase.to)] : end);
    const drawn = new Lanes({
      canvas: canvas.current,
      tip: tip.current,
      lanes: [...tracks, ...names],
      marks: [...steps.map((each, index) => ({
        lane: tracks.length + names.indexOf(each.who || "unknown"),
        at: times[index] - times[0],
        length: each.took,
        color: COLORS[each.kind] ?? "lanes-mark",
        shape: /** @type {any} */ (SHAPES[each.kind] ?? "bar"),
        rank: each.kind === "refused" ? 2 : 1,
        line: each.kind === "refused",
        text: each.who && each.who !== EVENTS ? `${each.text}, by ${each.who}` : each.text,
      })), ...phases.map((phase) => ({
        lane: tracks.indexOf(phase.track),
        at: times[phase.index] - times[0],
        length: endOf(phase) - times[phase.index],
        color: PHASE_COLORS[phase.name] ?? "lanes-faint",
        shape: /** @type {any} */ ("bar"),
        rank: 0,
        label: phase.name,
        text: `${phase.track}: ${phase.name}, ${lengthOf(phase, serverNow())}`,
      }))],
      onChoose: (index) => choose(index < steps.length ? index : phases[index - steps.length].index),
    });
    lanes.current = drawn;
    const redraw = () => drawn.draw();
    addEventListener("resize", redraw);
    redraw();
    return () => removeEventListener("resize", redraw);
  }, [steps, phases]);
  return html`<div class="lanes" key=${steps.length}><canvas ref=${canvas} tabindex="0" role="img" aria-label="Time line: a lane with bars for the phases of each object, and a lane for each writer. The lists above and below have the same phases and steps."></canvas><div class="tip" ref=${tip} hidden></div></div>`;
}

// reading ----------------------------------------------------------------------------------------------------

async function readAround({ group, resource, namespace, name, kind }) {
  const [requests, events] = await Promise.all([readWrites({ group, resource, namespace, name }), readEvents(kind, namespace, name)]);
  return { requests, events };
}

/** Returns the writes of an object in the journal, oldest first. */
async function readWrites({ group, resource, namespace, name }) {
  const { requests } = await control("GET", "/requests", { query: { verb: "write", namespace, name, text: `/${resource}`, last: REQUESTS } });
  return requests.filter((each) => (each.resource ?? "").split("/")[0] === resource && (each.group ?? "") === group);
}

/** Returns the table of the events about an object. */
export function readEvents(kind, namespace, name, limit = /** @type {number | undefined} */ (undefined)) {
  const fieldSelector = `involvedObject.name=${name},involvedObject.kind=${kind}`;
  return control("GET", "/table", { query: { resource: "events", namespace: namespace || "default", fieldSelector, limit } });
}

/** Returns the text of a cell. `title`: the title of its column. */
export function cellOf(table, title, row) {
  return String(row.cells[table.columns.findIndex((each) => each.name === title)] ?? "");
}

/** Returns the steps of the pods that have used a claim, because a running pod shows that its claims are prepared. */
async function readPods(namespace, versions) {
  const uses = versions.flatMap((each) => each.object.status?.reservedFor ?? []).filter((each) => each.resource === "pods");
  const names = [...new Set(uses.map((each) => each.name))].slice(-PODS);
  const read = names.map(async (name) => {
    const place = { group: "", resource: "pods", namespace, name, kind: "Pod" };
    const [around, { versions: own }] = await Promise.all([
      readAround(place),
      control("GET", "/history", { query: { resource: "pods", namespace, name } }).catch(() => ({ versions: [] })),
    ]);
    const steps = stepsOf(own, { ...around, events: { columns: [], rows: [] } });
    return steps.filter((each) => !["changed", "start", "dry"].includes(each.kind)).map((each) => ({ ...each, text: `pod ${name}: ${each.text}` }));
  });
  return (await Promise.all(read)).flat();
}

/**
 * @param {any[]} versions
 * @param {{requests: any[], events: any}} around
 * @returns {Step[]}
 */
export function stepsOf(versions, { requests, events }) {
  const writes = writesOf(versions, requests);
  let last = Number.NEGATIVE_INFINITY;
  const written = versions.map((version, index) => {
    const request = writes[index];
    const manager = newestManager(version.object);
    // A write may leave the times of the managed fields as they are: a version is not older than the version before it.
    last = request ? request.received : Number.isNaN(manager.at) ? last : Math.max(manager.at, Math.floor(last));
    const known = request ? { at: last, took: request.seconds, who: agentName(request), rough: false, faults: request.faults ?? [] } : { at: last, took: 0, who: manager.who, rough: true, faults: [] };
    return changesOf(versions[index - 1], version).map((change) => ({ ...known, ...change }));
  });
  const seen = events.rows.map((row) => eventStep(events, row));
  order(written, seen);
  const steps = [...creationOf(versions[0]), ...written.flat(), ...seen];
  for (const request of requests.filter((each) => each.code >= 400 || !each.code)) {
    const dry = isDryRun(request);
    const what = `${dry ? "dry run of " : ""}${request.verb} refused: ${request.code || "no response"} ${request.reason ?? ""}`.trim();
    steps.push({ at: request.received, took: request.seconds, who: agentName(request), rough: false, faults: request.faults ?? [], text: what, kind: dry ? "dry" : "refused", details: request.message ?? "" });
  }
  return steps.filter((each) => Number.isFinite(each.at)).sort((a, b) => sortTime(a) - sortTime(b));
}

/** Returns the creation of an object whose history does not begin with it. The object has the time of its creation. */
function creationOf(first) {
  const at = secondsOf(first?.object.metadata?.creationTimestamp ?? "");
  return !first || first.change === "ADDED" ? [] : [{ at, order: at, took: 0, who: "", rough: true, faults: [], text: "created", kind: "created", details: "Known from its creationTimestamp" }];
}

/**
 * Returns the request that wrote each version; undefined if the journal does not have it. Responses to deletes and
 * bindings have no resourceVersion. So the last delete belongs to the deleted version, and the last binding belongs to
 * the first version with a node.
 *
 * @param {any[]} versions
 * @param {any[]} all requests
 */
function writesOf(versions, all) {
  const requests = all.filter((each) => !isDryRun(each));
  const byVersion = new Map(requests.filter((each) => each.after).map((each) => [each.after, each]));
  const last = (matches) => requests.findLast((each) => each.code && each.code < 400 && matches(each));
  return versions.map((version, index) => {
    const known = byVersion.get(version.resourceVersion);
    if (known) return known;
    if (version.change === "DELETED") return last((each) => each.verb === "delete");
    const isBound = version.object.spec?.nodeName && versions[index - 1] && !versions[index - 1].object.spec?.nodeName;
    return isBound ? last((each) => each.resource === "pods/binding") : undefined;
  });
}

/** Returns the client and time of each version, by resourceVersion. Omits versions whose request is not in the journal. */
export async function readWriters({ group, resource, namespace, name, versions }) {
  const requests = await readWrites({ group, resource, namespace, name });
  const writes = writesOf(versions, requests);
  /** @type {Map<string, {who: string, at: number}>} */
  const writers = new Map();
  for (const [index, { resourceVersion }] of versions.entries()) {
    const request = writes[index];
    if (request) writers.set(resourceVersion, { who: agentName(request), at: request.received });
  }
  return writers;
}

function eventStep(events, row) {
  const column = (title) => cellOf(events, title, row);
  const times = Number(column("Count") || 1);
  const details = `${column("Message")}${times > 1 ? ` (${times.toLocaleString("en")} times, last ${column("Last Seen")} ago)` : ""}`;
  return { at: secondsOf(row.created), took: 0, who: EVENTS, rough: true, faults: [], text: column("Reason"), kind: column("Type") === "Warning" ? "warning" : "event", details };
}

/** Returns the sort key of a step. A step with a rough time follows the exact steps of the same second. */
const sortTime = (step) => step.order ?? (step.rough ? Math.floor(step.at) + 0.999 : step.at);

/**
 * Sets the sort keys so that the steps of each version precede the steps of the next version. The event Scheduled follows
 * the step of its pod. This order is known even if the times are rough.
 *
 * @param {Step[][]} versions the steps of each version
 * @param {Step[]} events
 */
function order(versions, events) {
  let next = Number.POSITIVE_INFINITY;
  for (const step of versions.flat().reverse()) {
    step.order = Math.min(step.rough ? Math.floor(step.at) + 0.999 : step.at, next - TINY);
    next = step.order;
    const event = step.text.startsWith("scheduled to") ? events.find((each) => each.text === "Scheduled") : undefined;
    if (event) event.order = step.order + TINY / 2;
  }
}

function newestManager(object) {
  const entries = object.metadata?.managedFields ?? [];
  const newest = entries.reduce((best, each) => (!best || (each.time ?? "") >= (best.time ?? "") ? each : best), null);
  const stamp = newest?.time ?? object.metadata?.deletionTimestamp ?? object.metadata?.creationTimestamp ?? "";
  return { at: secondsOf(stamp), who: actorName(String(newest?.manager ?? "unknown")) };
}

/** Returns the changes of one version as steps, such as "allocated" for a claim; otherwise the changed fields. */
function changesOf(before, version) {
  if (version.change === "DELETED") {
    return [{ text: "deleted", kind: "deleted" }];
  }
  if (!before && version.change !== "ADDED") {
    // Only the result of the earlier changes is known: no change can be derived from it.
    return [{ text: "history starts here", kind: "start", details: `Earlier changes are not kept, for example because a snapshot was restored. The time and the client are those of the last of them.${stateOf(version.object)}` }];
  }
  const first = before ? [] : [{ text: "created", kind: "created" }];
  const old = before?.object ?? {};
  const fresh = version.object;
  const changes = [...first, ...claimChanges(old, fresh), ...podChanges(old, fresh), ...deletionChanges(old, fresh)];
  if (changes.length) {
    return changes;
  }
  const fields = differences(old, fresh).map((each) => each.path);
  return [{ text: fields.length ? "changed" : "written without a change", kind: "changed", details: [...new Set(fields)].slice(0, 4).join(", ") }];
}

/** Describes the state of a pod or claim as a sentence; "" for other objects. */
function stateOf({ kind, spec, status }) {
  if (kind === "Pod") return ` The pod was ${status?.phase ?? "Pending"}${spec?.nodeName ? ` on ${spec.nodeName}` : ""}.`;
  if (kind === "ResourceClaim") return status?.allocation ? " The claim was allocated." : " The claim was not allocated.";
  return "";
}

const consumers = (claim) => (claim.status?.reservedFor ?? []).map((each) => `${each.resource === "pods" ? "pod" : each.resource} ${each.name}`);
const drivers = (claim) => (claim.status?.devices ?? []).map((each) => each.driver);

function claimChanges(old, fresh) {
  if (fresh.kind !== "ResourceClaim") {
    return [];
  }
  const [was, is] = [old.status?.allocation, fresh.status?.allocation];
  const results = is?.devices?.results ?? [];
  const [reserved, held] = [consumers(fresh), consumers(old)];
  return [
    ...(is && !was ? [{ text: "allocated", kind: "allocated", details: results.map((each) => `${each.driver} ${each.pool}/${each.device}`).join(", ") }] : []),
    ...(was && !is ? [{ text: "deallocated", kind: "deleted" }] : []),
    ...reserved.filter((each) => !held.includes(each)).map((each) => ({ text: `reserved for ${each}`, kind: "reserved" })),
    ...held.filter((each) => !reserved.includes(each)).map((each) => ({ text: `released by ${each}`, kind: "deleted" })),
    ...[...new Set(drivers(fresh))].filter((each) => !drivers(old).includes(each)).map((each) => ({ text: `prepared by ${each}`, kind: "prepared" })),
  ];
}

function podChanges(old, fresh) {
  if (fresh.kind !== "Pod") {
    return [];
  }
  const phase = fresh.status?.phase;
  const conditions = new Map((old.status?.conditions ?? []).map((each) => [each.type, each.status]));
  const turned = (fresh.status?.conditions ?? []).filter((each) => each.status !== (conditions.get(each.type) ?? (each.status === "True" ? "" : "True")));
  return [
    ...(fresh.spec?.nodeName && fresh.spec.nodeName !== old.spec?.nodeName ? [{ text: `scheduled to ${fresh.spec.nodeName}`, kind: "allocated" }] : []),
    ...(phase && phase !== old.status?.phase && old.kind ? [{ text: phase, kind: phase === "Running" || phase === "Succeeded" ? "prepared" : "changed" }] : []),
    ...turned.filter((each) => old.kind && each.type !== "PodScheduled").map((each) => ({ text: `${each.type} is ${each.status}`, kind: each.status === "True" ? "prepared" : "changed", details: each.message ?? "" })),
    ...turned.filter((each) => each.type === "PodScheduled" && each.status === "False").map((each) => ({ text: "not scheduled", kind: "warning", details: each.message ?? "" })),
  ];
}

function deletionChanges(old, fresh) {
  const is = fresh.metadata?.deletionTimestamp && !old.metadata?.deletionTimestamp;
  return is ? [{ text: "deletion requested", kind: "deleted", details: (fresh.metadata.finalizers ?? []).length ? `waits for ${fresh.metadata.finalizers.length === 1 ? "finalizer" : "finalizers"} ${fresh.metadata.finalizers.join(", ")}` : "" }] : [];
}
