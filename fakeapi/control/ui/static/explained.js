// Shows an explanation of the server: the summary, the reasons with suggested changes, and each node on request.

import { Apply, servedKind } from "./apply.js";
import { html, useEffect, useState } from "./preact.js";
import { ToObject } from "./links.js";
import { counted, objectHref, placed } from "./text.js";
import { Pill } from "./ui.js";

const GOOD = new Set(["placed", "running", "allocated", "ready", "fits"]);
const NODES_SHOWN = 50;
const BLAMED_SHOWN = 5;
// Maximum number of facts of a reason that are shown without a click.
const FACTS_SHOWN = 4;
// Maximum length of all notes that are shown without a click, and the length of the beginning of longer notes.
const NOTES_LENGTH = 200;
const NOTE_START = 60;

// The reasons that the view of controllers and drivers can remove or show.
const OF_DRIVERS = new Set(["PrepareFailed", "DriverNotRegistered", "ControllerNotRunning", "KubeletNotRunning", "SchedulerNotRunning"]);

/** @param {{value: any}} props an Explanation of the control API */
export function Explained({ value }) {
  const reasons = value.reasons ?? [];
  const isGood = GOOD.has(value.verdict) && !reasons.some((reason) => OF_DRIVERS.has(reason.code));
  const minor = minorOf(reasons);
  const major = reasons.filter((reason) => !minor.includes(reason));
  const item = (reason) => html`<${Reason} reason=${reason} said=${reason.text === value.summary} alone=${major.length === 1} />`;
  return html`<div class="explained">
    <p class="answer"><${Pill} kind=${isGood ? "good" : "warn"}>${value.verdict === "deleting" ? "being deleted" : value.verdict}<//> <${Prose} text=${value.summary} /></p>
    ${value.details?.length > 0 && html`<ul class="reasons">${value.details.map((each) => html`<li><${Prose} text=${each} /></li>`)}</ul>`}
    ${major.length === 1 ? html`<div class="only">${item(major[0])}</div>` : html`<ol>${major.map((reason) => html`<li>${item(reason)}</li>`)}</ol>`}
    ${minor.length > 0 && html`<details class="more"><summary class="soft">${minor.length === 1 ? "1 more reason" : counted(minor.length, "more reason")}: no change of ${minor.length === 1 ? "it" : "them"} is enough by itself</summary>
      <ul class="reasons">${minor.map((reason) => html`<li><${Prose} text=${reason.text} /></li>`)}</ul></details>`}
    ${value.nodes?.length > 0 && html`<${Nodes} nodes=${value.nodes} />`}
    <${Notes} notes=${value.notes ?? []} />
  </div>`;
}

/** Returns the reasons that no single change removes, if a change of another reason is enough. The first reason is never one of them. */
function minorOf(reasons) {
  const changes = (reason) => reason.changes ?? [];
  if (!reasons.some((reason) => changes(reason).some((each) => each.sufficient))) return [];
  return reasons.slice(1).filter((reason) => changes(reason).length > 0 && changes(reason).every((each) => each.sufficient === false));
}

/** Shows the first facts of a reason. The others open on a click. */
function Facts({ facts }) {
  const list = (some) => html`<ul class="reasons">${some.map((each) => html`<li><${Prose} text=${each} /></li>`)}</ul>`;
  const more = facts.length > FACTS_SHOWN + 1 ? facts.slice(FACTS_SHOWN) : [];
  if (!facts.length) {
    return null;
  }
  return html`${list(more.length ? facts.slice(0, FACTS_SHOWN) : facts)}
    ${more.length > 0 && html`<details class="more"><summary class="soft">${counted(more.length, "more line")}</summary>${list(more)}</details>`}`;
}

/** Shows short notes as text. Long notes open on a click. */
function Notes({ notes }) {
  if (!notes.length) {
    return null;
  }
  const all = notes.map((note) => html`<p class="soft"><${Prose} text=${note} /></p>`);
  const isShort = notes.reduce((sum, each) => sum + each.length, 0) <= NOTES_LENGTH;
  return isShort ? all : html`<details class="more"><summary class="soft">${notes.length === 1 ? "A note" : counted(notes.length, "note")}: ${notes[0].slice(0, NOTE_START)}…</summary>${all}</details>`;
}

/** Shows a text. The parts between backticks are code. */
function Prose({ text }) {
  return html`${String(text).split("`").map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))}`;
}

