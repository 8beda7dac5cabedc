"""``mhing replay``: verify a recorded game and show it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from mhing import render
from mhing.analysis import Analysis
from mhing.cli.common import (
    BadInput,
    add_parser,
    add_record_argument,
    file_errors,
    print_json,
    user_input,
    writable_file,
)
from mhing.records import Move, Record
from mhing.web import film, replay

EXAMPLES = """\
examples:
  mhing replay records/mytable-1.jsonl            every action, and the result
  mhing replay records/mytable-1.jsonl --step     the table after every action
  mhing replay records/mytable-1.jsonl --json     for programs
  mhing replay records/mytable-1.jsonl --html game.html --bot expert
                                                  a page for browsers, with what a bot says
  mhing replay records/mytable-1.jsonl --html mine.html --view 2
                                                  only what seat 2 could see

A page is one file, which opens from the disk. With --view SEAT nothing is in it that this seat did
not know: hand it to whoever may see that seat's cards.

An impossible record is refused, with the number of the wrong line.
"""


def add(commands: Any) -> None:
    """Declares the command."""
    parser = add_parser(commands, "replay", run, "verify a recorded game and show it", EXAMPLES)
    add_record_argument(parser)
    parser.add_argument("--step", action="store_true", help="draw the table after every action")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--html", metavar="FILE", type=writable_file, help="write a page")
    parser.add_argument(
        "--view",
        metavar="VIEW",
        help="who sees the page: open, a seat's number, or all, to choose there (all)",
    )
    parser.add_argument("--bot", metavar="BOT", help="judges the moves on the page")


def run(args: argparse.Namespace) -> None:
    """Runs the command."""
    if args.html is None and (args.view or args.bot):
        raise BadInput(f"{'--view' if args.view else '--bot'}: only with --html")
    if args.html is not None and args.step:
        raise BadInput("--step: not with --html, whose page shows every step")
    if args.html is not None and Path(args.html).resolve() == Path(args.file).resolve():
        raise BadInput(f"--html: {args.html} is the record itself; write to another file")
    with file_errors(args.file), user_input():
        record = Record(args.file, args.number)
        moves = [move for move, _ in record.replay()]
    if args.html is not None:
        _write_page(args, record)
    if args.json:
        decided = Counter(move.by for move in moves)
        print_json(record.header | {"actions": len(moves), "by": decided, "end": record.end})
    elif args.html is None:
        _show(record, args.step)


def _write_page(args: argparse.Namespace, record: Record) -> None:
    seats = _viewers(args.view or "all", record.game.num_seats)
    with user_input():
        analysis = Analysis(record, args.bot) if args.bot else None
    made = replay.page(record, film.films(record, seats, analysis))
    with file_errors(args.html):
        Path(args.html).write_text(made, encoding="utf-8")
    print(f"{args.html}: {len(made.encode()) / 1000:.0f} KB", file=sys.stderr)


def _viewers(view: str, num_seats: int) -> list[int | None]:
    if view == "all":
        return [None, *range(num_seats)]
    if view == "open":
        return [None]
    if view not in map(str, range(num_seats)):
        raise BadInput(f"--view: {view!r} is not open, all, or a seat from 0 to {num_seats - 1}")
    return [int(view)]


def _show(record: Record, step: bool) -> None:
    header = record.header
    players = ", ".join(f"{name} (seat {seat})" for seat, name in enumerate(record.players))
    time = f", {header['time']}" if "time" in header else ""
    print(f"{record.game.title}, seed {record.seed}{time}")
    print(f"Players: {players}\n")
    state = record.game.new_state(record.seed)
    for number, (move, state) in enumerate(record.replay(), 1):
        print(f"{number:4d}  {_sentence(record, move)}")
        if step:
            _pause_after(render.text(state))
    if not step:
        print("\n" + render.text(state))
    if record.end is None:
        print("\nThe record goes no further: the game was not over.")
    elif "returns" in record.end:
        print(f"\nVerified: it ends as recorded, with {record.end['returns']} by seat.")
    else:
        print("\nThe game was abandoned here.")


def _sentence(record: Record, move: Move) -> str:
    decided = "" if move.by in ("player", "bot") else f"  ({move.by})"
    return f"{record.players[move.seat]} (seat {move.seat}): {move.text}{decided}"


def _pause_after(picture: str) -> None:
    print(picture)
    if sys.stdin.isatty() and sys.stdout.isatty():
        with contextlib.suppress(EOFError):
            input("Enter goes on ")
    print()
