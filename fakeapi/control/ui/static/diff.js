// The differences between two versions of an object, field by field.

const UNTOLD = new Set(["metadata.managedFields", "metadata.resourceVersion"]);
const VALUE_MAX = 300;

export function differences(before, after) {
  const found = [];
  walk("", before, after, found);
  return found;
}

function walk(path, before, after, found) {
  if (UNTOLD.has(path) || before === after) {
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

function text(value) {
  const written = JSON.stringify(value);
  return written.length > VALUE_MAX ? `${written.slice(0, VALUE_MAX)}…` : written;
}
