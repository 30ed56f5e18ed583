// A table for any number of rows. Its headers sort the rows. Only the visible rows are in the document. In a narrow
// window, a table can show each row as a card.

import { sorted } from "./order.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./preact.js";

// The height of a row in style.css.
const ROW_HEIGHT = 34;
/** The height of a row that shows two lines of text. */
export const TWO_LINES_HEIGHT = 46;
/** The height of a line of a card, and of a card with three lines. */
export const CARD_LINE = 23;
export const CARD_HEIGHT = 78;
export const NARROW = matchMedia("(max-width: 560px)");
const MORE = 12;
const LEAST_HEIGHT = 280;
const BELOW = 56;
// The margin of an element after the table, such as a button.
const AFTER = 10;

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {(row: any) => any} show returns the content of the cell
 * @property {(row: any) => string | number} [sort] returns the sort key of a row; by default the content of the cell
 * @property {boolean} [number] whether the column has numbers, which are aligned to the right
 * @property {string} [title] the tooltip of the header
 * @property {string} [className]
 * @property {string} [width]
 * @property {string} [label] the name of the value on a card, if the value alone is unclear
 */

/**
 * @param {object} props
 * @param {string} props.label
 * @param {Column[]} props.columns
 * @param {any[]} props.rows
 * @param {(row: any) => string} props.id
 * @param {any} [props.empty] the content instead of a table without rows
 * @param {[string, 1 | -1]} [props.sortedBy] the column and direction at the beginning
 * @param {string} [props.order] the order of the rows without a sorted column, such as "pending first"
 * @param {(row: any) => string} [props.rowClass]
 * @param {(row: any) => void} [props.onRow] receives the row on which the user clicks, outside of links and buttons
 * @param {any} [props.caption]
 * @param {number} [props.height] the height of a row
 * @param {number} [props.cards] the height of a card: in a narrow window, each row is a card; 0 for rows in all windows.
 *   style.css places the columns on a card by their classes.
 * @param {boolean} [props.whole] whether the table shows all its rows, so that only the page scrolls
 */
