// Draws a time line on a canvas, with a lane for each actor and a mark for each request or event. The live page and the
// report of a replay use this module.

const LANE = 30;
const TOP = 26;
// The space before the first and after the last mark, as a share of their distance.
const MARGIN = 0.03;
const LEAST_SECONDS = 0.0005;

/**
 * @typedef {object} Mark
 * @property {number} lane
 * @property {number} at in seconds
 * @property {number} length in seconds
 * @property {string} color the name of a CSS variable, without dashes
 * @property {"bar" | "low" | "diamond" | "span"} shape span: a thin line at the bottom of the lane, with dots for `events`
 * @property {number} rank marks of a higher rank are drawn over others
 * @property {boolean} [line] whether a line through all lanes shows the mark
 * @property {string} [label] a text in the bar, if the bar is long enough
 * @property {number[]} [events] the times of the dots
 * @property {string} text the tooltip of the mark
 */

export class Lanes {
  /**
   * @param {object} parts
   * @param {HTMLCanvasElement} parts.canvas
   * @param {HTMLElement} parts.tip the element of the tooltip
   * @param {string[]} parts.lanes
   * @param {Mark[]} parts.marks
   * @param {(index: number) => void} parts.onChoose
   * @param {(text: string) => void} [parts.onRange] receives the visible range as text
   * @param {(seconds: number, digits: number) => string} [parts.format]
   */
  constructor({ canvas, tip, lanes, marks, onChoose, onRange = () => {}, format = (at, digits) => `${at.toFixed(digits)} s` }) {
    this.canvas = canvas;
    this.tip = tip;
    this.lanes = lanes;
    this.marks = marks;
    this.onChoose = onChoose;
    this.onRange = onRange;
    this.format = format;
    this.paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.selected = -1;
    this.width = 0;
    this.labels = 210;
    this.height = TOP + lanes.length * LANE + 6;
    this.begin = marks.reduce((least, mark) => Math.min(least, mark.at), Infinity);
    this.begin = Number.isFinite(this.begin) ? this.begin : 0;
    this.end = marks.reduce((most, mark) => Math.max(most, mark.at + mark.length), this.begin + 0.001);
    this.margin = (this.end - this.begin) * MARGIN;
    this.from = this.begin - this.margin;
    this.to = this.end + this.margin;
    this.colors = {};
    this.listen();
  }

