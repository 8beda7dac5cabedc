// The page on which games are chosen. What can be chosen is what the games say about themselves.

import { fill, find, make, numbers, say } from "./dom.js";

const COMMON = ["num_players", "episode"]; // options that everybody chooses
const HIDDEN = ["hints"]; // options that change nothing for people
const BETWEEN = /,(?!\w+=)/; // players; a comma before a setting belongs to its bot
const MOST_REVIEWS = 20; // links of one sitting

const form = find(".begin-play");
let games = [];

function field(name) {
  return form.elements[name];
}

function current() {
  return games.find((one) => one.id === field("game").value);
}

// A field for an option, by its kind.
function optionField({ name, kind, value, low, high, choices }) {
  const id = `option.${name}`;
  if (kind === "bool") return make("input", { name: id, type: "checkbox", checked: value });
  if (kind === "choice" || high - low < 10) {
    const made = make("select", { name: id });
    fill(made, choices ?? numbers(low, high), value);
    return made;
  }
  return make("input", { name: id, type: "number", min: low, max: high, value });
}

function labelled(option) {
  const name = option.name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
  return make("label", {}, name, optionField(option), make("small", {}, option.meaning));
}

// The fields that depend on the game.
function dress() {
  const { options, presets, bots, default_bot, judges, default_judge } = current();
  const shown = options.filter(({ name }) => !HIDDEN.includes(name));
  fill(field("rules"), presets.map(({ name, meaning }) => [name, `${name}: ${meaning}`]));
  for (const place of [".options", ".rare"]) {
    const here = shown.filter(({ name }) => COMMON.includes(name) === (place === ".options"));
    find(place).replaceChildren(...here.map(labelled));
  }
  find("#bots").replaceChildren(...bots.map(({ name }) => make("option", { value: name })));
  field("players").value = default_bot;
  fill(field("hint"), judges, default_judge);
  sit();
}

function sit() {
  const number = Number(field("option.num_players")?.value ?? 2);
  const seats = numbers(0, number - 1).map((seat) => [seat, `seat ${seat}`]);
  fill(field("seat"), [...seats, ["", "none: watch bots"]]);
}

// Options that are not as the game has them by itself; the others follow the rules chosen.
function changed() {
  const found = {};
  for (const { name, kind, value } of current().options) {
    const input = field(`option.${name}`);
    if (!input) continue;
    const given = kind === "bool" ? input.checked : kind === "int" ? Number(input.value) : input.value;
    if (given !== value) found[name] = given;
  }
  return found;
}

async function begin() {
  const number = (name) => (field(name).value === "" ? null : Number(field(name).value));
  const settings = {
    kind: "play",
    game: field("game").value,
    options: { rules: field("rules").value, ...changed() },
    players: field("players").value.split(BETWEEN).map((one) => one.trim()),
    seat: number("seat"),
    hint: field("hint").value,
    practice: field("practice").checked,
    clock: number("clock"),
    delay: number("delay"),
    seed: field("seed").value,
  };
  const answer = await fetch("/sessions", { method: "POST", body: JSON.stringify(settings) });
  const content = await answer.json();
  if (answer.ok) location.assign(`/at/${content.id}`);
  else complain(content.text);
}

// Shows what was wrong beside its field, under the name that this has here.
function complain(text) {
  const notice = find(".notice");
  const [, name, why] = /^(?:option )?(\w+): (.*)/s.exec(text) ?? [];
  const label = (field(name) ?? field(`option.${name}`))?.closest("label");
  (label ?? find(".begin")).after(notice);
  label?.closest("details")?.toggleAttribute("open", true);
  say(notice, label ? `${label.firstChild.textContent.trim()}: ${why}` : text);
}

// Games one after another, with links to the last ones that can be looked at again.
function sitting({ id, title, players, games: number, over, result, when }, isOurs) {
  const link = isOurs ? make("a", { href: `/at/${id}` }, title) : title;
  const played = over ? `${number} played` : `game ${number} is under way`;
  const day = when ? ` ${new Date(1000 * when).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })},` : "";
  const reviews = numbers(1, over ? number : number - 1).slice(-MOST_REVIEWS).map((which) =>
    make("a", { href: `/review/${id}/${which - 1}`, "aria-label": `look at game ${which}` }, which));
  return make("li", {}, link, `${day} ${players.join(", ")}: ${played}. `, result && `Last rewards: ${result} `,
    reviews.length ? "Look at " : "", ...reviews.flatMap((review) => [review, " "]));
}

const lobby = await (await fetch("/lobby.json")).json();
games = lobby.games;
fill(field("game"), games.map(({ id, title }) => [id, title]));
form.onchange = ({ target }) => (target === field("game") ? dress : sit)();
form.onsubmit = (event) => {
  event.preventDefault();
  begin();
};
dress();
for (const [place, sittings, isOurs] of [[".under-way", lobby.tables, true], [".given", lobby.files, false]]) {
  find(place).hidden = sittings.length === 0;
  find(`${place} ul`).replaceChildren(...sittings.map((one) => sitting(one, isOurs)));
}
find(".settings").disabled = false;
