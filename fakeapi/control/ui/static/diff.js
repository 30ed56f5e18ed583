// Finds the differences between two versions of an object, field by field.

import { toYaml } from "./yaml.js";

const IGNORED = new Set(["metadata.managedFields", "metadata.resourceVersion"]);
// Maximum number of characters of a line; longer lines are cut.
const VALUE_MAX = 300;
// Maximum number of characters of a map or list on one line; longer maps and lists are YAML below their path.
const LINE_MAX = 60;
const LINES_MAX = 40;

export function differences(before, after) {
  const found = [];
  walk("", before, after, found);
  return found;
}

function walk(path, before, after, found) {
  if (IGNORED.has(path) || before === after) {
    return;
  }
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      walk(path ? `${path}.${name}` : name, before[name], after[name], found);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      walk(`${path}[${index}]`, before[index], after[index], found);
    }
  } else {
    if (before !== undefined) {
      found.push({ kind: "removed", path, text: text(before) });
    }
    if (after !== undefined) {
      found.push({ kind: "added", path, text: text(after) });
    }
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value as JSON on one line. A longer map or list becomes YAML, which begins on a new line. */
export function text(value) {
  const written = JSON.stringify(value);
  if (typeof value === "object" && value !== null && written.length > LINE_MAX) {
    const lines = toYaml(value).trimEnd().split("\n");
    return `\n${lines.slice(0, LINES_MAX).map(cut).join("\n")}${lines.length > LINES_MAX ? `\n… ${lines.length - LINES_MAX} more lines` : ""}`;
  }
  return cut(written);
}

/** @param {string} line */
function cut(line) {
  return line.length > VALUE_MAX ? `${line.slice(0, VALUE_MAX)}…` : line;
}
