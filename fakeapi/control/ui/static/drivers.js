// Shows simulated drivers, with buttons to stop and start them and to change their behaviour and devices.

import { control } from "./api.js";
import { Icon } from "./icons.js";
import { useLive } from "./live.js";
import { html, useEffect, useState } from "./preact.js";
import { preparedText } from "./prepared_text.js";
import { counted, python, shell } from "./text.js";
import { Code, Empty, Field, Pill, Problem, SameAs, say, useAction } from "./ui.js";

/** The behaviours of a driver when it prepares a claim. `body`: the request to the control API that sets the behaviour. */
const BEHAVIOURS = {
  works: { text: "works", body: {} },
  fails: { text: "fails", body: { error: "out of memory" } },
  "fails once": { text: "fails once", body: { error: "out of memory", times: 1 } },
  slow: { text: "takes 30 seconds", body: { delay: 30 } },
  hangs: { text: "never answers", body: { hangs: true } },
};

const TAINT = { key: "fakeapi.example.com/broken", effect: "NoSchedule" };

const path = (name) => `/drivers/${encodeURIComponent(name)}`;

/** Returns the simulated drivers; an empty list if the request fails. */
export async function readDrivers() {
  try {
    const { drivers, preparedStates } = await control("GET", "/drivers");
    return drivers.map((each) => ({ ...each, preparedStates: preparedStates[each.name] ?? {} }));
  } catch {
    return [];
  }
}

