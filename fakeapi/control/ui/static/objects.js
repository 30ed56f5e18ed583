// The view of objects as tables of `kubectl get`, with a choice of kinds, namespaces, selectors and columns.

import { control, serverUrl } from "./api.js";
import { Editor } from "./editor.js";
import { Icon } from "./icons.js";
import { readKinds, themes } from "./kinds.js";
import { serverNow, useLive } from "./live.js";
import { html, useEffect, useMemo, useState } from "./preact.js";
import { compareNames } from "./order.js";
import { oldStatus, useSilentNodes } from "./silent.js";
import { CARD_LINE, NARROW, Table } from "./table.js";
import { age, apiGroup, counted, href, objectHref, partOf, secondsOf, shell } from "./text.js";
import { Choice, Copy, Empty, Heading, Problem, remember, Search } from "./ui.js";

const FIRST_PAGE = 300;
const ROWS_MAX = 50000;
// The space above and below the lines of a card.
const CARD_SPACE = 10;

/** @param {{place: string[]}} props */
export function Objects({ place }) {
  const kinds = useLive(readKinds, [], { least: 2000 });
  const [group, resource] = [partOf(place[0]), place[1]];
  const kind = kinds.data?.find((each) => each.group === group && each.resource === resource) ?? (resource ? undefined : first(kinds.data));
  return html`<div class="split">
    <${KindList} kinds=${kinds.data ?? []} current=${kind} />
    <section aria-label="Objects">
      <${Problem} error=${kinds.error} />
      ${kind && html`<${KindTable} key=${`${kind.group}/${kind.resource}`} kind=${kind} />`}
      ${kinds.data && !kind && html`<${Empty} icon="objects" title=${`The server does not serve ${resource ?? "any objects"}`} />`}
    </section>
  </div>`;
}

function first(kinds) {
  return kinds?.find((each) => each.resource === "resourceclaims" && each.objects) ?? kinds?.find((each) => each.resource === "pods") ?? kinds?.[0];
}

function KindList({ kinds, current }) {
  const [all, setAll] = useState(false);
  const [search, setSearch] = useState("");
  // A narrow window shows only the chosen kind until the user opens the list.
  const [opened, setOpened] = useState(false);
  const wanted = kinds.filter((each) => {
    const isNamed = `${each.kind} ${each.resource} ${each.group}`.toLowerCase().includes(search.toLowerCase());
    return isNamed && (search || all || each.objects || each === current);
  });
  const hidden = kinds.filter((each) => !each.objects).length;
  return html`<nav class=${`kinds ${opened || search ? "opened" : ""}`} aria-label="Kinds">
    <label class="search small"><span class="hidden">Find a kind</span><${Icon} name="search" />
      <input type="search" autocomplete="off" placeholder="Find a kind" value=${search} onInput=${(event) => setSearch(event.target.value)} /></label>
    <div class="kind-groups">
    ${themes(wanted).map(
      ({ title, kinds: some }) =>
        some.length > 0 &&
        html`<h2>${title}</h2><ul>${some.map(
          (each) => html`<li><a href=${href("objects", each.group, each.resource)} title=${`${apiGroup(each.group, each.resource)} ${each.version}`}
            aria-current=${each === current ? "true" : undefined}><span>${each.kind}</span><span class="count">${each.objects.toLocaleString("en")}</span></a></li>`,
        )}</ul>`,
    )}
    </div>
    ${hidden > 0 && !search && html`<button type="button" class="quiet more" onClick=${() => setAll(!all)}>${all ? "Only kinds with objects" : `${hidden} kinds without objects`}</button>`}
    <button type="button" class="quiet choose" aria-expanded=${String(opened)} onClick=${() => setOpened(!opened)}>${opened ? "Close the list" : "Choose another kind"}</button>
  </nav>`;
}

