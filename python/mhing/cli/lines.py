"""A game in lines, for pipes and plain terminals: what happens, then a question."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping
from typing import Any

from mhing import render
from mhing.cli.common import BadInput
from mhing.render.lines import BOLD, DIM, WIDTH, in_lines, painter
from mhing.table import PlayerFailed
from mhing.tui.words import NO_EVENTS, hint, meant, totals
from mhing.web.play import PlaySession

HELP = """\
Choose a move by its number, by its text (discard 5s), by its first letters (p for pass), or by
its last word (5s).
You are asked only when you have a choice.
? this help   h a hint   u takes your last move back   q leaves the table"""


class LeftTable(Exception):
    """The player has left the table."""


class Lines:
    """A session that is printed line by line.

    Args:
        session: what is played.
        color: with ANSI colours.
    """

    def __init__(self, session: PlaySession, color: bool) -> None:
        self.session, self.color = session, color
        self._printed = 0  # lines of the session's log

    def play(self) -> None:
        """Play to the end of the episode; raise Left if the player does not."""
        while True:
            self._print_events()
            view = self.session.words()
            if view["asked"]:
                self._ask(view)
            elif view["over"]:
                break
            elif "next" in view["can"]:
                print(f"\nRound {self.session.table.state.rounds_over}: ", end="")
                print("\n".join(view["result"]) + "\n")
                self.session.do({"do": "next"})
            else:
                self._wait()
        self._print_table()
        if view["sheet"]:
            print(f"{self._sheet()}\n")
        print("\n".join(totals(view)))

    def _wait(self) -> None:
        """Let another seat play, when its time has come."""
        sys.stdout.flush()
        time.sleep(self.session.due() or 0)
        try:
            self.session.tick()
        except PlayerFailed as error:
            raise BadInput(f"--opponents: {error.whole}") from error

    def _ask(self, view: Mapping[str, Any]) -> None:
        """Show the table and the legal moves, and play the one that is chosen."""
        if not self.session.log:
            print(NO_EVENTS)
        self._print_table()
        texts = {move["action"]: move["text"] for move in view["moves"]}
        moves = [*texts.values()]
        print(_numbered(moves))
        while True:
            try:
                answer = input(f"Your move, 1-{len(moves)} (? help, h hint, q quit): ").strip()
            except EOFError:
                print("\nNo more input: you leave the table.")
                raise LeftTable from None
            if answer in ("q", "quit"):
                raise LeftTable
            if answer in ("?", "help"):
                print(render.notation(self.session.table.state))
                print(HELP)
            elif answer in ("h", "hint"):
                print(hint(self.session.judged()))
            elif answer in ("u", "undo") and "undo" in view["can"]:
                self.session.do({"do": "undo"})
                self._printed = len(self.session.log)
                return
            elif answer:
                found = meant(answer, moves)
                if len(found) == 1:
                    action = next(each for each, text in texts.items() if text == found[0])
                    self._choose(action, view["number"])
                    return
                fault = f"fits {len(found)} moves" if found else "is no legal move"
                print(f"{answer} {fault}; choose a number or a text from the list; ? says how.")

    def _choose(self, action: int, number: int) -> None:
        try:
            self.session.do({"do": "play", "action": action, "number": number})
        except PlayerFailed as error:  # the player to act next
            raise BadInput(f"--opponents: {error.whole}") from error

    def _print_table(self) -> None:
        """Draw the table, without the events that were shown already."""
        table, eyes = self.session.shown
        board = render.board(table, eyes, self.session.called, columns=_columns(), color=self.color)
        paint = painter(self.color)
        head = [paint(board.heading, BOLD), board.legend, *(paint(one, DIM) for one in board.notes)]
        status = paint(board.status, BOLD)
        print("\n" + in_lines([[*filter(None, head)], board.lines, board.result, [status]]))

    def _sheet(self) -> str:
        return self.session.table.state.sheet().text(self.session.called, _columns())

    def _print_events(self) -> None:
        """Print the public events since the last call."""
        for line in self.session.log[self._printed :]:
            print(line)
        self._printed = len(self.session.log)


def _columns() -> int:
    return min(shutil.get_terminal_size().columns, WIDTH)


def _numbered(moves: list[str]) -> str:
    """The moves with their numbers, in columns."""
    cells = [f"{number:3d} {move}" for number, move in enumerate(moves, 1)]
    width = max(map(len, cells)) + 2
    columns = max(1, _columns() // width)
    return "\n".join(
        "".join(f"{cell:<{width}}" for cell in cells[i : i + columns]).rstrip()
        for i in range(0, len(cells), columns)
    )
