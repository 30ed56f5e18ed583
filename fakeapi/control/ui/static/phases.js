// The phases of a claim or pod between its steps, such as allocated or running, with their durations.

import { html } from "./preact.js";
import { duration } from "./text.js";

/** @typedef {import("./timeline.js").Step} Step */
/** @typedef {{track: string, name: string, from: Step, to: Step | undefined, index: number}} Phase `index`: the index of the step that begins the phase. `to`: undefined for the current phase */

/** The phase that a step of an object begins, by the text of the step; "" for none. The first match counts. */
const BEGINS = {
  claim: [[/^created/, "pending"], [/^allocated/, "allocated"], [/^reserved for/, "reserved"], [/^prepared by/, "prepared"], [/^pod .*: (Running|Succeeded)$/, "prepared"], [/^released by/, "allocated"], [/^deallocated/, "pending"], [/^deletion requested/, "being deleted"], [/^deleted/, ""]],
  pod: [[/^created/, "pending"], [/^scheduled to/, "scheduled"], [/^Running$/, "running"], [/^(Succeeded|Failed)$/, "finished"], [/^deletion requested/, "being deleted"], [/^deleted/, ""]],
};
const MEANS = {
  pending: "has no node or no devices yet",
  scheduled: "has a node, whose kubelet has not started it yet",
  allocated: "has devices, and no pod may use them",
  reserved: "a pod may use the devices, and its node has not prepared them yet",
  prepared: "the devices are prepared, and a pod may run",
  running: "the pod runs",
  finished: "the pod has ended",
  "being deleted": "deletion is requested",
};

/** The CSS variables with the colours of the phases, without dashes. */
export const PHASE_COLORS = { pending: "device-tainted", scheduled: "device-allocated", allocated: "device-allocated", reserved: "device-reserved", prepared: "device-prepared", running: "device-prepared" };

/**
 * Returns the phases of an object, and those of the pods of a claim.
 *
 * @param {Step[]} steps the steps of the object; steps of its pods begin with "pod NAME: "
 * @param {string} kind the kind of the object
 * @returns {Phase[]} [] for objects without phases
 */
export function phasesOf(steps, kind) {
  const own = { ResourceClaim: "claim", Pod: "pod" }[kind];
  if (!own) return [];
  const pods = [...new Set(steps.map((each) => podOf(each.text)).filter(Boolean))];
  const tracks = [trackOf(own, own, steps, (text) => (own === "claim" || !podOf(text) ? text : ""))];
  return [...tracks, ...pods.map((pod) => trackOf("pod", pod, steps, (text) => (podOf(text) === pod ? text.slice(pod.length + 2) : "")))].flat();
}

const podOf = (text) => text.match(/^(pod [^:\s]+): /)?.[1] ?? "";

/** Returns the phases of one object. `own`: returns the text of a step of this object; "" for other steps. */
function trackOf(kind, track, steps, own) {
  /** @type {Phase[]} */
  const phases = [];
  const users = new Set();
  let current = "";
  steps.forEach((step, index) => {
    if (["refused", "event", "warning", "dry", "start"].includes(step.kind)) return;
    const text = own(step.text);
    const begun = BEGINS[kind].find(([pattern]) => pattern.test(text));
    if (!begun) return;
    const [verb, user] = text.split(/ (?:for|by) /);
    if (verb === "reserved") users.add(user);
    if (verb === "released") users.delete(user);
    // Another pod that comes or goes changes nothing for the pods that remain.
    const isSame = (verb === "reserved" && current === "prepared") || (verb === "released" && users.size > 0) || (begun[1] === "prepared" && current !== "reserved");
    if (isSame || begun[1] === current) return;
    current = String(begun[1]);
    const last = phases.at(-1);
    if (last && !last.to) last.to = step;
    if (current) phases.push({ track, name: current, from: step, to: undefined, index });
  });
  return phases;
}

/** Shows the phases of each object in words, with their durations. `now`: the server's time. */
export function Phases({ phases, now }) {
  const tracks = [...new Set(phases.map((each) => each.track))];
  if (!tracks.length) {
    return null;
  }
  return html`<dl class="phases">${tracks.map(
    (track) => html`<div><dt>${track}</dt><dd>${phases.filter((each) => each.track === track).map(
      (phase, index) => html`${index > 0 && html`<span aria-hidden="true">→</span>`}<span class="phase" title=${MEANS[phase.name]}><span class=${`dot ${phase.name === "being deleted" ? "deleting" : phase.name}`}></span>${phase.name} <span class="soft">${lengthOf(phase, now)}</span></span>`,
    )}</dd></div>`,
  )}</dl>`;
}

/** Returns the duration of a phase as text; "~" marks times that are known only to the second. */
export function lengthOf({ from, to }, now) {
  if (!to) return now > from.at ? `for ${duration(Math.floor(now - from.at) || 1)}` : "now";
  const isRough = from.rough || to.rough;
  const seconds = isRough ? Math.floor(to.at) - Math.floor(from.at) : to.at - from.at;
  return seconds > 0 ? `${isRough ? "~" : ""}${duration(seconds)}` : isRough ? "<1 s" : "0 s";
}
