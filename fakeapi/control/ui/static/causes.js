// The short answers of explanations, read one after the other and kept until the state of their object changes.

import { control } from "./api.js";
import { useEffect, useState } from "./preact.js";

// The most explanations that are kept and searched.
export const CAUSES_MAX = 300;
/** @typedef {{kind: string, namespace: string, name: string, message?: string, reason?: string, state?: string}} Row */
/** @typedef {{of: string, summary: string, text: string}} Cause the state of the row that it explains, and all its texts in lower case */

/** @type {Map<string, Cause>} */
const causes = new Map();
/** @type {Map<string, {row: Row, done: Set<() => void>}>} */
const queue = new Map();
let isReading = false;

export const explain = (kind, namespace, name) => control("GET", `/explain/${kind}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

const keyOf = (row) => `${row.kind}/${row.namespace}/${row.name}`;
const stateOf = (row) => `${row.state ?? ""} ${row.message ?? ""} ${row.reason ?? ""}`;
const isKnown = (row) => causes.get(keyOf(row))?.of === stateOf(row);

/** All texts of a value of JSON, for the filter. */
function textOf(value) {
  return typeof value === "object" && value !== null ? Object.values(value).map(textOf).join(" ") : String(value ?? "");
}

/**
 * The causes that are known, by KIND/NAMESPACE/NAME. Reads those of `rows` that are missing or no longer true.
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
      // Nobody waits for the explanations of rows that are not shown.
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
    // The server rests as long as it worked.
    await new Promise((rested) => setTimeout(rested, performance.now() - begun));
  }
  isReading = false;
}
