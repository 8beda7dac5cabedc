// The page of a table: shows each view whole, and asks the session for what its viewer wants.

import { onCards, values } from "./analysis.js";
import { board } from "./board.js";
import { choices } from "./choices.js";
import { all, fill, find, make, say } from "./dom.js";
import { grown } from "./draw.js";
import { open } from "./line.js";
import { fitting, looks, narrow } from "./looks.js";
import { sheet } from "./sheet.js";

const LETTERS = { u: "undo", h: "hint", n: "next" };
const SPEEDS = [0, 0.1, 0.4, 1, 2]; // seconds
const SCORING = /scor|count/i; // headings of what is scored, in the guides to all games
const WORDS = {
  cut: "The command does not answer. If it has ended, start mhing web again and open the new " +
    "address: games on this machine are kept.",
  moved: "This table is open in another tab.",
};

const { dataset } = document.documentElement;
let view = null;
let wanted = null; // where the rules are to be opened
let counting = 0; // the timer of the clock
let asked = 0; // when the viewer has asked for something, for measuring

const picture = board(find(".board"));
const chosen = choices(picture, find(".moves"), find(".menu"), play);
const line = open(fitting, mark, {
  hello: greet, view: show, hint, rules,
  opened: ({ id }) => location.assign(`/at/${id}`),
  error: ({ text }) => say(find(".notice"), text),
});

function mark(state) {
  dataset.line = state;
  if (state !== "gone") say(find(".notice"), WORDS[state] ?? ""); // an error has said why
  find(".again").hidden = state !== "moved";
  find(".back").hidden = state !== "gone";
  for (const part of [find("main"), find(".moves"), find(".controls")]) part.inert = state !== "open";
}

function greet(message) {
  document.title = `${message.title} - Mhing`;
  say(find("h1"), message.title);
  if (message.session === "server") find("header a").href = find(".back").href = "/server";
  if (message.seat === null) say(find(".so-far"), "So far");
  say(find(".notation"), message.notation);
  chosen.speak(message.spoken);
}

function show(message) {
  view = { sheet: view?.sheet, ...message }; // sent when it changes
  const kept = chosen.leave();
  picture.paint(view.frame);
  const what = chosen.show(view, view.eyes, kept);
  say(find(".what"), what + (view.planned ? ". Undo takes the plan back" : ""));
  say(find(".status"), view.status);
  say(find(".notice"), "");
  unhint();
  log(view.log, view.since);
  find(".result").replaceChildren(
    ...[...view.result, ...view.taken_back].map((text) => make("p", {}, text)),
  );
  if (view.sheet && view.result.length) {
    find(".result").append(sheet(view.sheet, view.players.map(({ name }) => name)));
  }
  clock(view.clock);
  watching();
  find(".players").replaceChildren(...view.players.map(player));
  find(".back").hidden = !view.over;
  find(".review").hidden = !view.review;
  find(".review").href = `/review/${view.review}`;
  for (const button of all("[data-do]")) button.hidden = !able(button.dataset.do);
  dataset.number = view.number;
  dataset.asked = view.asked;
  dataset.over = view.over;
  if (asked) {
    const since = asked;
    asked = 0;
    requestAnimationFrame(() => {
      dataset.painted = Math.round(performance.now() - since);
    });
  }
}

function log(lines, since) {
  const fresh = lines.length - since;
  find(".log").replaceChildren(
    ...lines.map((text, place) => make("li", { class: place >= fresh && "new" }, text)),
  );
  find(".log").scrollTop = find(".log").scrollHeight;
  say(find(".updates"), lines.slice(fresh).join(". "));
}

// Narrow pictures have the last events.
function fold() {
  find("details").open = !narrow.matches;
}

function player({ name, total, you }) {
  const number = Number.isInteger(total) ? total : total.toFixed(2);
  return make("li", { class: you && "you" }, `${name}: ${number}`);
}

