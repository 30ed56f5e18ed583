// The frame of the page: navigation, state of the server and keyboard. The fragment of the address selects the view.

import { Refused, setToken } from "./api.js";
import { Claims } from "./claims.js";
import { Clock } from "./clock.js";
import { Controllers } from "./controllers.js";
import { Devices } from "./devices.js";
import { Faults } from "./faults.js";
import { Icon } from "./icons.js";
import { follow, onError, usePending, useServer } from "./live.js";
import { ObjectView } from "./object.js";
import { Objects } from "./objects.js";
import { html, render, useEffect, useRef, useState } from "./preact.js";
import { Requests } from "./requests.js";
import { age, attention, total } from "./text.js";
import { Empty, Panel } from "./ui.js";
import { Watches } from "./watches.js";
import { Why } from "./why.js";

/** @type {{name: string, title: string, key: string, view: any, icon: string, group: string}[]} */
const VIEWS = [
  { name: "devices", title: "Devices", key: "d", view: Devices, icon: "devices", group: "Cluster" },
  { name: "claims", title: "Claims", key: "c", view: Claims, icon: "claims", group: "Cluster" },
  { name: "pending", title: "Pending", key: "p", view: Why, icon: "why", group: "Cluster" },
  { name: "objects", title: "Objects", key: "o", view: Objects, icon: "objects", group: "Cluster" },
  { name: "requests", title: "Requests", key: "r", view: Requests, icon: "requests", group: "Traffic" },
  { name: "watches", title: "Watches", key: "w", view: Watches, icon: "watches", group: "Traffic" },
  { name: "faults", title: "Faults", key: "f", view: Faults, icon: "faults", group: "Control" },
  { name: "clock", title: "Clock and snapshots", key: "t", view: Clock, icon: "clock", group: "Control" },
  { name: "controllers", title: "Controllers and drivers", key: "k", view: Controllers, icon: "controllers", group: "Control" },
];
// Views that are not in the navigation: one object, and views under their old names.
const OTHERS = { object: { title: "Object", view: ObjectView, parent: "objects" }, time: { title: "Clock and snapshots", view: Clock, parent: "clock" }, why: { title: "Pending", view: Why, parent: "pending" } };
const THEMES = ["system", "light", "dark"];
const THEME_KEY = "fakeapi-theme";
const GO_MS = 1200;

