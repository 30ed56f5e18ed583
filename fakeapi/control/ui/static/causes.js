// Reads the explanations of visible rows, and keeps each one until the object of the row changes.

import { control, Refused } from "./api.js";
import { useEffect, useRef, useState } from "./preact.js";

// Maximum number of explanations that the page requests at once. The server computes one after the other.
const AT_ONCE = 2;
/** Maximum number of explanations that the page reads at once for the filter. The page keeps twice as many. */
export const CAUSES_MAX = 300;
// Other objects can change an explanation. The page reads it again after STALE_TIMES times as long as it took. So a
// window full of rows keeps the server busy for a fifth of the time at most.
const STALE_TIMES = 100;
const STALE_LEAST_MS = 15000;
const RETRY_MS = 1000;

/** @typedef {{kind: string, namespace: string, name: string, resourceVersion: string, message?: string, reason?: string, pods?: string[], claims?: string[], shared?: string}} Row `shared`: identifies rows that wait for the same cause and share one explanation */
/** @typedef {{place: string, of: string, summary: string, text: string, shared: string, fresh: number, isOwn: boolean}} Cause `place` and `of`: the explained row and its version. `text`: all texts of the explanation in lower case. `shared`: the texts that do not name the explained row. `fresh`: the time until which the page does not read it again. `isOwn`: whether the summary names the explained row, so that other rows cannot share it. */
/** @typedef {{row: Row, visible: Set<object>, waiting: Set<object>}} Wanted the visible and the other places that wait for an explanation */

/** @type {Map<string, Cause>} */
const causes = new Map();
/** @type {Map<string, Wanted>} */
const wanted = new Map();
/** @type {Map<string, AbortController>} */
const reading = new Map();
/** @type {Set<(key: string) => void>} */
const listeners = new Set();
let restsUntil = 0;

/**
 * @param {string} kind pod, claim or namespace
 * @param {string} namespace "" for a namespace
 * @param {string} name
 * @param {AbortSignal} [signal]
 */
export function explain(kind, namespace, name, signal) {
  const place = [kind, namespace, name].filter(Boolean).map(encodeURIComponent).join("/");
  return control("GET", `/explain/${place}`, { signal });
}

/** @param {{kind: string, namespace: string, name: string}} row */
export const placeOf = (row) => `${row.kind}/${row.namespace}/${row.name}`;
/** @param {{kind: string, namespace: string, name: string, shared?: string}} row */
export const keyOf = (row) => (row.shared ? `shared/${row.shared}` : placeOf(row));
// The message of a claim is in the conditions of its pod.
const versionOf = (row) => `${row.resourceVersion} ${row.message || row.reason || ""}`;

function isKnown(row) {
  const cause = causes.get(keyOf(row));
  const isSame = cause?.place !== placeOf(row) || cause.of === versionOf(row);
  return cause !== undefined && isSame && performance.now() < cause.fresh;
}

/** Returns the row, without `shared` if its shared explanation is only about another row. */
function asked(row) {
  const cause = row.shared ? causes.get(keyOf(row)) : undefined;
  return cause?.isOwn && cause.place !== placeOf(row) ? { ...row, shared: "" } : row;
}

/** Whether a text names the row, or a pod or claim of the row. */
function namesRow(text, row) {
  const words = new Set(text.split(/[^\w./-]+/).flatMap((word) => [word, word.split("/").at(-1) ?? ""]));
  return [row.name, ...(row.pods ?? []), ...(row.claims ?? [])].some((name) => words.has(name));
}

/** Returns all texts in a JSON value, for the filter. @returns {string[]} */
function textsOf(value) {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [String(value ?? "")];
}

/** Returns the texts of the explanation of a row in lower case, as far as they are true for the row; "" if unknown. */
export function knownText(/** @type {Row} */ row) {
  const cause = causes.get(keyOf(asked(row)));
  return cause ? (cause.place === placeOf(row) && !row.shared ? cause.text : cause.shared) : "";
}

// which rows are visible -----------------------------------------------------------------------------------------

/** @type {WeakMap<Element, (isVisible: boolean) => void>} */
const watched = new WeakMap();
const observer = new IntersectionObserver((entries) => entries.forEach((entry) => watched.get(entry.target)?.(entry.isIntersecting)));

/**
 * Returns the cause of a row, if it is known. Reads the cause while the element with the returned `ref` is visible.
 *
 * @param {Row} row
 * @returns {[{current: any}, Cause | undefined]}
 */
export function useCause(row) {
  const element = useRef(/** @type {any} */ (null));
  const [isVisible, setVisible] = useState(false);
  const about = asked(row);
  const key = keyOf(about);
  useEffect(() => {
    const shown = element.current;
    watched.set(shown, setVisible);
    observer.observe(shown);
    return () => observer.unobserve(shown);
  }, []);
  useEffect(() => (isVisible ? want([about], "visible") : undefined), [row, key, isVisible]);
  useArrivals((arrived) => arrived === key);
  return [element, causes.get(key)];
}

