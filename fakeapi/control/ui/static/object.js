// The view of one object: YAML, history with differences, timeline, events, and links to related objects.

import { cluster, control, Refused, serverUrl } from "./api.js";
import { ClaimState } from "./claims.js";
import { needsAttention } from "./conditions.js";
import { differences } from "./diff.js";
import { Changes, Editor } from "./editor.js";
import { Icon } from "./icons.js";
import { kindOf, kindOfResource } from "./kinds.js";
import { ToObject } from "./links.js";
import { serverNow, useLive } from "./live.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import { oldStatus, useSilentNodes } from "./silent.js";
import { cellOf, ObjectTimeline, readEvents, readWriters } from "./timeline.js";
import { actorName } from "./requests.js";
import { age, apiGroup, clock, counted, href, objectHref, partOf, placed, python, secondsOf, shell } from "./text.js";
import { Choice, Copy, Panel, Pill, Problem, remember, SameAs, say, useAction } from "./ui.js";
import { Explanation, explainable } from "./explanation.js";
import { toYaml, yamlLines } from "./yaml.js";

const EVENTS = 200;

/** @param {{place: string[]}} props */
export function ObjectView({ place }) {
  const [group, resource, namespace, name, wanted] = place.map(partOf);
  const [chosen, setTab] = remember("tab", wanted ? "history" : "");
  const [open, setOpen] = useState("");
  const query = { group, resource, namespace, name };
  const { data, error } = useLive(() => control("GET", "/history", { query }), [group, resource, namespace, name], {
    only: (event) => event.resource === resource && event["name"] === name && (event["namespace"] ?? "") === namespace,
  });
  const { data: claim } = useLive(() => readClaim(resource, namespace, name), [resource, namespace, name], {
    only: (event) => event.resource === "pods" || event.resource === "resourceclaims",
    least: 2000,
  });
  const versions = data?.versions ?? [];
  // The newest version at the time of the address's resourceVersion.
  const then = wanted ? versions.findLast((each) => Number(each.resourceVersion) <= Number(wanted)) : undefined;
  const last = versions.at(-1);
  const shown = then ?? last;
  const back = href("objects", group, resource);
  const kind = shown?.object.kind ?? resource;
  const tab = chosen || (waits(shown?.object) ? "why" : "yaml");
  return html`<nav class="crumbs" aria-label="Path"><a href=${back}>${apiGroup(group, resource)}</a>${namespace && html`<span>/ ${namespace}</span>`}</nav>
    <div class="heading">
      <div><h1><span class="soft">${kind}</span> ${name}</h1>
        ${shown && html`<p class="lead"><${Facts} version=${last} state=${last.change !== "DELETED" && claim?.state} /></p>`}</div>
      ${shown &&
      html`<div class="actions">
        <${Copy} text=${toYaml(ordered(folded(shown.object)))} label="Copy the object as YAML">Copy YAML<//>
        <${Copy} text=${`kubectl get ${apiGroup(group, resource)} ${shell(name)}${namespace ? ` -n ${namespace}` : ""} -o yaml --server ${serverUrl()}`} label="Copy the kubectl command">Copy as kubectl<//>
        <button type="button" disabled=${last.change === "DELETED"} onClick=${() => setOpen("edit")}><${Icon} name="edit" />Edit</button>
        <button type="button" disabled=${last.change === "DELETED"} onClick=${() => setOpen("delete")}><${Icon} name="trash" />Delete</button>
      </div>`}
    </div>
    <${Problem} error=${error} />
    ${wanted && data && html`<p class="note" role="status">${then ? `The object as it was at version ${wanted}` : `The object as it was at version ${wanted} is not kept. This is the newest version.`}</p>`}
    ${error instanceof Refused && error.code === 404 && html`<p><button type="button" class="main" onClick=${() => setOpen("create")}><${Icon} name="plus" />Create ${name}</button></p>`}
    ${open === "create" && html`<${Create} group=${group} resource=${resource} namespace=${namespace} name=${name} onClose=${() => setOpen("")} />`}
    ${shown && last.change !== "DELETED" && html`<${OldStatus} object=${shown.object} />`}
    ${last?.change === "DELETED" && html`<p class="note" role="status">The object is deleted. This is its last state.</p>`}
    ${shown &&
    html`<${Choice} label="What to show" value=${tab} onChange=${setTab} choices=${tabs(shown.object, versions)} />
      <div class="object">
        <div class="object-main">
          ${tab === "yaml" && html`<${Yaml} object=${shown.object} />`}
          ${tab === "history" && html`<${History} place=${query} versions=${versions} then=${then} forgotten=${data.forgotten} />`}
          ${tab === "time" && html`<${ObjectTimeline} group=${group} resource=${resource} namespace=${namespace} name=${name} versions=${versions} />`}
          ${tab === "why" && html`<${Explanation} kind=${explainable(shown.object)} namespace=${namespace} name=${name} object=${shown.object} />`}
        </div>
        <aside aria-label="Related objects and events"><${Related} object=${shown.object} resource=${resource} claim=${claim} /><${Conditions} object=${shown.object} /><${Events} object=${shown.object} /></aside>
      </div>`}
    ${open === "edit" && html`<${Editor} object=${last.object} namespace=${namespace} onClose=${() => setOpen("")} />`}
    ${open === "delete" && html`<${Delete} object=${last.object} group=${group} resource=${resource} onClose=${() => setOpen("")} />`}`;
}

