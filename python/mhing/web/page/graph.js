// Each player's expectation, decision by decision: a graph, and a slider over the decisions.

import { short } from "./analysis.js";
import { dress, shape } from "./dom.js";

const HEIGHT = 128;
const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const LINE = 14; // from one label to the next

export class Graph {
  // `go` is called with the place of a frame.
  constructor(place, go) {
    Object.assign(this, { place, go, at: 0 });
    this.dots = []; // of the decisions in the film, in their order
    new ResizeObserver(() => this.film && this.draw(this.film, this.judgement)).observe(place);
    place.onkeydown = (event) => this.press(event);
    place.onclick = (event) => this.click(event);
  }

  // Draws what a judgement says of a film.
  draw(film, judgement) {
    Object.assign(this, { film, judgement });
    this.dots = film.frames
      .flatMap(({ asked }, at) => asked.map((number) => ({ at, number, value: judgement.value(number) })))
      .filter(({ value }) => value !== null);
    this.place.hidden = this.dots.length === 0;
    if (this.place.hidden) return;
    const width = Math.max(this.place.clientWidth, 200);
    const values = this.dots.map((dot) => dot.value);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const span = high - low || 1;
    const last = film.frames.length - 1 || 1;
    this.x = (at) => LEFT + ((width - LEFT - RIGHT) * at) / last;
    const y = (value) => TOP + ((HEIGHT - 2 * TOP) * (high - value)) / span;

    const svg = shape("svg", { width, height: HEIGHT, "aria-hidden": "true" });
    const add = (tag, attributes, ...words) => svg.appendChild(shape(tag, attributes, ...words));
    const labelled = []; // heights; the zero has no label where another one is near
    for (const value of new Set([low, high, 0])) {
      const height = y(value);
      add("line", { class: "level", x1: LEFT, x2: width - RIGHT, y1: height, y2: height });
      if (labelled.some((other) => Math.abs(other - height) < LINE)) continue;
      labelled.push(height);
      add("text", { x: LEFT - 6, y: height + 4, "text-anchor": "end", "font-size": 12 }, short(value));
    }
    this.now = add("line", { class: "now", y1: 0, y2: HEIGHT });
    const lines = {}; // the points of each seat's
    for (const dot of this.dots) {
      Object.assign(dot, { x: this.x(dot.at), y: y(dot.value) });
      (lines[judgement.decisions[dot.number].seat] ??= []).push(`${dot.x},${dot.y}`);
    }
    for (const [seat, points] of Object.entries(lines)) {
      add("polyline", { class: `seat-${seat}`, points: points.join(" ") });
    }
    for (const { number, x, y } of this.dots) {
      const isMistake = judgement.mistakes.has(number);
      const classes = `${isMistake ? "mistake " : ""}seat-${judgement.decisions[number].seat}`;
      add("circle", { class: classes, cx: x, cy: y, r: isMistake ? 6 : 3.5 });
    }
    this.place.replaceChildren(svg);
    this.show(this.at);
  }

  // Shows where in the film one is.
  show(at) {
    this.at = at;
    if (!this.dots.length) return;
    dress(this.now, { x1: this.x(at), x2: this.x(at) });
    const place = this.current();
    const { number, value } = this.dots[place];
    dress(this.place, {
      "aria-valuenow": place, "aria-valuemax": this.dots.length - 1,
      "aria-valuetext": `${this.judgement.text(number)}; expects ${short(value)}`,
    });
  }

  // The place among the dots of the decision where one is: the last one up to there.
  current() {
    return Math.max(0, this.dots.findLastIndex((dot) => dot.at <= this.at));
  }

  press(event) {
    const last = this.dots.length - 1;
    const now = this.current();
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
