// The view of armed faults, with forms to arm a ready-made fault or any rule as JSON.

import { control } from "./api.js";
import { useLive } from "./live.js";
import { html, useEffect, useState } from "./preact.js";
import { CARD_HEIGHT, CARD_LINE, Table, TWO_LINES_HEIGHT } from "./table.js";
import { python, shell } from "./text.js";
import { Empty, Field, Heading, Problem, SameAs, say, useAction } from "./ui.js";

const EXAMPLE = JSON.stringify({ match: { verb: "write", resource: "resourceclaims", agent: "driver/*" }, when: { first: 2, every: 3 }, action: { type: "wait", seconds: 2 } }, null, 2);

/** Short descriptions of the ready-made faults. */
const DOES = {
  conflict: "409 Conflict for update, patch and delete",
  competing_write: "the object changes just before the request",
  already_exists: "409 AlreadyExists",
  not_found: "404 NotFound",
  forbidden: "403 Forbidden",
  gone: "410 Expired",
  invalid: "422 with one cause",
  throttle: "429, like API Priority and Fairness",
  internal_error: "500, as for an error of etcd",
  unavailable: "503 ServiceUnavailable",
  timeout: "504 Timeout",
  webhook_timeout: "500, as if a webhook did not answer",
  refuse: "the Status that you choose",
  wait: "the request waits",
  drop: "the connection closes, nothing is carried out",
  lose_reply: "the write is carried out, the response is lost",
  tear: "the connection closes in the middle of the response",
  stall: "the response stops in the middle",
  go_away: "the client must reconnect",
  expire: "a watch ends with 410 Expired",
  end_watch: "a watch ends",
  cut_watch: "a watch is cut in the middle of an event",
  hold_events: "events of a watch are held back",
  withhold_bookmarks: "no bookmarks are sent",
  refuse_watch: "new watches are refused",
  stale: "lists and watches show an old state",
};

export function Faults() {
  const { data, error, reload } = useLive(() => control("GET", "/faults"), [], { types: ["request"] });
  const action = useAction();
  const disarm = (name) =>
    action.run(async () => {
      await control("DELETE", name ? `/faults/${encodeURIComponent(name)}` : "/faults");
      say(name ? `Disarmed ${name}` : "Disarmed all");
      await reload();
    });
  const arm = (body) =>
    action.run(async () => {
      const { faults } = await control("POST", "/faults", { body });
      say(`Armed ${faults.map((each) => each.name).join(", ")}`);
      await reload();
    });
  return html`<${Heading} title="Faults" lead=${data ? `${data.faults.length} armed` : "Reading…"}>
      ${data?.faults.length > 0 && html`<button type="button" title="Disarms all faults: the server answers all requests as usual again" onClick=${() => disarm("")}>Disarm all</button>`}
    <//>
    <${Problem} error=${error ?? action.error} />
    ${data &&
    html`<${Table} cards=${CARD_HEIGHT + 2 * CARD_LINE} height=${TWO_LINES_HEIGHT} label="Armed faults" order="oldest first" columns=${columns(disarm)} rows=${data.faults} id=${(row) => row.name}
      empty=${html`<${Empty} icon="faults" title="No fault is armed"><p>A fault makes requests fail, wait or lose their responses. Arm one below, or make one of a request under <a href="#/requests">Requests</a>.</p><//>`} />`}
    ${data?.faults.length > 0 && html`<${SameAs} command=${[...data.faults.map((each) => `fakeapi faults disarm ${shell(each.name)}`), "fakeapi faults disarm --all"].join("\n")} python=${[...data.faults.map((each) => `fakeapi.faults.disarm(${python(each.name)})`), "fakeapi.faults.disarm()"].join("\n")} />`}
    <div class="two"><${ReadyMade} arm=${arm} /><${AnyRule} arm=${arm} /></div>`;
}

function ReadyMade({ arm }) {
  const [names, setNames] = useState(/** @type {string[]} */ ([]));
  const [name, setName] = useState("conflict");
  const [target, setTarget] = useState("");
  const [times, setTimes] = useState("");
  useEffect(() => {
    control("GET", "/ready-made-faults").then((answer) => setNames(answer.names), () => undefined);
  }, []);
  const how = { target, ...(times ? { times: Number(times) } : {}) };
  const submit = (event) => {
    event.preventDefault();
    arm({ [name]: how });
  };
  const words = [`fakeapi faults arm ${name}`, target && shell(target), times && `times=${times}`].filter(Boolean).join(" ");
  const line = `fakeapi.faults.${name}(${[target && python(target), times && `times=${times}`].filter(Boolean).join(", ")})`;
  return html`<section class="card"><h2>Arm a ready-made fault</h2>
    <form onSubmit=${submit}>
      <div class="row">
        <${Field} label="Fault" hint=${DOES[name] ?? ""}><select id="ready-made" value=${name} onInput=${(event) => setName(event.target.value)}>${names.map((each) => html`<option value=${each} selected=${each === name}>${each}</option>`)}</select><//>
      </div>
      <div class="row">
        <${Field} label="Resource, or verb and resource" hint="empty for every request" whole><input id="target" autocomplete="off" placeholder="resourceclaims/status" value=${target} onInput=${(event) => setTarget(event.target.value)} /><//>
        <${Field} label="Times" hint="empty for every time"><input id="times" type="number" min="1" value=${times} onInput=${(event) => setTimes(event.target.value)} /><//>
      </div>
      <button class="main" title="The fault acts on requests from now on">Arm ${name}</button>
    </form>
    <${SameAs} command=${words} python=${line} /></section>`;
}