/** Shows a reason. `said`: whether its text equals the summary above. `alone`: whether there are no other reasons. */
function Reason({ reason, said, alone }) {
  // The expression and its values are shown separately below.
  const facts = (reason.details ?? []).filter((each) => !reason.expression || !(each.endsWith(`: ${reason.expression}`) || isSeen(each, reason.seen)));
  const isTaint = reason.code === "DeviceTainted";
  return html`${said ? !alone && html`<p>In detail:</p>` : html`<p><${Prose} text=${reason.text} /></p>`}
    <${Facts} facts=${facts} />
    ${reason.expression && html`<pre tabindex="0" aria-label="CEL expression">${reason.expression}</pre>`}
    <${Seen} seen=${reason.seen} />
    ${reason.object && html`<p class="soft">See <${ObjectLink} of=${reason.object} />${reason.path && html` at <code>${reason.path}</code>`}</p>`}
    ${reason.nodes?.length > 0 && html`<p class="soft">On ${several(reason.nodes, reason.nodeCount)}</p>`}
    ${reason.blame?.length > 0 && html`<p class="soft">Because of ${reason.blame.slice(0, BLAMED_SHOWN).map((each, index) => html`${index > 0 && ", "}<${ObjectLink} of=${each} />`)}${reason.blame.length > BLAMED_SHOWN && ` and ${reason.blame.length - BLAMED_SHOWN} more`}</p>`}
    ${OF_DRIVERS.has(reason.code) && html`<p class="soft">The driver and its switches: <a href="#/controllers">Controllers and drivers</a></p>`}
    ${isTaint && html`<p class="soft">The taints of each device, and the button <em>Remove taints</em>: <a href="#/devices?state=tainted">tainted devices</a></p>`}
    <${Changes} title=${(more) => more ? "To change it, do one of these:" : "To change it:"} changes=${(reason.changes ?? []).filter((each) => each.sufficient && !each.relaxes)} kind="good" />
    <${Changes} title=${() => "May help:"} changes=${(reason.changes ?? []).filter((each) => !each.sufficient)} kind="accent" />
    <${Changes} title=${(more) => more ? "To ask for less, do one of these:" : "To ask for less:"} changes=${(reason.changes ?? []).filter((each) => each.sufficient && each.relaxes)} kind="good" />`;
}

/** Shows changes under a title. Changes of the kind "good" have been tried on a copy of the cluster. */
function Changes({ title, changes, kind }) {
  if (!changes.length) {
    return null;
  }
  const hint = kind === "good" ? "Tried on a copy of the cluster: after this change alone, the pod is scheduled" : "Not tried, or not enough alone";
  return html`<p class="changes-title"><span class=${`status ${kind === "good" ? "good" : "soft"}`} title=${hint}>${title(changes.length > 1)}</span></p>
    <ul class="reasons">${changes.map((change) => html`<li class="change"><${Linked} text=${change.text} objects=${change.objects ?? []} />${change.relaxes && html` <span class="soft">(asks for less)</span>`}${change.harm && html` <span class="soft">(disruptive: ${change.harm})</span>`}${change.needs && html` <span class="soft">(not enough by itself: ${change.needs})</span>`}${change.driver && change.action === "edit" && html` <span class="soft">(or choose <em>works</em> at <a href="#/controllers">the switch of driver ${change.driver}</a>)</span>`}<${Apply} change=${change} /></li>`)}</ul>`;
}

/** Shows a text with a link at the first object's name. Objects that the text does not name follow in parentheses. */
function Linked({ text, objects }) {
  const index = objects.findIndex((each) => wordAt(text, keyOf(each)) >= 0);
  const others = objects.filter((each, at) => at !== index && wordAt(text, keyOf(each)) < 0);
  const rest = others.length > 0 && html` (${others.map((each, at) => html`${at > 0 && ", "}<${ObjectLink} of=${each} />`)})`;
  if (index < 0) {
    return html`<${Prose} text=${text} />${rest}`;
  }
  const key = keyOf(objects[index]);
  const at = wordAt(text, key);
  return html`<${Prose} text=${text.slice(0, at)} /><${ObjectLink} of=${objects[index]} short=${true} /><${Prose} text=${text.slice(at + key.length)} />${rest}`;
}

const keyOf = (object) => placed(object.namespace ?? "", object.name);

/** Returns the index at which a text names an object, outside of longer words; -1 if the text does not name it. */
function wordAt(text, name) {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const isWord = /^$|[^\w./-]/.test(text.charAt(at - 1)) && /^$|[^\w/-]/.test(text.charAt(at + name.length));
    if (isWord) return at;
  }
  return -1;
}

