// Faults that are armed, and how to arm more: a ready-made one with a click, any other as JSON.

import { control } from "./api.js";
import { el, field, say, table } from "./dom.js";

// The members of a rule that say something, but for those that are told otherwise.
function told(members, left, first = "") {
  const rest = Object.entries(members).filter(([name, value]) => !left.includes(name) && says(value));
  return [first, ...rest.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)]
    .filter(Boolean)
    .join(", ");
}

function says(value) {
  return Boolean(value) && (typeof value !== "object" || Object.keys(value).length > 0);
}

function meets(match) {
  const resource = `${match.resource || "*"}${match.group ? `.${match.group}` : ""}`;
  const object = [match.namespace, match.name].filter(Boolean).join("/");
  const first = `${match.verb || "*"} ${resource} ${object}`.trim();
  return told(match, ["verb", "resource", "group", "namespace", "name"], first);
}

function timesOf(when) {
  const parts = [];
  if (when.last) {
    parts.push(when.first === when.last ? `number ${when.first}` : `number ${when.first} to ${when.last}`);
  } else if (when.first > 1) {
    parts.push(`from number ${when.first}`);
  }
  if (when.every > 1) {
    parts.push(`one in ${when.every}`);
  }
  if (when.probability < 1) {
    parts.push(`with probability ${when.probability}, seed ${when.seed}`);
  }
  if (when.until) {
    parts.push(`until ${when.until}`);
  }
  return parts.join(", ") || "all";
}

export async function show(main, { guarded }) {
  const armed = el("div", {});
  main.append(el("h2", {}, "Faults"), armed);
  const { names } = await control("GET", "/ready-made-faults");
  const chosen = el("select", { id: "ready-made" }, names.map((each) => el("option", {}, each)));
  const target = el("input", { id: "target", placeholder: "resourceclaims/status", autocomplete: "off" });
  const times = el("input", { id: "times", type: "number", min: "1", placeholder: "every time" });
  const rule = el("textarea", { id: "rule", spellcheck: "false" });
  rule.value = JSON.stringify({ conflict: { target: "resourceclaims/status", times: 2 } }, null, 2);

  async function arm(body) {
    const { faults } = await control("POST", "/faults", { body });
    say(`Armed ${faults.map((each) => each.name).join(", ")}`);
    await draw();
  }

  function armReadyMade(event) {
    event.preventDefault();
    const how = { target: target.value };
    if (times.value) {
      how.times = Number(times.value);
    }
    guarded(() => arm({ [chosen.value]: how }));
  }

  function armRule(event) {
    event.preventDefault();
    guarded(async () => {
      let body;
      try {
        body = JSON.parse(rule.value);
      } catch (error) {
        throw new Error(`the rule is no JSON: ${error.message}`);
      }
      await arm(body);
    });
  }

  async function disarm(name) {
    await control("DELETE", name ? `/faults/${encodeURIComponent(name)}` : "/faults");
    say(name ? `Disarmed ${name}` : "Disarmed all");
    await draw();
  }

  async function draw() {
    const { faults } = await control("GET", "/faults");
    const rows = faults.map((each) =>
      el(
        "tr",
        {},
        el("td", {}, each.name),
        el("td", { class: "number" }, String(each.matched)),
        el("td", { class: "number" }, String(each.fired)),
        el("td", {}, meets(each.rule.match)),
        el("td", {}, timesOf(each.rule.when)),
        el("td", {}, told(each.rule.action, ["type", "message", "details"], each.rule.action.type)),
        el("td", {}, el("button", { type: "button", onclick: () => guarded(() => disarm(each.name)) }, `Disarm ${each.name}`)),
      ),
    );
    const all = el("button", { type: "button", onclick: () => guarded(() => disarm("")) }, "Disarm all");
    armed.replaceChildren(
      ...(faults.length
        ? [table(`${faults.length} armed`, ["Name", "Matched", "Fired", "Requests", "Which of them", "What it does", ""], rows).box, all]
        : [el("p", {}, "No fault is armed.")]),
    );
  }

  main.append(
    el("h3", {}, "Arm a ready-made fault"),
    el(
      "form",
      { class: "row", onsubmit: armReadyMade },
      field("Fault", chosen),
      field("Resource, or verb and resource", target),
      field("Times", times),
      el("button", { class: "main" }, "Arm"),
    ),
    el("h3", {}, "Arm any rule"),
    el("form", { onsubmit: armRule }, field("A rule or a list of rules, as JSON", rule), el("button", {}, "Arm the rule")),
  );
  await draw();
  return draw;
}
