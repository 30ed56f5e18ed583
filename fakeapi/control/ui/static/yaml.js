// Writes objects as YAML, and finds the line of a field in YAML text.

const PLAIN = /^[A-Za-z_/][\w./ @()-]*$/;
const RESERVED = /^(true|false|yes|no|on|off|null|y|n|~)$/i;

/** @param {string} text */
function scalar(text) {
  const isPlain = PLAIN.test(text) && !RESERVED.test(text) && !text.endsWith(" ") && !text.includes(" #");
  return isPlain ? text : quoted(text);
}

/** Returns a text in double quotes. Escapes more characters than JSON, such as the line ends of YAML. */
function quoted(text) {
  return JSON.stringify(text).replaceAll(/[\u007f-\u00a0\u2028\u2029\ufeff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** @param {unknown} value */
function isNested(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/**
 * Yields the lines of a value.
 *
 * @param {any} value
 * @param {string} indent
 * @param {string} path
 * @returns {Generator<{indent: string, name: string, value: string, path: string}>}
 */
function* lines(value, indent, path) {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      const inner = isNested(each) ? [...lines(each, `${indent}  `, `${path}[${index}]`)] : [];
      if (inner.length) {
        yield { ...inner[0], indent: `${indent}- ${inner[0].indent.slice(indent.length + 2)}` };
        yield* inner.slice(1);
      } else {
        yield* leaf(`${indent}- `, "", each, `${path}[${index}]`, indent);
      }
    }
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    const inside = path ? `${path}.${name}` : name;
    if (isNested(each)) {
      yield { indent, name: scalar(name), value: "", path: inside };
      yield* lines(each, Array.isArray(each) ? indent : `${indent}  `, inside);
    } else {
      yield* leaf(indent, scalar(name), each, inside, indent);
    }
  }
}

/**
 * @param {string} indent
 * @param {string} name
 * @param {any} value
 * @param {string} path
 * @param {string} outer
 */
function* leaf(indent, name, value, path, outer) {
  if (typeof value === "string" && value.includes("\n") && !/[\t\r\u0000-\u0008\u000b-\u001f\u0085\u2028\u2029]| \n|^\s/.test(value)) {
    const parts = value.split("\n");
    const ends = parts.at(-1) === "" ? parts.at(-2) === "" ? "|+" : "|" : "|-";
    yield { indent, name, value: ends, path };
    for (const part of ends === "|-" ? parts : parts.slice(0, -1)) {
      yield { indent: part ? `${outer}  ` : "", name: "", value: part, path };
    }
    return;
  }
  const written = typeof value === "string" ? scalar(value) : JSON.stringify(value);
  yield { indent, name, value: written, path };
}

/**
 * @param {any} object
 * @returns {{indent: string, name: string, value: string, path: string}[]}
 */
export function yamlLines(object) {
  return isNested(object) ? [...lines(object, "", "")] : [...leaf("", "", object, "", "")];
}

/** @param {{indent: string, name: string, value: string}} line */
export function lineText({ indent, name, value }) {
  return `${indent}${name}${name ? ":" : ""}${name && value ? " " : ""}${value}`;
}

/** @param {any} object */
export function toYaml(object) {
  return `${yamlLines(object).map(lineText).join("\n")}\n`;
}

/**
 * Returns the number of the line with a field in YAML text in block style, from 1. If the text does not have the field,
 * returns the line of the nearest parent field; 0 if there is none.
 *
 * @param {string} text
 * @param {string} field such as spec.devices.requests[0].name
 */
export function lineOf(text, field) {
  const parts = field.replaceAll(/\[([^\]]*)\]/g, ".[$1]").split(".").filter(Boolean);
  const rows = text.split("\n");
  let [from, to, found, least] = [0, rows.length, 0, -1];
  for (const part of parts) {
    const at = /^\[\d+\]$/.test(part) ? item(rows, from, to, Number(part.slice(1, -1)), least) : member(rows, from, to, part, least);
    if (!at) {
      break;
    }
    [found, from, to, least] = [at.line + 1, at.from, at.to, at.indent];
  }
  return found;
}

const indentOf = (/** @type {string} */ row) => row.search(/[^ ]/);

/** Returns the index after the last line that belongs to the field at `line`. `indent`: the field's indentation. */
function block(rows, line, to, indent, isItem) {
  let end = line + 1;
  while (end < to) {
    const depth = indentOf(rows[end]);
    const stays = depth > indent || depth < 0 || (!isItem && depth === indent && rows[end].trimStart().startsWith("- "));
    if (!stays) break;
    end += 1;
  }
  return end;
}

function member(rows, from, to, name, least) {
  for (let line = from; line < to; line++) {
    const match = /^( *)((?:- )*)("?)([^":]+)\3:(?: |$)/.exec(rows[line]);
    if (match && match[4] === name && match[1].length + match[2].length > least) {
      const indent = match[1].length + match[2].length;
      return { line, from: line + 1, to: block(rows, line, to, indent, false), indent: indent - 1 };
    }
  }
  return null;
}

function item(rows, from, to, index, least) {
  let seen = -1;
  let depth = -1;
  for (let line = from; line < to; line++) {
    const match = /^( *)- /.exec(rows[line]);
    if (match && match[1].length > least && (depth < 0 || match[1].length === depth)) {
      depth = match[1].length;
      seen += 1;
      if (seen === index) {
        return { line, from: line, to: block(rows, line, to, depth, true), indent: depth };
      }
    }
  }
  return null;
}
