// Links to objects. A link to an object that does not exist has the text "(missing)".

import { control } from "./api.js";
import { kindOfResource } from "./kinds.js";
import { useLive } from "./live.js";
import { html } from "./preact.js";
import { partOf, placed } from "./text.js";

/**
 * A link to one object, marked if the object does not exist.
 *
 * @param {{to: string, children?: any}} props `to`: an address that objectHref returns
 */
export function ToObject({ to, children }) {
  const { data: isMissing } = useLive(() => missing(to), [to], { only: (event) => to.includes(`/${event.resource}/`), least: 3000 });
  return html`<a class=${isMissing ? "missing" : undefined} href=${to}>${children}</a>${isMissing ? html` <span class="bad">(missing)</span>` : ""}`;
}

/** Whether the object of an address does not exist; false if the address names no object, or if the request fails. */
async function missing(to) {
  const [view, group, resource, namespace, name] = to.replace(/^#\//, "").split("?")[0].split("/").map(decodeURIComponent).map(partOf);
  if (view !== "object" || !name) return false;
  if (!(await kindOfResource(group, resource))) return false;
  // Read the first object after the place just before the object. No other object can be between these places.
  const place = placed(namespace, name);
  const after = `${place.slice(0, -1)}${String.fromCharCode(place.charCodeAt(place.length - 1) - 1)}~`;
  return control("GET", "/objects", { query: { group, resource, after, limit: 1 } }).then(({ objects }) => objects[0]?.place !== place, () => false);
}
