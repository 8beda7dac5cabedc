// The picture of the table: painted whole, cards glide from where they were, own cards can be chosen.

import { all, dress, hand, shape } from "./dom.js";
import { drawn, grown } from "./draw.js";

const GLIDE = 220; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function board(place) {
  const [defs, canvas] = [shape("defs", {}), shape("g", { class: "canvas" })];
  const svg = shape("svg", { role: "group" }, defs, canvas);
  let painted = -GLIDE; // when, in milliseconds
  place.replaceChildren(svg);

  function paint(frame) {
    const before = places();
    const { width, height, fonts, title } = frame;
    dress(svg, { viewBox: `0 0 ${width} ${height}`, "font-family": fonts, "aria-label": title });
    defs.append(...Object.values(frame.sprites).map((one) => grown(one)));
    canvas.replaceChildren(...drawn(frame.rows));
    const now = performance.now();
    if (!still.matches && now > painted + GLIDE) glide(before); // what is faster would be caught in flight
    painted = now;
  }

  // The cards that can be recognised: by their keys, and what is gone by what it is.
  function keyed() {
    return all("[data-key]", canvas);
  }

  function places() {
    return keyed().map((card) => ({ ...card.dataset, at: card.getAttribute("transform") }));
  }

  function glide(before) {
    const cards = keyed();
    const now = new Set(cards.map((card) => card.dataset.key));
    const known = new Map(before.map((one) => [one.key, one]));
    const gone = before.filter((one) => !now.has(one.key));
    for (const card of cards) {
      const from = (known.get(card.dataset.key) ?? origin(card.dataset, gone, before))?.at;
      const to = card.getAttribute("transform");
      if (from && from !== to) {
        const ways = [{ transform: css(from) }, { transform: css(to) }];
        card.animate(ways, { duration: GLIDE, easing: "ease-out" });
      }
    }
  }

  // Where a card comes from that was not there: from where the same card is gone, or a claimed one
  // lay; from the pile, if it is drawn; else from the middle of its player's cards, which does not
  // say where in the hand it was.
  function origin(card, gone, before) {
    const same = gone.find((one) => one.card && one.card === card.card);
    if (same) return same;
    if (card.zone === "hand" || card.zone === "drawn") {
      return before.find((one) => one.zone === "pile");
    }
    const fan = before.filter((one) => one.zone === "hand" && one.seat === card.seat);
    return fan[Math.floor(fan.length / 2)];
  }

  function offered() {
    return all('[data-zone="offer"]', canvas);
  }

  // A copy of a card's picture for a button.
  function face(sprite) {
    const attributes = { viewBox: "0 0 40 56", class: "face", "aria-hidden": "true" };
    return shape("svg", attributes, shape("use", { href: `#${sprite}` }));
  }

  return { paint, hand: (seat) => hand(canvas, seat), offered, face, canvas };
}

// A transform attribute as CSS has it.
function css(transform) {
  return transform.replace(/translate\((\S+) (\S+)\)/, "translate($1px, $2px)");
}