function route() {
  const path = location.hash.replace(/^#\/?/, "").split("?")[0];
  const [name, ...place] = path.split("/").map(decoded);
  return { name: name || "devices", place, hash: location.hash };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function Page() {
  const [at, setAt] = useState(route);
  const [help, setHelp] = useState(false);
  const [locked, setLocked] = useState(false);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const { state, connected } = useServer();
  const view = VIEWS.find((each) => each.name === at.name) ?? OTHERS[at.name];

  useEffect(() => {
    onError.call = (problem) => problem instanceof Refused && setLocked(true);
    const change = () => {
      setAt(route());
      main.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    };
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  useEffect(() => keyboard(() => setHelp((old) => !old)), []);
  useEffect(() => {
    const object = at.name === "object" ? `${at.place.at(3) ?? ""} · ` : "";
    document.title = `${object}${view?.title ?? "Unknown view"} · fakeapi`;
  }, [at]);

  const unlock = (token) => {
    setToken(token);
    setLocked(false);
    setAt({ ...route(), hash: `${location.hash} ` });
  };
  return html`
    <a class="skip" href="#main" onClick=${(event) => (event.preventDefault(), main.current?.focus())}>Skip to the content</a>
    <${Sidebar} current=${view?.parent ?? at.name} state=${state} connected=${connected} locked=${locked} showHelp=${() => setHelp(true)} />
    <main id="main" tabindex="-1" ref=${main}>
      ${!connected && html`<p class="problem" role="alert"><${Icon} name="warning" />The server does not answer. The page tries again.</p>`}
      ${locked
        ? html`<${Token} unlock=${unlock} />`
        : view
          ? html`<${view.view} key=${at.hash} place=${at.place} />`
          : html`<${Empty} icon="search" title="There is no such view"><p>The page has no view <code>#/${at.name}</code>. It has these views:</p>
            <p class="views">${VIEWS.map((each) => html`<a href=${`#/${each.name}`}>${each.title}</a> `)}</p><//>`}
    </main>
    ${help && html`<${Help} onClose=${() => setHelp(false)} />`}`;
}

function Sidebar({ current, state, connected, locked, showHelp }) {
  const groups = [...new Set(VIEWS.map((each) => each.group))];
  return html`<header class="side">
    <p class="brand"><img src="icon.svg" alt="" width="24" height="24" />fakeapi</p>
    <nav aria-label="Views">
      ${groups.map(
        (group) => html`<div class="nav-group"><p>${group}</p><ul>${VIEWS.filter((each) => each.group === group).map(
          (each) => html`<li><a href=${`#/${each.name}`} aria-current=${each.name === current ? "page" : undefined} title=${`${each.title} (g ${each.key})`}><${Icon} name=${each.icon} /><span>${each.title}</span>${each.name === "pending" && !locked && html`<${Waiting} />`}${!locked && markOf(each.name, state)}</a></li>`,
        )}</ul></div>`,
      )}
    </nav>
    <div class="side-foot">
      <dl id="state" aria-label="State of the server">
        ${!connected && html`<div><dt>State</dt><dd class="bad">not connected</dd></div>`}
        ${state &&
        html`<div><dt>Kubernetes</dt><dd>${state.serves}</dd></div>
          <div><dt>Objects</dt><dd>${state.objects.toLocaleString("en")}</dd></div>
          <div><dt>resourceVersion</dt><dd title="The newest resourceVersion of the server">${state.resourceVersion}</dd></div>
          <div><dt>Clock</dt><dd class=${state.clock.frozen ? "warn" : ""} title=${`${state.clock.now}. ${CLOCK_MEANS}`}>${state.clock.now.slice(11, 19)} ${clockState(state.clock)}</dd></div>`}
      </dl>
      <div class="side-buttons">
        <${Theme} />
        <button type="button" class="quiet" onClick=${showHelp} title="Keyboard (?)"><${Icon} name="help" /><span>Keys</span></button>
      </div>
    </div>
  </header>`;
}

/** Shows the number of objects that wait or need attention beside the view Pending. */
function Waiting() {
  const numbers = usePending();
  const all = total(numbers);
  const text = attention(numbers);
  return all ? html`<span class="count" aria-hidden="true" title=${text}>${all.toLocaleString("en")}</span><span class="hidden">${text}</span>` : null;
}

/** Marks the view Faults while faults are armed, and the view Clock while the clock is frozen. */
function markOf(view, state) {
  if (view === "faults" && state?.faults) return html`<span class="mark" title="Armed faults change the responses of the server">${state.faults} <span class="hidden">${state.faults === 1 ? "fault is" : "faults are"}</span> armed</span>`;
  if (view === "clock" && state?.clock.frozen) return html`<span class="mark" title="The clock of the server stands still">frozen</span>`;
  return null;
}

/** Describes how the clock differs from the browser's clock: "frozen", "moved 1h", or "". */
function clockState({ frozen, adjusted, seconds }) {
  const ahead = seconds - Date.now() / 1000;
  return [frozen && "frozen", adjusted && Math.abs(ahead) >= 2 && `${ahead > 0 ? "+" : "−"}${age(Math.round(Math.abs(ahead)))}`].filter(Boolean).join(" ");
}

const CLOCK_MEANS = "The server's time in UTC. If the clock was frozen or moved, its difference from the time of this browser follows";

function Theme() {
  const [theme, setTheme] = useState(() => localStorage.getItem(THEME_KEY) ?? "system");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(THEME_KEY, theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return html`<button type="button" class="quiet" onClick=${() => setTheme(next)} title=${`Theme: ${theme}. Change to ${next}.`}><${Icon} name="theme" /><span>Theme: ${theme}</span></button>`;
}

function Token({ unlock }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const submit = (event) => {
    event.preventDefault();
    unlock(input.current?.value ?? "");
  };
  return html`<form class="token" onSubmit=${submit}>
    <h1>This server asks for its token</h1>
    <p>It was started with <code>--token</code>. The page keeps the token in this tab only.</p>
    <label for="token-value">Token</label>
    <input id="token-value" type="password" autocomplete="off" required ref=${input} />
    <button class="main">Continue</button>
  </form>`;
}

function Help({ onClose }) {
  const keys = [["/", "search in the view"], ["?", "this help"], ["Esc", "close a panel"], ...VIEWS.map((each) => [`g ${each.key}`, each.title])];
  return html`<${Panel} title="Keyboard" onClose=${onClose}>
    <dl class="keys">${keys.map(([key, does]) => html`<div><dt>${key.split(" ").map((each) => html`<kbd>${each}</kbd> `)}</dt><dd>${does}</dd></div>`)}</dl>
    <p class="soft">Tables sort by their headers. Every view and filter has an address of its own: send it to somebody.</p>
  <//>`;
}

/** @param {() => void} toggleHelp */
function keyboard(toggleHelp) {
  let going = Number.NEGATIVE_INFINITY;
  const press = (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (typing && event.key === "Escape" && !document.querySelector("dialog[open]")) {
      event.target.blur();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (performance.now() - going < GO_MS) {
      going = Number.NEGATIVE_INFINITY;
      const view = VIEWS.find((each) => each.key === event.key);
      if (view) {
        event.preventDefault();
        location.hash = `#/${view.name}`;
      }
    } else if (event.key === "g") {
      going = performance.now();
    } else if (event.key === "?") {
      toggleHelp();
    } else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("search")?.focus();
    }
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

const root = document.getElementById("page");
if (root) {
  render(html`<${Page} />`, root);
}
follow();
