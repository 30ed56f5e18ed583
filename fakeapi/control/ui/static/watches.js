// The view of open watches, each with the number of its unsent events.

import { control } from "./api.js";
import { useLive } from "./live.js";
import { html } from "./preact.js";
import { agentName } from "./requests.js";
import { CARD_HEIGHT, CARD_LINE, Table } from "./table.js";
import { clock, counted, placed } from "./text.js";
import { Empty, Heading, Problem, remember, Search } from "./ui.js";

export function Watches() {
  const [search, setSearch] = remember("search", "");
  const { data, error } = useLive(() => control("GET", "/watches"), [], { types: ["request", "object"], least: 1000 });
  const rows = (data?.watches ?? []).filter((each) => `${each.resource} ${objects(each)} ${each.agent ?? ""} ${each.user ?? ""}`.toLowerCase().includes(search.toLowerCase()));
  return html`<${Heading} title="Watches" lead=${data ? counted(data.watches.length, "open watch", "open watches") : "Reading…"} />
    <div class="filters"><${Search} value=${search} onInput=${setSearch} label="Filter by resource, objects, user agent or user" placeholder="Resource, objects, user agent or user" /></div>
    <${Problem} error=${error} />
    ${data &&
    html`<${Table} cards=${CARD_HEIGHT + CARD_LINE} label="Open watches" order="oldest first" columns=${COLUMNS} rows=${rows} id=${(row) => String(row.number)}
      empty=${html`<${Empty} icon="watches" title=${data.watches.length ? "No watch matches" : "No watch is open"}><p>A watch of a client or controller appears here, with the number of events that the server has not sent yet.</p><//>`} />`}`;
}

/** Returns the objects of a watch: its namespace and name, and its selectors; "all" without them. */
function objects(row) {
  const query = new URLSearchParams(row.query ?? "");
  const selectors = [query.get("fieldSelector"), query.get("labelSelector")].filter(Boolean);
  const place = placed(row.namespace ?? "", row.name ?? "");
  const isNamed = selectors.includes(`metadata.name=${row.name}`);
  return [place, ...(isNamed ? [] : selectors)].filter(Boolean).join(" ") || "all";
}

/** Returns the resourceVersion of the last event or bookmark of a watch; 0 and a dash if the server has sent none. */
function lastSent({ watch }) {
  const [event, mark] = [Number(watch?.resourceVersion ?? 0), Number(watch?.bookmarkVersion ?? 0)];
  const isMark = mark > event;
  return { version: Math.max(event, mark), text: isMark ? `bookmark ${mark}` : event ? String(event) : "—" };
}

const COLUMNS = [
  { name: "Resource", className: "name of-watch", show: (row) => row.resource },
  { name: "Objects", className: "of-objects", sort: objects, show: (row) => html`<span title=${objects(row)}>${objects(row)}</span>` },
  { name: "User agent", className: "of-user", sort: (row) => row.agent ?? "", show: (row) => html`<span title=${row.agent ?? ""}>${agentName(row)}</span>` },
  { name: "Events", className: "of-count", label: "events", number: true, sort: (row) => row.watch?.events ?? 0, show: (row) => (row.watch?.events ?? 0).toLocaleString("en") },
  { name: "Bookmarks", className: "of-count", label: "bookmarks", number: true, sort: (row) => row.watch?.bookmarks ?? 0, show: (row) => (row.watch?.bookmarks ?? 0).toLocaleString("en") },
  { name: "Behind", className: "of-count", label: "behind", number: true, title: "Events that the server has not sent yet", sort: (row) => row.watch?.behind ?? 0, show: (row) => html`<span class=${row.watch?.behind ? "warn" : "good"}>${row.watch?.behind ?? 0}</span>` },
  { name: "Last event at", className: "of-count", label: "last event at", number: true, title: "The resourceVersion of the last event that the server has sent on this watch, or of a later bookmark. It can be older than the server's resourceVersion, which counts writes of all resources", sort: (row) => lastSent(row).version, show: (row) => lastSent(row).text },
  { name: "Since", className: "of-age", number: true, sort: (row) => row.received, show: (row) => clock(row.received).slice(0, 8) },
];
