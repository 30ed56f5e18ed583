// The view of the requests in the journal. The server filters the requests. A panel shows the bodies of one request.

import { control, MANAGER, serverUrl } from "./api.js";
import { Icon } from "./icons.js";
import { useLive } from "./live.js";
import { html, useEffect, useMemo, useState } from "./preact.js";
import { CARD_HEIGHT, Table } from "./table.js";
import { clock, counted, duration, objectHref, placed, python, shell } from "./text.js";
import { Choice, Code, Empty, Heading, Panel, Pill, Problem, remember, SameAs, Search, say, useAction } from "./ui.js";
import { toYaml } from "./yaml.js";

const PAGE = 300;
// Requests that are folded into one row do not fill a page: the page reads more until it has this many rows.
const PAGE_ROWS = 100;
const PAGES_MAX = 6;
const NEW_MAX = 100;
const SHOWN_MAX = 2000;
const CODES = [["", "All"], ["2xx", "2xx"], ["4xx", "4xx"], ["5xx,0", "5xx, no response"]];
const THIS_PAGE = "this page";
const VERBS = ["", "read", "write", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

export function Requests() {
  const [text, setText] = remember("search", "");
  const [verb, setVerb] = remember("verb", "");
  const [resource, setResource] = remember("resource", "");
  const [namespace, setNamespace] = remember("namespace", "");
  const [name, setName] = remember("name", "");
  const [agent, setAgent] = remember("agent", "");
  const [user, setUser] = remember("user", "");
  const [since, setSince] = remember("since", "");
  const [until, setUntil] = remember("until", "");
  const [codes, setCodes] = remember("codes", "");
  const [heartbeats, setHeartbeats] = remember("heartbeats", "");
  const [paused, setPaused] = useState(false);
  // A narrow window shows only the text filter until the user opens the others.
  const [unfolded, unfold] = useState(false);
  const set = [verb, resource, namespace, name, agent, user, since, until, codes, heartbeats].filter(Boolean).length;
  const [older, setOlder] = useState(/** @type {any[]} */ ([]));
  const [open, setOpen] = useState(0);
  const query = useMemo(
    () => ({ text, verb, resource, namespace: wild(namespace), name: wild(name), agent: wild(agent), user: wild(user), since, until, codes, heartbeats: heartbeats === "yes" }),
    [text, verb, resource, namespace, name, agent, user, since, until, codes, heartbeats],
  );
  const { data, error } = useLive((old) => readNew(query, old), [query], { types: ["request"], paused });
  const { run, busy } = useAction();
  useEffect(() => setOlder([]), [query]);
  const read = [...(data?.rows ?? []), ...older];
  const rows = useMemo(() => folded(read), [data, older]);
  const oldest = read.at(-1)?.number ?? 0;
  const more = () =>
    run(async () => {
      const page = await readPages(query, oldest);
      setOlder([...older, ...page.rows]);
      if (!page.rows.length) say("The journal has no older requests that match");
    });
  return html`<${Heading} title="Requests" lead=${data ? leadOf(data, read.length, rows.length, Boolean(text || set) && read.length < PAGE) : "Reading…"}>
      <button type="button" aria-pressed=${String(paused)} onClick=${() => setPaused(!paused)}><${Icon} name=${paused ? "play" : "pause"} />${paused ? "Resume" : "Pause"}</button>
    <//>
    <div class=${`filters many ${unfolded ? "unfolded" : ""}`}>
      <${Search} value=${text} onInput=${setText} label="Text in path, query, user agent, user, message or fault" placeholder="Any text of the request" />
      <button type="button" class="quiet unfold" aria-expanded=${String(unfolded)} onClick=${() => unfold(!unfolded)}>${unfolded ? "Fewer filters" : "More filters"}${set ? ` (${set} set)` : ""}</button>
      <label class="typed"><span>Verb</span><select id="verb" value=${verb} onChange=${(event) => setVerb(event.target.value)}>${VERBS.map((each) => html`<option value=${each} selected=${each === verb}>${each || "All verbs"}</option>`)}</select></label>
      <${Typed} id="resource" label="Resource" value=${resource} set=${setResource} placeholder="pods/status" />
      <${Typed} id="in-namespace" label="Namespace" value=${namespace} set=${setNamespace} />
      <${Typed} id="object-name" label="Name" value=${name} set=${setName} />
      <${Typed} id="agent" label="User agent" value=${agent} set=${setAgent} placeholder="kubectl*" />
      <${Typed} id="user" label="User" value=${user} set=${setUser} placeholder="system:*" />
      <${Typed} id="since" label="From" value=${since} set=${setSince} placeholder="10m or 12:30" title=${TIME_MEANS} />
      <${Typed} id="until" label="Until" value=${until} set=${setUntil} placeholder="1m or 12:35" title=${TIME_MEANS} />
      <${Choice} label="Status code" value=${codes} choices=${CODES} onChange=${setCodes} />
      <label class="check"><input id="heartbeats" type="checkbox" checked=${heartbeats === "yes"} onChange=${(event) => setHeartbeats(event.target.checked ? "yes" : "")} />Heartbeats</label>
    </div>
    <${Problem} error=${error} />
    ${data &&
    html`<${Table} cards=${CARD_HEIGHT} label="The requests, newest first" order="newest first" columns=${columns(setOpen)} rows=${rows} onRow=${(row) => setOpen(row.number)} id=${(row) => String(row.number)} rowClass=${(row) => (row.number === open ? "chosen" : "")}
      empty=${html`<${Empty} icon="requests" title="No request matches"><p>Requests of kubectl, controllers and tests appear here as they come. Leases and the status of nodes are hidden until you tick Heartbeats.</p>
        <${Code} text=${`kubectl get resourceclaims -A --server ${serverUrl()}`} label="command" /><//>`} />
      ${read.length >= PAGE && html`<p class="after"><button type="button" disabled=${busy} onClick=${more}>Show older requests</button></p>`}`}
    ${open > 0 && html`<${Details} number=${open} onClose=${() => setOpen(0)} />`}`;
}

/**
 * Combines the patches of the same event: keeps the newest patch, with their number. Otherwise the patches of a
 * controller that retries would hide all other requests.
 */
function folded(rows) {
  const times = new Map();
  const counts = (row) => (row.verb === "patch" && row.resource === "events" && row.code < 400 && row.code ? `${row.namespace}/${row.name}` : "");
  for (const row of rows) {
    const key = counts(row);
    if (key) times.set(key, (times.get(key) ?? 0) + 1);
  }
  const shown = new Set();
  return rows.flatMap((row) => {
    const key = counts(row);
    if (!key) return [row];
    if (shown.has(key)) return [];
    shown.add(key);
    return [{ ...row, times: times.get(key) }];
  });
}

const TIME_MEANS = "A duration before now such as 10m, a time of the day in UTC such as 12:30:05, or a time in RFC 3339";

function Typed({ id, label, value, set, placeholder, title = label }) {
  return html`<label class="typed"><span>${label}</span><input id=${id} type="text" autocomplete="off" spellcheck=${false} placeholder=${placeholder ?? "any"} title=${title} value=${value} onChange=${(event) => set(event.target.value.trim())} /></label>`;
}

/** A name without a wildcard matches every name that contains it. */
function wild(text) {
  return !text || /[*?]/.test(text) ? text : `*${text}*`;
}

/** Describes the shown requests. `shown`: their number. `rows`: the number of rows, if repeated patches share a row. */
function leadOf(data, shown, rows, isFiltered) {
  const all = data.total.toLocaleString("en");
  const some = isFiltered ? `${shown.toLocaleString("en")} of the ${all} requests since the start match` : `The newest ${shown.toLocaleString("en")} of ${all} requests since the start`;
  const folded = rows < shown ? `, in ${counted(rows, "row")}: patches that count the same Event again share a row` : "";
  const skipped = data.skipped ? `. ${data.skipped.toLocaleString("en")} came too fast and are not shown (the journal has them)` : "";
  const gone = data.forgotten ? `. The journal has dropped the first ${data.forgotten.toLocaleString("en")}` : "";
  return `${some}${folded}${skipped}${gone}`;
}

/** Reads the newest requests, and the next time only newer requests. Over NEW_MAX, counts the older ones. */
async function readNew(query, old) {
  if (!old) {
    return { ...(await readPages(query, 0)), skipped: 0 };
  }
  const page = await control("GET", "/requests", { query: { ...query, after: old.total, last: NEW_MAX } });
  if (page.total < old.total) {
    return readNew(query, undefined);
  }
  const isFull = page.requests.length === NEW_MAX;
  const skipped = isFull ? Math.max(0, page.requests[0].number - old.total - 1) : 0;
  const rows = page.requests.length ? [...page.requests.reverse(), ...old.rows].slice(0, SHOWN_MAX) : old.rows;
  return { rows, total: page.total, forgotten: page.forgotten, skipped: old.skipped + skipped };
}

/** Reads requests before the request `before`, newest first, until they fill PAGE_ROWS rows or PAGES_MAX pages. */
async function readPages(query, before) {
  /** @type {any[]} */
  let rows = [];
  let first;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await control("GET", "/requests", { query: { ...query, before: rows.at(-1)?.number ?? before, last: PAGE } });
    first ??= page;
    rows = [...rows, ...page.requests.reverse()];
    if (page.requests.length < PAGE || folded(rows).length >= PAGE_ROWS) break;
  }
  return { rows, total: first.total, forgotten: first.forgotten };
}

