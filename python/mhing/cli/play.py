"""``mhing play``: watch bots play, or take a seat, in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import sys
import time
from math import isfinite
from typing import Any

from mhing import render
from mhing.bots import Policy, ask, legal, named
from mhing.cli.common import (
    INT,
    SEED,
    BadInput,
    Listed,
    add_game_arguments,
    add_parser,
    make_game,
    number,
    players_given,
    several,
    whole,
)
from mhing.decision import Decision

EXAMPLES = """\
examples:
  mhing play                                  watch four bots
  mhing play --seat 0 --seed 7                sit down
  mhing play --players 2 --rules jmhing --episode game --delay 0
  mhing play --seat 1 --opponents random,greedy,greedy --option seven_pairs=on
  mhing play general_mhing --seat 0           another game
  mhing play --seat 0 --opponents run:runs/first --option hints=on
  mhing play --seat 0 --hint greedy           h asks this bot what it would play

A player is a bot such as expert or search:50, net:FILE, onnx:FILE, run:FOLDER (what mhing train has
learned there), or module:function.
"""

HELP = """\
Choose a move by its number, by its text (discard 5s), or by its last word (5s).
You are asked only when you have a choice.   ? this help   h a hint   q leaves the table"""

HINTED = 4
"""Moves that a hint compares."""


CLEAR = "\x1b[H\x1b[J"


class Left(Exception):
    """The player has left the table."""


def add(commands: Any) -> None:
    """Declares the command."""
    parser = add_parser(commands, "play", run, "watch bots play, or take a seat", EXAMPLES)
    add_game_arguments(parser)
    parser.add_argument(
        "--seat", metavar="N", type=whole(0, INT), help="your seat; without it you watch"
    )
    parser.add_argument(
        "--opponents",
        metavar="PLAYER[,PLAYER...]",
        action=Listed,
        help="who has all other seats, or one for each, by seat (the game's default bot)",
    )
    parser.add_argument(
        "--hint", metavar="BOT", help="who gives hints (the game's last bot that judges)"
    )
    parser.add_argument("--seed", metavar="N", type=SEED, help="the same seed deals the same game")
    parser.add_argument(
        "--delay", metavar="SECONDS", type=number(0, 3600), help="pause after a move of a bot"
    )
    parser.add_argument(
        "--episode", choices=("round", "game"), help="play a round (the default) or a game"
    )


def run(args: argparse.Namespace) -> None:
    """Runs the command."""
    with contextlib.suppress(Left):
        Table(args).play()


class Table:
    """A game on the terminal: the state, the seats, and what was shown already."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.game = make_game(args, episode=args.episode)
        if args.seat is not None and args.seat >= self.game.num_seats:
            raise BadInput(f"--seat {args.seat}: choose 0 to {self.game.num_seats - 1}")
        self.seat: int | None = args.seat
        self.delay = (0.6 if sys.stdout.isatty() else 0.0) if args.delay is None else args.delay
        self.film = self.seat is None and sys.stdout.isatty()  # redrawn in place
        self.color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.others = self._seat_others(args.opponents)
        self.adviser = self._adviser(args.hint)
        self.random = random.getrandbits(32) if args.seed is None else args.seed
        self.state = self.game.new_state(self.random)
        self.events: list[dict[str, Any]] = []
        self.rounds = 0
        print(f"{self.game.title}, seed {self.random}")

    def _seat_others(self, given: str | None) -> dict[int, int | Policy]:
        """Who plays each seat that is not yours: a bot's number, or a policy."""
        names = several(self.game.default_bot if given is None else given)
        seats = [seat for seat in range(self.game.num_seats) if seat != self.seat]
        if len(names) not in (1, len(seats)):
            raise BadInput(f"--opponents: name one player or {len(seats)}, not {len(names)}")
        with players_given():
            players = [named(self.game, name, "--opponents") for name in names]
        return dict(zip(seats, players * len(seats) if len(names) == 1 else players, strict=False))

    def _adviser(self, given: str | None) -> str:
        """The bot that gives hints."""
        if given is None:
            return self.game.default_judge
        if self.seat is None:
            raise BadInput(f"--hint {given}: hints are for who plays; take a seat by --seat")
        try:
            self.game.bot_index(given)
        except ValueError as error:
            raise BadInput(f"--hint: {error}") from error
        return given

    def play(self) -> None:
        """Plays to the end of the episode."""
        self._show_news()
        while not self.state.is_terminal:
            if self.state.seat == self.seat:
                action = self._ask()
            else:
                action = self._answer(self.others[self.state.seat])
            self.state.apply(action)
            self._show_news()
        if not self.film:
            self._show_table()

    def _answer(self, player: int | Policy) -> int:
        """What another seat plays."""
        if isinstance(player, int):
            action, self.random = self.state._memory.bot_action(player, self.random)
            return action
        mask = self.state.action_mask()
        try:
            return legal(ask(player, self.state.observation(), mask, self.state.seat), mask, "it")
        except Exception as error:  # whatever its code raises
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise BadInput(f"--opponents: seat {self.state.seat}: {reason}") from error

    def _ask(self) -> int:
        """Shows the table and the legal moves, and returns the one that is chosen."""
        self._show_table()
        moves = {self.game.action_text(a): int(a) for a in self.state.legal_actions()}
        print(_numbered(list(moves)))
        while True:
            try:
                answer = input(f"Your move, 1-{len(moves)} (? help, h hint, q quit): ").strip()
            except EOFError:
                print("\nNo more input: you leave the table.")
                raise Left from None
            if answer in ("q", "quit"):
                raise Left
            if answer in ("?", "help"):
                print(render.notation(self.state))
                print(HELP)
            elif answer in ("h", "hint"):
                print(hint(self.state.analyse(self.adviser)))
            elif answer:
                matches = _matches(answer, list(moves))
                if len(matches) == 1:
                    return moves[matches[0]]
                fault = f"fits {len(matches)} moves" if matches else "is no legal move"
                print(f"{answer} {fault}; choose a number or a text from the list.")

    def _show_table(self) -> None:
        """Draws the table, without the events that were shown already."""
        view = None if self.state.is_terminal else self.seat
        print("\n" + render.text(self.state, view=view, color=self.color, events=False))

    def _show_news(self) -> None:
        """Prints the public events since the last call, or draws the next picture."""
        tail = self.state.to_dict()["events"]
        news = _new_events(self.events, tail)
        self.events = tail
        if self.film and news:
            print(CLEAR + render.text(self.state, color=self.color))
        elif not self.film:
            self._tell(news)
        if news:
            sys.stdout.flush()
            time.sleep(self.delay)

    def _tell(self, news: list[Any]) -> None:
        # The result of the last round comes with its table; of any other, here: the next round
        # is dealt by then, and the events of the old one are gone.
        if not self.state.is_terminal and self.state.rounds_over > self.rounds:
            self.rounds = self.state.rounds_over
            print(f"\nRound {self.rounds}: {render.result_text(self.state)}\n")
        for event in news:
            print(render.event_text(self.state, event))


