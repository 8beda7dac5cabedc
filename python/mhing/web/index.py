"""Pages of tables, without anything to load: games of files with links, results of an arena.

A series is shown as its players stand and how any two of them differ where both played. Its games
were not dealt so that all had the same luck; for that there is :mod:`mhing.arena`, whose results
come with intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from pathlib import Path
from statistics import fmean

from mhing.arena import Result
from mhing.records import Record
from mhing.web import inline
from mhing.words import called, taken_back

_NOBODY = "nobody"


@dataclass(frozen=True)
class Link:
    """A cell that leads to another page."""

    text: str
    address: str


@dataclass(frozen=True)
class HTMLTable:
    """A table with its caption; the first cell of each row is its head."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | Link]]


def page(title: str, lines: Sequence[str], tables: Sequence[HTMLTable]) -> str:
    """Return a page in HTML: the title, paragraphs, then the tables."""
    style = inline.text("index.css")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{inline.policy([], style)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>",
            f"<h1>{escape(title)}</h1>",
            *(f"<p>{escape(line)}</p>" for line in lines),
            *map(_table, tables),
            "</main>\n</body>\n</html>\n",
        ]
    )


def of_games(records: Sequence[Record], addresses: Sequence[str]) -> str:
    """The index of games, each with the address of its page; those of one kind are compared."""
    kinds: dict[tuple[str, str], list[tuple[int, Record]]] = {}
    for number, record in enumerate(records):
        kinds.setdefault((record.game.title, record.game.unit), []).append((number, record))
    have_files = len({record.path for record in records}) > 1
    tables: list[HTMLTable] = []
    for (title, unit), games in kinds.items():
        of = f" of {title}" if len(kinds) > 1 else ""
        rows: list[list[str | Link]] = [
            [
                Link(f"game {number}", addresses[number]),
                *([Path(record.path).name] if have_files else []),
                *_game(record),
            ]
            for number, record in games
        ]
        heads = ["game", *(["file"] if have_files else []), f"players and {unit}", "won by"]
        tables += _standings([record for _, record in games], unit, of)
        tables.append(HTMLTable(f"Games{of}", heads, rows))
    titles = ", ".join(dict.fromkeys(title for title, _ in kinds))
    count = f"{len(records):,} game{'' if len(records) == 1 else 's'}"
    return page(f"{titles}: {count}", [], tables)


def of_result(result: Result) -> str:
    """The page of a tournament's result."""
    standings = result.standings()
    tables = [HTMLTable("Players", [*standings[0]], [[*row.values()] for row in standings])]
    if result.pairs:
        names = [row["player"] for row in standings]
        caption = f"Differences in {result.unit} a game, row less column"
        tables.append(HTMLTable(caption, ["", *names], result.cross_table()))
    return page(result.heading(), result.notes(), tables)


def _game(record: Record) -> list[str]:
    """The players of a game with what they earned, who took moves back, and who earned most."""
    returns, names = record.returns, called(record.players)
    if not returns:
        return [", ".join(names), "abandoned" if record.end else "not over"]
    best = max(returns)
    won = [name for name, earned in zip(names, returns, strict=True) if earned == best]
    earned = ", ".join(f"{name}: {one:g}" for name, one in zip(names, returns, strict=True))
    earned = ". ".join([earned, *taken_back(record.taken_back, names)])
    return [earned, _NOBODY if len(won) == len(names) else ", ".join(won)]


def _standings(records: Sequence[Record], unit: str, of: str) -> list[HTMLTable]:
    """Return the standings, the best first, and how any two differ; nothing of nobody's games."""
    games = [_by_name(record) for record in records if record.returns]
    names = {name: [game[name] for game in games if name in game] for name in chain(*games)}
    if len(names) < 2:
        return []
    ranked = sorted(names, key=lambda name: -fmean(names[name]))
    rows = [[name, f"{len(names[name]):,}", f"{fmean(names[name]):.3f}"] for name in ranked]
    differences = [
        [one, *("" if one == other else _difference(games, one, other) for other in ranked)]
        for one in ranked
    ]
    return [
        HTMLTable(f"Players{of}", ["player", "games", f"{unit} a game"], rows),
        HTMLTable(f"Differences{of} in {unit} a game, row less column", ["", *ranked], differences),
    ]


def _by_name(record: Record) -> dict[str, float]:
    """Return each player's earnings, with several seats on the average."""
    seats = [*zip(record.players, record.returns, strict=True)]
    return {
        name: fmean(earned for other, earned in seats if other == name) for name in record.players
    }


def _difference(games: Sequence[Mapping[str, float]], one: str, other: str) -> str:
    both = [game[one] - game[other] for game in games if one in game and other in game]
    return f"{fmean(both):+.3f}" if both else "-"


def _table(table: HTMLTable) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in table.heads)
    rows = "\n".join(
        f'<tr><th scope="row">{_cell(first)}</th>'
        + "".join(f"<td>{_cell(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in table.rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(table.caption)}">\n'
        f"<table>\n<caption>{escape(table.caption)}</caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _cell(cell: str | Link) -> str:
    if isinstance(cell, Link):
        return f'<a href="{escape(cell.address)}">{escape(cell.text)}</a>'
    return escape(cell)
