"""``mhing replay``: verify a recorded game and show it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from typing import Any

from mhing import render
from mhing.cli.common import (
    add_parser,
    add_record_argument,
    file_errors,
    print_json,
    user_input,
)
from mhing.records import Move, Record

EXAMPLES = """\
examples:
  mhing replay records/mytable-1.jsonl            every action, and the result
  mhing replay records/mytable-1.jsonl --step     the table after every action
  mhing replay records/mytable-1.jsonl --json     for programs

An impossible record is refused, with the number of the wrong line.
"""


def add(commands: Any) -> None:
    """Declares the command."""
    parser = add_parser(commands, "replay", run, "verify a recorded game and show it", EXAMPLES)
    add_record_argument(parser)
    parser.add_argument("--step", action="store_true", help="draw the table after every action")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Runs the command."""
    with file_errors(args.file), user_input():
        record = Record(args.file, args.number)
        moves = [move for move, _ in record.replay()]
    if args.json:
        decided = Counter(move.by for move in moves)
        print_json(record.header | {"actions": len(moves), "by": decided, "end": record.end})
    else:
        _show(record, args.step)


def _show(record: Record, step: bool) -> None:
    header = record.header
    players = ", ".join(f"{name} (seat {seat})" for seat, name in enumerate(record.players))
    print(f"{record.game.title}, seed {record.seed}, {header.get('time', '')}")
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
    return f"{record.players[move.seat]}: {move.text}{decided}"


def _pause_after(picture: str) -> None:
    print(picture)
    if sys.stdin.isatty() and sys.stdout.isatty():
        with contextlib.suppress(EOFError):
            input("Enter goes on ")
    print()
