// Formats numbers, times, names and addresses for the page.

/**
 * @param {number} number
 * @param {string} noun
 * @param {string} [plural]
 */
export function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** @typedef {{pods: number, crashing: number, workloads: Record<string, number>, unusedClaims: number, deletingPods: number, deletingClaims: number, deletingNamespaces: number}} Attention the numbers of GET /pending */

/** @type {Attention} */
export const NO_ATTENTION = { pods: 0, crashing: 0, workloads: {}, unusedClaims: 0, deletingPods: 0, deletingClaims: 0, deletingNamespaces: 0 };

const be = (/** @type {number} */ number) => (number === 1 ? "is" : "are");

/**
 * Describes the objects that wait or need attention, such as "6 pods are pending, 1 pod crashes". `fakeapi top` uses the
 * same words.
 *
 * @param {Attention} numbers
 */
export function attention({ pods, crashing, workloads, unusedClaims, deletingPods, deletingClaims, deletingNamespaces }) {
  const deleting = [["pod", deletingPods], ["claim", deletingClaims], ["namespace", deletingNamespaces]];
  return [
    pods && `${counted(pods, "pod")} ${be(pods)} pending`,
    crashing && `${counted(crashing, "pod")} ${crashing === 1 ? "crashes" : "crash"}`,
    ...Object.entries(workloads).map(([kind, number]) => `${counted(number, kind)} ${number === 1 ? "lacks" : "lack"} pods`),
    unusedClaims && `${counted(unusedClaims, "claim")} without a pod ${be(unusedClaims)} pending`,
    ...deleting.map(([noun, number]) => number && `${counted(Number(number), String(noun))} ${be(Number(number))} being deleted`),
  ].filter(Boolean).join(", ");
}

/**
 * Returns the number of all objects that wait or need attention. No object counts twice.
 *
 * @param {Attention} numbers
 */
export function total({ workloads, ...others }) {
  return [...Object.values(others), ...Object.values(workloads)].reduce((sum, number) => sum + number, 0);
}

/** @param {number} seconds since the epoch */
export function clock(seconds) {
  return new Date(seconds * 1000).toISOString().slice(11, 23);
}

/** @param {string} stamp RFC 3339 */
export function secondsOf(stamp) {
  return stamp ? Date.parse(stamp) / 1000 : Number.NaN;
}

/**
 * Formats an age as kubectl does.
 *
 * @param {number} seconds
 */
export function age(seconds) {
  const whole = Math.floor(seconds);
  if (!Number.isFinite(whole) || whole < -1) {
    return Number.isFinite(whole) ? "<invalid>" : "<unknown>";
  }
  const [minutes, hours, days] = [60, 3600, 86400].map((unit) => Math.floor(Math.max(whole, 0) / unit));
  const two = (large, unit, small, smallUnit) => `${large}${unit}${small ? `${small}${smallUnit}` : ""}`;
  if (minutes < 2) return `${Math.max(whole, 0)}s`;
  if (minutes < 10) return two(minutes, "m", whole % 60, "s");
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (days < 2) return `${hours}h`;
  if (days < 8) return two(days, "d", hours % 24, "h");
  return days < 730 ? `${days}d` : two(Math.floor(days / 365), "y", days % 365, "d");
}

/**
 * Formats a duration with three digits; from two minutes, as an age.
 *
 * @param {number} seconds
 */
export function duration(seconds) {
  const whole = Math.abs(seconds);
  if (whole < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (whole < 1) return `${Number((seconds * 1000).toPrecision(3))} ms`;
  if (whole < 120) return `${Number(seconds.toPrecision(3))} s`;
  return age(seconds);
}

/**
 * @param {string} namespace
 * @param {string} name
 */
export function placed(namespace, name) {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Returns the address of a view. Encodes the parts, and writes "-" for an empty part.
 *
 * @param {string} view
 * @param {...string} parts
 */
export function href(view, ...parts) {
  return `#/${[view, ...parts.map((part) => encodeURIComponent(part || "-"))].join("/")}`;
}

/**
 * Returns the text of a decoded part of an address; "" for "-".
 *
 * @param {string | undefined} part
 */
export function partOf(part) {
  return !part || part === "-" ? "" : part;
}

/**
 * @param {string} group
 * @param {string} resource
 * @param {string} namespace
 * @param {string} name
 */
export function objectHref(group, resource, namespace, name) {
  return href("object", group, resource, namespace, name);
}

/** @param {string} driver @returns {string} the name of a driver without a common domain */
export function shortDriver(driver) {
  return driver.replace(/\.(example\.com|k8s\.io|x-k8s\.io)$/, "");
}

/** @param {string} group */
export function apiGroup(group, resource) {
  return group ? `${resource}.${group}` : resource;
}

/** @param {string} text @returns {string} the text, in quotes if a shell needs quotes */
export function shell(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {unknown} value @returns {string} the value as a Python expression */
export function python(value) {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([name, each]) => `${python(name)}: ${python(each)}`).join(", ")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
