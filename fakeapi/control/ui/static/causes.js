// Reads the explanations of objects one after the other, and keeps each one until the state of its object changes.

import { control } from "./api.js";
import { useEffect, useState } from "./preact.js";

// Maximum number of rows whose explanations a view reads and searches.
export const CAUSES_MAX = 300;
/** @typedef {{kind: string, namespace: string, name: string, message?: string, reason?: string, state?: string}} Row */
/** @typedef {{of: string, summary: string, text: string}} Cause `of`: the state of the explained row. `text`: all texts of the explanation in lower case. */

/** @type {Map<string, Cause>} */
const causes = new Map();
/** @type {Map<string, {row: Row, done: Set<() => void>}>} */
const queue = new Map();
let isReading = false;

export const explain = (kind, namespace, name) => control("GET", `/explain/${kind}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

const keyOf = (row) => `${row.kind}/${row.namespace}/${row.name}`;
const stateOf = (row) => `${row.state ?? ""} ${row.message ?? ""} ${row.reason ?? ""}`;
const isKnown = (row) => causes.get(keyOf(row))?.of === stateOf(row);

/** Returns all texts in a JSON value as one text, for the filter. */
function textOf(value) {
  return typeof value === "object" && value !== null ? Object.values(value).map(textOf).join(" ") : String(value ?? "");
}

/**
 * Returns the known causes by KIND/NAMESPACE/NAME. Reads the missing and outdated causes of `rows`.
 *
 * @param {Row[]} rows
 * @returns {Map<string, Cause>}
 */
export function useCauses(rows) {
  const [, draw] = useState(0);
  const states = rows.slice(0, CAUSES_MAX).map((row) => `${keyOf(row)} ${stateOf(row)}`).join("\n");
  useEffect(() => {
    const again = () => draw((turn) => turn + 1);
    for (const row of rows.slice(0, CAUSES_MAX).filter((each) => !isKnown(each))) {
      const waiting = queue.get(keyOf(row)) ?? { row, done: new Set() };
      waiting.row = row;
      waiting.done.add(again);
      queue.set(keyOf(row), waiting);
    }
    readAll();
    return () => {
      // The explanations of rows that are not shown are not needed any more.
      for (const [key, waiting] of queue) {
        waiting.done.delete(again);
        if (!waiting.done.size) queue.delete(key);
      }
    };
  }, [states]);
  return causes;
}

async function readAll() {
  if (isReading) return;
  isReading = true;
  for (let next = queue.entries().next().value; next; next = queue.entries().next().value) {
    const [key, { row, done }] = next;
    const begun = performance.now();
    const answer = await explain(row.kind, row.namespace, row.name).catch(() => null);
    if (causes.size >= CAUSES_MAX * 2) causes.clear();
    causes.set(key, { of: stateOf(row), summary: answer?.summary ?? "", text: textOf(answer).toLowerCase() });
    if (queue.get(key)?.row === row) queue.delete(key);
    done.forEach((draw) => draw());
    // Pause as long as the request took, so that the server has time for other requests.
    await new Promise((rested) => setTimeout(rested, performance.now() - begun));
  }
  isReading = false;
}
