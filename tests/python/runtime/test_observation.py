"""Every field of an observation of Mhing, against what the table shows to that seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
import viewer
from matches import Match
from policies import greedy, moody
from reference.arrangement import Declared
from reference.cards import COPIES, FLOWER, NAMES, TYPES, parse_meld
from reference.distance import distance
from reference.referee import joker_number, kind_number
from reference.scoring import POINTS_TABLE
from rules.citing import rules_of
from viewer import check_observations, filled, low_first

import mhing

rule = rules_of("mhing")

Table = dict[str, Any]

TAKER = 36  # added to a discard for each seat clockwise to who took it


def counts(names: list[str]) -> list[int]:
    """Copies of each type but the flower."""
    held = Counter(TYPES[name] for name in names)
    return [held[card] for card in range(FLOWER)]


def least_credits(points: int) -> int:
    """The fewest credits that are worth so many points; 42 where no hand is."""
    enough = [credits for credits, worth in POINTS_TABLE if worth >= points]
    return min(enough, default=42) if points else 0


class Viewer(viewer.Viewer):
    """The observation that one seat should have of a table."""

    extra = "jokers"

    def __init__(self, table: Table, seat: int, revealed: list[str], length: int) -> None:
        super().__init__(table, seat)
        self.revealed = revealed
        self.length = length

    def fields(self) -> dict[str, Any]:
        table, options = self.table, self.table["options"]
        result = table["result"] or {"winner": -1, "credits": 0}
        on_turn = self.relative(table["on_turn"])
        return {
            "hand": counts(table["hands"][self.seat]),
            "unseen": self.unseen(),
            "revealed": counts(self.revealed),
            "phase": self.phase(),
            "on_turn": on_turn,
            "offer": _card(table["offer"]),
            "offered_by": self.relative(table["offered_by"]),
            "claimed_from": self.relative(table["claimed_from"]),
            "drawn": _card(table["drawn"]) if on_turn == 1 else 0,
            "source_left": len(table["source"]),
            "dealer": self.relative(table["dealer"]),
            "round": low_first(table["round"], 4),
            "rounds_left": low_first(self.rounds_left(), 4),
            "last_winner": self.relative(result["winner"]),
            "last_credits": result["credits"],
            "target": low_first(self.target(), 4),
            "rules": [
                self.seats,
                int(options["lay_down"]),
                int(options["seven_pairs"]),
                int(options["scoring"] == "chips"),
            ],
            **self.events(),
            **self.blocks(),
        }

    def phase(self) -> int:
        if self.table["phase"] == "over":
            return 3
        if self.table["seat"] != self.seat:
            return 0
        return 1 if self.table["phase"] == "turn" else 2

    def rounds_left(self) -> int:
        options = self.table["options"]
        rounds: int = options["rounds"]
        if rounds == -1:
            rounds = 100 if options["scoring"] == "chips" else 0
        if options["episode"] == "round" or not rounds:
            return 0
        return rounds - int(self.table["round"])

    def target(self) -> int:
        """The points that win the game, if any do."""
        options = self.table["options"]
        decides = options["episode"] == "game" and options["scoring"] == "points"
        return int(options["target"]) if decides else 0

    def unseen(self) -> list[int]:
        """The deck less the own hand and all that lies open."""
        table = self.table
        seen = table["hands"][self.seat] + [
            one["card"] for one in table["discards"] if one["taken_by"] is None
        ]
        if table["phase"] == "over" and table["result"]["winner"] != self.seat:
            seen = seen + self.revealed
        open_cards = counts(seen)
        for melds in table["melds"]:
            for meld in melds:
                for card, copies in parse_meld(meld["text"]).needs().items():
                    open_cards[card] += copies
        return [COPIES[card] - open_cards[card] for card in range(FLOWER)]

    def block(self, seat: int) -> dict[str, Any]:
        """The public part of a seat."""
        table = self.table
        melds = [parse_meld(meld["text"]) for meld in table["melds"][seat]]
        sources = [meld["from"] for meld in table["melds"][seat]]
        made = [one for one in table["discards"] if one["by"] == seat]
        ways = [0 if (by := one["taken_by"]) is None else (by - seat) % self.seats for one in made]
        row = [_card(one["card"]) + TAKER * way for one, way in zip(made, ways, strict=True)]
        score = table["scores"][seat]
        missing = max(self.target() - score, 0)
        return {
            "meld_kind": filled([kind_number(meld) + 1 for meld in melds], 4),
            "meld_jokers": filled([joker_number(meld) for meld in melds], 4),
            "meld_from": filled(
                [0 if source is None else (source - seat) % self.seats for source in sources], 4
            ),
            "flowers": table["flowers"][seat],
            "hand_size": len(table["hands"][seat]),
            "score": low_first(score, 4),
            "missing": low_first(missing, 4),
            "credits_missing": least_credits(missing),
            "chips": low_first(table["chips"][seat] if table["chips"] else 0, 4),
            "num_discards": len(made),
            "discard_count": counts([one["card"] for one in made if one["taken_by"] is None]),
            "discards": filled(row, self.length),
        }


def _card(name: str | None) -> int:
    return 0 if name is None else TYPES[name] + 1


def check(match: Match) -> None:
    """Compares every seat's observation, and the omniscient one, with the table."""
    game, table = match.state.game, match.table
    length = next(field.shape[1] for field in game.observation_fields if field.name == "discards")
    declared = match.referee.declared
    revealed = [NAMES[card] for card in declared.concealed.elements()] if declared else []
    viewers = (Viewer(table, seat, revealed, length) for seat in range(game.num_seats))
    check_observations(match, viewers)
    hidden = game.unpack_omniscient(match.state.omniscient())
    source = [TYPES[name] + 1 for name in table["source"]]
    assert hidden["source"].tolist() == filled(source, hidden["source"].size)
    assert hidden["hands"].tolist() == [counts(hand) for hand in table["hands"]]
    assert hidden["to_act"] == table["seat"] + 1
    answers = {claim["seat"]: game.action_id(claim["action"]) + 1 for claim in table["claims"]}
    assert [low + 256 * high for low, high in hidden["answers"].tolist()] == [
        answers.get(seat, 0) for seat in range(game.num_seats)
    ]


