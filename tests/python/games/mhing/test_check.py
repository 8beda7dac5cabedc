"""States of Mhing that the check takes: all that play leads to, and of the others none.

Each refusal is tried with a state that play has led to, changed in one matter: what it says is the
one thing that is wrong with the state.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from reference.cards import NAMES, parse_cards

import mhing
from games.mhing.random_games import random_game, random_play
from games.mhing.state_bytes import TAKER, block, changed

GAME = {"episode": "game"}
CHIPS = GAME | {"scoring": "chips"}


def test_what_play_leads_to_is_taken(full: bool) -> None:
    """Under any options, as bytes and as JSON; so is what a seat may think the state to be."""
    decisions = ends = rounds = 0
    for seed in range(2_000 if full else 60):
        game = random_game(Random(seed))
        for number, state in enumerate(random_play(game, seed, 1500 if full else 300)):
            assert game.from_bytes(state.to_bytes()) == state
            if number % 23 == 0 or state.is_terminal:
                game.state_from_dict(state.to_dict())
            if number % 7 == 0 or number < 12 or state.is_terminal:
                assert state.resample(number % game.num_seats, number).to_bytes()
            decisions += 1
        ends += state.is_terminal
        rounds += state.rounds_over
    assert decisions > 6_000
    assert ends > 15
    assert rounds > 100


# ---- States to be changed ------------------------------------------------------------------------

Wanted = Callable[[dict[str, Any]], bool]


def found(options: dict[str, Any], wanted: Wanted, odd: float = 0.2) -> mhing.State:
    """The first state of play like this."""
    game = mhing.Game("mhing", **options)
    for seed in range(400):
        rng, state = Random(seed), game.new_state(seed)
        for _ in range(4000):
            table = state.to_dict()
            if wanted(table):
                return state
            if state.is_terminal:
                break
            if rng.random() < odd:
                state.apply(rng.choice(state.legal_actions().tolist()))
            else:
                state.apply(state.bot_action("greedy", 0)[0])
    pytest.fail("no such state")


def after_rounds(rounds: int) -> Wanted:
    return lambda table: table["round"] >= rounds and len(table["discards"]) > 2


def in_round(table: dict[str, Any]) -> bool:
    return table["phase"] == "turn" and len(table["discards"]) > 6


def with_draw(table: dict[str, Any]) -> bool:
    return in_round(table) and table["drawn"] is not None


def in_claims(table: dict[str, Any]) -> bool:
    return table["phase"] == "claim" and len(table["claims"]) > 0 and len(table["to_ask"]) > 0


def won(table: dict[str, Any]) -> bool:
    return table["phase"] == "over" and table["result"]["winner"] >= 0


def won_by_claim(table: dict[str, Any]) -> bool:
    return won(table) and table["on_turn"] != table["result"]["winner"]


# ---- What was taken before -----------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One thing about a state made wrong, by the keys of `to_dict`."""

    name: str
    options: dict[str, Any]
    state: Wanted
    keys: Callable[[dict[str, Any]], dict[str, Any]]
    words: str


def seat_of(values: list[Any], seat: int, value: Any) -> list[Any]:
    """The list with another value for a seat."""
    return [value if i == seat else old for i, old in enumerate(values)]


def result(table: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"result": table["result"] | keys}


LEFT = "that the last round cannot have left"
ENDS = "ends elsewhere"
RETURNS = "returns do not follow"
REWARDS = "rewards are not those"

