// The view of the server's clock and of snapshots.

import { control } from "./api.js";
import { Icon } from "./icons.js";
import { useLive } from "./live.js";
import { html, useEffect, useState } from "./preact.js";
import { age, counted, objectHref, placed, python, shell } from "./text.js";
import { text } from "./diff.js";
import { Changes } from "./editor.js";
import { Empty, Field, Heading, Panel, Pill, Problem, SameAs, say, useAction } from "./ui.js";

const TICK_MS = 1000;

export function Clock() {
  return html`<${Heading} title="Clock and snapshots" lead="Move the time of the server, and keep and restore all its objects" /><div class="two"><${Time} /><${Snapshots} /></div>`;
}

function Time() {
  const [clock, setClock] = useState(/** @type {any} */ (null));
  const [seconds, setSeconds] = useState("60");
  const { run, busy, error } = useAction();
  useEffect(() => {
    const read = () => control("GET", "/clock").then(setClock, () => undefined);
    read();
    const timer = setInterval(read, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const move = (way, body) => () =>
    run(async () => {
      setClock(await control("POST", `/clock/${way}`, { body }));
      say(`The clock: ${way}`);
    });
  const amount = Number(seconds);
  const ways = [clock?.frozen ? ["resume", ""] : ["freeze", ""], ["advance", String(amount)]];
  const how = !clock ? "" : clock.frozen ? "frozen" : clock.adjusted ? "running, adjusted" : "running with the machine's clock";
  return html`<section class="card"><h2>Clock</h2>
    <p id="now" class="big">${clock ? clock.now.replace("T", " ") : "Reading…"} <${Pill} kind=${clock?.frozen ? "accent" : ""}>${how}<//></p>
    ${clock?.frozen && html`<p class="note">The clock stands still: ages, timeouts and retries do not go on until you choose Resume or Advance.</p>`}
    ${clock?.adjusted && !clock.frozen && html`<p class="soft">Adjusted: the clock was frozen or moved, and ${aheadText(clock.seconds - Date.now() / 1000)}.</p>`}
    <p class="soft">Ages, leases, timeouts and controllers follow this clock. It never goes back.</p>
    <${Problem} error=${error} />
    <div class="row">
      ${clock?.frozen ? html`<button type="button" disabled=${busy} title="The clock runs on from its current time" onClick=${move("resume")}><${Icon} name="play" />Resume</button>` : html`<button type="button" disabled=${busy} title="The clock stands still: ages, timeouts and retries do not go on" onClick=${move("freeze", {})}><${Icon} name="pause" />Freeze</button>`}
      <${Field} label="Seconds"><input id="seconds" type="number" min="0" step="any" value=${seconds} onInput=${(event) => setSeconds(event.target.value)} /><//>
      <button type="button" class="main" disabled=${busy || !(amount >= 0)} title="Moves the clock on: timers up to then fire at once" onClick=${move("advance", { seconds: amount })}>Advance by ${amount >= 0 ? `${amount} s` : "…"}</button>
    </div>
    <div class="actions">${[["1 minute", 60], ["10 minutes", 600], ["1 hour", 3600], ["1 day", 86400]].map(([amountOf, value]) => html`<button type="button" disabled=${busy} onClick=${() => (setSeconds(String(value)), move("advance", { seconds: value })())}>+ ${amountOf}</button>`)}</div>
    <${SameAs} command=${ways.map(([way, value]) => `fakeapi clock ${way} ${value}`.trim()).join("\n")} python=${ways.map(([way, value]) => `fakeapi.clock.${way}(${value})`).join("\n")} /></section>`;
}

function aheadText(seconds) {
  if (Math.abs(seconds) < 2) return "it agrees with the clock of this browser again";
  return `it is ${age(Math.round(Math.abs(seconds)))} ${seconds > 0 ? "ahead of" : "behind"} the clock of this browser`;
}

function Snapshots() {
  const { data, error, reload } = useLive(() => control("GET", "/snapshots"), [], { types: [] });
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const [compared, setCompared] = useState(/** @type {any} */ (null));
  const [restoring, setRestoring] = useState("");
  const [deleting, setDeleting] = useState("");
  const [replacing, setReplacing] = useState("");
  const action = useAction();
  const names = (data ?? []).map((each) => each.name);
  const name = typed ?? freeName(names);
  const take = () =>
    action.run(async () => {
      await control("PUT", `/snapshots/${encodeURIComponent(name)}`);
      say(`Took ${name}`);
      setReplacing("");
      setTyped(null);
      await reload();
    });
  const submit = (event) => {
    event.preventDefault();
    if (names.includes(name)) setReplacing(name);
    else take();
  };
  const restore = (each) =>
    action.run(async () => {
      await control("POST", `/snapshots/${encodeURIComponent(each)}/restore`, { body: {} });
      say(`Restored ${each}`);
      setRestoring("");
      await reload();
      if (compared) await compare(compared.name);
    });
  const remove = (each) =>
    action.run(async () => {
      await control("DELETE", `/snapshots/${encodeURIComponent(each)}`);
      say(`Deleted ${each}`);
      setDeleting("");
      if (compared?.name === each) setCompared(null);
      await reload();
    });
  const compare = (each) => action.run(async () => setCompared({ name: each, ...(await readDifferences(each)) }));
  return html`<section class="card"><h2>Snapshots</h2>
    <${Problem} error=${error ?? action.error} />
    <form class="row" onSubmit=${submit}>
      <${Field} label="Name"><input id="snapshot-name" required autocomplete="off" value=${name} onInput=${(event) => setTyped(event.target.value)} /><//>
      <button class="main"><${Icon} name="snapshot" />Take a snapshot</button>
    </form>
    ${data && !data.length && html`<${Empty} icon="snapshot" title="No snapshot is kept"><p>A snapshot keeps all objects. Restore it to try something again from the same state.</p><//>`}
    ${data?.length > 0 && html`<p class="soft">${counted(data.length, "snapshot")}</p>`}
    <ul class="snapshots">${(data ?? []).map(
      (each) => html`<li><p><strong>${each.name}</strong> <span class="soft">${counted(each.objects, "object")}, taken at ${each.takenAt.replace("T", " ")}</span></p>
        <div class="actions">
          <button type="button" aria-label=${`Restore: ${each.name}`} onClick=${() => setRestoring(each.name)}>Restore</button>
          <button type="button" aria-label=${`Compare with now: ${each.name}`} onClick=${() => compare(each.name)}>Compare with now</button>
          <a class="button" href=${`../snapshots/${encodeURIComponent(each.name)}/file`} download>Download</a>
          <button type="button" class="quiet" aria-label=${`Delete: ${each.name}`} title="Delete this snapshot" onClick=${() => setDeleting(each.name)}><${Icon} name="trash" /></button>
        </div></li>`,
    )}</ul>
    ${compared && html`<${Compared} ...${compared} />`}
    <${SameAs} command=${["take", "restore", "diff", "delete"].map((way) => `fakeapi snapshot ${way} ${shell(name)}`).join("\n")} python=${`fakeapi.snapshot(${python(name)})\nfakeapi.restore(${python(name)})`} />
    ${restoring && html`<${Restore} name=${restoring} restore=${() => restore(restoring)} error=${action.error} onClose=${() => setRestoring("")} />`}
    ${replacing && html`<${Sure} title=${`Replace ${replacing}?`} text="The snapshot of this name is lost." error=${action.error} verb="Replace" label=${`Replace ${replacing} now`} act=${take} onClose=${() => setReplacing("")} />`}
    ${deleting && html`<${Sure} title=${`Delete the snapshot ${deleting}?`} text="The objects of the server stay as they are." error=${action.error} verb="Delete" label=${`Delete ${deleting} now`} act=${() => remove(deleting)} onClose=${() => setDeleting("")} />`}</section>`;
}

/** Returns the first of base, base-2, base-3 that is not in `names`. */
function freeName(names) {
  let number = 1;
  const name = () => (number === 1 ? "base" : `base-${number}`);
  while (names.includes(name())) number += 1;
  return name();
}

/** Asks before an action that cannot be undone. */
function Sure({ title, text, error, verb, label, act, onClose }) {
  return html`<${Panel} title=${title} onClose=${onClose}><p>${text}</p>
    <${Problem} error=${error} />
    <div class="actions"><button type="button" onClick=${onClose}>Cancel</button><button type="button" class="danger" aria-label=${label} onClick=${act}>${verb}</button></div><//>`;
}

/** Asks before a snapshot is restored, and tells what is lost. */
function Restore({ name, restore, error, onClose }) {
  const [differences, setDifferences] = useState(/** @type {any} */ (null));
  useEffect(() => {
    readDifferences(name).then(setDifferences, () => undefined);
  }, [name]);
  const count = (kind) => (differences?.items ?? []).filter((each) => each.kind === kind && !isNoise(each)).length;
  const more = differences?.more ? " or more" : "";
  const lines = [["added", "created since the snapshot", "deleted"], ["changed", "changed since the snapshot", "set back"], ["removed", "deleted since the snapshot", "created again"]];
  return html`<${Panel} title=${`Restore ${name}?`} onClose=${onClose}><p>All objects are replaced with those of the snapshot:</p>
    <ul class="reasons">${differences && lines.filter(([kind]) => count(kind)).map(([kind, which, becomes]) => html`<li>${counted(count(kind), "object")}${more} ${which} ${count(kind) === 1 ? "is" : "are"} ${becomes}</li>`)}
      ${!differences && html`<li class="soft">Comparing with now…</li>`}
      <li>The history of each object is lost, and begins again with the restore</li>
      <li>Open watches end, and clients list again</li>
      <li>The clock stays as it is, and does not go back to the time of the snapshot</li></ul>
    <p class="soft">Take a snapshot of the present state before, if you may need it again.</p>
    <${Problem} error=${error} />
    <div class="actions"><button type="button" onClick=${onClose}>Cancel</button><button type="button" class="danger" aria-label=${`Restore ${name} now`} onClick=${restore}>Restore</button></div>
    <${SameAs} command=${`fakeapi snapshot restore ${shell(name)}`} python=${`fakeapi.restore(${python(name)})`} /><//>`;
}

const readDifferences = (old) => control("GET", "/snapshots/diff", { query: { old } });

/** Whether a difference is a Lease or an Event, which change all the time. */
const isNoise = ({ resource }) => /^(leases|events)(\.|$)/.test(resource);

function Compared({ name, items, more }) {
  const [all, setAll] = useState(false);
  const real = items.filter((each) => !isNoise(each));
  const noise = items.filter(isNoise);
  return html`<section aria-live="polite"><h3>Since ${name}</h3>
    ${!real.length && html`<p>No differences${noise.length ? " except Leases and Events" : ""}.</p>`}
    ${noise.length > 0 && html`<label class="check"><input id="noise" type="checkbox" checked=${all} onChange=${(event) => setAll(event.target.checked)} />Leases and Events (${noise.length.toLocaleString("en")})</label>`}
    ${[...real, ...(all ? noise : [])].map(
      (item) => html`<details class="difference"><summary><${Pill} kind=${item.kind === "added" ? "good" : item.kind === "removed" ? "bad" : ""}>${item.kind}<//> ${item.resource} ${item.kind === "removed" ? placed(item.namespace, item.name) : html`<a href=${linkOf(item)}>${placed(item.namespace, item.name)}</a>`}</summary>
        <${Changes} changes=${item.fields.flatMap((field) => [change("removed", field.path, field.old), change("added", field.path, field.new)]).filter(Boolean)} /></details>`,
    )}
    ${more > 0 && html`<p class="soft">and ${more} more objects</p>`}</section>`;
}

function linkOf(item) {
  const [resource, ...group] = item.resource.split(".");
  return objectHref(group.join("."), resource, item.namespace, item.name);
}

function change(kind, path, value) {
  return value === null || value === undefined ? null : { kind, path, text: text(value) };
}
