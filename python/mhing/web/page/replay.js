// The page of a recorded game: a slider, keys, viewers, what happened, and what a bot says of it.

import { kinds, painter, sameMoment, shows, unpack, viewer } from "mhing/film.js";

const SPEEDS = [0.5, 1, 2, 4];
const STEP = 700; // milliseconds a frame, at speed 1

const find = (name) => document.querySelector(`.${name}`);
const content = await unpack(document.getElementById("content").textContent);
const paint = painter(find("table"), content);
const { films, players } = content;

let film = films[0];
let place = 0;
let timer = null;

// ---- What is shown ----

function show() {
  const frame = film.frames[place];
  paint(frame);
  const last = film.frames.length - 1;
  find("place").max = last;
  find("place").value = place;
  find("place").setAttribute("aria-valuetext", frame.words.join("; ") || frame.title);
  find("count").value = `${place} of ${last}`;
  for (const name of ["first", "back"]) find(name).disabled = place === 0;
  for (const name of ["on", "last"]) find(name).disabled = place === last;
  find("judgement").textContent = frame.judgement.join(" ");
  mark();
  history.replaceState(null, "", `#frame=${place}&view=${film.seat ?? "open"}`);
}

function mark() {
  find("log").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const lines = [...find("log").querySelectorAll("button")];
  const line = lines.findLast((one) => Number(one.dataset.place) <= place);
  line?.setAttribute("aria-current", "step");
  line?.scrollIntoView({ block: "nearest" });
}

function fillLog() {
  find("log").replaceChildren();
  for (const [number, frame] of film.frames.entries()) {
    if (number && !frame.words.length && !frame.costly) continue;
    const line = document.createElement("li");
    const button = document.createElement("button");
    button.textContent = frame.words.join("; ") || frame.judgement.join(" ") || "The deal";
    button.dataset.place = number;
    button.classList.toggle("costly", frame.costly);
    line.append(button);
    find("log").append(line);
  }
}

function fillKinds() {
  const chosen = find("kind").value;
  const names = kinds(film);
  options("kind", names.map((name) => [name, name.replaceAll("_", " ")]));
  if (names.includes(chosen)) find("kind").value = chosen;
  find("next").disabled = names.length === 0;
}

function options(name, pairs) {
  find(name).replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
}

// ---- What is done ----

function go(to) {
  place = Math.max(0, Math.min(to, film.frames.length - 1));
  show();
}

function see(other) {
  if (other === film) return;
  const to = sameMoment(film, place, other);
  film = other;
  find("view").value = films.indexOf(film);
  fillLog();
  fillKinds();
  go(to);
}

function seek(step) {
  const kind = find("kind").value;
  for (let to = place + step; film.frames[to]; to += step) {
    if (shows(film.frames[to], kind)) return go(to);
  }
}

function play() {
  if (timer) return stop();
  if (place === film.frames.length - 1) go(0);
  find("play").textContent = "Stop";
  timer = setInterval(() => {
    go(place + 1);
    if (place === film.frames.length - 1) stop();
  }, STEP / Number(find("speed").value));
}

function stop() {
  clearInterval(timer);
  timer = null;
  find("play").textContent = "Play";
}

function help() {
  find("keys").hidden = !find("keys").hidden;
  find("help").setAttribute("aria-expanded", String(!find("keys").hidden));
}

function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const wanted = films.find((one) => String(one.seat ?? "open") === asked.get("view"));
  if (wanted) see(wanted);
  go(asked.has("frame") ? Number(asked.get("frame")) || 0 : place);
}

// ---- Who asks for it ----

const KEYS = {
  ArrowLeft: () => go(place - 1),
  ArrowRight: () => go(place + 1),
  Home: () => go(0),
  End: () => go(Infinity),
  " ": play,
  n: () => seek(1),
  p: () => seek(-1),
  v: () => see(films[(films.indexOf(film) + 1) % films.length]),
  "?": help,
};

function press(event) {
  const { key, target } = event;
  const inSelect = target instanceof HTMLSelectElement;
  const onButton = key === " " && target instanceof HTMLButtonElement;
  if (event.ctrlKey || event.altKey || event.metaKey || inSelect || onButton || !KEYS[key]) return;
  event.preventDefault();
  KEYS[key]();
}

document.addEventListener("keydown", press);
addEventListener("hashchange", follow);
const clicks = { first: "Home", back: "ArrowLeft", play: " ", on: "ArrowRight", last: "End", next: "n", help: "?" };
for (const [name, key] of Object.entries(clicks)) find(name).addEventListener("click", KEYS[key]);
find("place").addEventListener("input", (event) => go(event.target.valueAsNumber));
find("view").addEventListener("change", (event) => see(films[event.target.value]));
find("speed").addEventListener("change", () => timer && (stop(), play()));
find("log").addEventListener("click", ({ target }) => target.dataset.place && go(Number(target.dataset.place)));

document.querySelector("h1").textContent = content.title;
for (const [seat, name] of players.entries()) {
  const line = document.createElement("li");
  line.textContent = `Seat ${seat}: ${name}`;
  find("players").append(line);
}
options("speed", SPEEDS.map((speed) => [speed, `${speed}×`]));
find("speed").value = 1;
options("view", films.map((one, number) => [number, viewer(one, players)]));
fillLog();
fillKinds();
follow();
document.documentElement.dataset.ready = "yes";