/** Whether a fact only says the values that are listed below it. */
const isSeen = (fact, seen) => (seen ?? []).some((each) => !each.missing && fact.includes(`\`${each.path}\` is ${each.value}, wanted`));

function several(names, count) {
  const more = (count ?? names.length) - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function Seen({ seen }) {
  if (!seen?.length) {
    return null;
  }
  return html`<ul class="reasons">${seen.map((each) => html`<li><code>${each.path}</code> ${each.missing ? "is missing" : html`is <code>${each.value}</code>`} on ${counted(each.devices ?? 1, "device")}</li>`)}</ul>`;
}

function ObjectLink({ of, short = false }) {
  const [to, setTo] = useState("");
  const { kind, namespace = "", name } = of;
  useEffect(() => {
    servedKind(kind).then((served) => setTo(served ? objectHref(served.group, served.resource, namespace, name) : ""), () => undefined);
  }, [kind, namespace, name]);
  const text = short ? placed(namespace, name) : `${kind} ${placed(namespace, name)}`;
  return to ? html`<${ToObject} to=${to}>${text}<//>` : html`<span>${text}</span>`;
}

/** Returns the scores of the scheduler plugins as text, without zeros. */
function parts(scores) {
  const some = Object.entries(scores ?? {}).filter(([, score]) => score);
  return some.length ? ` (${some.map(([name, score]) => `${name} ${score}`).join(", ")})` : "";
}

function Nodes({ nodes }) {
  const feasible = nodes.filter((each) => each.feasible).length;
  const [all, setAll] = useState(false);
  const shown = all ? nodes : nodes.slice(0, NODES_SHOWN);
  return html`<details class="nodes-explained"><summary>Each node: ${feasible} of ${counted(nodes.length, "node")} ${nodes.length === 1 ? "fits" : "fit"}</summary>
    ${shown.map((node) => html`<details class="one-node"><summary><a href=${objectHref("", "nodes", "", node.name)}>${node.name}</a> <${Pill} kind=${node.feasible ? "good" : ""}>${node.chosen ? "chosen" : node.feasible ? "fits" : "does not fit"}<//>
        ${node.score ? html` <span class="soft">score ${node.score}${parts(node.scores)}</span>` : ""} <span class="soft">${node.reason || (node.feasible ? "" : shortageOf(node)) || node.message}</span></summary>
      ${(node.requests ?? []).map((request) => html`<${RequestOnNode} request=${request} />`)}
      ${node.message && html`<p class="soft">The scheduler says: ${node.message}</p>`}
    </details>`)}
    ${shown.length < nodes.length && html`<button type="button" onClick=${() => setAll(true)}>Show all ${nodes.length} nodes</button>`}
  </details>`;
}

/** Describes the first request that gets too few devices on a node, with the reason why the last devices are unusable. */
function shortageOf(node) {
  const request = (node.requests ?? []).find((each) => each.usable < each.needed);
  if (!request) return "";
  const steps = [["published", request.published], [`in class ${request.deviceClass}`, request.inClass], ["match the selectors", request.selected], ["usable", request.usable]];
  const [name, number] = steps.find(([, left]) => left < request.needed) ?? steps[3];
  const dropped = name === "usable" ? (request.dropped ?? []).at(-1) : undefined;
  return `${request.request}: ${number} of ${counted(request.needed, "device")} ${name}${dropped ? `, ${dropped.devices} ${dropped.text}` : ""}`;
}

/** Shows how many devices of a node remain after each step, and why the others are not usable. */
function RequestOnNode({ request }) {
  const steps = [["published", request.published], [`in class ${request.deviceClass}`, request.inClass], ["match the selectors", request.selected], ["usable", request.usable]];
  return html`<div class="funnel"><p>Request <strong>${request.request}</strong> of ${placed(request.claim?.namespace ?? "", request.claim?.name ?? "")} needs ${counted(request.needed, "device")}</p>
    <p class="steps">${steps.map(([name, number], index) => html`${index > 0 && html`<span aria-hidden="true">→</span>`}<span class=${number < request.needed ? "bad" : ""}><strong>${number}</strong> ${name}</span>`)}</p>
    ${(request.dropped ?? []).map((each) => html`<p class="soft">${counted(each.devices, "device")}: ${each.text}${each.names?.length ? ` (${several(each.names, each.devices)})` : ""}</p><${Seen} seen=${each.seen} />`)}
  </div>`;
}
