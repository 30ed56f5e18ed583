// Open watches, and how far behind each is.

import { control } from "./api.js";
import { clock, el, table } from "./dom.js";

export async function show(main) {
  const content = el("div", {});
  main.append(el("h2", {}, "Open watches"), content);

  async function draw() {
    const { watches } = await control("GET", "/watches");
    const rows = watches.map((each) =>
      el(
        "tr",
        {},
        el("td", {}, clock(each.received)),
        el("td", {}, `${each.resource}${each.namespace ? ` in ${each.namespace}` : ""}${each.name ? ` ${each.name}` : ""}`),
        el("td", { title: each.agent ?? "" }, (each.agent ?? "").split("/")[0] || each.user || ""),
        el("td", { class: "number" }, String(each.watch?.events ?? 0)),
        el("td", { class: "number" }, String(each.watch?.bookmarks ?? 0)),
        el("td", { class: `number ${each.watch?.behind ? "warn" : "good"}` }, String(each.watch?.behind ?? 0)),
        el("td", { class: "number" }, each.watch?.resourceVersion ?? ""),
      ),
    );
    const columns = ["Since", "Of", "Actor", "Events", "Bookmarks", "Behind", "Last resourceVersion"];
    content.replaceChildren(
      watches.length ? table(watches.length === 1 ? "1 open watch" : `${watches.length} open watches`, columns, rows).box : el("p", {}, "No watch is open."),
    );
  }

  await draw();
  return draw;
}
