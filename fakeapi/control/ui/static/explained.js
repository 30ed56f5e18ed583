// An explanation of the server: the short answer, the reasons with what would help, and each node on request.

import { kindOf } from "./kinds.js";
import { html, useEffect, useState } from "./preact.js";
import { counted, objectHref, placed } from "./text.js";
import { Pill } from "./ui.js";

const API_VERSIONS = { DeviceClass: "resource.k8s.io/v1", ResourceClaim: "resource.k8s.io/v1", ResourceClaimTemplate: "resource.k8s.io/v1", ResourceSlice: "resource.k8s.io/v1" };
const GOOD = new Set(["placed", "running", "allocated", "ready", "fits"]);
const NODES_SHOWN = 50;

/** @param {{value: any}} props an Explanation of the control API */
export function Explained({ value }) {
  return html`<div class="explained">
    <p class="answer"><${Pill} kind=${GOOD.has(value.verdict) ? "good" : "warn"}>${value.verdict}<//> ${value.summary}</p>
    ${value.details?.length > 0 && html`<ul class="reasons">${value.details.map((each) => html`<li>${each}</li>`)}</ul>`}
    <ol>${(value.reasons ?? []).map((reason) => html`<li><${Reason} reason=${reason} said=${reason.text === value.summary} /></li>`)}</ol>
    ${value.nodes?.length > 0 && html`<${Nodes} nodes=${value.nodes} />`}
    ${(value.notes ?? []).map((note) => html`<p class="soft">${note}</p>`)}
  </div>`;
}

/** One reason. `said`: whether its text is the short answer above. */
function Reason({ reason, said }) {
  const facts = reason.details ?? [];
  return html`<p>${said ? "In detail:" : reason.text}</p>
    ${facts.length > 0 && html`<ul class="reasons">${facts.map((each) => html`<li>${each}</li>`)}</ul>`}
    ${reason.expression && html`<pre tabindex="0" aria-label="CEL expression">${reason.expression}</pre>`}
    <${Seen} seen=${reason.seen} />
    ${reason.object && html`<p class="soft">See <${ObjectLink} of=${reason.object} />${reason.path && html` at <code>${reason.path}</code>`}</p>`}
    ${reason.nodes?.length > 0 && html`<p class="soft">On ${several(reason.nodes, reason.nodeCount)}</p>`}
    ${reason.blame?.length > 0 && html`<p class="soft">Because of ${reason.blame.map((each, index) => html`${index > 0 && ", "}<${ObjectLink} of=${each} />`)}</p>`}
    ${(reason.changes ?? []).map((change) => html`<p class="change">${change.sufficient ? html`<${Pill} kind="good" title="Tried: this change alone is enough">enough<//> ` : html`<${Pill} kind="accent">could help<//> `}<${Linked} text=${change.text} objects=${change.objects ?? []} />${change.needs && html` <span class="soft">(not enough by itself: ${change.needs})</span>`}</p>`)}`;
}

/** A text in which the names of objects are links; objects that it does not name come after it. */
function Linked({ text, objects }) {
  const keys = objects.map((each) => placed(each.namespace ?? "", each.name));
  const index = keys.findIndex((key) => key && wordAt(text, key) >= 0);
  if (index < 0) {
    return html`${text}${objects.map((each) => html` <${ObjectLink} of=${each} />`)}`;
  }
  const at = wordAt(text, keys[index]);
  const [before, after] = [text.slice(0, at), text.slice(at + keys[index].length)];
  const others = objects.filter((each) => each !== objects[index]);
  return html`${before}<${ObjectLink} of=${objects[index]} short=${true} />${after}${others.map((each) => html` <${ObjectLink} of=${each} />`)}`;
}

/** Where a text names an object: not inside a longer word. -1 if it does not name it. */
function wordAt(text, name) {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const isWord = /^$|[^\w./-]/.test(text.charAt(at - 1)) && /^$|[^\w/-]/.test(text.charAt(at + name.length));
    if (isWord) return at;
  }
  return -1;
}

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
    kindOf(kind, API_VERSIONS[kind] ?? "v1").then((served) => setTo(served ? objectHref(served.group, served.resource, namespace, name) : ""), () => undefined);
  }, [kind, namespace, name]);
  const text = short ? placed(namespace, name) : `${kind} ${placed(namespace, name)}`;
  return to ? html`<a href=${to}>${text}</a>` : html`<span>${text}</span>`;
}

/** The scores of the scheduler plugins, without zeros. */
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
        ${node.score ? html` <span class="soft">score ${node.score}${parts(node.scores)}</span>` : ""} <span class="soft">${node.reason || node.message}</span></summary>
      ${(node.requests ?? []).map((request) => html`<${RequestOnNode} request=${request} />`)}
      ${node.message && html`<p class="soft">The scheduler says: ${node.message}</p>`}
    </details>`)}
    ${shown.length < nodes.length && html`<button type="button" onClick=${() => setAll(true)}>Show all ${nodes.length} nodes</button>`}
  </details>`;
}

/** How many devices of a node are left after each step, and why the others are not usable. */
function RequestOnNode({ request }) {
  const steps = [["published", request.published], [`in class ${request.deviceClass}`, request.inClass], ["match the selectors", request.selected], ["usable", request.usable]];
  return html`<div class="funnel"><p>Request <strong>${request.request}</strong> of ${placed(request.claim?.namespace ?? "", request.claim?.name ?? "")} needs ${counted(request.needed, "device")}</p>
    <p class="steps">${steps.map(([name, number], index) => html`${index > 0 && html`<span aria-hidden="true">→</span>`}<span class=${number < request.needed ? "bad" : ""}><strong>${number}</strong> ${name}</span>`)}</p>
    ${(request.dropped ?? []).map((each) => html`<p class="soft">${counted(each.devices, "device")}: ${each.text}${each.names?.length ? ` (${several(each.names, each.devices)})` : ""}</p><${Seen} seen=${each.seen} />`)}
  </div>`;
}
