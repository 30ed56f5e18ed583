// Creates, applies and updates objects after a dry run. Marks the line of each error.

import { cluster, control, MANAGER, Refused } from "./api.js";
import { differences } from "./diff.js";
import { Icon } from "./icons.js";
import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { kindOf } from "./kinds.js";
import { objectHref, placed, python } from "./text.js";
import { Choice, Panel, SameAs, say } from "./ui.js";
import { lineOf, toYaml } from "./yaml.js";

const LINE_HEIGHT = 20;
// The padding, and room for the bar that scrolls sideways.
const EXTRA_HEIGHT = 32;
const CLAIMS_READ = 100;
const NEWLINE = /\n/g;

const WAYS = {
  create: { verb: "Create", done: "Created", command: "kubectl create -f object.yaml" },
  apply: { verb: "Apply", done: "Applied", command: "kubectl apply --server-side -f object.yaml" },
  update: { verb: "Save", done: "Saved", command: "kubectl replace -f object.yaml" },
};

/**
 * @param {{kind?: import("./kinds.js").Kind, object?: any, namespace?: string, name?: string, onClose: () => void, onDone?: (written: any) => void}} props `onDone` receives the written objects
 */
export function Editor({ kind, object, namespace = "default", name = "example", onClose, onDone }) {
  const initial = useMemo(() => (object ? toYaml(editable(object)) : template(kind, namespace, name)), []);
  const [text, setText] = useState(initial);
  const [way, setWay] = useState(object ? "update" : "create");
  const [result, setResult] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const [force, setForce] = useState(false);
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const lines = text.match(NEWLINE)?.length ?? 0;
  const height = `${(lines + 1) * LINE_HEIGHT + EXTRA_HEIGHT}px`;
  useEffect(() => {
    // The focus in the text scrolls the panel to the caret. Set the caret first, then scroll to the beginning.
    area.current?.setSelectionRange(0, 0);
    requestAnimationFrame(() => toTop(area.current));
    if (!object) examples(kind, namespace).then((some) => setText((old) => (old === initial ? template(kind, namespace, name, some) : old)), () => undefined);
  }, []);

  const send = async (dryRun) => {
    setBusy(true);
    try {
      const manifests = await control("POST", "/manifests", { body: { text, namespace } });
      const answers = [];
      for (const manifest of manifests) {
        answers.push(await write(way, manifest, dryRun, force));
      }
      if (!dryRun) {
        onDone?.({ done: WAYS[way].done, links: await Promise.all(answers.map(linkOf)) });
        say(`${WAYS[way].done} ${answers.map((each) => `${each.kind} ${each.metadata.name}`).join(", ")}`);
        onClose();
        return;
      }
      setResult({ answers, changes: object ? differences(withoutServerFields(object), withoutServerFields(answers[0])) : null });
    } catch (problem) {
      const error = /** @type {Refused} */ (problem);
      setResult({ error, causes: [...(error.causes ?? []), ...unknownFields(error.message)].map((each) => ({ ...each, line: each.field ? lineOf(text, each.field) : 0 })) });
    }
    setBusy(false);
  };

  const edit = (event) => {
    setText(event.target.value);
    setResult(null);
  };
  const jump = (line) => {
    const start = text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = text.indexOf("\n", start);
    area.current?.focus();
    area.current?.setSelectionRange(start, end < 0 ? text.length : end);
    if (area.current) area.current.scrollTop = Math.max(0, (line - 5) * LINE_HEIGHT);
  };
  const marked = new Set((result?.causes ?? []).map((each) => each.line).filter(Boolean));
  const title = object ? `Edit ${object.kind} ${placed(object.metadata.namespace ?? "", object.metadata.name)}` : `Create ${kind?.kind ?? "objects"}`;
  return html`<${Panel} title=${title} onClose=${onClose} wide>
    <${Choice} label="How to write" value=${way} onChange=${(next) => (setWay(next), setResult(null))}
      choices=${object ? [["update", "Update"], ["apply", "Server-side apply"]] : [["create", "Create"], ["apply", "Server-side apply"]]} />
    ${way === "apply" && html` <label class="check"><input type="checkbox" checked=${force} onChange=${(event) => (setForce(event.target.checked), setResult(null))} />Force: take over fields of other managers</label>`}
    <div class="editor">
      <div class="gutter" aria-hidden="true" style=${{ minHeight: height }}>
        ${Array.from({ length: lines + 1 }, (_, index) => html`<span class=${marked.has(index + 1) ? "bad" : ""}>${index + 1}</span>`)}
      </div>
      <textarea ref=${area} autofocus aria-label="The object as YAML or JSON" spellcheck=${false} wrap="off" value=${text} onInput=${edit} onKeyDown=${indent} rows=${Math.max(12, lines + 1)} style=${{ minHeight: height }}></textarea>
    </div>
    <div class="editor-result" role="status">
      ${result?.error && html`<${Errors} result=${result} jump=${jump} />`}
      ${result?.answers && html`<p class="ok">The server accepts this: nothing has been written yet.</p>`}
      ${result?.changes && html`<${Changes} changes=${result.changes} />`}
    </div>
    <div class="actions">
      <button type="button" disabled=${busy} onClick=${() => send(true)}>Check with a dry run</button>
      <button type="button" class="main" disabled=${busy || !result?.answers} title="Enabled after a dry run that the server accepts" onClick=${() => send(false)}>${WAYS[way].verb}</button>
    </div>
    <${SameAs} command=${`${WAYS[way].command} --dry-run=server\n${WAYS[way].command}`} python=${pythonOf(way)} />
  <//>`;
}