const codeKind = (code) => (code >= 500 || !code ? "bad" : code >= 400 ? "warn" : "good");

function columns(open) {
  return [
    {
      name: "Time", className: "of-age", width: "8.5rem", sort: (row) => row.number,
      show: (row) => html`<button type="button" class="link time" onClick=${() => open(row.number)}><span class="hidden">Request ${row.number} at </span>${clock(row.received)}</button>`,
    },
    { name: "Code", number: true, width: "4rem", sort: (row) => row.code, show: (row) => html`<span class=${codeKind(row.code)}>${row.code || "none"}</span>` },
    { name: "Verb", width: "6rem", show: (row) => row.verb || row.method },
    { name: "Object", className: "of-object", sort: (row) => `${row.resource ?? row.path} ${row.namespace ?? ""}/${row.name ?? ""}`, show: (row) => html`${row.times > 1 && html`<button type="button" class="times" title="Requests that count the same event once more. Opens the newest" aria-label=${`×${row.times}: open the newest`} onClick=${() => open(row.number)}>×${row.times}</button> `}<${Subject} request=${row} />` },
    { name: "User agent", className: "of-agent", title: "The first part of the User-Agent", sort: (row) => row.agent ?? "", show: (row) => html`<span title=${`${row.agent ?? ""} as ${row.user ?? ""}`}>${agentName(row)}</span>` },
    { name: "Took", className: "of-took", number: true, width: "6rem", sort: (row) => row.seconds, show: (row) => (row.watch ? html`<span class="soft">watch</span>` : duration(row.seconds)) },
    { name: "Message", className: "grow of-message", sort: (row) => row.message ?? "", show: (row) => html`${(row.faults ?? []).map((each) => html`<${Pill} kind="warn" title="Fault">${each}<//> `)}<span title=${row.message}>${shortMessage(row.message ?? "")}</span>` },
  ];
}

/** Returns the name of the client. A component inside kube-controller-manager has its own name. */
export function agentName(request) {
  const agent = request.agent ?? "";
  const parts = agent.split("/");
  const component = parts[0] === "kube-controller-manager" && parts.length > 3 ? parts.at(-1) : parts[0];
  return agent === navigator.userAgent ? THIS_PAGE : component === "Mozilla" ? "a browser" : component || request.user || "unknown";
}

/** Returns the name of a field manager. */
export function actorName(manager) {
  return manager === MANAGER || (manager === "Mozilla" && navigator.userAgent.startsWith("Mozilla/")) ? THIS_PAGE : manager;
}

/** Whether a request is a dry run, which changes nothing. */
export function isDryRun(request) {
  return new URLSearchParams(request.query ?? "").getAll("dryRun").includes("All");
}

/** Returns a message without its beginning that names the object, which has a column of its own. */
function shortMessage(message) {
  return message.replace(/^[\w.-]+ "[^"]*" (?:is|are) (?:forbidden|invalid): (?=.)/, "").replace(/^[A-Z]\w*(?:\.[\w.-]+)? "[^"]*" is invalid: (?=.)/, "");
}

function Subject({ request }) {
  const [resource] = (request.resource ?? "").split("/");
  const name = request.name || (request.generateName ? `${request.generateName}…` : "");
  const place = name ? placed(request.namespace ?? "", name) : (request.namespace ?? "");
  if (!resource) {
    return html`${request.path}`;
  }
  const label = html`<span class="soft">${request.resource}</span> ${place}`;
  return request.name ? html`<a class="plainly" href=${objectHref(request.group ?? "", resource, request.namespace ?? "", request.name)}>${label}</a>` : label;
}

// one request ------------------------------------------------------------------------------------------------

function Details({ number, onClose }) {
  const [request, setRequest] = useState(/** @type {any} */ (null));
  const { run, error, busy } = useAction();
  useEffect(() => {
    setRequest(null);
    run(async () => setRequest(await control("GET", `/requests/${number}`)));
  }, [number]);
  const fault = request && faultOf(request);
  const arm = () =>
    run(async () => {
      const { faults } = await control("POST", "/faults", { body: fault.rule });
      say(`Armed ${faults[0].name}`);
      location.hash = "#/faults";
    });
  return html`<${Panel} title=${request ? `${request.method} ${request.path}` : `Request ${number}`} onClose=${onClose} wide>
    <${Problem} error=${error} />
    ${request &&
    html`<p><${Pill} kind=${codeKind(request.code)}>${request.code || "no response"} ${request.reason ?? ""}<//> <${Subject} request=${request} /></p>
      ${request.message && html`<p class="problem">${request.message}</p>`}
      <dl class="links">${facts(request).map(([what, value]) => html`<div><dt>${what}</dt><dd>${value}</dd></div>`)}</dl>
      <h3>Request body</h3><${Body} value=${request.body} none=${request.sentBytes ? "The journal no longer keeps this body." : "None."} />
      <h3>Response body</h3><${Body} value=${request.answer} none="Not kept. The journal keeps the bodies of errors; with the option journal=bodies it keeps all." />
      <h3>Send it again</h3><${Code} text=${curlOf(request)} label="curl command" />
      ${fault &&
      html`<h3>Make a fault of it</h3><p>The next ${request.verb} of ${request.resource} gets ${fault.code}.</p>
        <button type="button" disabled=${busy} onClick=${arm}><${Icon} name="faults" />Arm this fault</button>
        <${SameAs} command=${fault.command} python=${fault.python} />`}`}
  <//>`;
}

function facts(request) {
  return [
    ["Received", new Date(request.received * 1000).toISOString()],
    ["Took", duration(request.seconds)],
    ["User", request.user ?? ""],
    ["User agent", request.agent ?? ""],
    ["Query", request.query ?? ""],
    ["resourceVersion", request.before || request.after ? `${request.before ?? "none"} → ${request.after ?? "none"}` : ""],
    ["Faults", (request.faults ?? []).join(", ")],
    ["Watch", request.watch ? `${request.watch.events} events, ${request.watch.bookmarks} bookmarks, ${request.watch.open ? `${request.watch.behind} behind` : "ended"}` : ""],
  ].filter(([, value]) => value);
}

function Body({ value, none }) {
  if (value === undefined || value === null) {
    return html`<p class="soft">${none}</p>`;
  }
  const text = typeof value === "object" ? toYaml(value) : String(value);
  return html`<${Code} text=${text} label="body" />`;
}

function curlOf(request) {
  const target = `${serverUrl()}${request.path.split("/").map(encodeURIComponent).join("/")}${request.query ? `?${request.query}` : ""}`;
  const type = request.method === "PATCH" ? patchType(request.body) : "application/json";
  const body = request.body === undefined || request.body === null ? "" : ` \\\n  -H 'Content-Type: ${type}' -d ${shell(JSON.stringify(request.body))}`;
  return `curl -sS -X ${request.method} ${shell(target)}${body}`;
}

/** Infers the Content-Type of a patch from its body, because the journal does not keep the Content-Type. */
function patchType(body) {
  if (Array.isArray(body)) return "application/json-patch+json";
  return body?.apiVersion && body?.kind ? "application/apply-patch+yaml" : "application/merge-patch+json";
}

/**
 * Returns a fault that rejects the next request like this one. If this request failed, the fault has the same error.
 * Otherwise the fault is 409 for a write of an existing object, and 500 for other requests.
 */
function faultOf(request) {
  if (!request.resource || !request.verb) {
    return null;
  }
  const resource = request.group ? `${request.resource.split("/")[0]}.${request.group}${request.resource.includes("/") ? `/${request.resource.split("/")[1]}` : ""}` : request.resource;
  const target = `${request.verb} ${resource}${request.name ? ` ${placed(request.namespace ?? "", request.name)}` : ""}`;
  const failed = request.code >= 400;
  const isWrite = ["update", "patch", "delete"].includes(request.verb);
  const [name, how] = failed
    ? ["refuse", { target, code: request.code, reason: request.reason || "InternalError", message: request.message || "refused by a fault", times: 1 }]
    : isWrite
      ? ["conflict", { target, times: 1 }]
      : ["internal_error", { target, times: 1 }];
  const { target: _, ...rest } = how;
  const members = Object.entries(rest);
  return {
    code: failed ? request.code : isWrite ? "409 Conflict" : "500",
    rule: { [name]: how },
    command: `fakeapi faults arm ${name} ${shell(target)} ${members.map(([key, value]) => shell(`${key}=${value}`)).join(" ")}`,
    python: `fakeapi.faults.${name}(${python(target)}, ${members.map(([key, value]) => `${key}=${python(value)}`).join(", ")})`,
  };
}