function KindTable({ kind }) {
  const [namespace, setNamespace] = remember("namespace", "");
  const [selector, setSelector] = remember("labels", "");
  const [search, setSearch] = remember("search", "");
  const [wide, setWide] = useState("");
  const [creating, setCreating] = useState(false);
  const [written, setWritten] = useState(/** @type {{done: string, links: {text: string, to: string}[]} | null} */ (null));
  const query = { group: kind.group, resource: kind.resource, namespace, labelSelector: selector };
  const { data, error, reload } = useLive((old) => readTable(query, old), [kind.group, kind.resource, namespace, selector], {
    only: (event) => event.resource === kind.resource && (event.group ?? "") === kind.group,
  });
  useEffect(() => {
    if (data && !data.all) {
      reload();
    }
  }, [data]);
  const namespaces = useLive(() => control("GET", "/table", { query: { resource: "namespaces" } }), [], {
    only: (event) => event.resource === "namespaces",
  });
  const silent = useSilentNodes();
  const isPods = kind.resource === "pods" && !kind.group;
  const columns = useMemo(() => columnsOf(kind, data?.columns ?? [], Boolean(wide), !namespace, isPods ? silent : undefined), [kind, data?.columns, wide, namespace, silent, NARROW.matches]);
  const rows = useMemo(() => filtered(data?.rows ?? [], search), [data?.rows, search]);
  const command = ["kubectl get", apiGroup(kind.group, kind.resource), kind.namespaced ? (namespace ? `-n ${namespace}` : "-A") : "", selector && `-l ${shell(selector)}`]
    .filter(Boolean)
    .join(" ");
  return html`
    <${Heading} title=${kind.kind} lead=${data ? shownText(rows.length, data) : "Reading…"}>
      <${Copy} text=${`${command} --server ${serverUrl()}`} label=${command}>Copy as kubectl<//>
      <button type="button" class="main" onClick=${() => setCreating(true)}><${Icon} name="plus" />Create</button>
    <//>
    <div class="filters">
      <${Search} value=${search} onInput=${setSearch} label="Filter by name or any cell" />
      ${kind.namespaced &&
      html`<label><span class="hidden">Namespace</span><select id="namespace" value=${namespace} onChange=${(event) => setNamespace(event.target.value)}>
        <option value="">All namespaces</option>
        ${(namespaces.data?.rows ?? []).map((each) => html`<option value=${each.name} selected=${each.name === namespace}>${each.name}</option>`)}
      </select></label>`}
      <label class="grow"><span class="hidden">Label selector</span><input id="labels" type="text" autocomplete="off" spellcheck=${false} placeholder="Labels, such as app=train"
        value=${selector} onChange=${(event) => setSelector(event.target.value.trim())} /></label>
      <${Choice} label="Columns" value=${wide} choices=${[["", "Default"], ["wide", "Wide"]]} onChange=${setWide} />
    </div>
    <${Problem} error=${error} />
    ${written && html`<p class="ok" role="status">${written.done} ${written.links.map(({ text, to }, index) => html`${index > 0 && ", "}${to ? html`<a href=${to}>${text}</a>` : text}`)}</p>`}
    ${data &&
    html`<${Table} cards=${cardHeight(columns)} label=${`${kind.kind} objects`} columns=${columns} rows=${rows} id=${(row) => row.place}
      empty=${html`<${Empty} icon="objects" title=${data.rows.length ? "No object matches" : `There is no ${kind.kind}`}>
        ${data.rows.length ? html`<p>Change the filter above.</p>` : html`<p>Create one here, with <code>kubectl apply</code>, or in a test with <code>fakeapi.create(…)</code>.</p>`}
      <//>`} />`}
    ${creating && html`<${Editor} kind=${kind} namespace=${namespace || "default"} onDone=${setWritten} onClose=${() => setCreating(false)} />`}
  `;
}

function shownText(shown, data) {
  const all = counted(data.rows.length, "object");
  const more = data.remaining ? `, the first of ${(data.rows.length + data.remaining).toLocaleString("en")}` : "";
  return shown === data.rows.length ? `${all}${more}` : `${shown.toLocaleString("en")} of ${all}${more}`;
}

/**
 * Reads a table: a first page, then all pages, then only the rows that have changed.
 *
 * @param {Record<string, unknown>} query
 * @param {any} old
 */
async function readTable(query, old) {
  if (old?.all) {
    const changes = await control("GET", "/table", { query: { ...query, since: old.resourceVersion } });
    if (!changes.complete) {
      return merged(old, changes);
    }
  }
  if (!old) {
    const page = await control("GET", "/table", { query: { ...query, limit: FIRST_PAGE } });
    return { ...page, rows: inOrder(page.rows), all: !page.next };
  }
  const table = await control("GET", "/table", { query });
  let page = table;
  while (page.next && table.rows.length < ROWS_MAX) {
    page = await control("GET", "/table", { query: { ...query, after: page.next } });
    table.rows = [...table.rows, ...page.rows];
  }
  return { ...table, rows: inOrder(table.rows), all: true, remaining: page.next ? page.remaining : 0 };
}

