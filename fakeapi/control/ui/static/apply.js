// Buttons that carry out a change that an explanation suggests. A panel first says what the change does.

import { cluster, control, MANAGER } from "./api.js";
import { Editor } from "./editor.js";
import { kindOf } from "./kinds.js";
import { html, useState } from "./preact.js";
import { apiGroup, placed, python, shell } from "./text.js";
import { Code, Panel, Problem, say, useAction } from "./ui.js";

// Maximum number of objects that one button deletes.
const OBJECTS_MAX = 5;
const API_VERSIONS = { DeviceClass: "resource.k8s.io/v1", ResourceClaim: "resource.k8s.io/v1", ResourceClaimTemplate: "resource.k8s.io/v1", ResourceSlice: "resource.k8s.io/v1", DeviceTaintRule: "resource.k8s.io/v1" };
const EDITABLE = new Set(["Node", "DeviceClass", "ResourceSlice", "ResourceQuota"]);

/** Returns the kind of an object as the server serves it; undefined if the server does not serve the kind. */
export const servedKind = (kind) => kindOf(kind, API_VERSIONS[kind] ?? "v1");

/**
 * The changes that a button carries out. `does`: returns what happens to an object. `send`: returns the method and the
 * merge patch. `command` and `line`: return what does the same in a shell and in Python.
 */
const ACTS = [
  {
    verb: "Delete",
    fits: (change) => change.action === "delete" && change.objects.length > 0 && change.objects.length <= OBJECTS_MAX,
    does: (object) => `Deletes ${object.kind} ${placed(object.namespace ?? "", object.name)}.`,
    patch: null,
    command: ({ namespace, name }, kind) => `kubectl delete ${apiGroup(kind.group, kind.resource)} ${shell(name)}${namespace ? ` -n ${namespace}` : ""}`,
    line: ({ kind, namespace, name }) => `fakeapi.delete(${python(kind)}, ${python(name)}${namespace ? `, namespace=${python(namespace)}` : ""})`,
  },
  {
    verb: "Uncordon",
    fits: (change) => change.action === "edit" && change.path === "spec.unschedulable" && change.objects.length === 1 && change.objects[0].kind === "Node",
    does: (object) => `Removes spec.unschedulable from Node ${object.name}, so that pods can be scheduled to the node.`,
    patch: { spec: { unschedulable: null } },
    command: ({ name }) => `kubectl uncordon ${shell(name)}`,
    line: ({ name }) => `fakeapi.patch("Node", ${python(name)}, {"spec": {"unschedulable": None}})`,
  },
  {
    verb: "Remove gates of",
    fits: (change) => change.action === "edit" && change.path === "spec.schedulingGates" && change.objects.length === 1 && change.objects[0].kind === "Pod",
    does: (object) => `Removes spec.schedulingGates from Pod ${placed(object.namespace ?? "", object.name)}, so that the scheduler schedules the pod.`,
    patch: { spec: { schedulingGates: null } },
    command: ({ namespace, name }) => `kubectl patch pod ${shell(name)} -n ${shell(namespace)} --type=merge -p '{"spec":{"schedulingGates":null}}'`,
    line: ({ namespace, name }) => `fakeapi.patch("Pod", ${python(name)}, {"spec": {"schedulingGates": None}}, namespace=${python(namespace)})`,
  },
];

/** The button of a suggested change; nothing for a change that the page cannot carry out. */
export function Apply({ change }) {
  const objects = change.objects ?? [];
  const act = ACTS.find((each) => each.fits({ ...change, objects }));
  const [opened, setOpened] = useState(/** @type {any} */ (null));
  const { run, busy, error } = useAction();
  const isEdited = !act && change.action === "edit" && objects.length === 1 && (EDITABLE.has(objects[0].kind) || change.path === "metadata.finalizers");
  if (!act && !isEdited) {
    return null;
  }
  const verb = act ? act.verb : "Edit";
  const name = objects.length === 1 ? `${objects[0].kind} ${placed(objects[0].namespace ?? "", objects[0].name)}` : `these ${objects.length} objects`;
  const open = () => run(async () => setOpened(act ? await Promise.all(objects.map((each) => servedKind(each.kind))) : await newest(objects[0])));
  const close = () => setOpened(null);
  return html` <button type="button" class="apply" disabled=${busy} title=${`Opens a panel: it says what happens, and shows the command and the Python line. ${act ? "" : "A dry run comes first."}`} onClick=${open}>${verb} ${name}…</button>
    ${!opened && html`<${Problem} error=${error} />`}
    ${opened && act && html`<${Sure} act=${act} change=${change} objects=${objects} kinds=${opened} title=${`${verb} ${name}?`} onClose=${close} />`}
    ${opened && !act && html`<${Editor} object=${opened} onClose=${close} />`}`;
}

/** Reads an object. Throws if it does not exist. */
async function newest({ kind, namespace = "", name }) {
  const served = await servedKind(kind);
  const { versions } = await control("GET", "/history", { query: { group: served?.group, resource: served?.resource, namespace, name } });
  return versions.at(-1).object;
}

/** Says what a change does, and carries it out on a click. */
function Sure({ act, change, objects, kinds, title, onClose }) {
  const { run, busy, error } = useAction();
  const apply = () =>
    run(async () => {
      for (const [index, object] of objects.entries()) await send(act.patch, kinds[index], object);
      say(`${act.verb}: done`);
      onClose();
    });
  const lines = (text) => objects.map((object, index) => text(object, kinds[index])).join("\n");
  return html`<${Panel} title=${title} onClose=${onClose}>
    ${objects.map((object) => html`<p>${act.does(object)}</p>`)}
    ${change.harm && html`<p class="note">Disruptive: ${change.harm}.</p>`}
    ${change.sufficient ? html`<p class="ok">Tried on a copy of the cluster: after this change, the pod is scheduled.</p>` : html`<p class="soft">This change alone may not be enough${change.needs ? `: ${change.needs}` : ""}.</p>`}
    <h3>The same as a command</h3><${Code} text=${lines(act.command)} label="command" />
    <h3>The same in Python</h3><${Code} text=${lines(act.line)} label="Python line" />
    <${Problem} error=${error} />
    <div class="actions"><button type="button" onClick=${onClose}>Cancel</button><button type="button" class=${act.patch ? "main" : "danger"} disabled=${busy} onClick=${apply}>${act.verb}</button></div>
  <//>`;
}

async function send(patch, kind, { namespace = "", name }) {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const path = `${root}${namespace ? `/namespaces/${namespace}` : ""}/${kind.resource}/${name}`;
  if (!patch) return cluster("DELETE", path);
  return cluster("PATCH", path, { body: JSON.stringify(patch), type: "application/merge-patch+json", query: { fieldManager: MANAGER } });
}
