// The viewer's choices: moves on cards of the hand, and buttons for all others.

import { dress, find, make } from "./dom.js";

const LETTERS = "1234567890abcefgijkloqvwxyz"; // but those of moves and of the page
const FAR = 0.8; // of a card's height: where it is dragged out of the hand

// Calls play(move) when one is chosen.
export function choices(board, buttons, menu, play) {
  let moves = [];
  let cards = [];
  let spoken = {}; // cards, by how the game writes them

  // Called before a new picture: where the focus is, so that it can be put where it belongs then.
  function leave() {
    const kept = focused();
    menu.replaceChildren();
    return kept;
  }

  // Shows the moves of a view on the picture that was painted for it; returns what to do.
  function show(view, seat, kept) {
    moves = view.moves;
    cards = board.hand(seat);
    for (const card of cards) dressOwn(card);
    for (const card of board.offered()) dressOffer(card);
    const onCards = new Set(cards.flatMap(movesOf));
    const rest = moves.filter((move) => !onCards.has(move));
    const letters = [...LETTERS];
    buttons.replaceChildren(...rest.map((move) => button(move, move.key ?? letters.shift())));
    restore(kept);
    return instruction(onCards, rest);
  }

  // One line about what can be chosen; "" where nothing can.
  function instruction(onCards, rest) {
    const kinds = [...new Set([...onCards].map(words))].join(" or ");
    const [offer] = board.offered();
    if (offer && rest.some((move) => move.group === "pass")) {
      return `You may claim ${offer.dataset.card}, or pass`;
    }
    if (!kinds) return rest.length ? "Choose a button" : "";
    return `Choose a card to ${kinds}${rest.length ? ", or a button" : ""}`;
  }

  // A card can be reached always, so that the focus stays; it does something if moves name it.
  function dressOwn(card) {
    const [first, ...more] = movesOf(card);
    const only = !more.length && first;
    const name = card.dataset.card;
    dress(card, {
      role: "button", tabindex: 0, "aria-disabled": String(!first), "data-action": only?.action,
      "aria-label": (only ? only.text : name).replace(name, spoken[name] ?? name), "aria-haspopup": more.length > 0 && "menu",
    });
  }

  // The card on offer can be clicked; keys have the buttons.
  function dressOffer(card) {
    if (movesOf(card).length) card.classList.add("offered");
  }

  // The moves about this one card of the hand, or all about the card on offer.
  function movesOf(card) {
    const name = card.dataset.card;
    if (card.dataset.zone === "offer") {
      return moves.filter((move) => move.cards.some((one) => one.card === name));
    }
    return moves.filter(
      ({ cards: [first, ...more] }) => first?.held && first.card === name && !more.length,
    );
  }

  function choose(card) {
    const own = movesOf(card);
    if (own.length === 1) play(own[0]);
    else if (own.length > 1) ask(own, card);
  }

  // A small menu of moves beside a card.
  function ask(own, card) {
    const items = own.map((move) => dress(button(move, null), { role: "menuitem" }));
    menu.replaceChildren(...items);
    const box = card.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(box.left, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${Math.max(4, box.top - menu.offsetHeight - 6)}px`;
    items[0].focus();
    menu.dataset.card = cards.indexOf(card);
  }

  function close() {
    if (!menu.firstChild) return false;
    menu.replaceChildren();
    cards[menu.dataset.card]?.focus();
    return true;
  }

  function button(move, letter) {
    const attributes = {
      type: "button", class: "move", "data-action": move.action, "data-letter": letter,
      "data-group": move.group, "aria-keyshortcuts": letter, onclick: () => play(move),
    };
    const faces = move.cards.every(({ sprite }) => sprite)
      ? move.cards.map(({ sprite }) => board.face(sprite)) : [];
    // The cards stand for all of the text but the kind of the move.
    if (faces.length) faces.unshift(make("span", { "aria-hidden": "true" }, words(move)));
    const key = letter ? [make("kbd", { "aria-hidden": "true" }, letter)] : [];
    return make("button", attributes,
      make("span", { class: faces.length > 0 && "spoken" }, move.text), ...faces, ...key);
  }

  function focused() {
    const active = document.activeElement;
    if (menu.contains(active)) return { card: Number(menu.dataset.card) };
    if (buttons.contains(active)) return { button: [...buttons.children].indexOf(active) };
    const card = cards.indexOf(active);
    return card >= 0 ? { card } : null;
  }

  function restore(kept) {
    if (!kept) return;
    const all = [...buttons.children];
    const card = cards[Math.min(kept.card ?? 0, cards.length - 1)];
    const wanted = "button" in kept ? (all[Math.min(kept.button, all.length - 1)] ?? card) : card;
    (wanted ?? find("main")).focus();
  }

  // Along the hand, and in an open menu.
  function step(by) {
    const items = menu.firstChild ? [...menu.children] : cards;
    if (!items.length) return;
    const place = items.indexOf(document.activeElement);
    const next = place < 0 ? (by > 0 ? 0 : items.length - 1) : place + by;
    items[(next + items.length) % items.length].focus();
  }

  function press(letter) {
    const wanted = [...buttons.children].find((one) => one.dataset.letter === letter);
    wanted?.click();
    return Boolean(wanted);
  }

  function chooseFocused() {
    const card = cards.find((one) => one === document.activeElement);
    if (card) choose(card);
    return Boolean(card);
  }

  board.canvas.onclick = ({ target, pointerType }) => {
    const card = target.closest("[role=button], .offered");
    // A finger may have meant the card beside, so it raises one first.
    const raises = pointerType === "touch" && cards.includes(card) && !card.matches(".raised");
    if (raises) for (const one of cards) one.classList.toggle("raised", one === card);
    else if (card) choose(card);
  };
  draggable(board.canvas, (card) => cards.includes(card) && movesOf(card).length, choose);

  return { leave, show, step, press, close, choose: chooseFocused, speak: (names) => { spoken = names; } };
}

// Lets cards be dragged out of the hand; drop(card) is called where one is let go of outside.
function draggable(canvas, mayDrag, drop) {
  let held = null; // the card, where it was taken, and how far it is

  canvas.onpointerdown = ({ target, isPrimary, clientX: x, clientY: y }) => {
    const card = target.closest("[role=button]");
    if (card && isPrimary && mayDrag(card)) held = { card, x, y, far: false };
  };
  addEventListener("pointermove", (event) => {
    if (!held) return;
    const scale = canvas.getScreenCTM().a;
    const [x, y] = [(event.clientX - held.x) / scale, (event.clientY - held.y) / scale];
    held.far = Math.hypot(x, y) > held.card.getBBox().height * FAR;
    held.card.style.translate = `${x}px ${y}px`;
  });
  addEventListener("pointerup", () => {
    if (held?.far) drop(held.card);
    letGo();
  });
  addEventListener("pointercancel", letGo);

  function letGo() {
    if (held) held.card.style.translate = "";
    held = null;
  }
}

function words(move) {
  return move.group.replaceAll("_", " ");
}