export function Drivers() {
  const { data, reload } = useLive(readDrivers, [], { least: 1500 });
  if (!data) {
    return null;
  }
  return html`<section class="drivers-card" aria-label="Simulated drivers"><h2>Simulated drivers <span class="count">${data.length}</span></h2>
    ${!data.length &&
    html`<${Empty} icon="devices" title="No driver is simulated"><p>A simulated driver publishes devices on each node, and prepares claims without a program of its own.</p>
      <${Code} text="fakeapi serve --controllers all --nodes node-1,node-2 --driver gpu.example.com=8" label="command" /><//>`}
    <div class="two">${data.map((driver) => html`<${Driver} key=${driver.name} driver=${driver} reload=${reload} />`)}</div></section>`;
}

function Driver({ driver, reload }) {
  const { run, busy, error } = useAction();
  const { name } = driver;
  const isOff = driver.runningNodes === 0;
  const act = (way) =>
    run(async () => {
      await control("POST", `${path(name)}/${way}`, { body: {} });
      say(`${name}: ${way}`);
      await reload();
    });
  const current = behaviourOf(driver.prepare);
  const [chosen, setChosen] = useState(current);
  useEffect(() => setChosen(current), [current]);
  const behave = (choice) => {
    setChosen(choice);
    run(async () => {
      await control("POST", `${path(name)}/prepare`, { body: BEHAVIOURS[choice].body });
      say(`${name} ${BEHAVIOURS[choice].text}`);
      await reload();
    });
  };
  const body = BEHAVIOURS[chosen]?.body ?? driver.prepare;
  const members = Object.entries(body);
  return html`<article class="card"><h2>${name} <${Pill} kind=${isOff ? "bad" : "good"}>${isOff ? "stopped" : `runs on ${counted(driver.runningNodes, "node")}`}<//>${current === "works" ? "" : html` <${Pill} kind="bad" title="How the driver answers calls to prepare a claim">${BEHAVIOURS[current]?.text ?? current}${driver.prepare?.error && BEHAVIOURS[current] ? `: ${driver.prepare.error}` : ""}<//>`}</h2>
    <p class="soft">${counted(driver.devices, "device")} on ${counted(driver.nodes, "node")}, <span title=${PREPARED_MEANS}>${preparedText(driver)}</span></p>
    ${driver.lastError && html`<p class=${driver.callsSinceError ? "soft" : "bad"}>${driver.callsSinceError ? html`Works again: ${counted(driver.callsSinceError, "call")} succeeded since the last error. ` : ""}${counted(driver.failedCalls, "failed call")}, the last: ${driver.lastError}</p>`}
    <${Problem} error=${error} />
    <div class="row">
      <${Field} label="Preparing a claim" whole><select value=${chosen} disabled=${busy} onChange=${(event) => behave(event.target.value)}>
        ${Object.entries(BEHAVIOURS).map(([choice, { text }]) => html`<option value=${choice} selected=${choice === chosen}>${text}</option>`)}
        ${!BEHAVIOURS[chosen] && html`<option value=${chosen} selected>${chosen}</option>`}</select><//>
      ${isOff ? html`<button type="button" disabled=${busy} title="Starts the driver on all its nodes: it publishes its devices and prepares claims again" onClick=${() => act("start")}><${Icon} name="play" />Start</button>` : html`<button type="button" disabled=${busy} title="Stops the driver on all nodes: the kubelet cannot prepare claims until the driver starts again. Its ResourceSlices stay" onClick=${() => act("stop")}><${Icon} name="pause" />Stop</button>`}
      <button type="button" disabled=${busy} title="Restarts the driver on all nodes: its running calls fail, and the kubelet calls it again" onClick=${() => act("restart")}>Restart</button>
    </div>
    <p class="soft"><a href=${`#/devices?driver=${encodeURIComponent(name)}`}>Its devices</a>: select a pool there to change the health and the taints of a device.</p>
    <${SameAs} command=${`fakeapi drivers prepare ${shell(name)}${members.map(([key, value]) => (value === true ? ` --${key}` : ` --${key} ${shell(String(value))}`)).join("")}\n${["stop", "start", "restart"].map((way) => `fakeapi drivers ${way} ${shell(name)}`).join("\n")}`}
      python=${`fakeapi.driver(${python(name)}).prepare(${members.map(([key, value]) => `${key}=${python(value)}`).join(", ")})\n${["stop", "start", "restart"].map((way) => `fakeapi.driver(${python(name)}).${way}()`).join("\n")}`} />
  </article>`;
}

const PREPARED_MEANS = "Claims that a kubelet has prepared with this driver and not unprepared yet. In the view Claims, a claim is prepared only while one of its pods runs, or when its driver has written status.devices";

/** Returns the name of a behaviour in BEHAVIOURS; a description of any other behaviour. */
function behaviourOf(prepare) {
  const text = JSON.stringify(prepare ?? {}, Object.keys(prepare ?? {}).sort());
  const known = Object.entries(BEHAVIOURS).find(([, { body }]) => JSON.stringify(body, Object.keys(body).sort()) === text);
  return known ? known[0] : described(prepare);
}

function described({ error, hangs, delay, ...others }) {
  const rest = Object.entries(others).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [error && `fails: ${error}`, hangs && "never answers", delay && `takes ${delay} seconds`, ...rest].filter(Boolean).join(", ");
}

/**
 * The switches of one device of a simulated driver.
 *
 * @param {{driver: string, node: string, device: any, taints: {text: string, rule: string}[]}} props `rule`: the name of
 *   the DeviceTaintRule that adds the taint; "" for taints of the driver
 */
export function DeviceSwitches({ driver, node, device, taints }) {
  const { run, busy, error } = useAction();
  const change = (text, body) => run(async () => {
    await control("POST", `${path(driver)}/devices/${encodeURIComponent(device.name)}`, { body: { node, ...body } });
    say(`${device.name}: ${text}`);
  });
  const own = taints.some((each) => !each.rule);
  const rules = [...new Set(taints.map((each) => each.rule).filter(Boolean))];
  const switches = [
    device.unhealthy ? ["--healthy", "healthy()"] : ["--unhealthy", "unhealthy()"],
    own ? ["--untaint '*'", "untaint()"] : [`--taint ${TAINT.key}:${TAINT.effect}`, `taint(${python(TAINT.key)})`],
  ];
  return html`<div class="actions switches">
    ${device.unhealthy ? html`<button type="button" disabled=${busy} title="The driver reports the device as Healthy" onClick=${() => change("healthy", { health: "Healthy" })}>Make healthy</button>` : html`<button type="button" disabled=${busy} title="The driver reports the device as Unhealthy; the status of a pod that uses it says so" onClick=${() => change("unhealthy", { health: "Unhealthy", message: "set on the live page" })}>Make unhealthy</button>`}
    ${own ? html`<button type="button" disabled=${busy} title="Removes all taints that the driver has set on the device" onClick=${() => change("untainted", { untaint: "*" })}>${rules.length ? "Remove taints of the driver" : "Remove taints"}</button>` : html`<button type="button" disabled=${busy} title=${`Adds the taint ${TAINT.key}:${TAINT.effect}: only claims that tolerate it get the device`} onClick=${() => change("tainted", { taint: TAINT })}>Taint</button>`}
    ${rules.length > 0 && html`<span class="soft small">The ${rules.length === 1 ? "taint" : "taints"} of DeviceTaintRule ${rules.join(", ")} ${rules.length === 1 ? "stays until the rule is" : "stay until the rules are"} deleted</span>`}
    <${Problem} error=${error} />
    <${SameAs} command=${switches.map(([option]) => `fakeapi drivers device ${shell(driver)} ${shell(device.name)} --node ${shell(node)} ${option}`).join("\n")}
      python=${switches.map(([, call]) => `fakeapi.driver(${python(driver)}).device(${python(device.name)}, node=${python(node)}).${call}`).join("\n")} /></div>`;
}