function hint(message) {
  if (message.number !== view.number) return;
  const moves = message.values.map(([action, value]) => {
    const { text, cards } = view.moves.find((move) => move.action === action);
    const loss = Math.max(0, message.values[0][1] - value);
    return { text, value, loss, cards: cards.filter(({ held }) => held).map(({ card }) => card) };
  });
  const player = `${message.bot} would play: ${message.text}`;
  find(".advice").replaceChildren(...values(message, { player, moves }));
  onCards(picture.canvas, message, { seat: view.eyes, moves });
}

// Takes a hint away; whether there was one.
function unhint() {
  return all(".advice > *, .badge").map((one) => one.remove()).length > 0;
}

// Counts the seconds of a decision down.
function clock(seconds) {
  clearInterval(counting);
  find(".clock").hidden = seconds === null;
  if (seconds === null) return;
  const end = performance.now() + 1000 * seconds;
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    say(find(".clock"), `${left} s to answer`);
  };
  tick();
  counting = setInterval(tick, 250);
}

// The choices of a watcher, and the speed of the other players.
function watching() {
  const speeds = [...new Set([...SPEEDS, view.speed])];
  offer(find(".speed select"), speeds.map((one) => [one, one ? `${one} s` : "at once"]), view.speed);
  const seats = view.players.map(({ name }, seat) => [seat, name]);
  offer(find(".eyes select"), [["", "all cards open"], ...seats], view.eyes ?? "");
  for (const name of ["speed", "eyes"]) find(`.${name}`).hidden = !able(name);
}

// A select that is in use stays as it is.
function offer(select, pairs, chosen) {
  if (document.activeElement !== select) fill(select, pairs, chosen);
}

function rules({ content }) {
  find(".rules").replaceChildren(...content.map((one) => grown(one, make)));
  find(".book").showModal();
  const heads = all(".rules :is(h2, h3, h4)");
  heads.find((head) => wanted?.test(head.textContent))?.scrollIntoView();
  wanted = null;
}

function play(move) {
  ask({ do: "play", number: view.number, action: move.action });
}

function ask(request) {
  asked = performance.now();
  if (!line.send(request)) say(find(".notice"), WORDS.cut);
}

function able(name) {
  return view?.can.includes(name);
}

for (const button of all("[data-do]")) button.onclick = () => ask({ do: button.dataset.do });
find(".speed select").onchange = ({ target }) => ask({ do: "speed", seconds: Number(target.value) });
find(".eyes select").onchange = ({ target: { value } }) =>
  ask({ do: "eyes", seat: value === "" ? null : Number(value) });
narrow.onchange = () => {
  fold();
  line.send({ do: "shape", ...fitting() });
};
fold();
looks(find(".palette"), find(".suits"));
find(".again").onclick = () => line.again();
find(".help").onclick = () => find(".keys").showModal();
find(".open-rules").onclick = () => ask({ do: "rules" });
for (const button of all(".close")) button.onclick = () => button.closest("dialog").close();

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (find("dialog[open]")) return;
  // A dialog that was closed keeps the focus up to the next frame.
  if (event.target.matches("input, select") && event.target.checkVisibility()) return;
  if (pressed(event.key, event.target)) event.preventDefault();
});

// Does what a key stands for; whether it stands for anything.
function pressed(key, target) {
  if (key === "ArrowLeft" || key === "ArrowUp") return chosen.step(-1), true;
  if (key === "ArrowRight" || key === "ArrowDown") return chosen.step(1), true;
  if (key === "Escape") return chosen.close();
  if (key === "Enter" || key === " ") {
    if (chosen.choose()) return true;
    if (target.matches("button, a") || key === "Enter") return false;
    const name = ["pause", "go"].find(able);
    return name ? (ask({ do: name }), true) : false;
  }
  if (key === "?") return find(".keys").showModal(), true;
  if (key === "r" || key === "s") {
    wanted = key === "s" ? SCORING : null;
    return ask({ do: "rules" }), true;
  }
  if (key === "h" && unhint()) return true;
  if (key === ".") return able("step") ? (ask({ do: "step" }), true) : false;
  const name = LETTERS[key];
  if (name) return able(name) ? (ask({ do: name }), true) : false;
  return key.length === 1 && chosen.press(key);
}
