// Simulated drivers and their switches, where the server has some.

import { control } from "./api.js";
import { useLive } from "./live.js";
import { html } from "./preact.js";

export function Drivers() {
  const { data } = useLive(() => control("GET", "/drivers").catch(() => null), [], { least: 2000 });
  if (!data) {
    return null;
  }
  return html`<section class="card"><h2>Simulated drivers</h2><pre tabindex="0" aria-label="Simulated drivers">${JSON.stringify(data, null, 2)}</pre></section>`;
}