def hint(decision: Decision) -> str:
    """What a bot would play, and what it expects of that and of the best moves."""
    lines = [f"{decision.bot} would play: {decision.text(decision.choice)}"]
    judged = [action for action in decision.ranked() if isfinite(decision.value(action))]
    shown = sorted(judged[:HINTED], key=decision.value, reverse=True)
    if shown:
        lines.append("It expects to earn to the end of the round:")
        lines += [f"{decision.value(action):8.2f}  {decision.text(action)}" for action in shown]
    if shown and decision.value(shown[0]) > decision.value(decision.choice):
        lines.append("A move that looks better than that one may do so by chance.")
    return "\n".join(lines)


def _numbered(moves: list[str]) -> str:
    """The moves with their numbers, in columns."""
    cells = [f"{number:3d} {move}" for number, move in enumerate(moves, 1)]
    width = max(map(len, cells)) + 2
    columns = max(1, min(shutil.get_terminal_size().columns, 100) // width)
    return "\n".join(
        "".join(f"{cell:<{width}}" for cell in cells[i : i + columns]).rstrip()
        for i in range(0, len(cells), columns)
    )


def _matches(answer: str, moves: list[str]) -> list[str]:
    """The moves that an answer may mean: by number, by text, by beginning or by last word."""
    if answer.isdecimal():
        return moves[int(answer) - 1 : int(answer)] if int(answer) > 0 else []
    if answer in moves:
        return [answer]
    return [move for move in moves if move.startswith(answer) or move.endswith(" " + answer)]


def _new_events(old: list[Any], tail: list[Any]) -> list[Any]:
    """What was added to a tail of events that forgets its oldest ones."""
    for dropped in range(len(old) + 1):
        kept = len(old) - dropped
        if old[dropped:] == tail[:kept]:
            return tail[kept:]
    return tail
