// The parts that all views share: headings, empty states, fields, pills, code to copy, panels.

import { Icon } from "./icons.js";
import { html, useEffect, useRef, useState } from "./preact.js";

/** Shows a message for a moment, and announces the message to screen readers. */
export function say(/** @type {string} */ text) {
  const box = document.getElementById("said");
  if (box) {
    box.textContent = text;
    box.classList.remove("shown");
    requestAnimationFrame(() => box.classList.add("shown"));
  }
}

/** @param {{title: any, children?: any, lead?: any}} props */
export function Heading({ title, lead, children }) {
  return html`<div class="heading">
    <div><h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>
    ${children && html`<div class="actions">${children}</div>`}
  </div>`;
}

/** @param {{icon: string, title: string, children?: any}} props */
export function Empty({ icon, title, children }) {
  return html`<div class="empty"><${Icon} name=${icon} /><h2>${title}</h2>${children}</div>`;
}

/** @param {{error: Error | undefined}} props */
export function Problem({ error }) {
  if (!error) {
    return null;
  }
  return html`<p class="problem" role="alert"><${Icon} name="warning" /><span>${error.message}</span></p>`;
}

/** @param {{kind?: string, children?: any, title?: string}} props */
export function Pill({ kind = "", title, children }) {
  return html`<span class=${`pill ${kind}`} title=${title}>${children}</span>`;
}

/** @param {{label: string, children?: any, hint?: string, wide?: boolean, whole?: boolean}} props `whole`: whether the field has a line of its own in a narrow window */
export function Field({ label, hint, wide, whole, children }) {
  return html`<label class=${["field", wide && "wide", whole && "whole"].filter(Boolean).join(" ")}><span>${label}</span>${children}${hint && html`<small>${hint}</small>`}</label>`;
}

/**
 * A search box; `/` moves the focus to it.
 *
 * @param {{value: string, onInput: (text: string) => void, label: string, placeholder?: string, id?: string}} props
 */
export function Search({ value, onInput, label, placeholder, id = "search" }) {
  return html`<label class="search">
    <span class="hidden">${label}</span><${Icon} name="search" />
    <input id=${id} type="search" autocomplete="off" spellcheck=${false} value=${value} placeholder=${placeholder ?? label}
      onInput=${(event) => onInput(event.target.value)} />
    <kbd aria-hidden="true">/</kbd>
  </label>`;
}

/**
 * A choice between several values, as buttons in a row.
 *
 * @param {{label: string, value: string, choices: [string, any][], onChange: (value: string) => void}} props
 */
export function Choice({ label, value, choices, onChange }) {
  return html`<div class="choice" role="group" aria-label=${label}>
    ${choices.map(
      ([name, text]) => html`<button type="button" aria-pressed=${String(name === value)} onClick=${() => onChange(name)}>${text}</button>`,
    )}
  </div>`;
}

/** @param {{text: string, label?: string, children?: any}} props */
export function Copy({ text, label = "Copy", children }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await copyText(text);
    setDone(true);
    say("Copied");
    setTimeout(() => setDone(false), 1500);
  };
  return html`<button type="button" class="quiet" aria-label=${children ? undefined : label} title=${label} onClick=${copy}>
    <${Icon} name="copy" />${children && html`<span>${done ? "Copied" : children}</span>`}
  </button>`;
}

/** @param {string} text */
async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  // While a dialog is open, elements outside the dialog cannot have the focus.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** @param {{text: string, label: string}} props */
export function Code({ text, label }) {
  return html`<div class="code"><pre tabindex="0" aria-label=${label}>${text}</pre><${Copy} text=${text} label=${`Copy ${label}`} /></div>`;
}

/**
 * The command and the Python line that do the same as a button.
 *
 * @param {{command?: string, python?: string}} props
 */
export function SameAs({ command, python }) {
  return html`<details class="same"><summary>The same as a command and in Python</summary>
    ${command && html`<${Code} text=${command} label="command" />`}
    ${python && html`<${Code} text=${python} label="Python line" />`}
  </details>`;
}

/**
 * A panel over the page. Escape closes the panel, and the focus returns to the previous element.
 *
 * @param {{title: any, onClose: () => void, children?: any, wide?: boolean}} props
 */
export function Panel({ title, onClose, wide, children }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const had = document.activeElement;
    const dialog = box.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
    }
    return () => {
      dialog?.close();
      if (had instanceof HTMLElement && had.isConnected) {
        had.focus({ preventScroll: true });
      }
    };
  }, []);
  const outside = (event) => event.target === box.current && onClose();
  const cancel = (event) => {
    event.preventDefault();
    onClose();
  };
  return html`<dialog ref=${box} class=${wide ? "panel wide" : "panel"} aria-labelledby="panel-title" onClick=${outside} onCancel=${cancel}>
    <div class="panel-inner">
      <header><h2 id="panel-title">${title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button></header>
      <div class="panel-body">${children}</div>
    </div>
  </dialog>`;
}

/** Keeps a value in the address of the view, such as a filter. Returns the value and a function that sets it. */
export function remember(/** @type {string} */ key, /** @type {string} */ initial) {
  const [value, setValue] = useState(() => new URLSearchParams(location.hash.split("?")[1] ?? "").get(key) ?? initial);
  const set = (/** @type {string} */ next) => {
    setValue(next);
    const [path, query] = location.hash.split("?");
    const parameters = new URLSearchParams(query ?? "");
    if (next === initial) {
      parameters.delete(key);
    } else {
      parameters.set(key, next);
    }
    const text = parameters.toString();
    history.replaceState(null, "", `${path || "#/"}${text ? `?${text}` : ""}`);
  };
  return /** @type {[string, (next: string) => void]} */ ([value, set]);
}

/**
 * Returns a function that runs an action, whether an action is running, and the error of the last action.
 *
 * @returns {{run: (work: () => Promise<unknown>) => Promise<boolean>, busy: boolean, error: Error | undefined}}
 */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {Error | undefined} */ (undefined));
  const run = async (/** @type {() => Promise<unknown>} */ work) => {
    setBusy(true);
    try {
      await work();
      setError(undefined);
      return true;
    } catch (problem) {
      setError(/** @type {Error} */ (problem));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, error };
}
