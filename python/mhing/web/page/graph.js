// What each player expects, decision by decision: a graph, and a slider over the decisions.

import { short } from "./analysis.js";
import { shape } from "./dom.js";

const HEIGHT = 128;
const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const LINE = 14; // from one label to the next

export class Graph {
  // `go` is called with the place of a frame.
  constructor(place, go) {
    this.place = place;
    this.go = go;
    this.dots = []; // of the decisions in the film, in their order
    this.at = 0;
    this.drawn = null;
    new ResizeObserver(() => this.drawn && this.draw(...this.drawn)).observe(place);
    place.addEventListener("keydown", (event) => this.press(event));
    place.addEventListener("click", (event) => this.click(event));
  }

  // Draws what a judgement says of a film.
  draw(film, judgement) {
    this.drawn = [film, judgement];
    this.dots = film.frames.flatMap((frame, at) =>
      frame.asked
        .filter((number) => judgement.value(number) !== null)
        .map((number) => ({ at, number, seat: judgement.decisions[number].seat })),
    );
    this.texts = this.dots.map((dot) =>
      `${judgement.text(dot.number)}; expects ${short(judgement.value(dot.number))}`,
    );
    this.place.hidden = this.dots.length === 0;
    if (this.place.hidden) return;
    const width = Math.max(this.place.clientWidth, 200);
    const all = this.dots.map((dot) => judgement.value(dot.number));
    const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
    const span = high - low || 1;
    const last = film.frames.length - 1 || 1;
    this.x = (at) => LEFT + ((width - LEFT - RIGHT) * at) / last;
    const y = (value) => TOP + ((HEIGHT - 2 * TOP) * (high - value)) / span;
    for (const dot of this.dots) Object.assign(dot, { x: this.x(dot.at), y: y(judgement.value(dot.number)) });

    const svg = shape("svg", { width, height: HEIGHT, "aria-hidden": "true" });
    const labelled = []; // heights; the zero has no label where another one is near
    for (const value of new Set([low, high, 0])) {
      const height = y(value);
      svg.append(shape("line", { class: "level", x1: LEFT, x2: width - RIGHT, y1: height, y2: height }));
      if (labelled.some((other) => Math.abs(other - height) < LINE)) continue;
      labelled.push(height);
      const place = { x: LEFT - 6, y: height + 4, "text-anchor": "end", "font-size": 12 };
      svg.append(shape("text", place, short(value)));
    }
    this.now = shape("line", { class: "now", y1: 0, y2: HEIGHT });
    svg.append(this.now);
    for (const seat of new Set(this.dots.map((dot) => dot.seat))) {
      const points = this.dots.filter((dot) => dot.seat === seat).map((dot) => `${dot.x},${dot.y}`);
      svg.append(shape("polyline", { class: `seat-${seat}`, points: points.join(" ") }));
    }
    for (const dot of this.dots) {
      const isMistake = judgement.mistakes.has(dot.number);
      const classes = `${isMistake ? "mistake " : ""}seat-${dot.seat}`;
      svg.append(shape("circle", { class: classes, cx: dot.x, cy: dot.y, r: isMistake ? 6 : 3.5 }));
    }
    this.place.replaceChildren(svg);
    this.place.setAttribute("aria-valuemax", this.dots.length - 1);
    this.show(this.at);
  }

  // Shows where in the film one is.
  show(at) {
    this.at = at;
    if (!this.dots.length) return;
    for (const end of ["x1", "x2"]) this.now.setAttribute(end, this.x(at));
    const number = this.number();
    this.place.setAttribute("aria-valuenow", number);
    this.place.setAttribute("aria-valuetext", this.texts[number]);
  }

  // The decision where one is: the last one up to there.
  number() {
    return Math.max(0, this.dots.findLastIndex((dot) => dot.at <= this.at));
  }

  press(event) {
    const last = this.dots.length - 1;
    const now = this.number();
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(this.dots[Math.max(0, Math.min(to, last))].at);
  }

  click(event) {
    const box = this.place.getBoundingClientRect();
    const [x, y] = [event.clientX - box.x, event.clientY - box.y];
    const distance = (dot) => Math.hypot(dot.x - x, (dot.y - y) / 4); // what counts is when it was
    const nearest = this.dots.reduce((one, other) => (distance(other) < distance(one) ? other : one));
    this.go(nearest.at);
  }
}
