// The picture of the table: painted whole, cards glide from where they were, own cards can be chosen.

import { shape } from "./dom.js";

const GLIDE = 220; // milliseconds
const HAND = '[data-zone="hand"], [data-zone="drawn"]';
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

export function board(place) {
  place.innerHTML = '<svg role="group"><defs></defs><g class="canvas"></g></svg>';
  const svg = place.querySelector("svg");
  const defs = svg.querySelector("defs");
  const canvas = svg.querySelector(".canvas");

  function paint(frame) {
    const before = places();
    svg.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    svg.setAttribute("font-family", frame.fonts);
    svg.setAttribute("aria-label", frame.title);
    defs.insertAdjacentHTML("beforeend", Object.values(frame.sprites).join(""));
    canvas.innerHTML = frame.elements.join("");
    if (!still.matches && before.length) glide(before);
  }

  // Where each card was that can be recognised: by its key, and what is gone by what it is.
  function places() {
    const cards = [...canvas.querySelectorAll("[data-key]")];
    return cards.map((card) => ({ ...card.dataset, at: card.getAttribute("transform") }));
  }

  function glide(before) {
    const cards = [...canvas.querySelectorAll("[data-key]")];
    const now = new Set(cards.map((card) => card.dataset.key));
    const known = new Map(before.map((one) => [one.key, one]));
    const gone = before.filter((one) => !now.has(one.key));
    for (const card of cards) {
      const from = (known.get(card.dataset.key) ?? origin(card.dataset, gone, before))?.at;
      const to = card.getAttribute("transform");
      if (from && from !== to) {
        card.animate([{ transform: css(from) }, { transform: css(to) }], {
          duration: GLIDE,
          easing: "ease-out",
        });
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

  // The viewer's own cards, in the order in which they lie.
  function hand(seat) {
    const own = [...canvas.querySelectorAll(HAND)];
    return own.filter((card) => Number(card.dataset.seat) === seat);
  }

  function offered() {
    return [...canvas.querySelectorAll('[data-zone="offer"]')];
  }

  // A copy of a card's picture for a button.
  function face(sprite) {
    const attributes = { viewBox: "0 0 40 56", class: "face", "aria-hidden": "true" };
    return shape("svg", attributes, shape("use", { href: `#${sprite}` }));
  }

  return { paint, hand, offered, face, canvas };
}

// A transform attribute as CSS has it.
function css(transform) {
  return transform.replace(/translate\((\S+) (\S+)\)/, "translate($1px, $2px)");
}