function merged(old, changes) {
  if (!changes.rows.length && !changes.deleted.length) {
    return { ...old, resourceVersion: changes.resourceVersion };
  }
  const gone = new Set(changes.deleted);
  const fresh = new Map(changes.rows.map((row) => [row.place, row]));
  const rows = [];
  for (const row of old.rows) {
    if (!gone.has(row.place)) {
      rows.push(fresh.get(row.place) ?? row);
    }
    fresh.delete(row.place);
  }
  return { ...old, rows: fresh.size ? inOrder([...rows, ...fresh.values()]) : rows, resourceVersion: changes.resourceVersion };
}

/** Returns the rows in the natural order of their namespaces and names. Most rows are in order already. */
function inOrder(rows) {
  const byName = (a, b) => compareNames(a.namespace ?? "", b.namespace ?? "") || compareNames(a.name, b.name);
  return [...rows].sort(byName);
}

function filtered(rows, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) {
    return rows;
  }
  return rows.filter((row) => {
    const text = `${row.place} ${row.cells.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** @param {Map<string, any>} [silent] for pods: the nodes that are not ready, by name */
function columnsOf(kind, served, wide, showNamespace, silent) {
  const node = served.findIndex((column) => column.name === "Node");
  const columns = served
    .map((column, index) => ({ column, index }))
    .filter(({ column }) => wide || column.priority === 0 || (NARROW.matches && column.name === "Node"))
    .map(({ column, index }) => (silent?.size && column.name === "Status" ? statusColumn(cellColumn(kind, column, index), index, node, silent) : cellColumn(kind, column, index)));
  if (kind.namespaced && showNamespace) {
    const namespaces = { name: "Namespace", className: "of-cell", label: "namespace", show: (row) => row.namespace };
    // A card shows the status of an object before its namespace.
    if (NARROW.matches) columns.push(namespaces);
    else columns.unshift(namespaces);
  }
  return columns;
}

/** Returns the height of a card: a line for the name and the age, one for each long cell, and one for two other cells. */
function cardHeight(columns) {
  const number = (name) => columns.filter((each) => each.className === name).length;
  return CARD_SPACE + CARD_LINE * (1 + number("of-long") + Math.ceil(number("of-cell") / 2));
}

/** Marks pods whose status may be old, because their node is not ready. `node`: the index of the column Node. */
function statusColumn(column, status, node, silent) {
  const show = (row) => {
    const found = silent.get(row.cells[node]);
    return found ? html`<span class="status warn" title=${oldStatus(found)}>${row.cells[status]}, node not ready</span>` : column.show(row);
  };
  return { ...column, show };
}

function cellColumn(kind, column, index) {
  const base = { name: column.name, title: column.description.slice(0, 300) };
  if (column.name === "Name") {
    return { ...base, className: "name", sort: (row) => row.name, show: (row) => html`<a href=${objectHref(kind.group, kind.resource, row.namespace, row.name)}>${row.name}</a>` };
  }
  if (column.name === "Age") {
    return { ...base, className: "of-age", number: true, sort: (row) => -secondsOf(row.created), show: (row) => (row.created ? age(serverNow() - secondsOf(row.created)) : String(row.cells[index] ?? "")) };
  }
  const place = LONG.has(column.name) ? { className: "of-long" } : { className: "of-cell", label: column.name.toLowerCase() };
  return { ...base, ...place, number: column.type === "integer" || column.type === "number", sort: (row) => (row.cells[index] === GATED ? `Pending ${GATED}` : row.cells[index] ?? ""), show: (row) => cell(row.cells[index]) };
}

// The columns that have a line of their own on a card, because their cells are long or important.
const LONG = new Set(["Status", "State", "Message", "Drivers"]);

// A pod with scheduling gates waits, so it is sorted and marked like pending pods.
const GATED = "SchedulingGated";
const GOOD = /^(Ready|Running|Bound|Active|True|Available|Established)$/;
const BAD = /^(Failed|Error|NotReady|CrashLoopBackOff|False|Lost)/;

function cell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  if (/^deleted\b/.test(text)) {
    return html`<span class="status warn" title="kubectl prints deleted for a claim that has a deletionTimestamp and still waits for its finalizers">${text}</span>`;
  }
  const kind = GOOD.test(text) ? "good" : BAD.test(text) ? "bad" : text === "Pending" || text === "pending" || text === GATED ? "warn" : "";
  return kind ? html`<span class=${`status ${kind}`}>${text}</span>` : html`<span title=${text.length > 30 ? text : undefined}>${text}</span>`;
}
