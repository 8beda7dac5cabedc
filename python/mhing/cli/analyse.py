"""``mhing analyse``: a recorded game as a bot judges it."""

from __future__ import annotations

import argparse
from math import isfinite
from typing import Any

from mhing.analysis import Analysis, PlayedDecision, SeatPlay
from mhing.cli.common import (
    JUDGES,
    add_parser,
    add_record_argument,
    file_errors,
    players_given,
    print_json,
    table,
)
from mhing.decision import PROBABILITY, say_score
from mhing.judge import Judge
from mhing.records import Record
from mhing.words import called, taken_back

EXAMPLES = """\
examples:
  mhing analyse records/mytable-1.jsonl                 by the game's last bot that judges
  mhing analyse records/mytable-1.jsonl --bot expert
  mhing analyse records/mytable-1.jsonl --bot run:runs/first
                                                        a policy, by how likely it is
  mhing analyse records/mytable-1.jsonl --json          the value of every action as well

For each decision: what the bot would have played, and what the move lost in its judgement, in
the unit of the rewards. A policy has no values: the loss is how much more likely it plays its own
choice. The bot goes by what the seat could know at that time. A judgement is no
truth: a better player than the bot loses something as well.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "analyse", run, "find the costly moves of a game", EXAMPLES, ["analyze"]
    )
    add_record_argument(parser)
    parser.add_argument("--bot", metavar="BOT", help=JUDGES)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    with file_errors(args.file), players_given():
        record = Record(args.file, args.number)
        analysis = Analysis(record, Judge(record.game, args.bot, "--bot"))
    if args.json:
        fields = analysis.to_dict()
        if not args.show_seed:
            del fields["seed"]
        print_json(fields)
    else:
        _show(analysis, args.show_seed)


def _show(analysis: Analysis, shows_seed: bool) -> None:
    record = analysis.record
    seed = f", seed {record.seed}" if shows_seed else ""
    print(f"{record.game.title}{seed}, judged by {analysis.bot}\n")
    heads = ["move", "player", "played", f"{analysis.bot} plays", f"loss, {analysis.unit}"]
    print(table(heads, [_row(analysis, one) for one in analysis.played]))
    heads = ["player", "decisions", f"as {analysis.bot}", "judged", "mean loss"]
    print(f"\n{table(heads, [_summary(player) for player in analysis.players])}")
    for sentence in taken_back(record.taken_back, called(record.players)):
        print(f"\n{sentence}")
    for player in analysis.players:
        if worst := player.worst():
            print(f"\nThe worst moves of {player.name} (seat {player.seat})")
            for one in worst:
                print(f"  {_sentence(analysis, one)}")
    if not any(one.decision.judged for one in analysis.played):
        print(f"\n{analysis.bot} judges none of these actions, so that no loss is known.")


def _row(analysis: Analysis, one: PlayedDecision) -> list[object]:
    name = analysis.record.players[one.move.seat]
    other = "" if one.own else f" ({one.move.by})"
    bot = "the same" if one.agrees else one.decision.text(one.decision.choice)
    return [one.number, name, one.move.text + other, bot, _number(one.loss)]


def _summary(player: SeatPlay) -> list[object]:
    loss = _number(player.mean_loss)
    return [player.name, player.decisions, player.agreed, len(player.losses), loss]


def _number(loss: float) -> str:
    return f"{loss:.3f}" if isfinite(loss) else "-"


def _sentence(analysis: Analysis, one: PlayedDecision) -> str:
    """Return the actions that were better than a bad one."""
    decision, bot = one.decision, analysis.bot
    best, move = decision.meaning(decision.choice), decision.meaning(one.move.action)
    if decision.unit == PROBABILITY:
        played, choice = (
            say_score(decision.score(action), decision.unit)
            for action in (one.move.action, decision.choice)
        )
        return (
            f"move {one.number}, {move}: {bot} plays it with a probability of {played}, "
            f"and with {choice}: {best}"
        )
    return (
        f"move {one.number}, {move}: lost {one.loss:.3f} {analysis.unit}. "
        f"{bot} expects {decision.value(one.move.action):.3f} of it, "
        f"and {decision.value(decision.choice):.3f} of: {best}"
    )