CHANGES = [
    Change(
        "over the target and not over", GAME, after_rounds(3),
        lambda t: {"scores": [600, 0, 0, 0], "returns": [40, 0, 0, 0]}, f"{LEFT}|over before",
    ),
    Change(
        "odd scores", GAME, after_rounds(3),
        lambda t: {"scores": [score + 1 for score in t["scores"]]}, "no hands bring",
    ),
    Change(
        "points before a round", GAME, in_round,
        lambda t: {"scores": [2, 0, 0, 0]}, "more declarations|no hands bring",
    ),
    Change(
        "more declarations than rounds", GAME | {"reward": "points"}, after_rounds(2),
        lambda t: {
            "scores": [score + 2 + 4 + 8 + 32 for score in t["scores"]],
            "returns": [score + 2 + 4 + 8 + 32 for score in t["scores"]],
        },
        "more declarations",
    ),
    Change(
        "all chips and not over", CHIPS, after_rounds(2),
        lambda t: {"chips": [2000, 0, 0, 0]}, f"{LEFT}|over before|ends elsewhere|payments",
    ),
    Change(
        "chips that nobody paid", CHIPS, in_round,
        lambda t: {"chips": [510, 490, 500, 500]}, "no payments lead",
    ),
    Change(
        "chips from nowhere", CHIPS, after_rounds(2),
        lambda t: {"chips": [chips + 2 for chips in t["chips"]]}, LEFT,
    ),
    Change(
        "odd chips", CHIPS, after_rounds(4),
        lambda t: {"chips": [t["chips"][0] + 1, t["chips"][1] - 1, *t["chips"][2:]]},
        "no payments lead|payments are not",
    ),
    Change(
        "payments of another hand", CHIPS,
        lambda t: after_rounds(2)(t) and t["result"]["points"] > 0,
        lambda t: result(t, payments=[0, 0, 0, 0]), "payments are not",
    ),
    Change(
        "rounds beyond the agreed ones", GAME | {"rounds": 3, "target": 0}, after_rounds(2),
        lambda t: {"round": 7, "result": t["result"] | {"round": 6}}, "over before",
    ),
    Change(
        "the last round agreed is over and the game is not",
        GAME | {"rounds": 3, "target": 0}, after_rounds(2),
        lambda t: {"round": 3, "result": t["result"] | {"round": 2}}, ENDS,
    ),
    Change(
        "returns of nothing", {}, in_round, lambda t: {"returns": [123, 0, 0, 0]},
        "no hands bring|returns",
    ),
    Change(
        "rewards in a round", {}, in_round, lambda t: {"rewards": [9, 0, 0, 0]}, REWARDS,
    ),
    Change(
        "rewards of an end", {}, won,
        lambda t: {"rewards": [one + 1 for one in t["rewards"]]}, REWARDS,
    ),
    Change(
        "no rewards at an end", {}, won, lambda t: {"rewards": [0, 0, 0, 0]}, REWARDS,
    ),
    Change(
        "points that are not the scores", GAME | {"reward": "points"}, after_rounds(3),
        lambda t: {"returns": [one + 2 for one in t["returns"]]}, RETURNS,
    ),
    Change(
        "chips won that are not had", GAME | {"reward": "chips"}, after_rounds(3),
        lambda t: {"returns": [0, 0, 0, 2]}, RETURNS,
    ),
    Change(
        "a win before the end", GAME | {"reward": "win"}, after_rounds(2),
        lambda t: {"returns": [1, 0, 0, 0]}, RETURNS,
    ),
    Change(
        "a share of a win", GAME | {"reward": "win", "rounds": 2, "target": 0},
        lambda t: t["phase"] == "over",
        lambda t: {"returns": [0.125, 0, 0, 0]}, RETURNS,
    ),
    Change(
        "more credits than the points are worth", GAME, after_rounds(3),
        lambda t: {"returns": [one + 30 for one in t["returns"]]}, "no hands bring|more decl",
    ),
    Change(
        "fewer credits than the points are worth", GAME, after_rounds(3),
        lambda t: {"returns": [0, 0, 0, 0]}, "returns are no sums|no hands bring|returns do",
    ),
    Change(
        "half a credit", GAME, after_rounds(3),
        lambda t: {"returns": [one + 0.5 for one in t["returns"]]}, "returns are no sums",
    ),
    Change(
        "a seat passed over", {"num_players": 6}, in_claims,
        lambda t: {"claims": t["claims"][1:]}, "a seat passed over that could claim",
    ),
    Change("no decisions after rounds", GAME, after_rounds(2), lambda t: {"decisions": 0}, "fewer"),
    Change(
        "fewer decisions than discards", {}, in_round,
        lambda t: {"decisions": len(t["discards"]) - 1}, "fewer decisions",
    ),
    Change(
        "another first dealer", GAME | {"dealer": 1}, after_rounds(2),
        lambda t: {"options": t["options"] | {"dealer": 2}}, "options.dealer",
    ),
    Change(
        "another payer", {}, won_by_claim,
        lambda t: result(t, payer=-1), "result.payer",
    ),
]  # fmt: skip


