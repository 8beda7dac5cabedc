// The score sheet of a game: its rounds in columns, what they were worth in rows.

import { make } from "./dom.js";

// A table of what Sheet.to_dict() says in Python, with the names of the players by seat.
export function sheet({ rounds, winners, rows }, names) {
  const head = line("th", { scope: "row" }, "round", rounds);
  const won = winners.map((seat) => names[seat] ?? "nobody");
  const body = [line("td", { scope: "row" }, "won by", won)];
  for (const { name, seat, values } of rows) {
    if (seat === 0) body.push(line("td", { scope: "rowgroup" }, name, []));
    const its = { scope: "row", class: seat !== null && "of-seat" };
    body.push(line("td", its, names[seat] ?? name, values));
  }
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "sheet", tabindex: 0, role: "group", "aria-label": "Score sheet" }, table);
}

function line(kind, its, name, cells) {
  return make("tr", {}, make("th", its, name), ...cells.map((one) => make(kind, {}, `${one ?? ""}`)));
}
