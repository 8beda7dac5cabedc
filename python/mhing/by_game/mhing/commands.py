"""``mhing score``: what a hand is worth, or how far it is from complete."""

from __future__ import annotations

import argparse
import contextlib
from typing import Any

import mhing
from mhing.by_game.mhing.hand import hand_text
from mhing.cli.common import (
    add_parser,
    print_json,
    table,
    user_input,
    whole,
)
from mhing.words import plural

EXAMPLES = """\
cards:
  123s bamboo   123p circles   123m characters   ESWN winds
  RGP red, green and white dragons   J Mhing card (joker)

examples:
  mhing score 567s567s678s789s99s
  mhing score 99sJ67m --melds "EEE 345m 4*56m" --flowers 2
  mhing score 1199s2288p3377mE --seven-pairs --json
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "score", run, "score a hand, or count the cards until it is complete", EXAMPLES
    )
    parser.add_argument("hand", metavar="HAND", help="concealed cards, for example 567s99pJ")
    parser.add_argument(
        "--melds", metavar="MELDS", default="", help='melds on the table, for example "EEE 456s"'
    )
    parser.add_argument(
        "--flowers", metavar="N", type=whole(0, 8), default=0, help="flowers laid aside, 0 to 8"
    )
    parser.add_argument(
        "--seven-pairs", action="store_true", help="house rule: seven pairs are complete"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    melds = args.melds.split()
    with user_input():
        distance = mhing.distance(args.hand, melds, seven_pairs=args.seven_pairs)
        score = None
        if distance == 0:
            score = mhing.score_hand(args.hand, melds, args.flowers, args.seven_pairs)
    waits = _waits(args.hand, melds, args.flowers, args.seven_pairs) if distance == 1 else {}
    if args.json:
        print_json(_report(distance, score, waits))
    elif score is not None:
        print(hand_text(score.credits, score.points, score.parts, score.arrangement))
    else:
        print(f"Not complete: {plural(distance, 'card')} must be exchanged or drawn.")
        if waits:
            rows = [(card, wait.credits, wait.points) for card, wait in waits.items()]
            print("\n" + table(("card", "credits", "points"), rows))


def _waits(hand: str, melds: list[str], flowers: int, seven_pairs: bool) -> dict[str, mhing.Score]:
    """The cards that complete a hand before its draw, with the value of the complete hand."""
    waits = {}
    for card in mhing.Game("mhing").labels["cards"]:
        with contextlib.suppress(ValueError):  # a copy too many, a flower, or already drawn
            score = mhing.score_hand(hand + card, melds, flowers, seven_pairs)
            if score is not None:
                waits[card] = score
    return waits


def _report(
    distance: int, score: mhing.Score | None, waits: dict[str, mhing.Score]
) -> dict[str, Any]:
    report: dict[str, Any] = {"complete": score is not None, "distance": distance}
    if score is not None:
        report |= {
            "credits": score.credits,
            "points": score.points,
            "parts": [{"name": name, "credits": credits} for name, credits in score.parts],
            "arrangement": score.arrangement,
        }
    else:
        report["waits"] = {
            card: {"credits": wait.credits, "points": wait.points} for card, wait in waits.items()
        }
    return report
