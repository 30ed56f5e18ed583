// Sorts the rows of a table: numbers, durations and quantities by value, and names in natural order.

const collator = new Intl.Collator("en", { numeric: true });

const UNITS = { d: 86400, h: 3600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6, us: 1e-6, y: 365 * 86400 };
const DURATION = /^(?:\d+(?:\.\d+)?\s?(?:ms|µs|us|[ydhms]))+$/;
const SUFFIXES = { n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 };
const QUANTITY = /^([+-]?\d+(?:\.\d+)?)(?:(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE])|[eE]([+-]?\d+))?$/;
// A number with a remark, such as the restarts "3 (2m ago)" of kubectl, or a percentage.
const NUMBER = /^([+-]?\d+(?:\.\d+)?)\s?(?:%|\([^)]*\))?$/;
// The texts of kubectl for a missing value. They come first.
const NOTHING = /^(?:|<none>|<unknown>|<unset>|<invalid>|n\/a)$/;

/**
 * The value of a duration or age in seconds, such as 90 for "1m30s"; undefined for another text.
 *
 * @param {string} text
 */
function seconds(text) {
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s?(ms|µs|us|[ydhms])/g)];
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit], 0);
}

/** @param {string} text @returns {number | undefined} the value of a Kubernetes quantity such as "512Mi" */
function quantity(text) {
  const match = text.match(QUANTITY);
  if (!match) return undefined;
  return Number(match[1]) * (match[3] ? 10 ** Number(match[3]) : SUFFIXES[match[2] ?? ""]);
}

/** @param {string} text */
const number = (text) => (NUMBER.test(text) ? Number.parseFloat(text) : undefined);

// The first of these functions that reads all texts of a column is used. "5m" is a duration and a quantity: it is a
// quantity only in a column with texts that are no durations.
const READERS = [number, seconds, quantity];

/**
 * Returns the rows in the order of their keys. Compares the keys as numbers, durations or quantities if all of them are
 * such values; as names in natural order otherwise.
 *
 * @template Row
 * @param {Row[]} rows
 * @param {(row: Row) => unknown} key
 * @param {number} direction 1 or -1
 * @returns {Row[]}
 */
export function sorted(rows, key, direction) {
  const keys = values(rows.map((row) => key(row) ?? ""));
  return rows.map((row, index) => ({ row, key: keys[index] })).sort((a, b) => compare(a.key, b.key) * direction).map(({ row }) => row);
}

/** Returns the keys as numbers if one reader reads all of them; unchanged otherwise. */
function values(/** @type {any[]} */ keys) {
  const texts = keys.filter((key) => typeof key !== "number").map(String).filter((text) => !NOTHING.test(text));
  const read = texts.length ? READERS.find((each) => texts.every((text) => each(text) !== undefined)) : number;
  return read ? keys.map((key) => (typeof key === "number" ? key : NOTHING.test(String(key)) ? Number.NEGATIVE_INFINITY : read(String(key)))) : keys;
}

/** Compares two names in natural order, in which node-2 comes before node-10. */
export const compareNames = collator.compare;

function compare(/** @type {any} */ a, /** @type {any} */ b) {
  if (typeof a === "number" && typeof b === "number") {
    const [left, right] = [a, b].map((each) => (Number.isNaN(each) ? Number.NEGATIVE_INFINITY : each));
    return left === right ? 0 : left - right;
  }
  return compareNames(String(a), String(b));
}