/**
 * The causes that are known, by KIND/NAMESPACE/NAME. Draws the caller again when others arrive, if `follows` is true.
 *
 * @param {boolean} follows
 * @returns {Map<string, Cause>}
 */
export function useKnownCauses(follows) {
  useArrivals(() => follows);
  return causes;
}

/**
 * Reads the causes of these rows after those of visible rows, as long as the caller is shown.
 *
 * @param {Row[]} rows
 */
export function useReading(rows) {
  useEffect(() => want(rows, "waiting"), [rows.map((row) => `${keyOf(row)} ${versionOf(row)}`).join("\n")]);
}

/** Draws the caller again after an answer arrived whose key it wants. */
function useArrivals(/** @type {(key: string) => boolean} */ wants) {
  const [, draw] = useState(0);
  const latest = useRef(wants);
  latest.current = wants;
  useEffect(() => {
    const hear = (/** @type {string} */ key) => latest.current(key) && draw((turn) => turn + 1);
    listeners.add(hear);
    return () => listeners.delete(hear);
  }, []);
}

/** Lets the page read all explanations again, because an object changed that many of them read. */
export function outdate() {
  causes.forEach((cause) => (cause.fresh = 0));
}

// reading --------------------------------------------------------------------------------------------------------

/**
 * Asks for the causes of rows. The returned function stops that, and cancels requests that nobody else waits for.
 *
 * @param {Row[]} rows
 * @param {"visible" | "waiting"} how
 */
function want(rows, how) {
  const unknown = rows.filter((row) => !isKnown(row));
  const asker = {};
  for (const row of unknown) {
    const entry = wanted.get(keyOf(row)) ?? { row, visible: new Set(), waiting: new Set() };
    entry.row = row;
    entry[how].add(asker);
    wanted.set(keyOf(row), entry);
  }
  readNext();
  return () => {
    for (const key of unknown.map(keyOf)) {
      const entry = wanted.get(key);
      entry?.[how].delete(asker);
      if (!entry?.visible.size && !entry?.waiting.size) wanted.delete(key);
    }
    // A row that is drawn with newer data asks again in the same turn, and its request goes on.
    queueMicrotask(() => reading.forEach((leave, key) => wanted.has(key) || leave.abort()));
  };
}

function readNext() {
  const rests = restsUntil - performance.now();
  if (rests > 0 || document.hidden) {
    return;
  }
  const entries = [...wanted].filter(([key]) => !reading.has(key));
  const ordered = [...entries.filter(([, entry]) => entry.visible.size), ...entries.filter(([, entry]) => !entry.visible.size)];
  ordered.slice(0, Math.max(0, AT_ONCE - reading.size)).forEach(([key, entry]) => read(key, entry.row));
}

/** @param {string} key @param {Row} row */
async function read(key, row) {
  const leave = new AbortController();
  reading.set(key, leave);
  const begun = performance.now();
  try {
    keep(key, row, await explain(row.kind, row.namespace, row.name, leave.signal), performance.now() - begun);
  } catch (problem) {
    if (leave.signal.aborted) {
      // The row is no longer visible.
    } else if (problem instanceof Refused && problem.code !== 429) {
      keep(key, row, null, performance.now() - begun);
    } else {
      rest();
    }
  }
  reading.delete(key);
  readNext();
}

/** Asks nothing for a moment: the server has too much to explain, or does not answer. */
function rest() {
  restsUntil = performance.now() + RETRY_MS;
  setTimeout(readNext, RETRY_MS + 1);
}

function keep(key, row, answer, took) {
  const fresh = performance.now() + Math.max(STALE_LEAST_MS, STALE_TIMES * took);
  causes.delete(key);
  if (causes.size >= 2 * CAUSES_MAX) causes.delete(causes.keys().next().value ?? "");
  const summary = answer?.summary ?? "";
  const texts = textsOf(answer);
  const shared = row.shared ? texts.filter((text) => !namesRow(text, row)) : texts;
  const [text, others] = [texts, shared].map((some) => some.join(" ").toLowerCase());
  causes.set(key, { place: placeOf(row), of: versionOf(row), summary, text, shared: others, fresh, isOwn: namesRow(summary, row) });
  const entry = wanted.get(key);
  if (entry && isKnown(entry.row)) {
    wanted.delete(key);
  } else if (entry) {
    // The object has changed meanwhile: after the other rows, it is read again.
    wanted.delete(key);
    wanted.set(key, entry);
  }
  listeners.forEach((hear) => hear(key));
}

document.addEventListener("visibilitychange", readNext);
