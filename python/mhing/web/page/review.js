// The page of a record in the application: the replay, judged by whom one likes, and played on.

import { fill, find, make, say } from "./dom.js";
import { open } from "./line.js";
import { fitting, narrow, recalled } from "./looks.js";
import { start } from "./replay.js";

const WORDS = {
  cut: "The line is cut. It is taken up again as soon as the command answers.",
  gone: "This game is not there any more.",
};

find("header").prepend(make("a", { href: "/" }, "Tables"));
find(".row").after(find("template").content);
const [bot, seat, progress, notice] = ["bot", "seat", "progress", "notice"].map((name) => find(`.${name}`));

recalled();
const { dataset } = document.documentElement;
let said = null; // the last view
let replay = null;
const line = open(fitting, mark, {
  hello: greet, view: show, films: take,
  opened: ({ id }) => location.assign(`/at/${id}`),
  error: ({ text }) => say(notice, text),
});

function mark(state) {
  dataset.line = state;
  if (!WORDS[state]) return;
  progress.value = "";
  say(notice, WORDS[state]);
}

function greet({ title, bots }) {
  document.title = `${title} - Mhing`;
  fill(find("#judges"), bots);
  reshape();
}

// Asks for films for the window.
function reshape() {
  line.send({ do: "films", ...fitting() });
}

function take({ content }) {
  if (replay) replay.load(content);
  else {
    replay = start(content);
    replay.keys.w = playOn;
    fill(seat, [["", "who is to move"], ...Object.entries(content.players)]);
  }
  if (said) show(said);
}

function show(view) {
  said = view;
  if (!replay) return;
  const { judgement, decisions } = view;
  replay.judge(judgement);
  bot.placeholder = judgement.bot;
  if (document.activeElement !== bot) bot.value = judgement.bot;
  const done = judgement.decisions.length;
  progress.value = done < decisions ? `${done} of ${decisions}` : "";
  dataset.judged = done === decisions;
}

function ask(request) {
  say(notice, "");
  if (!line.send(request)) say(notice, WORDS.cut);
}

function playOn() {
  const film = replay.films.indexOf(replay.film);
  ask({ do: "play on", film, place: replay.place, seat: seat.value ? Number(seat.value) : null });
}

narrow.onchange = reshape;
bot.onfocus = () => (bot.value = ""); // so that all are offered
bot.onblur = () => (bot.value = said?.judgement.bot ?? "");
bot.onchange = () => bot.value && ask({ do: "judge", bot: bot.value.trim() });
find(".play-on").onclick = playOn;
