// Clock and snapshots.

import { control } from "./api.js";
import { counted, el, field, say, table } from "./dom.js";

export async function show(main, { guarded }) {
  const now = el("p", { id: "now" });
  const seconds = el("input", { id: "seconds", type: "number", min: "0", step: "any", value: "60" });
  const kept = el("div", {});
  const name = el("input", { id: "snapshot-name", required: true, autocomplete: "off", value: "base" });
  const differing = el("div", { "aria-live": "polite" });

  const move = (path, body) => () => guarded(async () => tell(await control("POST", `/clock/${path}`, { body: body?.() })));

  function tell(clock) {
    const how = clock.frozen ? "frozen" : clock.adjusted ? "running, adjusted" : "running with the machine's";
    now.textContent = `${clock.now}, ${how}`;
  }

  async function take(event) {
    event.preventDefault();
    await guarded(async () => {
      await control("PUT", `/snapshots/${encodeURIComponent(name.value)}`);
      say(`Took ${name.value}`);
      await draw();
    });
  }

  async function restore(each) {
    await control("POST", `/snapshots/${encodeURIComponent(each)}/restore`, { body: {} });
    say(`Restored ${each}`);
    await draw();
  }

  async function remove(each) {
    await control("DELETE", `/snapshots/${encodeURIComponent(each)}`);
    await draw();
  }

  async function compare(each) {
    const { items, more } = await control("GET", "/snapshots/diff", { query: { old: each } });
    const lines = items.flatMap((item) => [
      `${item.kind} ${item.resource} ${item.namespace ? `${item.namespace}/` : ""}${item.name}`,
      ...item.fields.map((one) => `    ${one.path}: ${JSON.stringify(one.old)} -> ${JSON.stringify(one.new)}`),
    ]);
    if (more) {
      lines.push(`and ${more} more objects`);
    }
    differing.replaceChildren(
      el("h3", {}, `Since ${each}`),
      el("pre", { tabindex: "0" }, lines.length ? lines.join("\n") : "No differences."),
    );
  }

  function buttons(each) {
    const made = [["Restore", restore], ["Compare with now", compare], ["Delete", remove]];
    return made.map(([text, work]) =>
      el("button", { type: "button", "aria-label": `${text}: ${each}`, onclick: () => guarded(() => work(each)) }, text),
    );
  }

  async function draw() {
    tell(await control("GET", "/clock"));
    const snapshots = await control("GET", "/snapshots");
    const rows = snapshots.map((each) =>
      el(
        "tr",
        {},
        el("td", {}, each.name),
        el("td", {}, each.takenAt),
        el("td", { class: "number" }, String(each.objects)),
        el("td", {}, buttons(each.name)),
      ),
    );
    kept.replaceChildren(
      snapshots.length
        ? table(counted(snapshots.length, "snapshot"), ["Name", "Taken at", "Objects", ""], rows).box
        : el("p", {}, "No snapshot is kept."),
    );
  }

  main.append(
    el("h2", {}, "Clock"),
    now,
    el(
      "form",
      { class: "row", onsubmit: (event) => event.preventDefault() },
      el("button", { type: "button", onclick: move("freeze", () => ({})) }, "Freeze"),
      el("button", { type: "button", onclick: move("resume") }, "Resume"),
      field("Seconds", seconds),
      el("button", { type: "button", onclick: move("advance", () => ({ seconds: Number(seconds.value) })) }, "Advance"),
    ),
    el("h2", {}, "Snapshots"),
    el("form", { class: "row", onsubmit: take }, field("Name", name), el("button", { class: "main" }, "Take a snapshot")),
    kept,
    differing,
  );
  await draw();
  return draw;
}
