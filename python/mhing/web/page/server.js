// The page of a server's tables: who plays there, where seats are free, and a table of one's own.

import { fill, find, make, numbers, say } from "./dom.js";

const PAUSE = 2000; // milliseconds from one list to the next
const ASKING = "The server is asked...";
const NOWHERE = "Give the address that mhing serve has printed.";
const at = find(".at");
const form = find(".new");
let games = [];
let listed = ""; // what is shown
let known = false; // whether the server has answered

function current() {
  return games.find((one) => one.id === form.game.value);
}

// The fields that depend on the game.
function dress() {
  const { options, bots, default_bot } = current();
  const seats = options.find((one) => one.name === "num_players");
  fill(form.num_players, numbers(seats.low, seats.high), seats.default);
  fill(form.bot, bots.map(({ name }) => name), default_bot);
  seat();
}

function seat() {
  const others = Number(form.num_players.value) - 1;
  fill(form.bots, numbers(0, others), others);
}

async function ask(path, settings) {
  const where = { server: at.server.value.trim(), name: at.elements.name.value.trim() };
  const answer = await fetch(path, { method: "POST", body: JSON.stringify({ ...where, ...settings }) });
  return answer.json();
}

async function begin(settings) {
  const { id, text } = await ask("/sessions", settings);
  say(find(".notice"), text ?? "");
  if (id) location.assign(`/at/${id}`);
}

async function list() {
  show(await ask("/server.json", {}));
  document.documentElement.dataset.ready = "";
}

// Lists are changed only where they are others, so that the focus stays. While the server does not
// answer, its last tables stay.
function show({ server, tables, open, text }) {
  const updates = JSON.stringify([tables, open, text]);
  if (updates === listed) return;
  listed = updates;
  find(".open").replaceChildren(
    ...open.map(({ id, title }) => make("li", {}, make("a", { href: `/at/${id}` }, title))));
  find(".under-way").hidden = open.length === 0;
  say(find(".none"), text ?? (server === "" ? NOWHERE : tables.length ? "" : "Nobody has opened a table."));
  if (text) return;
  known = true;
  at.server.value ||= server;
  find(".tables").replaceChildren(...tables.map(row));
}

function row({ table, game, players, free, state, number, games: all, clock }) {
  const names = players.map((name) => name || "nobody").join(", ");
  const series = all > 1 ? `, game ${number + 1} of ${all}` : "";
  const item = make("li", {}, `${table}: ${game}, ${state}${series}, ${clock / 1000} s a move; ${names} `);
  const button = (kind, text) => {
    const attributes = { type: "button", "aria-label": `${text} at ${table}`, onclick: () => begin({ kind, table }) };
    item.append(make("button", attributes, text));
  };
  if (state === "waiting" && free > 0) button("sit", "Sit down");
  if (state !== "over") button("watch", "Watch");
  return item;
}

function terms() {
  const bots = Array(Number(form.bots.value)).fill(form.bot.value);
  return {
    kind: "sit", table: form.table.value, game: form.game.value,
    options: `num_players=${form.num_players.value}`, bots,
    games: Number(form.games.value), clock: 1000 * Number(form.clock.value),
  };
}

at.onsubmit = (event) => {
  event.preventDefault();
  listed = "";
  known = false;
  say(find(".none"), ASKING);
  find(".tables").replaceChildren();
  list();
};
form.onsubmit = (event) => {
  event.preventDefault();
  begin(terms());
};
form.game.onchange = dress;
form.num_players.onchange = seat;

const lobby = await (await fetch("/lobby.json")).json();
games = lobby.games;
fill(form.game, games.map(({ id, title }) => [id, title]));
dress();
show({ text: ASKING, open: lobby.open });
await list();
setInterval(() => {
  if (known && !document.hidden) list();
}, PAUSE);