def test_melds_are_laid_from_the_hand_in_turns() -> None:
    """Before its first turn a seat has laid none; a claim begins one."""
    game = mhing.Game("mhing", num_players=2, lay_down=True)
    hands = ["147s258p369mESWNR", "147s258p369mS"]
    given: dict[str, Any] = {
        "hands": [[NAMES[card] for card in parse_cards(hand)] for hand in hands],
        "melds": [[], [{"text": "PPP", "from": None}]],
        "discards": [{"card": "9s", "by": 0}, {"card": "9s", "by": 1}],
    }
    assert game.state_from_dict(given).seat == 0
    with pytest.raises(ValueError, match="a meld laid without a turn"):
        game.state_from_dict(given | {"discards": []})
    claimed = {"text": "99*9*s", "from": 0}
    given |= {
        "hands": [given["hands"][0][:-1], [*given["hands"][1][:7], "E"]],
        "discards": [{"card": "9s", "by": 0, "taken_by": 1}],
    }
    laid = given["melds"][1]
    assert game.state_from_dict(given | {"melds": [[], [claimed, *laid]]}).seat == 1
    with pytest.raises(ValueError, match="a claim without its meld"):
        game.state_from_dict(given | {"melds": [[], [*laid, claimed]]})


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_games_that_no_rounds_lead_to_are_refused(change: Change) -> None:
    state = found(change.options, change.state)
    table = state.to_dict()
    assert state.game.state_from_dict(deepcopy(table)).to_dict() == table
    with pytest.raises(ValueError, match=change.words):
        state.game.state_from_dict(table | change.keys(table))


# ---- Each refusal of the check by itself ---------------------------------------------------------


@dataclass(frozen=True)
class Bytes:
    """One thing about a state's bytes made wrong, and what the check says of it."""

    words: str
    state: Wanted
    change: Callable[[Any], None]
    options: dict[str, Any] = field(default_factory=dict)


def put(*path: str | int) -> Callable[[Any], None]:
    """Sets a member: its path, then the value."""

    def change(inside: Any) -> None:
        *way, last, value = path
        for name in way:
            inside = inside[name] if isinstance(name, int) else getattr(inside, name)
        if isinstance(last, int):
            inside[last] = value
        else:
            setattr(inside, last, value)

    return change


def own(change: Callable[[Any, Any], None]) -> Callable[[Any], None]:
    """A change of the seat on turn: its block is the second argument."""
    return lambda inside: change(inside, block(inside, inside.on_turn))


def unclaimed(inside: Any) -> None:
    """The meld that a claim has laid stays, and the discard lies as if nobody had taken it."""
    giver = block(inside, inside.claimed_from)
    card = giver.discards[giver.num_discards - 1] - TAKER  # by the next seat, on turn in any case
    giver.discards[giver.num_discards - 1] = card
    giver.discard_count[card - 1] += 1


def claimed_by_next(table: dict[str, Any]) -> bool:
    last = table["discards"][-1] if table["discards"] else None
    return bool(table["phase"] == "turn" and last and last["taken_by"] == (last["by"] + 1) % 4)


def elsewhere(inside: Any) -> None:
    """The last discard was taken by a seat that has no meld with it."""
    giver = block(inside, inside.claimed_from)
    giver.discards[giver.num_discards - 1] += TAKER


def swap_types(inside: Any) -> None:
    """A card of the hand becomes one that is elsewhere."""
    counts = inside.hands[inside.on_turn].count
    held = next(t for t in range(34) if counts[t] == 1 and t + 1 != inside.drawn)
    other = next(t for t in range(34) if counts[t] == 0)
    counts[held], counts[other] = 0, 1


def swap_declared(inside: Any) -> None:
    """A card of the hand declared becomes one that fits nothing."""
    counts = inside.last.revealed
    held = [t for t in range(34) if counts[t]]
    alone = [t for t in range(27, 34) if not counts[t]]
    counts[held[0]] -= 1
    counts[alone[0]] += 1


def claimed_while_on_offer(inside: Any, giver: Any) -> None:
    giver.discards[giver.num_discards - 1] += TAKER
    giver.discard_count[inside.offer - 1] -= 1


def another_taker(inside: Any) -> None:
    giver = block(inside, inside.on_turn)
    way = giver.discards[giver.num_discards - 1] // TAKER
    giver.discards[giver.num_discards - 1] += TAKER * (way % 3 + 1 - way)