/** Says that the status of a pod may be old, because its node is not ready; for such a node, how many pods it has. */
function OldStatus({ object }) {
  const silent = useSilentNodes();
  const node = object.kind === "Pod" ? object.spec?.nodeName : object.kind === "Node" ? object.metadata?.name : "";
  const found = silent.get(node);
  const hasEnded = ["Succeeded", "Failed"].includes(object.status?.phase);
  if (!found || hasEnded || (object.kind === "Node" && !found.pods)) {
    return null;
  }
  const text = object.kind === "Pod" ? oldStatus(found) : `The node is not ready: its ${found.pods === 1 ? "pod keeps its" : `${counted(found.pods, "pod")} keep their`} last status`;
  return html`<p class="note" role="status">${text}. ${object.kind === "Pod" && html`<a href=${objectHref("", "nodes", "", node)}>See the node</a>`}</p>`;
}

/** Whether an object waits. The view then begins with the explanation. */
function waits(object) {
  const isPending = object?.kind === "Pod" ? object.status?.phase === "Pending" || isCrashing(object) : !object?.status?.allocation || object?.metadata.deletionTimestamp;
  return Boolean(explainable(object) && isPending);
}

/** Whether a container of a pod waits after a crash. */
const isCrashing = (pod) => (pod.status?.containerStatuses ?? []).some((each) => each.state?.waiting?.reason === "CrashLoopBackOff");

function tabs(object, versions) {
  const all = [["yaml", "YAML"], ["history", `History (${versions.length})`], ["time", "Timeline"]];
  return explainable(object) ? [...all, ["why", "Why"]] : all;
}

