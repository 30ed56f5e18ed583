// The nodes that are not ready. The status of their pods may be old, because only a kubelet changes it.

import { control } from "./api.js";
import { useLive } from "./live.js";
import { html } from "./preact.js";
import { counted, objectHref } from "./text.js";

const REREAD_MS = 2000;
const NAMED = 3;

/** @typedef {{name: string, isUnreachable: boolean, reason: string, pods: number}} SilentNode */

/** @type {Map<string, SilentNode>} */
const NONE = new Map();

/** @returns {Map<string, SilentNode>} the nodes that are not ready, by name */
export function useSilentNodes() {
  const { data } = useLive(read, [], { only: (event) => event.resource === "nodes", least: REREAD_MS });
  return data ?? NONE;
}

/** @type {Promise<Map<string, SilentNode>> | null} */
let reading = null;

/** Reads the nodes once for all components that ask at the same moment. */
function read() {
  reading ??= control("GET", "/silent-nodes").then(
    ({ nodes }) => ((reading = null), new Map(nodes.map((each) => [each.name, each]))),
    (problem) => {
      reading = null;
      throw problem;
    },
  );
  return reading;
}

/** Returns why the status of a pod may be old. @param {SilentNode} node */
export function oldStatus({ name, isUnreachable, reason }) {
  const is = isUnreachable ? `The kubelet of ${name} is silent` : `${name} is not ready`;
  return `${is}${reason ? ` (${reason.replace(/\.$/, "")})` : ""}: the pod keeps its last status`;
}

/** Says how many pods keep their last status, because their nodes are not ready. */
export function SilentNodes() {
  const nodes = [...useSilentNodes().values()];
  const pods = nodes.reduce((sum, each) => sum + each.pods, 0);
  if (!pods) {
    return null;
  }
  const named = nodes.filter((each) => each.pods).slice(0, NAMED);
  const more = nodes.filter((each) => each.pods).length - named.length;
  return html`<p class="note">${counted(pods, "pod")} on nodes that are not ready ${pods === 1 ? "keeps its" : "keep their"} last status:
    ${named.map((each, index) => html`${index > 0 && ","} <a href=${objectHref("", "nodes", "", each.name)} title=${each.reason}>${each.name}</a>`)}${more > 0 && ` and ${more} more`}</p>`;
}