def after_a_win(table: dict[str, Any]) -> bool:
    return bool(
        table["round"] > 0
        and table["phase"] == "turn"
        and table["result"]["winner"] >= 0
        and table["result"]["shape"] == "melds"
        and "J" not in table["result"]["hand"]
        and not any(card in "ESWNRGP" for card in table["result"]["hand"])
    )


BYTES = [
    Bytes("result out of range", in_round, put("last", "payer", 4)),
    Bytes("result out of range", in_round, put("last", "winner", 0)),
    Bytes("limits do not follow", in_round, put("rounds_limit", 1)),
    Bytes("a meld declared out of range", won, put("last", "melds", 5)),
    Bytes("declared more often", won, put("last", "revealed", 34, 7)),
    Bytes("hand declared is not complete", after_a_win, swap_declared, GAME),
    Bytes("who declared pays", after_a_win, lambda i: put("last", "payer", i.last.winner)(i), GAME),
    Bytes("events out of range", in_round, put("events", "used", 3)),
    Bytes("phase or seats out of range", in_round, put("turn", 200)),
    Bytes("phase or seats out of range", in_round, put("complete", 2)),
    Bytes("a meld out of range", in_round, own(lambda i, b: put("meld_jokers", 3, 1)(b))),
    Bytes("a hand out of range", in_round, lambda i: put("hands", i.on_turn, "count", 0, 5)(i)),
    Bytes("a hand of the wrong size", in_round, own(lambda i, b: put("hand_size", 3)(b))),
    Bytes("discards or flowers out of range", in_round, own(lambda i, b: put("flowers", 9)(b))),
    Bytes(
        "a discard out of range", in_round,
        own(lambda i, b: put("discards", b.num_discards, 1)(b)),
    ),
    Bytes(
        "a discard out of range", claimed_by_next,
        lambda i: put("discards", 0, 1 + TAKER * i.head.seats)(block(i, i.claimed_from)),
    ),
    Bytes("counts do not add up", in_round, own(lambda i, b: put("discard_count", 0, 5)(b))),
    Bytes("discards out of range", in_round, put("num_discards", 161)),
    Bytes("turns do not add up", in_round, lambda i: put("turn", i.turn + 1)(i)),
    Bytes("card drawn is not in the hand", with_draw, put("drawn", 0)),
    Bytes("card on offer is not", in_claims, lambda i: put("offer", i.offer % 30 + 1)(i)),
    Bytes("impossible order", in_round, lambda i: put("dealer", (i.dealer + 1) % 4)(i)),
    Bytes("both on offer and claimed", in_claims, own(claimed_while_on_offer)),
    Bytes("did not go to who declared", won_by_claim, another_taker),
    Bytes("a claim without its meld", claimed_by_next, elsewhere),
    Bytes("a meld without its claim", claimed_by_next, unclaimed),
    Bytes("the source out of range", in_round, put("deck", 149, 36)),
    Bytes("cards are missing or double", in_round, swap_types),
    Bytes("open cards do not add up", in_round, lambda i: put("seen", 0, i.seen[0] + 1)(i)),
    Bytes("derived values do not fit", in_round, lambda i: put("legal", 0, i.legal[0] ^ 1)(i)),
    Bytes("an answer that could not be given", in_round, put("answers", 0, 340)),
]  # fmt: skip


@pytest.mark.parametrize("case", BYTES, ids=lambda case: case.words)
def test_bytes_that_no_play_leads_to_are_refused(case: Bytes) -> None:
    state = found(case.options, case.state)
    assert state.game.from_bytes(changed(state, lambda inside: None)) == state
    with pytest.raises(ValueError, match=case.words):
        state.game.from_bytes(changed(state, case.change))


@pytest.mark.parametrize("options", [{}, CHIPS | {"num_players": 3}, GAME | {"num_players": 5}])
def test_bytes_of_nothing_are_zero(options: dict[str, Any]) -> None:
    """Else states that are equal by the rules would have other bytes."""
    state = found(options, in_round)
    seats = state.game.num_seats
    for path in (
        ("head", "unused", 5), ("unused_round", 0), ("last", "unused", 1),
        ("scores", 5), ("chips", 5), ("head", "returns", 5),
        ("head", "rewards", 5), ("last", "payments", 5), ("hands", 5, "count", 3),
        ("hands", 5, "held"), ("last", "score", "unused"), ("answers", 5),
        ("blocks", 575 if seats < 6 else 0),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"no play|snapshot"):
            state.game.from_bytes(changed(state, put(*path, 1)))
