// Objects by kind, and one object with its history and the differences between its versions.

import { control } from "./api.js";
import { el, field, objectLink, table } from "./dom.js";
import { differences } from "./diff.js";

const PAGE = 200;
const none = (text) => (text === "-" ? "" : text);

export const FOLLOWS = ["object"];

export async function show(main, context) {
  if (context.name === "object") {
    return showObject(main, context.place);
  }
  return showKinds(main, context);
}

async function showKinds(main, { place, guarded }) {
  let [group, resource] = [none(place[0] ?? "-"), place[1]];
  let shown = PAGE;
  const list = el("ul", { class: "kinds" });
  const found = el("section", { "aria-label": "Objects" });
  const search = el("input", { type: "search", id: "search", autocomplete: "off" });
  const form = el(
    "form",
    { class: "row", onsubmit: (event) => event.preventDefault() },
    field("Namespace and name contain", search),
  );
  search.addEventListener("input", () => guarded(draw));
  const more = el("button", { type: "button", onclick: () => ((shown += PAGE), guarded(draw)) }, "Show more");
  const content = el("div", {}, el("h2", {}, "Objects"), form, found);
  main.append(el("div", { class: "split" }, el("nav", { "aria-label": "Kinds" }, list), content));

  async function pages() {
    const objects = [];
    let left = 0;
    let after = "";
    do {
      const limit = Math.min(shown - objects.length, 500);
      const query = { group, resource, search: search.value, after, limit };
      const page = await control("GET", "/objects", { query });
      objects.push(...page.objects);
      left = page.more;
      after = page.objects.at(-1)?.place ?? "";
    } while (left && after && objects.length < shown);
    return [objects, left];
  }

  async function draw() {
    const kinds = await control("GET", "/kinds");
    if (!resource && kinds.length) {
      const first = kinds.find((each) => each.resource === "resourceclaims") ?? kinds[0];
      [group, resource] = [first.group, first.resource];
    }
    list.replaceChildren(
      ...kinds.map((each) => {
        const isThis = each.group === group && each.resource === resource;
        const href = `#/objects/${encodeURIComponent(each.group || "-")}/${encodeURIComponent(each.resource)}`;
        const count = el("span", { class: "soft" }, each.objects.toLocaleString("en"));
        const attributes = { href, "aria-current": isThis ? "true" : undefined, title: `${each.group}/${each.version}` };
        return el("li", {}, el("a", attributes, el("span", {}, each.kind), count));
      }),
    );
    if (!resource) {
      found.replaceChildren(el("p", {}, "There are no objects."));
      return;
    }
    const [objects, left] = await pages();
    const rows = objects.map((each) =>
      el(
        "tr",
        {},
        el("td", {}, each.namespace),
        el("td", {}, objectLink(group, resource, each.namespace, each.name)),
        el("td", { class: "number" }, each.resourceVersion),
      ),
    );
    const caption = `${resource}${group ? `.${group}` : ""}: ${objects.length.toLocaleString("en")} shown${
      left ? `, ${left.toLocaleString("en")} more` : ""
    }`;
    const drawn = table(caption, ["Namespace", "Name", "resourceVersion"], rows);
    found.replaceChildren(drawn.box, ...(left ? [more] : []));
  }

  await draw();
  return draw;
}

async function showObject(main, place) {
  const [group, resource, namespace, name, wanted] = place.map(none);
  const title = `${resource} ${namespace ? `${namespace}/` : ""}${name}`;
  const back = `#/objects/${encodeURIComponent(group || "-")}/${encodeURIComponent(resource)}`;
  const content = el("div", {});
  main.append(el("h2", {}, title), el("p", {}, el("a", { href: back }, `All ${resource}`)), content);
  let last = "";

  async function draw() {
    const history = await control("GET", "/history", { query: { group, resource, namespace, name } });
    const versions = history.versions;
    const mark = `${versions.length} ${versions.at(-1).resourceVersion} ${versions.at(-1).change}`;
    if (mark === last) {
      return;
    }
    const isFirst = !last;
    last = mark;
    // The version that was the newest one when the address's version was.
    const then = wanted ? versions.findLast((each) => Number(each.resourceVersion) <= Number(wanted)) : undefined;
    const shown = then ?? versions.at(-1);
    const items = versions
      .map((each, index) => version(each, versions[index - 1], each === then))
      .reverse();
    const at = then ? ` at version ${wanted}` : "";
    const head = shown.change === "DELETED" ? "The object is deleted; its last state" : `The object${at}`;
    content.replaceChildren(
      el("h3", {}, "History"),
      ...(wanted && !then ? [el("p", { role: "status" }, `The object as it was at version ${wanted} is not kept.`)] : []),
      el("ol", { reversed: true }, items),
      ...(history.forgotten ? [el("p", { class: "soft" }, "Earlier versions are not kept.")] : []),
      el("h3", {}, head),
      el("pre", { tabindex: "0" }, JSON.stringify(shown.object, null, 2)),
    );
    if (isFirst) {
      content.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    }
  }

  await draw();
  return draw;
}

function version(each, before, isThen) {
  const attributes = isThen ? { "aria-current": "true" } : {};
  const who = lastManager(each.object);
  const text = `${each.change} at ${each.resourceVersion}${who ? ` by ${who}` : ""}`;
  if (!before || each.change === "DELETED") {
    return el("li", attributes, text);
  }
  const found = differences(before.object, each.object);
  const lines = found.map(({ kind, path, text: value }) => el("div", { class: kind }, `${path}: ${value}`));
  return el("li", attributes, text, el("pre", {}, lines.length ? lines : "nothing but managed fields"));
}

function lastManager(object) {
  const entries = object.metadata?.managedFields ?? [];
  const newest = entries.reduce((best, each) => (!best || (each.time ?? "") >= (best.time ?? "") ? each : best), null);
  return newest ? `${newest.manager} (${newest.time})` : "";
}