/** Scrolls an element and the elements around it to their beginning. */
function toTop(element) {
  for (let each = element; each; each = each.parentElement) {
    each.scrollTop = 0;
  }
}

/** Starts a new line with the indentation of the line before it; two spaces deeper after a colon. */
function indent(event) {
  if (event.key !== "Enter" || event.isComposing || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const { value, selectionStart } = event.target;
  const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
  const [start, dash] = /^( *)((?:- +)*)/.exec(line)?.slice(1) ?? ["", ""];
  const spaces = start.length + dash.length + (/:\s*$/.test(line) ? 2 : 0);
  event.preventDefault();
  // Unlike a change of the value, this keeps the browser's undo.
  document.execCommand("insertText", false, `\n${" ".repeat(spaces)}`);
}

/** Returns the fields that a message of strict decoding or of server-side apply names. */
function unknownFields(message) {
  const fields = [...message.matchAll(/(unknown|duplicate) field "([^"]+)"|(\.[\w.[\]"=-]+): (field not declared in schema)/g)];
  return fields.map(([, how, field, path, text]) => ({ field: (field ?? path).replace(/^\./, ""), message: text ?? `${how} field` }));
}

/** Returns the text and the address of a written object. */
async function linkOf(object) {
  const { name, namespace = "" } = object.metadata;
  const served = await kindOf(object.kind, object.apiVersion);
  return { text: `${object.kind} ${placed(namespace, name)}`, to: served ? objectHref(served.group, served.resource, namespace, name) : "" };
}

function Errors({ result, jump }) {
  return html`<div class="problem" role="alert"><${Icon} name="warning" /><div>
    <p>${result.error.message}</p>
    ${result.causes.length > 0 &&
    html`<ul>${result.causes.map(
      (each) => html`<li>${each.line > 0 && html`<button type="button" class="link" onClick=${() => jump(each.line)}>Line ${each.line}</button>`} <code>${each.field}</code> ${each.message}</li>`,
    )}</ul>`}
  </div></div>`;
}

/** @param {{changes: {kind: string, path: string, text: string}[]}} props */
export function Changes({ changes }) {
  if (!changes.length) {
    return html`<p class="soft">No field changes, except managed fields.</p>`;
  }
  return html`<div class="changes">${changes.map(({ kind, path, text }) => html`<div class=${kind}><code>${path}</code> ${text.startsWith("\n") ? html`<pre>${text.slice(1)}</pre>` : text}</div>`)}</div>`;
}