function Facts({ version, state }) {
  const { metadata, status } = version.object;
  const ready = (status?.conditions ?? []).find((each) => each.type === "Ready");
  const isCordoned = version.object.kind === "Node" && version.object.spec?.unschedulable === true;
  return html`${state && !metadata.deletionTimestamp && html`<${ClaimState} state=${state} /> `}
    ${status?.phase && html`<${Pill} kind=${status.phase === "Running" ? "good" : status.phase === "Pending" ? "warn" : ""}>${String(status.phase)}<//> `}
    ${ready && html`<${Pill} kind=${ready.status !== "True" ? "bad" : isCordoned ? "warn" : "good"}>${ready.status === "True" ? "Ready" : "Not ready"}${isCordoned && ", SchedulingDisabled"}<//> `}
    ${metadata.deletionTimestamp && html`<${Pill} kind="warn" title="The object has a deletionTimestamp and waits for its finalizers">being deleted<//> ${metadata.finalizers?.length > 0 && `waits for ${metadata.finalizers.length === 1 ? "finalizer" : "finalizers"} ${metadata.finalizers.join(", ")}, `}`}
    created ${age(serverNow() - secondsOf(metadata.creationTimestamp))} ago, resourceVersion ${metadata.resourceVersion}`;
}

/** Returns the object without its managed fields, which the page shows only on request. */
function folded(object) {
  const { managedFields, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** Returns the object with apiVersion and kind first, as in manifests. */
function ordered({ apiVersion, kind, ...fields }) {
  return { apiVersion, kind, ...fields };
}

function Yaml({ object }) {
  const [managed, setManaged] = useState(false);
  const fields = object.metadata?.managedFields ?? [];
  const lines = yamlLines(ordered(managed ? object : folded(object)));
  return html`<div class="yaml">
    ${fields.length > 0 && html`<button type="button" class="quiet" aria-expanded=${String(managed)} onClick=${() => setManaged(!managed)}>${managed ? "Hide" : "Show"} managed fields (${fields.length})</button>`}
    <pre tabindex="0" aria-label="The object as YAML">${lines.map((line) => html`<span class="line">${line.indent}${line.name && html`<span class="key">${line.name}:</span>`}${line.name && line.value ? " " : ""}${line.value && html`<span class=${valueClass(line.value)}>${line.value}</span>`}${"\n"}</span>`)}</pre>
  </div>`;
}

function valueClass(value) {
  return /^("|[A-Za-z])/.test(value) && !/^(true|false|null)$/.test(value) ? "string" : "literal";
}

function History({ place, versions, then, forgotten }) {
  const [writers, setWriters] = useState(/** @type {Map<string, {who: string, at: number}>} */ (new Map()));
  const current = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => current.current?.scrollIntoView({ block: "center" }), [then?.resourceVersion]);
  useEffect(() => {
    readWriters({ ...place, versions }).then(setWriters, () => undefined);
  }, [versions.at(-1)?.resourceVersion]);
  return html`<ol class="history" reversed>
      ${versions
        .map((each, index) => {
          const before = versions[index - 1];
          const isThen = each === then;
          return html`<li key=${each.resourceVersion} ref=${isThen ? current : undefined} aria-current=${isThen ? "true" : undefined}>
            <p><strong>${CHANGES[each.change] ?? each.change}</strong> at ${each.resourceVersion}<${Author} object=${each.object} writer=${writers.get(each.resourceVersion)} /></p>
            ${before && each.change !== "DELETED" && html`<${Changes} changes=${differences(before.object, each.object)} />`}
          </li>`;
        })
        .reverse()}
    </ol>
    ${forgotten && html`<p class="soft">Earlier versions are not kept.</p>`}`;
}

/** The words for the types of changes in the history. Timelines use the same words. */
const CHANGES = { ADDED: "created", MODIFIED: "changed", DELETED: "deleted", STORED: "stored" };

/** Shows who wrote a version: the client if the journal has the request, otherwise the newest field manager. */
function Author({ object, writer }) {
  if (writer) {
    return html` <span class="soft">by</span> ${writer.who} <span class="soft">${clock(writer.at)}</span>`;
  }
  const entry = lastManager(object);
  return entry && html` <span class="soft">by</span> ${actorName(String(entry.manager))} <span class="soft">${entry.time ? String(entry.time).slice(11, 19) : ""}</span>`;
}

/** @returns {{manager: string, time?: string} | null} the newest entry of the managed fields */
export function lastManager(object) {
  const entries = object.metadata?.managedFields ?? [];
  return entries.reduce((best, each) => (!best || (each.time ?? "") >= (best.time ?? "") ? each : best), null);
}

// related objects -------------------------------------------------------------------------------------------

function Related({ object, resource, claim }) {
  const [owners, setOwners] = useState(/** @type {any[]} */ ([]));
  useEffect(() => {
    const references = object.metadata?.ownerReferences ?? [];
    Promise.all(
      references.map(async (each) => ({ ...each, served: await kindOf(String(each.kind), String(each.apiVersion)) })),
    ).then(setOwners, () => setOwners([]));
  }, [object]);
  const namespace = object.metadata?.namespace ?? "";
  const { data: waiting = [] } = useLive(() => waitingFor(object, resource), [resource, object.metadata?.name], {
    only: (event) => event.resource === "resourceclaims",
    least: 2000,
  });
  const links = [
    ...owners.map((each) => ({
      what: "Owner",
      text: `${each.kind} ${each.name}`,
      to: each.served ? objectHref(each.served.group, each.served.resource, each.served.namespaced ? namespace : "", each.name) : undefined,
    })),
    ...(AROUND[resource]?.(object, namespace) ?? []),
    ...podsOf(claim, object, namespace),
    ...waiting,
  ];
  if (!links.length) {
    return null;
  }
  return html`<section><h2>Related</h2><dl class="links">${links.map(
    ({ what, text, to, more }) => html`<div><dt>${what}</dt><dd>${to ? html`<${ToObject} to=${to}>${text}<//>` : text}${more && html`<br /><span class="soft">${more}</span>`}</dd></div>`,
  )}</dl></section>`;
}

const RESOURCE = "resource.k8s.io";
const node = (name) => ({ what: "Node", text: name, to: objectHref("", "nodes", "", name) });
const devicesOf = (search, text, more = "") => ({ what: "Devices", text, more, to: `#/devices?search=${encodeURIComponent(search)}` });
const requestsOf = (claimSpec) =>
  (claimSpec?.devices?.requests ?? []).flatMap((each) => [each, each.exactly, ...(each.firstAvailable ?? [])]).filter((each) => each?.deviceClassName);
const classes = (claimSpec) =>
  [...new Set(requestsOf(claimSpec).map((each) => each.deviceClassName))].map((name) => ({
    what: "Class",
    text: name,
    to: objectHref(RESOURCE, "deviceclasses", "", name),
  }));

// Maximum number of waiting claims in the view of a DeviceClass.
const USERS = 8;

/** Returns the row of the view Claims for a claim; null for other objects. */
async function readClaim(resource, namespace, name) {
  if (resource !== "resourceclaims") return null;
  const { claims } = await control("GET", "/claims", { query: { namespace, search: `${namespace}/${name}` } });
  return claims.find((each) => each.name === name && each.namespace === namespace) ?? null;
}

/** Returns links to the pods that use a claim and are not in its reservedFor. */
function podsOf(claim, object, namespace) {
  const known = new Set((object.status?.reservedFor ?? []).map((each) => each.name));
  return (claim?.pods ?? []).filter((each) => !known.has(each)).map((each) => ({ what: "Pod", text: each, to: objectHref("", "pods", namespace, each) }));
}

/** Returns links to the claims that wait for a device of a class. */
async function waitingFor(object, resource) {
  if (resource !== "deviceclasses") return [];
  const { name } = object.metadata;
  const { claims } = await control("GET", "/claims", { query: { state: "pending", search: name } });
  const waiting = claims.filter((each) => each.classes.includes(name)).slice(0, USERS);
  return waiting.map((each) => ({ what: "Pending claim", text: placed(each.namespace, each.name), to: `${objectHref(RESOURCE, "resourceclaims", each.namespace, each.name)}?tab=why` }));
}

/** Functions that return the links of an object to related objects, by resource. */
const AROUND = {
  pods: (pod, namespace) => [
    ...(pod.spec?.nodeName ? [node(pod.spec.nodeName)] : []),
    ...(pod.spec?.resourceClaims ?? []).flatMap((each) => {
      const made = (pod.status?.resourceClaimStatuses ?? []).find((status) => status.name === each.name);
      const name = each.resourceClaimName ?? made?.resourceClaimName;
      const template = each.resourceClaimTemplateName;
      const own = { what: "Claim", text: name, to: objectHref(RESOURCE, "resourceclaims", namespace, name) };
      const source = { what: "Template", text: template ?? each.name, to: template && objectHref(RESOURCE, "resourceclaimtemplates", namespace, template) };
      return [...(name ? [own] : []), ...(template || !name ? [source] : [])];
    }),
  ],
  resourceclaims: (claim, namespace) => [
    ...(claim.status?.reservedFor ?? []).map((each) => ({
      what: each.resource === "pods" ? "Pod" : "Reserved for",
      text: each.name,
      to: objectHref(each.apiGroup ?? "", each.resource, namespace, each.name),
    })),
    ...classes(claim.spec),
    ...(claim.status?.allocation?.devices?.results ?? []).map((each) => devicesOf(`${namespace}/${claim.metadata.name}`, `${each.pool}/${each.device}`, each.driver)),
  ],
  resourceclaimtemplates: (template) => classes(template.spec?.spec),
  resourceslices: (slice) => [...(slice.spec?.nodeName ? [node(slice.spec.nodeName)] : []), devicesOf(slice.spec?.pool?.name ?? "", `pool ${slice.spec?.pool?.name}`)],
  nodes: (object) => [
    devicesOf(object.metadata.name, "its pools and devices"),
    { what: "Pods", text: "pods on this node", to: `#/objects/-/pods?search=${encodeURIComponent(object.metadata.name)}` },
  ],
  deviceclasses: (object) => [{ what: "Claims", text: "all claims", to: "#/claims" }],
};

/** Shows the conditions of an object with their messages. Conditions that need attention come first. */
function Conditions({ object }) {
  const all = (object.status?.conditions ?? []).filter((each) => each?.type);
  if (!all.length) {
    return null;
  }
  const kindOfStatus = (each) => (needsAttention(each) ? "warn" : "good");
  const conditions = ["warn", "good"].flatMap((kind) => all.filter((each) => kindOfStatus(each) === kind));
  return html`<section><h2>Conditions</h2><ul class="events">${conditions.map(
    (each) => html`<li class=${kindOfStatus(each) === "warn" ? "warn" : ""}><p><strong>${String(each.type)}</strong> <span class=${`small ${kindOfStatus(each)}`}>${String(each.status)}</span>${each.reason && html` <span class="soft">${String(each.reason)}</span>`}</p>${each.message && html`<p>${String(each.message)}</p>`}</li>`,
  )}</ul></section>`;
}

function Events({ object }) {
  const { name, namespace } = object.metadata ?? {};
  const { data } = useLive(() => readEvents(object.kind, namespace, name, EVENTS), [name, namespace, object.kind], {
    only: (event) => event.resource === "events",
  });
  const column = (title, row) => cellOf(data, title, row);
  const rows = [...(data?.rows ?? [])].sort((a, b) => (column("Last Seen", a) === column("Last Seen", b) ? b.created.localeCompare(a.created) : secondsIn(column("Last Seen", a)) - secondsIn(column("Last Seen", b))));
  const times = (row) => Number(column("Count", row) || 1);
  return html`<section><h2>Events</h2>
    ${data && !rows.length && html`<p class="soft">No event names this object.</p>`}
    <ul class="events">${rows.map(
      (row) => html`<li class=${column("Type", row) === "Warning" ? "warn" : ""}><p><strong>${column("Reason", row)}</strong> <span class="soft" title=${`First seen ${column("First Seen", row)} ago`}>${column("Last Seen", row)}${times(row) > 1 ? ` ×${times(row).toLocaleString("en")} in ${column("First Seen", row)}` : ""}</span></p><p>${column("Message", row)}</p></li>`,
    )}</ul></section>`;
}

/** Converts an age in kubectl's format, such as 2m5s, to seconds. */
function secondsIn(text) {
  const units = { s: 1, m: 60, h: 3600, d: 86400, y: 31536000 };
  return [...text.matchAll(/(\d+)([smhdy])/g)].reduce((all, [, number, unit]) => all + Number(number) * units[unit], 0);
}

/** Shows the editor with a new object of the given name. */
function Create({ group, resource, namespace, name, onClose }) {
  const [kind, setKind] = useState(/** @type {import("./kinds.js").Kind | undefined} */ (undefined));
  useEffect(() => {
    kindOfResource(group, resource).then(setKind, () => undefined);
  }, [group, resource]);
  return kind ? html`<${Editor} kind=${kind} namespace=${namespace || "default"} name=${name} onClose=${onClose} />` : null;
}

/** Tells which objects go with a namespace. */
function Contents({ namespace }) {
  const [kinds, setKinds] = useState(/** @type {{kind: string, number: number}[] | null} */ (null));
  const { run, error } = useAction();
  useEffect(() => {
    run(async () => setKinds(await countObjects(namespace)));
  }, [namespace]);
  if (!kinds) {
    return error ? html`<${Problem} error=${error} />` : html`<p class="soft">Counting its objects…</p>`;
  }
  const total = kinds.reduce((sum, each) => sum + each.number, 0);
  return html`<p class="note">${total ? html`<strong>${counted(total, "object")}</strong> in this namespace ${total === 1 ? "is" : "are"} deleted with it: ${kinds.map((each) => `${each.number.toLocaleString("en")} ${each.kind}`).join(", ")}.` : "The namespace has no objects."}</p>`;
}

async function countObjects(namespace) {
  const kinds = (await control("GET", "/kinds")).filter((each) => each.namespaced);
  const counts = await Promise.all(
    kinds.map(async ({ group, resource, kind }) => {
      const { rows, remaining } = await control("GET", "/table", { query: { group, resource, namespace, limit: 1 } });
      return { kind, number: rows.length + remaining };
    }),
  );
  return counts.filter((each) => each.number).sort((a, b) => b.number - a.number);
}

function Delete({ object, group, resource, onClose }) {
  const { name, namespace = "" } = object.metadata;
  const { run, busy, error } = useAction();
  const remove = () =>
    run(async () => {
      const served = await kindOfResource(group, resource);
      const version = served?.version ?? object.apiVersion.split("/").at(-1);
      const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
      await cluster("DELETE", `${root}${namespace ? `/namespaces/${namespace}` : ""}/${resource}/${name}`);
      say(`Deleted ${object.kind} ${name}`);
      onClose();
    });
  const place = namespace ? ` -n ${namespace}` : "";
  const where = namespace ? `, namespace=${python(namespace)}` : "";
  return html`<${Panel} title=${`Delete ${object.kind} ${placed(namespace, name)}?`} onClose=${onClose}>
    ${object.kind === "Namespace" && html`<${Contents} namespace=${name} />`}
    <p>${object.kind === "Namespace" ? "The namespace stays in the phase Terminating until a controller has deleted its objects." : (object.metadata.finalizers ?? []).length ? `It stays until these finalizers are removed: ${object.metadata.finalizers.join(", ")}.` : "The server deletes it at once."}</p>
    <${Problem} error=${error} />
    <div class="actions"><button type="button" onClick=${onClose}>Keep it</button><button type="button" class="danger" disabled=${busy} onClick=${remove}>Delete</button></div>
    <${SameAs} command=${`kubectl delete ${apiGroup(group, resource)} ${shell(name)}${place}`} python=${`fakeapi.delete(${python(object.kind)}, ${python(name)}${where})`} />
  <//>`;
}
