// Icons: paths on a grid of 24, drawn with the colour of the text around them.

import { html } from "./preact.js";

const PATHS = {
  devices: "M7 7h10v10H7zM10 10h4v4h-4zM9 3v4M15 3v4M9 17v4M15 17v4M3 9h4M3 15h4M17 9h4M17 15h4",
  claims: "M9 4h6v3H9zM9 5.5H6V20h12V5.5h-3M9 12l2 2 4-4",
  why: "M9.5 9a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18",
  objects: "M4 7l8-4 8 4-8 4zM4 7v10l8 4 8-4V7M12 11v10",
  requests: "M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4",
  watches: "M2 12s3.5-6 10-6 10 6 10 6-3.5 6-10 6-10-6-10-6M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  faults: "M13 3L5 14h6l-1 7 8-11h-6z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2",
  controllers: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L21 21",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  chevron: "M9 6l6 6-6 6",
  warning: "M12 4L2.5 20h19zM12 10v5M12 17.5v.5",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  help: "M4 6h16v12H4zM7 10h.5M11 10h.5M15 10h.5M8 14h8",
  node: "M4 4h16v6H4zM4 14h16v6H4zM8 7h.5M8 17h.5",
  timeline: "M4 5h8M8 12h10M6 19h14M3 5h.5M3 12h.5M3 19h.5",
  snapshot: "M4 8h4l2-3h4l2 3h4v11H4zM12 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
};

/** @param {{name: string, label?: string}} props */
export function Icon({ name, label }) {
  return html`<svg class="icon" viewBox="0 0 24 24" role=${label ? "img" : undefined} aria-label=${label} aria-hidden=${label ? undefined : "true"}>
    <path d=${PATHS[name]} />
  </svg>`;
}