function AnyRule({ arm }) {
  const [rule, setRule] = useState(EXAMPLE);
  const [error, setError] = useState(/** @type {Error | undefined} */ (undefined));
  const submit = (event) => {
    event.preventDefault();
    try {
      const body = JSON.parse(rule);
      setError(undefined);
      arm(body);
    } catch (problem) {
      setError(new Error(`The rule is not JSON: ${/** @type {Error} */ (problem).message}`));
    }
  };
  return html`<section class="card"><h2>Arm any rule</h2>
    <form onSubmit=${submit}>
      <${Field} label="A rule or a list of rules, as JSON" wide><textarea id="rule" rows="10" spellcheck=${false} value=${rule} onInput=${(event) => setRule(event.target.value)}></textarea><//>
      <${Problem} error=${error} />
      <p></p><button>Arm the rule</button>
    </form>
    <${SameAs} command="fakeapi faults arm --file faults.yaml" python=${`fakeapi.faults.arm(${oneLine(rule)})`} /></section>`;
}

function oneLine(rule) {
  try {
    return python([JSON.parse(rule)].flat());
  } catch {
    return "\"faults.yaml\"";
  }
}

function columns(disarm) {
  return [
    { name: "Name", className: "name", show: (row) => row.name },
    { name: "Applies to", className: "of-object", sort: (row) => matchText(row.rule.match), show: (row) => matchText(row.rule.match) },
    { name: "Times", className: "of-count", label: "times", title: "Which of the requests that match", sort: (row) => whenText(row.rule.when), show: (row) => whenText(row.rule.when) },
    { name: "Effect", className: "of-effect grow", sort: (row) => row.rule.action.type, show: (row) => html`<span title=${`${effectText(row.rule.action)} ${row.rule.action.message ?? ""}`.trim()}>${effectText(row.rule.action)}</span>` },
    { name: "Matched", className: "of-count", label: "matched", number: true, sort: (row) => row.matched, show: (row) => row.matched },
    { name: "Fired", className: "of-count", label: "fired", number: true, sort: (row) => row.fired, show: (row) => html`<span class=${row.fired ? "good" : ""}>${row.fired}</span>` },
    { name: "", className: "of-age", show: (row) => html`<button type="button" class="quiet" aria-label=${`Disarm ${row.name}`} title=${`Disarms ${row.name}: fakeapi faults disarm ${shell(row.name)}`} onClick=${() => disarm(row.name)}>Disarm</button>` },
  ];
}

/** Returns the members of a part of a rule that are not empty, as text. `left`: the members to leave out. */
function members(part, left, first = "") {
  const rest = Object.entries(part).filter(([name, value]) => !left.includes(name) && Boolean(value) && (typeof value !== "object" || Object.keys(value).length > 0));
  return [first, ...rest.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)].filter(Boolean).join(", ");
}

function matchText(match) {
  const resource = `${match.resource || "all resources"}${match.group ? `.${match.group}` : ""}`;
  const object = [match.namespace, match.name].filter(Boolean).join("/");
  return members(match, ["verb", "resource", "group", "namespace", "name"], `${match.verb || "any verb"} ${resource} ${object}`.trim());
}

const seconds = (each) => `${each} ${each === 1 ? "second" : "seconds"}`;
const afterEvents = ({ after }) => (after ? ` after ${after} ${after === 1 ? "event" : "events"}` : "");

/** Functions that describe an action, by its type. */
const EFFECTS = {
  refuse: ({ code, reason, retryAfter, plainText, causes }) => [`refused with ${code}${reason ? ` ${reason}` : ""}`, retryAfter && `retry after ${seconds(retryAfter)}`, plainText && "as plain text", causes?.length && `with ${causes.length === 1 ? "1 cause" : `${causes.length} causes`}`].filter(Boolean).join(", "),
  wait: (action) => `waits ${seconds(action.seconds)}${action.spread ? `, up to ${seconds(action.spread)} longer` : ""}`,
  drop: ({ afterCommit }) => (afterCommit ? DOES.lose_reply : DOES.drop),
  tear: () => DOES.tear,
  stall: (action) => `${DOES.stall}${action.seconds ? ` for ${seconds(action.seconds)}` : ""}`,
  competingWrite: () => DOES.competing_write,
  goAway: () => DOES.go_away,
  endWatch: (action) => `${DOES.end_watch}${afterEvents(action)}`,
  cutWatch: (action) => `${DOES.cut_watch}${afterEvents(action)}`,
  expireWatch: (action) => `${DOES.expire}${afterEvents(action)}`,
  holdEvents: (action) => `${DOES.hold_events}${action.seconds ? ` for ${seconds(action.seconds)}` : ""}`,
  withholdBookmarks: () => DOES.withhold_bookmarks,
};

/** Describes an action in the words of the form; an action without a description by its members. */
function effectText(action) {
  return EFFECTS[action.type]?.(action) ?? members(action, ["type", "message", "details"], action.type);
}

function whenText(when) {
  const parts = [];
  if (when.last) {
    const times = when.last === 1 ? "once" : `the first ${when.last} times`;
    parts.push(when.first === 1 ? times : when.first === when.last ? `only request ${when.first}` : `requests ${when.first} to ${when.last}`);
  } else if (when.first > 1) {
    parts.push(`from request ${when.first}`);
  }
  if (when.every > 1) parts.push(`one in ${when.every}`);
  if (when.probability < 1) parts.push(`with probability ${when.probability}, seed ${when.seed}`);
  if (when.until) parts.push(`until ${when.until}`);
  return parts.join(", ") || "every time";
}