async function write(way, manifest, dryRun, force) {
  const query = dryRun ? { dryRun: "All", fieldManager: MANAGER, fieldValidation: "Strict" } : { fieldManager: MANAGER, fieldValidation: "Strict" };
  const body = JSON.stringify({ ...manifest.object, ...(manifest.namespace ? { metadata: { ...manifest.object.metadata, namespace: manifest.namespace } } : {}) });
  if (way === "apply") {
    return cluster("PATCH", manifest.path, { query: { ...query, force: force || undefined }, body, type: "application/apply-patch+yaml" });
  }
  return way === "create" ? cluster("POST", manifest.collection, { query, body }) : cluster("PUT", manifest.path, { query, body });
}

/** Returns the object without the fields that only the server writes, but with its resourceVersion. */
function editable(object) {
  const { managedFields, uid, creationTimestamp, generation, selfLink, ...metadata } = object.metadata;
  const { status, ...rest } = object;
  return { apiVersion: object.apiVersion, kind: object.kind, ...rest, metadata };
}

function withoutServerFields(object) {
  const { managedFields, resourceVersion, generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function pythonOf(way) {
  const lines = {
    create: "fakeapi.create(Path(\"object.yaml\").read_text())",
    apply: `fakeapi.patch("Kind", "name", object, type="apply", fieldManager=${python(MANAGER)})`,
    update: "fakeapi.update(object)",
  };
  return lines[way];
}

/**
 * Returns names of existing objects for the template of a kind: a claim of the namespace that no pod uses, and a DeviceClass.
 *
 * @param {import("./kinds.js").Kind | undefined} kind
 * @param {string} namespace
 * @returns {Promise<{claim: string, deviceClass: string}>} "" for an object that does not exist
 */
async function examples(kind, namespace) {
  const first = async (query) => (await control("GET", "/objects", { query: { group: "resource.k8s.io", limit: 1, ...query } })).objects[0];
  const claim = kind?.resource === "pods" ? (await control("GET", "/claims", { query: { namespace, limit: CLAIMS_READ } })).claims.find((each) => !each.pods.length) : undefined;
  const deviceClass = DEVICE_KINDS.has(kind?.resource ?? "") ? await first({ resource: "deviceclasses" }) : undefined;
  return { claim: claim?.name ?? "", deviceClass: deviceClass?.name ?? "" };
}

const DEVICE_KINDS = new Set(["resourceclaims", "resourceclaimtemplates"]);

function template(kind, namespace, name, { claim, deviceClass } = { claim: "", deviceClass: "" }) {
  if (!kind) {
    return "";
  }
  const version = kind.group ? `${kind.group}/${kind.version}` : kind.version;
  const metadata = kind.namespaced ? { name, namespace } : { name };
  return toYaml({ apiVersion: version, kind: kind.kind, metadata, ...(SPECS[kind.resource]?.({ claim, deviceClass: deviceClass || "gpu.example.com" }) ?? {}) });
}

const requesting = (deviceClass) => ({ spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: deviceClass } }] } } });

/** Functions that return the contents of new objects of common kinds. A pod names a claim only if one exists. */
const SPECS = {
  resourceclaims: ({ deviceClass }) => requesting(deviceClass),
  resourceclaimtemplates: ({ deviceClass }) => ({ spec: requesting(deviceClass) }),
  deviceclasses: () => ({ spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] } }),
  resourceslices: () => ({
    spec: { driver: "gpu.example.com", nodeName: "node-1", pool: { name: "node-1", generation: 1, resourceSliceCount: 1 }, devices: [{ name: "gpu-0" }] },
  }),
  pods: ({ claim }) => ({
    spec: claim
      ? { containers: [{ name: "main", image: "train:1", resources: { claims: [{ name: "gpu" }] } }], resourceClaims: [{ name: "gpu", resourceClaimName: claim }] }
      : { containers: [{ name: "main", image: "train:1" }] },
  }),
  configmaps: () => ({ data: { key: "value" } }),
};
