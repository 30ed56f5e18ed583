// The view of the controllers of the server, their current work, and the simulated drivers.

import { control } from "./api.js";
import { useLive } from "./live.js";
import { html } from "./preact.js";
import { CARD_HEIGHT, CARD_LINE, Table, TWO_LINES_HEIGHT } from "./table.js";
import { counted } from "./text.js";
import { Code, Empty, Heading, Problem } from "./ui.js";
import { Drivers } from "./drivers.js";

export function Controllers() {
  const { data, error } = useLive(() => control("GET", "/controllers"), [], { types: ["request", "object"], least: 1000 });
  const failing = (data?.controllers ?? []).filter((each) => each.lastError).length;
  return html`<${Heading} title="Controllers and drivers" lead=${data ? `${counted(data.controllers.length, "controller")}${failing ? `, ${failing} of them with errors` : ""}` : "Reading…"} />
    <${Problem} error=${error} />
    <${Drivers} />
    <h2 class="after">Controllers</h2>
    ${data &&
    html`<${Table} whole cards=${CARD_HEIGHT + (failing ? 2 * CARD_LINE : 0)} height=${failing ? TWO_LINES_HEIGHT : undefined} label="Controllers" order="with errors first" columns=${COLUMNS} rows=${[...data.controllers].sort((a, b) => Number(b.failed > 0) - Number(a.failed > 0))} id=${(row) => row.name}
      empty=${html`<${Empty} icon="controllers" title="No controller runs in this server"><p>With controllers, templates become claims, claims are allocated, pods run, and orphans are deleted.</p>
        <${Code} text="fakeapi serve --controllers all --nodes node-1,node-2" label="command" /><${Code} text=${'FakeAPI(controllers="all", nodes="node-1,node-2")'} label="Python line" /><//>`} />`}
    <p class="soft after">Failed counts attempts that ended with an error, for example because the server refused a request of the controller, or because a driver could not prepare a claim. The controller tries again later. The object of the last error often has an event, and pods have their reason on <a href="#/why">Pending</a>.</p>`;
}

const COLUMNS = [
  { name: "Controller", className: "name of-line", show: (row) => row.name },
  { name: "Now", className: "of-age", sort: (row) => row.busyWith, show: (row) => (row.busyWith ? html`<code>${row.busyWith}</code>` : html`<span class="soft">idle</span>`) },
  { name: "In queue", className: "of-count", label: "queue", number: true, title: "Keys that the controller has not handled yet", sort: (row) => row.waiting, show: (row) => row.waiting },
  { name: "To retry", className: "of-count", label: "retry", number: true, title: "Keys that the controller retries after a delay", sort: (row) => row.delayed, show: (row) => row.delayed },
  { name: "Done", className: "of-count", label: "done", number: true, sort: (row) => row.reconciled, show: (row) => row.reconciled.toLocaleString("en") },
  { name: "Failed", className: "of-count", label: "failed", number: true, sort: (row) => row.failed, show: (row) => html`<span class=${row.failed ? "bad" : ""}>${row.failed}</span>` },
  { name: "Last error", className: "grow of-error", show: (row) => row.lastError && html`<span title=${row.lastError}>${row.lastError}</span>` },
];
