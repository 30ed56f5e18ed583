// The life of each claim on one line: created, allocated, reserved by whom, prepared, released, deleted.

import { control } from "./api.js";
import { counted, el, objectLink, table } from "./dom.js";

const CLAIMS = { group: "resource.k8s.io", resource: "resourceclaims" };
const SHOWN = 100;

export const FOLLOWS = ["object"];

export async function show(main) {
  const content = el("div", {});
  main.append(el("h2", {}, "Claims"), content);
  const lives = new Map(); // a claim's place → its version and its line, so that only changes are asked again

  async function draw() {
    let page = { objects: [], more: 0 };
    try {
      page = await control("GET", "/objects", { query: { ...CLAIMS, limit: SHOWN } });
    } catch (error) {
      if (error.code !== 404) {
        throw error;
      }
    }
    for (const each of page.objects) {
      if (lives.get(each.place)?.version !== each.resourceVersion) {
        const query = { ...CLAIMS, namespace: each.namespace, name: each.name };
        const history = await control("GET", "/history", { query });
        lives.set(each.place, { version: each.resourceVersion, steps: life(history.versions) });
      }
    }
    const rows = page.objects.map((each) =>
      el(
        "tr",
        {},
        el("td", {}, each.namespace),
        el("td", {}, objectLink(CLAIMS.group, CLAIMS.resource, each.namespace, each.name)),
        el("td", {}, line(lives.get(each.place).steps)),
      ),
    );
    const caption = `${counted(page.objects.length, "claim")}${page.more ? `, the first of ${page.objects.length + page.more}` : ""}`;
    content.replaceChildren(
      page.objects.length ? table(caption, ["Namespace", "Name", "Life"], rows).box : el("p", {}, "There are no claims."),
    );
  }

  await draw();
  return draw;
}

// The steps of a claim, from its versions, oldest first.
export function life(versions) {
  const steps = [];
  let allocated = false;
  let reserved = new Set();
  let prepared = new Set();
  for (const { change, object, resourceVersion } of versions) {
    const at = `resourceVersion ${resourceVersion}`;
    if (!steps.length) {
      steps.push({ text: "created", title: object.metadata.creationTimestamp, kind: "done" });
    }
    const allocation = object.status?.allocation;
    if (Boolean(allocation) !== allocated) {
      allocated = Boolean(allocation);
      steps.push({ text: allocated ? `allocated: ${devices(allocation)}` : "deallocated", title: at, kind: allocated ? "done" : "ended" });
    }
    const now = new Set((object.status?.reservedFor ?? []).map((each) => `${each.resource} ${each.name}`));
    for (const each of now) {
      if (!reserved.has(each)) {
        steps.push({ text: `reserved by ${each}`, title: at, kind: "done" });
      }
    }
    for (const each of reserved) {
      if (!now.has(each)) {
        steps.push({ text: `released by ${each}`, title: at, kind: "ended" });
      }
    }
    reserved = now;
    const ready = new Set((object.status?.devices ?? []).map((each) => each.driver));
    for (const each of ready) {
      if (!prepared.has(each)) {
        steps.push({ text: `prepared by ${each}`, title: at, kind: "done" });
      }
    }
    prepared = ready;
    if (object.metadata.deletionTimestamp && !steps.some((each) => each.text === "deleting")) {
      steps.push({ text: "deleting", title: object.metadata.deletionTimestamp, kind: "ended" });
    }
    if (change === "DELETED") {
      steps.push({ text: "deleted", title: at, kind: "ended" });
    }
  }
  return steps;
}

function devices(allocation) {
  const results = allocation.devices?.results ?? [];
  return results.length ? results.map((each) => `${each.pool}/${each.device}`).join(", ") : "without devices";
}

function line(steps) {
  return el("ol", { class: "life" }, steps.map((each) => el("li", { class: each.kind, title: each.title }, each.text)));
}
