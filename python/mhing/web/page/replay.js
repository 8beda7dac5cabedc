// A recorded game: a slider, keys, viewers, what happened, and what a bot says of it.

import { Judgement, counts, onCards, values } from "./analysis.js";
import { all, fill, find, make, say } from "./dom.js";
import { frames, kinds, painter, sameMoment, viewer } from "./film.js";
import { Graph } from "./graph.js";
import { sheet } from "./sheet.js";

const SPEEDS = [0.5, 1, 2, 4];
const STEP = 700; // milliseconds a frame, at speed 1
const MISTAKE = "mistake";

// Shows what a page holds, or was sent, on the elements of replay.html.
export function start(content) {
  return new Replay(content);
}

class Replay {
  constructor(content) {
    this.players = content.players;
    this.load(content);
    this.place = 0;
    this.timer = null;
    this.kind = null; // what was chosen to be found
    this.graph = new Graph(find(".graph"), (place) => this.jump(place));
    this.begin(content.title);
    this.score(content.sheet);
    this.listen();
    this.take(content.judgement);
    this.follow();
    document.documentElement.dataset.ready = "yes";
  }

  // ---- What is shown ----

  begin(title) {
    say(find("h1"), title);
    const names = this.players.map((name, seat) => make("li", { class: `seat-${seat}` }, name));
    find(".players").replaceChildren(...names);
    fill(find(".speed"), SPEEDS.map((speed) => [speed, `${speed}×`]), 1);
    fill(find(".view"), this.films.map((one, number) => [number, viewer(one, this.players)]));
  }

  // Shows the score sheet of a game of several rounds.
  score(written) {
    if (!written) return;
    find(".scores").append(sheet(written, this.players));
    find(".scores").hidden = false;
  }

  // Takes films; later on the same ones in another shape.
  load(content) {
    const seen = this.films?.indexOf(this.film) ?? 0;
    this.films = content.films.map((film) => ({ seat: film.seat, frames: frames(film) }));
    this.film = this.films[seen];
    this.paint = painter(find(".table"), content);
  }

  // Shows what a bot says; it may come in parts.
  judge(judgement) {
    this.take(judgement);
    this.show();
  }

  take(judgement) {
    this.judgement = judgement && new Judgement(judgement);
    document.body.classList.toggle("judged", Boolean(judgement));
    this.fill();
  }

  show() {
    const frame = this.film.frames[this.place];
    const last = this.film.frames.length - 1;
    const canvas = this.paint(frame);
    find(".place").max = last;
    find(".place").value = this.place;
    find(".place").setAttribute("aria-valuetext", frame.words.join("; ") || frame.title);
    find(".count").value = `${this.place} of ${last}`;
    for (const name of ["first", "back"]) find(`.${name}`).disabled = this.place === 0;
    for (const name of ["on", "last"]) find(`.${name}`).disabled = this.place === last;
    this.showLines();
    this.showValues(frame, canvas);
    history.replaceState(history.state, "", `#frame=${this.place}&view=${this.film.seat ?? "open"}`);
  }

  // Marks what has just happened, and the mistake that is made here. Only the log is scrolled: the
  // page stays, so that on a telephone the picture is still there.
  showLines() {
    const last = this.lines.findLast(({ at }) => at <= this.place);
    for (const one of this.lines) {
      const isHere = one === last || (one.to < one.at && one.to === this.place);
      one.line.firstChild.ariaCurrent = isHere ? "step" : null;
      if (!isHere) continue;
      const log = find(".log");
      const { offsetTop: top, offsetHeight: height } = one.line;
      log.scrollTop = Math.min(top, Math.max(log.scrollTop, top + height - log.clientHeight));
    }
  }

  // The decisions that are made here, in words, in tables, and on their cards.
  showValues(frame, canvas) {
    if (!this.judgement) return;
    const numbers = frame.asked.filter((number) => number in this.judgement.decisions);
    say(find(".judgement"), numbers.map((number) => this.judgement.text(number)).join(" "));
    const decisions = numbers.map((number) => this.judgement.decisions[number]);
    find(".values").replaceChildren(...decisions.flatMap((one) => values(this.judgement, one)));
    if (find(".marks").checked) {
      const marks = decisions.map((one) => onCards(canvas, this.judgement, one));
      find(".table").ariaLabel = [frame.title, ...marks].filter(Boolean).join("; ");
    }
    this.graph.show(this.place);
  }

  // Fills what depends on the film and on the judgement of it.
  fill() {
    this.fillLog();
    this.fillKinds();
    if (!this.judgement) return;
    this.graph.draw(this.film, this.judgement);
    find(".counts").replaceChildren(counts(this.judgement));
    const worst = this.judgement.worst().filter((number) => this.where(number) >= 0);
    const lines = worst.map((number) => this.line(this.judgement.text(number), this.where(number)));
    find(".worst").replaceChildren(...lines);
  }

