// Makes elements. Text is always text: nothing that the server says becomes markup.

export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      made.addEventListener(key.slice(2), value);
    } else if (value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? "" : value);
    }
  }
  made.append(...children.flat().filter((each) => each !== null && each !== undefined));
  return made;
}

export function table(caption, columns, rows) {
  const head = el("tr", {}, columns.map((each) => el("th", { scope: "col" }, each)));
  const body = el("tbody", {}, rows);
  const made = el("table", {}, el("caption", {}, caption), el("thead", {}, head), body);
  return { box: el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, made), body, made };
}

export function field(label, control) {
  return el("label", {}, label, control);
}

export function say(text) {
  document.getElementById("said").textContent = text;
}

export function notice(text) {
  const box = document.getElementById("notice");
  box.textContent = text;
  box.hidden = !text;
}

export function clock(seconds) {
  return new Date(seconds * 1000).toISOString().slice(11, 23);
}

export function objectLink(group, resource, namespace, name, text) {
  const place = [group || "-", resource, namespace || "-", name].map(encodeURIComponent).join("/");
  return el("a", { href: `#/object/${place}` }, text ?? name);
}

// "1 snapshot", "2 snapshots".
export const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