export function Table({ label, columns, rows, id, empty, sortedBy, order = "by name", rowClass, onRow, caption, height = ROW_HEIGHT, cards = 0, whole = false }) {
  const [[column, direction], setSorted] = useState(/** @type {[string, number]} */ (sortedBy ?? ["", 1]));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [view, setView] = useState({ top: 0, height: 1200, beyond: "", isNarrow: NARROW.matches });
  const isCards = cards > 0 && view.isNarrow;
  const rowHeight = isCards ? cards : height;

  const ordered = useMemo(() => {
    const by = columns.find((each) => each.name === column);
    if (!by) {
      return rows;
    }
    return sorted(rows, by.sort ?? by.show, direction);
  }, [rows, column, direction, columns.map((each) => each.name).join()]);

  useLayoutEffect(() => measure(box.current, setView, whole), [rows.length > 0]);
  useEffect(() => {
    const element = box.current;
    if (!element) {
      return undefined;
    }
    const update = () => measure(element, setView, whole);
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    addEventListener("resize", update);
    addEventListener("scroll", update, { passive: true });
    return () => {
      removeEventListener("resize", update);
      removeEventListener("scroll", update);
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [rows.length > 0]);

  if (!rows.length && empty) {
    return empty;
  }
  const from = Math.max(0, Math.floor(view.top / rowHeight) - MORE);
  const to = Math.min(ordered.length, Math.ceil((view.top + view.height) / rowHeight) + MORE);
  const role = (name) => (isCards ? name : undefined);
  const clicked = (row) => (event) => {
    const isPlain = !event.target.closest("a, button, input") && !String(getSelection());
    if (isPlain) onRow?.(row);
  };
  const turn = (name) => setSorted(name === column ? (direction === 1 ? [name, -1] : ["", 1]) : [name, 1]);
  return html`${view.beyond && html`<p class="beyond soft">Scroll sideways: ${view.beyond}</p>`}
    ${isCards && html`<${SortBy} columns=${columns} column=${column} direction=${direction} order=${order} choose=${setSorted} />`}
    <div class=${`table ${view.beyond ? "cut" : ""} ${isCards ? "cards" : ""}`} style=${{ "--card": `${cards}px`, "--row": `${height}px` }} ref=${box} tabindex="0" role="region" aria-label=${label}>
    <table role=${role("table")} aria-rowcount=${ordered.length + 1}>
      <caption class=${caption ? "" : "hidden"}>${caption ?? label}</caption>
      <thead role=${role("rowgroup")}><tr role=${role("row")}>${columns.map((each) => head(each, column, direction, isCards ? undefined : turn, role("columnheader")))}</tr></thead>
      <tbody role=${role("rowgroup")}>
        ${from > 0 && html`<tr class="space" key="before" aria-hidden="true"><td colspan=${columns.length} style=${{ height: `${from * rowHeight}px` }}></td></tr>`}
        ${ordered.slice(from, to).map(
          (row, index) => html`<tr key=${id(row)} role=${role("row")} aria-rowindex=${from + index + 2} class=${`${rowClass?.(row) ?? ""} ${onRow ? "opens" : ""}`} onClick=${onRow && clicked(row)}>
            ${columns.map((each) => html`<td role=${role("cell")} data-label=${each.label} class=${`${each.number ? "number" : ""} ${each.className ?? ""}`}>${each.show(row)}</td>`)}
          </tr>`,
        )}
        ${to < ordered.length &&
        html`<tr class="space" key="after" aria-hidden="true"><td colspan=${columns.length} style=${{ height: `${(ordered.length - to) * rowHeight}px` }}></td></tr>`}
      </tbody>
    </table>
  </div>`;
}

/** Shows the header of a column. A header that sorts the rows is a button with an arrow, which style.css draws. */
function head(each, column, direction, turn, role) {
  const order = each.name !== column ? "none" : direction === 1 ? "ascending" : "descending";
  return html`<th scope="col" role=${role} class=${each.number ? "number" : ""} aria-sort=${each.name ? order : undefined} style=${each.width ? { width: each.width } : undefined}>
    ${!each.name
      ? html`<span class="hidden">Actions</span>`
      : turn
        ? html`<button type="button" title=${each.title} onClick=${() => turn(each.name)}>${each.name}</button>`
        : each.name}
  </th>`;
}

/** Sorts the cards of a narrow window, which has no room for the headers. */
function SortBy({ columns, column, direction, order, choose }) {
  const names = columns.map((each) => each.name).filter(Boolean);
  return html`<div class="sort-by"><label>Order <select value=${column} onChange=${(event) => choose([event.target.value, 1])}>
      <option value="" selected=${!column}>${order}</option>${names.map((name) => html`<option value=${name} selected=${name === column}>${name}</option>`)}</select></label>
    ${column && html`<button type="button" aria-label=${direction === 1 ? "Ascending: sort in descending order" : "Descending: sort in ascending order"} onClick=${() => choose([column, -direction])}>${direction === 1 ? "↑" : "↓"}</button>`}</div>`;
}

/**
 * Reads which part of a table is visible. A wide table ends where the window ends, so that only the table scrolls. In a
 * narrow window the whole page scrolls, because two areas that scroll are hard to use with a finger.
 *
 * @param {HTMLElement | null} element
 * @param {(change: (old: any) => any) => void} setView
 * @param {boolean} whole whether the table never scrolls
 */
function measure(element, setView, whole) {
  if (element) {
    const isNarrow = NARROW.matches;
    const { top } = element.getBoundingClientRect();
    const after = element.nextElementSibling instanceof HTMLElement ? element.nextElementSibling.offsetHeight + AFTER : 0;
    const room = Math.max(LEAST_HEIGHT, innerHeight - (top + scrollY) - BELOW - after);
    element.style.maxHeight = isNarrow || whole ? "none" : `${Math.round(room)}px`;
    const shown = isNarrow || whole ? { top: Math.max(0, -top), height: innerHeight } : { top: element.scrollTop, height: element.clientHeight };
    const next = { ...shown, beyond: beyond(element), isNarrow };
    const isSame = (old) => old.height === next.height && old.beyond === next.beyond && old.isNarrow === next.isNarrow;
    setView((old) => (Math.abs(old.top - next.top) < ROW_HEIGHT && isSame(old) ? old : next));
  }
}

/** Returns the names of the columns that are mostly outside the visible part, with arrows; "" for none. */
function beyond(element) {
  if (element.scrollWidth <= element.clientWidth + 1) return "";
  const heads = /** @type {HTMLElement[]} */ ([...element.querySelectorAll("thead th")]);
  const right = element.scrollLeft + element.clientWidth;
  const name = (head) => head.querySelector("button")?.firstChild?.textContent ?? "actions";
  const before = heads.filter((head) => head.offsetLeft + head.offsetWidth / 2 < element.scrollLeft).map(name);
  const after = heads.filter((head) => head.offsetLeft + head.offsetWidth / 2 > right).map(name);
  return [before.length ? `← ${before.join(", ")}` : "", after.length ? `${after.join(", ")} →` : ""].filter(Boolean).join(" · ");
}