  // The frame at which a decision was to be made; whatever leads to a mistake leads there.
  where(number) {
    return this.film.frames.findIndex((frame) => frame.asked.includes(number));
  }

  // Those of some decisions that were mistakes.
  mistakes(numbers) {
    return numbers.filter((number) => this.judgement?.mistakes.has(number));
  }

  fillLog() {
    this.lines = []; // with the frames in which they happened, and to which they lead
    for (const [at, frame] of this.film.frames.entries()) {
      const bad = this.mistakes(frame.made);
      const words = frame.words.length ? frame.words : bad.map((one) => this.judgement.text(one));
      if (at && !words.length) continue;
      const to = bad.length ? this.where(bad[0]) : at;
      this.lines.push({ at, to, line: this.line(words.join("; ") || "The deal", to, bad.length > 0) });
    }
    find(".log").replaceChildren(...this.lines.map(({ line }) => line));
  }

  // A line that leads to a frame.
  line(words, place, isBad) {
    const attributes = { class: isBad && "bad", "data-place": place, onclick: () => this.jump(place) };
    return make("li", {}, make("button", attributes, words));
  }

  fillKinds() {
    const names = kinds(this.film);
    if (this.film.frames.some((frame) => this.has(frame, MISTAKE))) names.unshift(MISTAKE);
    fill(find(".kind"), names.map((name) => [name, name.replaceAll("_", " ")]), this.kind);
    for (const name of ["next", "previous"]) find(`.${name}`).disabled = names.length === 0;
  }

  has(frame, kind) {
    return kind === MISTAKE ? this.mistakes(frame.asked).length > 0 : frame.kinds.includes(kind);
  }

  // ---- What is done ----

  go(to) {
    this.place = Math.max(0, Math.min(to, this.film.frames.length - 1));
    this.show();
  }

  // Goes far; the browser's way back leads to where one was.
  jump(to) {
    history.pushState(null, "", location.hash);
    this.go(to);
  }

  see(other) {
    if (other === this.film) return;
    const to = sameMoment(this.film, this.place, other);
    this.film = other;
    find(".view").value = this.films.indexOf(other);
    this.fill();
    this.go(to);
  }

  seek(step) {
    const kind = find(".kind").value;
    for (let to = this.place + step; this.film.frames[to]; to += step) {
      if (this.has(this.film.frames[to], kind)) return this.jump(to);
    }
  }

  play() {
    if (this.timer) return this.stop();
    if (this.place === this.film.frames.length - 1) this.go(0);
    say(find(".play"), "Stop");
    this.timer = setInterval(() => {
      this.go(this.place + 1);
      if (this.place === this.film.frames.length - 1) this.stop();
    }, STEP / Number(find(".speed").value));
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    say(find(".play"), "Play");
  }

  help() {
    find(".keys").hidden = !find(".keys").hidden;
    find(".help").ariaExpanded = !find(".keys").hidden;
  }

  // Goes where the address says.
  follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const wanted = this.films.find((one) => String(one.seat ?? "open") === asked.get("view"));
    if (wanted) this.see(wanted);
    this.go(asked.has("frame") ? Number(asked.get("frame")) || 0 : this.place);
  }

  // ---- Who asks for it ----

  listen() {
    this.keys = {
      ArrowLeft: () => this.go(this.place - 1),
      ArrowRight: () => this.go(this.place + 1),
      Home: () => this.jump(0),
      End: () => this.jump(Infinity),
      b: () => history.back(),
      " ": () => this.play(),
      n: () => this.seek(1),
      p: () => this.seek(-1),
      v: () => this.see(this.films[(this.films.indexOf(this.film) + 1) % this.films.length]),
      m: () => find(".marks").click(),
      "?": () => this.help(),
    };
    document.addEventListener("keydown", (event) => press(event, this.keys));
    addEventListener("hashchange", () => this.follow());
    for (const button of all("[data-press]")) button.onclick = this.keys[button.dataset.press];
    find(".place").oninput = ({ target }) => this.go(target.valueAsNumber);
    find(".view").onchange = ({ target }) => this.see(this.films[target.value]);
    find(".speed").onchange = () => this.timer && (this.stop(), this.play());
    find(".kind").onchange = ({ target }) => (this.kind = target.value);
    find(".marks").onchange = () => this.show();
    find(".table").onclick = () => find(".table").classList.toggle("large");
    find(".controls").disabled = false;
  }
}

function press(event, keys) {
  const { key, target } = event;
  const inField = target.matches("select, input[type=text]");
  const onButton = key === " " && target.matches("button, input[type=checkbox]");
  if (event.ctrlKey || event.altKey || event.metaKey || inField || onButton || !keys[key]) return;
  event.preventDefault();
  keys[key]();
}
