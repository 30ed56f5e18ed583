// Reads the kinds that the server serves, and finds a kind among them.

import { control } from "./api.js";

/** @typedef {{group: string, version: string, resource: string, kind: string, namespaced: boolean, objects: number}} Kind */

/** @type {Kind[]} */
let known = [];

/** @type {Promise<Kind[]> | null} */
let reading = null;

/** @returns {Promise<Kind[]>} all served kinds, those with objects first */
export function readKinds() {
  reading ??= control("GET", "/kinds", { query: { served: true } }).then(
    (kinds) => {
      known = kinds;
      reading = null;
      return known;
    },
    (problem) => {
      reading = null;
      throw problem;
    },
  );
  return reading;
}

/**
 * @param {string} kind such as Pod
 * @param {string} apiVersion such as v1
 * @returns {Promise<Kind | undefined>}
 */
export async function kindOf(kind, apiVersion) {
  const all = known.length ? known : await readKinds();
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return all.find((each) => each.kind === kind && each.group === group);
}

/**
 * @param {string} group
 * @param {string} resource
 * @returns {Promise<Kind | undefined>}
 */
export async function kindOfResource(group, resource) {
  const all = known.length ? known : await readKinds();
  return all.find((each) => each.resource === resource && each.group === group);
}

/** The groups of kinds in the list. A kind is in the first group whose function returns true. */
const THEMES = [
  ["Devices", (kind) => kind.group === "resource.k8s.io" || kind.resource === "nodes"],
  ["Pods and workloads", (kind) => kind.resource === "pods" || ["apps", "batch"].includes(kind.group)],
  ["Cluster", () => true],
];

/** @param {Kind[]} kinds */
export function themes(kinds) {
  const left = new Set(kinds);
  return THEMES.map(([title, belongs]) => {
    const of = [...left].filter(/** @type {any} */ (belongs));
    of.forEach((each) => left.delete(each));
    return { title: String(title), kinds: of };
  });
}