def check_info(match: Match) -> None:
    """Compares the public numbers with the table."""
    game, table = match.state.game, match.table
    info: dict[str, Any] = match.state.info()
    result = table["result"] or {"round": -1, "winner": -1, "payer": -1, "credits": 0, "points": 0}
    assert {name: info[name] for name in ("round", "dealer")} == {
        name: table[name] for name in ("round", "dealer")
    }
    assert info["rounds_over"] == result["round"] + 1
    for name in ("winner", "payer", "credits", "points"):
        assert info[name] == result[name], name
    per_seat = {
        "scores": table["scores"],
        "chips": table["chips"] or [],
        "payments": result.get("payments") or [],
    }
    for name, numbers in per_seat.items():
        assert list(info[name]) == filled(numbers, game.num_seats)
    parts = dict(zip(game.labels["parts"], info["parts"], strict=True))
    assert {name: credits for name, credits in parts.items() if credits} == dict(
        result.get("parts", [])
    )


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@rule("R10.5")
def test_every_field_shows_the_table(players: int) -> None:
    rng = Random(players)
    for number in range(4):
        game = mhing.Game(
            "mhing",
            num_players=players,
            lay_down=number % 2 == 1,
            seven_pairs=number == 2,
            episode="game",
            rounds=3 if number else -1,
            target=16 if number == 0 else 500,
            scoring="chips" if number == 1 and players <= 4 else "points",
        )
        match = Match(game.new_state(number))
        for _ in range(250):
            check(match)
            check_info(match)
            if match.state.is_terminal:
                break
            match.play_by(greedy if number == 3 else moody, rng, decisions=1)


def changes(before: list[Any], after: list[Any]) -> list[Any]:
    """The events that have been added; those before may have been forgotten."""
    kept = next(k for k in range(len(before), -1, -1) if before[len(before) - k :] == after[:k])
    return after[kept:]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@rule("R10.5")
