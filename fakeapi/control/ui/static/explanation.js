// Reads and shows the explanation of one pod, claim or namespace.

import { Refused } from "./api.js";
import { explain } from "./causes.js";
import { Explained } from "./explained.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import { isRemedy, useLive } from "./live.js";
import { placed, python, shell } from "./text.js";
import { Problem, SameAs } from "./ui.js";

/**
 * The word for the kind of an object that has an explanation: a pod, a claim, or a namespace that is being deleted.
 *
 * @param {any} object
 * @returns {"" | "pod" | "claim" | "namespace"} "" for other objects
 */
export function explainable(object) {
  if (object?.kind === "Pod") return "pod";
  if (object?.kind === "ResourceClaim") return "claim";
  return object?.kind === "Namespace" && object.metadata.deletionTimestamp ? "namespace" : "";
}

/**
 * Shows the explanation of a pod, claim or namespace; the conditions if the server does not have the endpoint.
 *
 * @param {{kind: string, namespace: string, name: string, object?: any, message?: string}} props
 */
export function Explanation({ kind, namespace, name, object, message = "" }) {
  const [explained, setExplained] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {Error | undefined} */ (undefined));
  const version = object?.metadata?.resourceVersion;
  const latest = useRef({ version, isRead: true });
  const [asked, ask] = useState(version);
  const { data: remedies } = useLive(async (old = -1) => old + 1, [], { only: isRemedy, least: 1000 });
  useEffect(() => {
    const leave = new AbortController();
    const end = () => {
      latest.current.isRead = true;
      ask(latest.current.version);
    };
    latest.current.isRead = false;
    explain(kind, namespace, name, leave.signal).then(
      (answer) => (setExplained(answer), setError(undefined), end()),
      (problem) => leave.signal.aborted || (setError(problem), end()),
    );
    return () => leave.abort();
  }, [kind, namespace, name, asked, remedies ?? 0]);
  useEffect(() => {
    // An answer on its way is not cancelled: an object that changes often would never get one.
    latest.current.version = version;
    if (latest.current.isRead) ask(version);
  }, [version]);
  const isMissing = error instanceof Refused && error.code === 404;
  return html`<div class="explanation">
    ${error && !isMissing && html`<${Problem} error=${error} />`}
    ${!explained && !error && html`<p class="soft" role="status">Reading the explanation…</p>`}
    ${explained && html`<${Explained} value=${explained} />`}
    ${isMissing && html`<${Conditions} object=${object} message=${message} />`}
    <${SameAs} command=${`fakeapi explain ${kind} ${shell(placed(namespace, name))}`} python=${`print(fakeapi.explain(${python(kind)}, ${python(name)}${namespace && `, namespace=${python(namespace)}`}))`} />
  </div>`;
}

function Conditions({ object, message }) {
  const conditions = (object?.status?.conditions ?? []).filter((each) => each.message);
  const texts = conditions.length ? conditions.map((each) => `${each.type} is ${each.status}: ${each.message}`) : [message].filter(Boolean);
  if (!texts.length) {
    return html`<p class="soft">No condition says more.</p>`;
  }
  return html`<ul class="reasons">${texts.flatMap(sentences).map((each) => html`<li>${each}</li>`)}</ul>`;
}

/** Splits a message of the scheduler into its parts. */
export function sentences(text) {
  return String(text).split(/(?<=[.;])\s+|, (?=\d+ )/).map((each) => each.trim()).filter(Boolean);
}
