// Films as mhing.web.replay writes them: painted as SVG, and compared.

import { shape } from "./dom.js";
import { drawn, grown } from "./draw.js";

// The frames of a film with the numbers of all their rows: -1 - place, length stand for a run of the
// frame before.
export function frames(film) {
  let before = [];
  return film.rows.map((runs, place) => {
    const rows = [];
    for (let at = 0; at < runs.length; at++) {
      if (runs[at] >= 0) rows.push(runs[at]);
      else rows.push(...before.slice(-1 - runs[at], -1 - runs[at] + runs[++at]));
    }
    before = rows;
    const more = ["title", "words", "kinds", "made", "asked"].map((name) => [name, film[name][place]]);
    return { rows, ...Object.fromEntries(more) };
  });
}

// Puts an empty picture into a place, with all sprites, and returns what shows a frame in it.
export function painter(place, content) {
  const { width, height, fonts } = content;
  const canvas = shape("g", {});
  const size = { viewBox: `0 0 ${width} ${height}`, "font-family": fonts, "aria-hidden": true };
  place.replaceChildren(shape("svg", size, shape("defs", {}, ...content.sprites.map((one) => grown(one))), canvas));
  return (frame) => {
    canvas.replaceChildren(...drawn(frame.rows.map((number) => content.rows[number])));
    place.setAttribute("aria-label", frame.title);
    return canvas;
  };
}

// The viewer of a film, in words.
export function viewer(film, players) {
  return film.seat === null ? "all cards open" : players[film.seat];
}

// The public events after the first frame, the rarest first.
export function kinds(film) {
  const counts = new Map();
  for (const kind of film.frames.slice(1).flatMap((frame) => frame.kinds)) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts.keys()].sort((one, other) => counts.get(one) - counts.get(other));
}

// The frame of another film that shows the same moment as this frame: after as many events.
export function sameMoment(film, place, other) {
  const wanted = film.frames.slice(0, place + 1).reduce((sum, frame) => sum + frame.kinds.length, 0);
  let sum = 0;
  return other.frames.findIndex((frame) => (sum += frame.kinds.length) >= wanted);
}