def test_every_discard_says_who_took_it(players: int) -> None:
    """To every seat; and the table says what the events have told, one after the other."""
    game = mhing.Game("mhing", num_players=players, lay_down=True)
    rng, ways = Random(players), Counter[int]()
    for seed in range(8):
        state = game.new_state(seed)
        before: list[Any] = []
        made: list[dict[str, Any]] = []
        while True:
            table = state.to_dict()
            for event in changes(before, table["events"]):
                if event["event"] == "discard":
                    made.append({"card": event["text"], "by": event["seat"], "taken_by": None})
                elif event["event"] == "claim" or event["text"] == "on the discard":
                    made[-1]["taken_by"] = event["seat"]
            before = table["events"]
            assert table["discards"] == made
            for seat in range(players):
                rows = game.unpack(state.observation(seat))["discards"]
                for way, row in enumerate(rows.tolist()):
                    by = (seat + way) % players
                    mine = [one for one in made if one["by"] == by]
                    takers = [(by + shown // TAKER) % players for shown in row[: len(mine)]]
                    assert takers == [
                        by if one["taken_by"] is None else one["taken_by"] for one in mine
                    ]
                    assert [shown % TAKER for shown in row] == filled(
                        [_card(one["card"]) for one in mine], len(row)
                    )
                    ways.update(shown // TAKER for shown in row)
            if state.is_terminal:
                break
            bot = "greedy" if rng.random() < 0.5 else "random"
            state.apply(state.bot_action(bot, rng.getrandbits(32))[0])
    assert all(ways[way] > 5 for way in range(players))
    assert max(ways) < players


Nearest = Callable[[Counter[int], int], tuple[int, int]]


def nearest_of(unseen: list[int], seven_pairs: bool) -> Nearest:
    """Distance of a hand before its draw, and the unseen cards that lower it."""

    def nearest(hand: Counter[int], laid: int) -> tuple[int, int]:
        now = distance(hand.elements(), laid, seven_pairs)
        useful = sum(
            copies
            for card, copies in enumerate(unseen)
            if copies and distance((hand + Counter([card])).elements(), laid, seven_pairs) < now
        )
        return now, useful

    return nearest


def hint(action: str, hand: Counter[int], laid: int, nearest: Nearest, offer: int | None) -> Any:
    """(distance, useful cards) after an action, and after the best discard where one follows."""
    kind, _, text = action.partition(" ")
    if kind == "pass":
        return nearest(hand, laid)
    if kind == "discard":
        return nearest(hand - Counter([TYPES[text]]), laid)
    held = hand if offer is None else hand + Counter([offer])
    left = held - parse_meld(text).needs()
    after = [nearest(left - Counter([card]), laid + 1) for card in left]
    return min(after, key=lambda found: (found[0], -found[1]))


@pytest.mark.slow
def test_hints_against_the_slow_distance(full: bool) -> None:
    rng = Random(61)
    for number in range(40 if full else 6):
        game = mhing.Game("mhing", hints=True, lay_down=number % 2 == 1, seven_pairs=number % 4 > 1)
        match = Match(game.new_state(number))
        while not match.state.is_terminal:
            if rng.random() < 0.1:
                check_hints(match)
            match.play_by(moody, rng, decisions=1)


def check_hints(match: Match) -> None:
    table, game, seat = match.table, match.state.game, match.state.seat
    shown = game.unpack(match.state.observation())
    hand = Counter(TYPES[name] for name in table["hands"][seat])
    laid = len(table["melds"][seat])
    seven_pairs = table["options"]["seven_pairs"]
    assert shown["distance"] == distance(hand.elements(), laid, seven_pairs)
    offer = TYPES[table["offer"]] if table["phase"] == "claim" else None
    nearest = nearest_of(shown["unseen"].tolist(), seven_pairs)
    legal = match.legal()
    for action in legal:
        number = game.action_id(action)
        if action != "mhing":
            found = (int(shown["distance_after"][number]), int(shown["useful_after"][number]))
            assert found == hint(action, hand, laid, nearest, offer), action
    melds = tuple(parse_meld(meld["text"]) for meld in table["melds"][seat])
    held = hand if offer is None else hand + Counter([offer])
    best = Declared(held, melds, table["flowers"][seat]).best(seven_pairs)
    assert ("mhing" in legal) == (best is not None)
    assert shown["credits_now"] == (0 if best is None else best.credits + 1)
    illegal = np.flatnonzero(match.state.action_mask() == 0)
    assert (shown["distance_after"][illegal] == 255).all()


def test_hints_are_only_for_the_seat_that_decides() -> None:
    game = mhing.Game("mhing", hints=True)
    state = game.new_state(1)
    for seat in set(range(4)) - {state.seat}:
        shown = game.unpack(state.observation(seat))
        assert (shown["distance_after"] == 255).all()