  /** Draws all marks again, for example after the size of the window has changed. */
  draw() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.parentElement?.clientWidth ?? 0;
    this.labels = this.width < 600 ? 126 : 210;
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    this.canvas.style.height = `${this.height}px`;
    this.paper.setTransform(scale, 0, 0, scale, 0, 0);
    this.colors = {};
    this.paper.fillStyle = this.color("lanes-back");
    this.paper.fillRect(0, 0, this.width, this.height);
    this.drawLanes();
    this.paper.save();
    this.paper.beginPath();
    this.paper.rect(this.labels, 0, this.width - this.labels, this.height);
    this.paper.clip();
    this.drawTimes();
    const order = this.marks.map((_, index) => index).sort((a, b) => this.marks[a].rank - this.marks[b].rank);
    order.forEach((index) => this.drawMark(index));
    this.paper.restore();
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(this.to - this.from))));
    this.onRange(`${this.format(this.from, digits)} to ${this.format(this.to, digits)}`);
  }

  /** Returns the value of a CSS variable. Each drawing reads the variable once. */
  color(name) {
    this.colors[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    return this.colors[name];
  }

  drawLanes() {
    const { paper } = this;
    paper.font = "12px system-ui, sans-serif";
    paper.textBaseline = "middle";
    this.lanes.forEach((name, index) => {
      const y = TOP + index * LANE;
      if (index % 2 === 0) {
        paper.fillStyle = this.color("lanes-lane");
        paper.fillRect(0, y, this.width, LANE);
      }
      paper.fillStyle = this.color("lanes-text");
      let shown = name;
      while (shown.length > 3 && paper.measureText(shown).width > this.labels - 24) {
        shown = `${shown.slice(0, -2)}…`;
      }
      paper.fillText(shown, 12, y + LANE / 2);
    });
  }

  drawTimes() {
    const { paper } = this;
    const rough = (this.to - this.from) / Math.max(1, (this.width - this.labels) / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power * 10;
    paper.strokeStyle = this.color("lanes-line");
    paper.fillStyle = this.color("lanes-faint");
    paper.lineWidth = 1;
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = Math.round(this.place(at)) + 0.5;
      paper.beginPath();
      paper.moveTo(x, TOP - 6);
      paper.lineTo(x, this.height);
      paper.stroke();
      const label = this.format(at, Math.max(0, Math.ceil(-Math.log10(step))));
      const size = paper.measureText(label).width;
      paper.fillText(label, x + 4 + size > this.width ? x - 4 - size : x + 4, TOP / 2);
    }
  }

  drawMark(index) {
    const { paper } = this;
    const mark = this.marks[index];
    const top = TOP + mark.lane * LANE;
    const x = this.place(mark.at);
    const size = Math.max(3, this.place(mark.at + mark.length) - x);
    paper.fillStyle = this.color(mark.color);
    if (mark.line) {
      paper.globalAlpha = 0.35;
      paper.fillRect(x, TOP - 6, 1.5, this.height);
      paper.globalAlpha = 1;
    }
    if (mark.shape === "span") {
      paper.fillRect(x, top + LANE - 8, size, 4);
      paper.fillStyle = this.color("lanes-event");
      for (const at of mark.events ?? []) {
        paper.beginPath();
        paper.arc(this.place(at), top + LANE - 6, 2.5, 0, 7);
        paper.fill();
      }
    } else if (mark.shape === "diamond") {
      paper.save();
      paper.translate(x + 3, top + 11);
      paper.rotate(Math.PI / 4);
      paper.fillRect(-4.5, -4.5, 9, 9);
      paper.restore();
    } else {
      paper.fillRect(x, mark.shape === "low" ? top + 9 : top + 5, size, mark.shape === "low" ? 8 : 13);
      if (mark.label) this.drawLabel(mark.label, x, size, top);
    }
    if (index === this.selected) {
      paper.strokeStyle = this.color("lanes-text");
      paper.lineWidth = 1.5;
      paper.strokeRect(x - 3, top + 2, (mark.shape === "span" ? 8 : size) + 6, LANE - 4);
    }
  }

  /** Writes a text in a bar of a lane, or nothing if the bar is too short. The text stays in the visible part. */
  drawLabel(text, x, size, top) {
    const { paper } = this;
    const left = Math.max(x, this.labels) + 4;
    if (left + paper.measureText(text).width + 4 > Math.min(x + size, this.width)) return;
    paper.fillStyle = this.color("lanes-label");
    paper.font = "600 11px system-ui, sans-serif";
    paper.fillText(text, left, top + 12);
    paper.font = "12px system-ui, sans-serif";
  }

  place(at) {
    return this.labels + ((at - this.from) / (this.to - this.from)) * (this.width - this.labels);
  }

  timeAt(x) {
    return this.from + ((x - this.labels) / (this.width - this.labels)) * (this.to - this.from);
  }

  /** Returns the index of the mark at a point of the canvas; -1 for none. */
  nearest(x, y) {
    const lane = Math.floor((y - TOP) / LANE);
    const low = y - TOP - lane * LANE > LANE - 10;
    let [found, best] = [-1, 9];
    this.marks.forEach((mark, index) => {
      if (mark.lane !== lane) {
        return;
      }
      const left = this.place(mark.at);
      const right = Math.max(left + 3, this.place(mark.at + mark.length));
      let distance = x < left ? left - x : x > right ? x - right : 0;
      distance += ((mark.shape === "span") !== low ? 6 : 0) + (mark.shape === "span" ? 0.5 : 0);
      if (distance < best || (distance === best && mark.rank > (this.marks[found]?.rank ?? -1))) {
        [found, best] = [index, distance];
      }
    });
    return found;
  }

  /** Shows a range of time; the whole time line if the range is longer. */
  show(left, right) {
    if (right - left < LEAST_SECONDS) {
      const middle = (left + right) / 2;
      [left, right] = [middle - LEAST_SECONDS / 2, middle + LEAST_SECONDS / 2];
    }
    if (right - left > this.end - this.begin + 2 * this.margin) {
      [left, right] = [this.begin - this.margin, this.end + this.margin];
    }
    [this.from, this.to] = [left, right];
    this.draw();
  }

  showAll() {
    this.show(this.begin - this.margin, this.end + this.margin);
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  /** Shows the time around a mark, and selects the mark. */
  goTo(index) {
    const half = Math.min(this.to - this.from, (this.end - this.begin) / 10 || 1) / 2;
    this.show(this.marks[index].at - half, this.marks[index].at + half);
    this.choose(index);
  }

  choose(index) {
    this.selected = index;
    this.draw();
    this.onChoose(index);
  }

  listen() {
    const { canvas, tip } = this;
    let held = /** @type {number | null} */ (null);
    let moved = false;
    canvas.addEventListener("pointerdown", (event) => {
      [held, moved] = [event.offsetX, false];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held === null) {
        this.point(event);
        return;
      }
      tip.hidden = true;
      moved = moved || Math.abs(event.offsetX - held) > 3;
      if (moved) {
        const shift = this.timeAt(held) - this.timeAt(event.offsetX);
        held = event.offsetX;
        this.show(this.from + shift, this.to + shift);
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      held = null;
      const index = moved ? -1 : this.nearest(event.offsetX, event.offsetY);
      if (index >= 0) {
        this.choose(index);
      }
    });
    canvas.addEventListener("pointerleave", () => {
      tip.hidden = true;
    });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => this.zoom(0.4, this.timeAt(event.offsetX)));
    canvas.addEventListener("keydown", (event) => this.press(event));
  }

  point(event) {
    const index = this.nearest(event.offsetX, event.offsetY);
    this.tip.hidden = index < 0;
    if (index >= 0) {
      this.tip.textContent = this.marks[index].text;
      this.tip.style.left = `${Math.max(4, Math.min(event.offsetX + 12, this.width - 480))}px`;
      this.tip.style.top = `${event.offsetY + 16}px`;
    }
  }

  wheel(event) {
    const zooms = event.ctrlKey || event.metaKey;
    if (!zooms && Math.abs(event.deltaY) > Math.abs(event.deltaX) && !event.shiftKey) {
      return;
    }
    event.preventDefault();
    if (zooms) {
      this.zoom(Math.exp(event.deltaY / 200), this.timeAt(event.offsetX));
    } else {
      const shift = ((event.deltaX || event.deltaY) / this.width) * (this.to - this.from);
      this.show(this.from + shift, this.to + shift);
    }
  }

  press(event) {
    const shift = (this.to - this.from) / 8;
    const last = this.marks.length - 1;
    const actions = {
      "+": () => this.zoom(0.6),
      "=": () => this.zoom(0.6),
      "-": () => this.zoom(1.6),
      0: () => this.showAll(),
      ArrowLeft: () => this.show(this.from - shift, this.to - shift),
      ArrowRight: () => this.show(this.from + shift, this.to + shift),
      n: () => this.choose(Math.min(last, this.selected + 1)),
      p: () => this.choose(Math.max(0, this.selected - 1)),
    };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  }
}
