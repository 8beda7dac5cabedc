// A bot's judgement: of one decision in a table and on its cards, of a film by player.

import { hand, make, shape } from "./dom.js";

const CARD = { width: 40, height: 56 }; // before it is scaled, as in csrc/draw/scene.h

// A judgement, as mhing.web.judged makes it, with what follows from it.
export class Judgement {
  constructor(content) {
    Object.assign(this, content);
    this.mistakes = new Set(this.players.flatMap((player) => player.mistakes));
  }

  // The value of the bot's own move; null if it has none.
  value(number) {
    return isLikely(this) ? null : this.decisions[number]?.moves[0].value ?? null;
  }

  // The loss of the move; also 0 where the bot does not judge it.
  loss(number) {
    const { own, moves, played } = this.decisions[number] ?? {};
    return (own && moves[played].loss) || 0;
  }

  // The mistakes of all players, the worst first.
  worst() {
    return [...this.mistakes].sort((one, other) => this.loss(other) - this.loss(one));
  }

  // A decision in a line.
  text(number) {
    const { player, moves, played } = this.decisions[number];
    const did = `${player}: ${moves[played].text}`;
    if (played === 0) return `${did}, as ${this.bot} plays`;
    const { value, loss } = moves[played];
    const lost = isLikely(this) ? `, ${shown(this, value)} likely` : `, loses ${short(loss)} ${this.unit}`;
    return `${did}${this.loss(number) ? lost : ""}; ${this.bot} plays ${moves[0].text}`;
  }
}

// A number with as many digits as matter.
export function short(value) {
  if (value === null) return "–";
  return value.toFixed(Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0);
}

// True if the bot is a policy, which has probabilities instead of values.
function isLikely({ unit }) {
  return unit === "probability";
}

export function shown(judge, value) {
  return isLikely(judge) && value !== null ? `${Math.round(100 * value)}%` : short(value);
}

// All moves of a decision, the best first: a table, and what it leaves open.
export function values(judge, { player, moves, played }) {
  const rows = moves.map((move, place) => {
    const marks = [place === played && "played", place === 0 && judge.bot].filter(Boolean);
    const words = marks.length ? [" ", make("small", {}, marks.join(", "))] : [];
    const lost = isLikely(judge) ? [] : [move.loss ? short(move.loss) : ""];
    const value = make("span", { title: move.value === null && judge.unknown }, shown(judge, move.value));
    return tableRow([[move.text, ...words], value, ...lost], place === played && "played");
  });
  const open = moves.some(({ value }) => value === null) ? [make("p", {}, `–: ${judge.unknown}`)] : [];
  const heads = isLikely(judge) ? ["likely"] : [`expects, ${judge.unit}`, "loses"];
  return [tableOf(player, ["move", ...heads], rows), ...open];
}

// A summary of each player's decisions.
export function counts(judgement) {
  const lost = isLikely(judgement) ? "less likely, in all" : `lost, ${judgement.unit}`;
  const heads = ["player", "decisions", `as ${judgement.bot}`, "mistakes", lost];
  const rows = judgement.players.map(({ name, decisions, agreed, mistakes, judged, lost }) =>
    tableRow([name, decisions, agreed, ...(judged ? [mistakes.length, short(lost)] : ["–", "–"])]),
  );
  return tableOf(`In the judgement of ${judgement.bot}`, heads, rows);
}

function tableOf(caption, heads, rows) {
  const head = heads.map((words) => make("th", { scope: "col" }, words));
  return make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

// Cells of words, or of several parts; the first one is the head.
function tableRow([head, ...cells], classes) {
  const data = cells.map((cell) => make("td", {}, cell));
  return make("tr", { class: classes }, make("th", { scope: "row" }, ...[head].flat()), ...data);
}

// Puts onto the cards of a hand how the best move with each is judged: how likely it is, or how far
// below the best move. Returns the same in words.
export function onCards(canvas, judge, { seat, moves, played }) {
  const best = new Map();
  for (const [place, { cards: [card, ...more], value, loss }] of moves.entries()) {
    if (!card || more.length || value === null || best.has(card)) continue;
    const words = isLikely(judge) ? shown(judge, value) : place ? `−${short(loss)}` : "best";
    best.set(card, { place, words });
  }
  for (const card of hand(canvas, seat)) {
    const { words, place } = best.get(card.dataset.card) ?? {};
    if (words) canvas.append(badge(card, words, place === 0, place === played));
  }
  return [...best].map(([card, { words }]) => `${card} ${words}`).join(", ");
}

// A value at the foot of a card.
function badge(card, words, isBest, isPlayed) {
  const place = card.transform.baseVal.consolidate().matrix;
  const width = CARD.width * place.a;
  const height = 0.36 * width;
  const y = place.f + CARD.height * place.a - height;
  return shape("g", { class: `badge${isBest ? " best" : ""}${isPlayed ? " played" : ""}` },
    shape("rect", { x: place.e, y, width, height, rx: height / 3 }),
    shape("text", {
      x: place.e + width / 2, y: y + 0.77 * height, "font-size": 0.75 * height, "text-anchor": "middle",
    }, words));
}
