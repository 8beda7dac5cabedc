"""Words of a table of Mhing: they say all that its viewer sees, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from games.mhing.random_games import random_game

import mhing
from mhing._lib.games import Viewer
from words.asking import EVENTS as EVENT_LINES
from words.asking import HEADING, LIMITS, MOVES, PILES, RESULT, SEAT, STATUS
from words.mhing_reader import EVENTS, Reader

_TAIL = 32
_OVER, _BETWEEN, _NOT_KNOWN = -1, -2, -3

# Fields that are not read back. All others are, those that follow from others among them.
_HINTS = {"distance", "credits_now", "distance_after", "useful_after"}  # reckoned from the rest


def play(game: mhing.Game, seed: int, most: int = 250) -> Iterator[mhing.State]:
    """All moments of an episode, ends of rounds among them."""
    rng, state = Random(seed), game.new_state(seed)
    sound = rng.choice([0.0, 0.8, 1.0, 1.0])
    for _ in range(most):
        yield state
        if state.is_terminal:
            return
        if state.is_between_rounds:
            state.next_round()
        elif rng.random() < sound:
            state.apply(state.bot_action("greedy", 0)[0], deal=False)
        else:
            state.apply(rng.choice(state.legal_actions().tolist()), deal=False)
    yield state


def observed(state: mhing.State, seat: int | None) -> Any:
    return state.public_observation() if seat is None else state.observation(seat)


def viewer(
    state: mhing.State, seat: int | None, names: list[str] | None = None, is_open: bool = False,
    has_info: bool = True,
) -> Viewer:  # fmt: skip
    over = _OVER if state.is_terminal else _BETWEEN if state.is_between_rounds else _NOT_KNOWN
    return Viewer(
        seat=-1 if seat is None else seat,
        to_act=over,
        info=state._numbers() if has_info else None,
        omniscient=state.omniscient() if is_open else None,
        mask=state.action_mask() if seat is not None and seat == state.seat else None,
        names=names,
    )


def said(state: mhing.State, by: Viewer, part: int = 0, number: int = 0) -> str:
    seat = None if by.seat < 0 else by.seat
    text: str = state.game._handle.words(observed(state, seat), by, part, number)
    return text


def event_said(game: mhing.Game, by: Viewer, *event: int) -> str:
    return str(game._handle.event_words(by, *event))


def without_moves(text: str) -> str:
    return "".join(line for line in text.splitlines(True) if not line.startswith("Moves: "))


def called(names: list[str] | None, seats: int, seat: int | None) -> list[str]:
    """The names of seats within a sentence."""
    if names is not None:
        return [f"{one} {n}" if names.count(one) > 1 else one for n, one in enumerate(names)]
    return ["you" if number == seat else f"seat {number}" for number in range(seats)]


def read(state: mhing.State, by: Viewer) -> Reader:
    seat = None if by.seat < 0 else by.seat
    names = called(None if by.names is None else list(by.names), state.game.num_seats, seat)
    return Reader(without_moves(said(state, by)), seat, names, state.game.options)


def check_fields(state: mhing.State, found: Reader) -> None:
    fields = state.game.unpack(observed(state, found.seat))
    room = fields["discards"].shape[1]
    expected = {name: value.tolist() for name, value in fields.items() if name not in _HINTS}
    drawn = expected["drawn"]
    if drawn and not expected["hand"][drawn - 1]:
        expected["drawn"] = 0  # it lies in a meld by now
    read_back = found.fields(room)
    assert read_back.keys() == expected.keys()
    for name, value in expected.items():
        assert read_back[name] == value, (name, read_back[name], value, str(state.to_dict()))


def check_result(state: mhing.State, found: Reader, has_info: bool) -> None:
    """Check the result of the round finished last."""
    info: dict[str, Any] = state.info()
    over = state.seat < 0
    assert bool(found.result) == (info["rounds_over"] > 0)
    if found.result and info["winner"] >= 0:
        assert found.result["is_this"] == over
        assert found.result["points"] == info["points"]
        if over or has_info:
            labels = state.game.labels["parts"]
            earned = {label: int(n) for label, n in zip(labels, info["parts"], strict=True) if n}
            assert found.result["parts"] == earned
            assert found.result["payer"] == info["payer"]
        options = state.game.options
        if has_info and "chips" in (options["scoring"], options["reward"]):
            paid = {seat: int(n) for seat, n in enumerate(info["payments"]) if n}
            assert found.result.get("payments", {}) == paid
    is_game = state.is_terminal and state.game.options["episode"] == "game"
    assert found.said.get("over") == ("game" if is_game else "round" if over else None)
    if is_game:
        standing = info["chips" if state.game.options["scoring"] == "chips" else "scores"]
        assert found.result["winners"] == {*np.flatnonzero(standing == standing.max()).tolist()}
        assert found.result["highest"] == standing.max()


def check_turn(state: mhing.State, found: Reader) -> None:
    assert found.said["turn"] == state.to_dict()["turn"]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(12), range(12, 24)])
def test_a_text_says_the_whole_observation(seeds: range) -> None:
    """To every seat, asked or not, and to spectators, at every moment."""
    texts, seats_seen, ends = 0, set[int](), set[str | None]()
    for seed in seeds:
        game = random_game(Random(seed))
        for number, state in enumerate(play(game, seed)):
            for seat in (None, *range(game.num_seats)):
                has_info = (number + (seat or 0)) % 3 > 0
                found = read(state, viewer(state, seat, has_info=has_info))
                check_fields(state, found)
                check_result(state, found, has_info)
                check_turn(state, found)
                ends.add(found.said.get("over"))
                texts += 1
        seats_seen.add(game.num_seats)
    assert texts > 4_000
    assert ends == {None, "game", "round"}
    assert len(seats_seen) > 3


@pytest.mark.parametrize("target", [1, 10, 131_072, 131_074, 1_000_000_000])
def test_large_numbers_are_said_in_full(target: int) -> None:
    game = mhing.Game("mhing", episode="game", target=target, stake=2_500_000, rounds=1_000_000)
    state = game.new_state(1)
    check_fields(state, read(state, viewer(state, 2)))
    assert f"{target:,} point" in said(state, viewer(state, 2), LIMITS)
    assert "round 1 of 1,000,000" in said(state, viewer(state, 2), HEADING)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4, 6])
def test_names_are_said_for_seats(players: int) -> None:
    """One is called "you", two are called alike, and names are any text."""
    names = ["Zoë", "you", "Zoë", "seat 1", "李", "E (from 5s)"][:players]
    game = mhing.Game("mhing", num_players=players, lay_down=True, episode="game", target=16)
    for seed in range(3):
        for state in play(game, seed, 120):
            for seat in (None, *range(players)):
                by = viewer(state, seat, names)
                check_fields(state, read(state, by))
                if seat is not None and names[seat] == "you":
                    continue
                assert f"{names[seat or 0]}" in said(state, by)


def test_with_all_cards_open_all_that_is_hidden_is_said() -> None:
    answered = set[str]()
    for seed in range(8):
        game = random_game(Random(seed))
        for state in play(game, seed, 120):
            d, seat = state.to_dict(), None if seed % 2 else seed % game.num_seats
            found = read(state, viewer(state, seat, is_open=True))
            check_fields(state, found)
            labels = game.labels["cards"]
            assert [labels[one - 1] for one in found.hidden["source"]] == d["source"]
            for number, hand in enumerate(d["hands"]):
                assert found.hidden["hands"][number] == [hand.count(one) for one in labels[:35]]
            answers = {claim["seat"]: claim["action"] for claim in d["claims"]}
            for number in range(game.num_seats):
                assert found.hidden["answers"][number] == answers.get(number, 0)
            assert found.hidden["to_act"] == max(d["seat"], -1) + 1
            answered |= {action.split()[0] for action in answers.values()}
    assert answered >= {"pass", "triplet", "sequence"}


def test_the_parts_are_lines_of_the_whole() -> None:
    for seed in range(6):
        game = random_game(Random(seed))
        for state in play(game, seed, 80):
            for seat in (None, *range(game.num_seats)):
                by = viewer(state, seat)
                order = [((seat or 0) + place) % game.num_seats for place in range(game.num_seats)]
                parts = [
                    said(state, by, HEADING), said(state, by, LIMITS),
                    *(said(state, by, SEAT, number) for number in order),
                    said(state, by, PILES), said(state, by, EVENT_LINES, _TAIL),
                    said(state, by, RESULT), said(state, by, STATUS), said(state, by, MOVES),
                ]  # fmt: skip
                assert "".join(parts) == said(state, by)
                assert all(part == "" or part.endswith("\n") for part in parts)
                assert "\n\n" not in said(state, by)
                assert " \n" not in said(state, by)
                last = said(state, by, EVENT_LINES, 2).splitlines()
                assert last == said(state, by, EVENT_LINES, _TAIL).splitlines()[-2:]


def test_words_follow_from_what_the_seat_knows() -> None:
    """The same bytes twice, and in any world that may be for the seat."""
    for seed in range(8):
        game = random_game(Random(seed))
        for number, state in enumerate(play(game, seed, 80)):
            for seat in range(game.num_seats):
                text = said(state, viewer(state, seat))
                assert text == said(state, viewer(state, seat))
                world = state.resample(seat, number)
                if world.seat == state.seat:
                    assert text == said(world, viewer(world, seat))
                elif seat != world.seat:
                    assert without_moves(text) == without_moves(said(world, viewer(world, seat)))


def test_what_all_see_is_said_to_all_alike() -> None:
    """With names, so that nobody is called otherwise by somebody else."""
    for seed in range(6):
        game = random_game(Random(seed))
        names = [f"p{number}" for number in range(game.num_seats)]
        for state in play(game, seed, 60):
            views = [viewer(state, seat, names) for seat in (None, *range(game.num_seats))]
            for part, number in ((PILES, 0), (EVENT_LINES, _TAIL), (RESULT, 0), (LIMITS, 0)):
                assert len({said(state, by, part, number) for by in views}) == 1
            for number in range(game.num_seats):
                others = {said(state, by, SEAT, number) for by in views if by.seat != number}
                assert len(others) == 1


def test_an_event_is_said_as_in_the_text() -> None:
    game = mhing.Game("mhing", lay_down=True)
    kinds = set[str]()
    for seed in range(30):
        state = list(play(game, seed))[-1]
        by = viewer(state, None)
        lines = said(state, by, EVENT_LINES, _TAIL).splitlines()
        events = state.to_dict()["events"][-_TAIL:]
        assert len(lines) == len(events)
        for line, event in zip(lines, events, strict=True):
            kinds.add(event["event"])
            kind = EVENTS.index(event["event"])
            details = (event["seat"], kind, event["detail"], event["jokers"])
            assert event_said(game, by, *details) == line
    assert kinds == set(EVENTS)


_TEXT = """\
Mhing, round 1, turn 5. You are seat 1. Seat 2 is the dealer.
The most points win. Melds may be laid from the hand.
You have 13 cards: 11368s 2678p 56m JJ.
  Discards: W.
Seat 2 has 1 flower and 13 cards.
  Discards: R N.
Seat 0 has 13 cards.
  Discards: N 1s.
105 cards are left in the source. 1s, discarded by seat 0, is on offer.
Seat 2 deals the round.
Seat 2 discards R.
Seat 0 discards N.
You discard W.
Seat 2 lays a flower aside.
Seat 2 discards N.
Seat 0 discards 1s.
You may claim 1s.
Moves: sequence 12*3s, 12*3*s; triplet 111s, 111*s, 11*1*s; pass.
"""

_END = """\
Ann has won this round on a discard of Bo: \
5 credits (1 for sequences only + 3 for double sequence + 1 for flower), 32 points.
  Laid open: 123s 123p 678m 99m.
  Chips: Ann +96, Bo -64, you -32.
The game is over. Ann wins it with 564 chips. Bo had the last turn.
"""


def test_texts_in_full() -> None:
    state = mhing.Game("mhing", num_players=3, rules="jmhing").new_state(4)
    for _ in range(8):
        state.apply(state.bot_action("greedy", 0)[0])
    assert said(state, viewer(state, 1)) == _TEXT
    game = mhing.Game("mhing", num_players=3, scoring="chips", episode="game", rounds=2)
    by = viewer(state := list(play(game, 0))[-1], 2, ["Ann", "Bo", "you"])
    assert said(state, by, RESULT) + said(state, by, STATUS) == _END


def test_rare_hands_are_said() -> None:
    """Seven pairs as such, without the public numbers; all copies of a card in one hand."""
    game = mhing.Game("mhing", num_players=2, seven_pairs=True)
    pairs = ["1s", "1s", "3s", "3s", "9s", "9s", "2p", "2p", "5p", "5p", "E", "E", "7m", "7m"]
    full = ["1s", "1s", "1s", "1s", "J", "J", "J", "J", "J", "J", "E", "E", "E", "7m"]
    waiting = ["2s", "4s", "6s", "8s", "1p", "3p", "6p", "8p", "1m", "3m", "5m", "8m", "W"]
    state = game.state_from_dict({"hands": [pairs, waiting], "dealer": 0})
    state.apply(game.action_id("mhing"))
    by = viewer(state, 1, has_info=False)
    check_fields(state, read(state, by))
    assert said(state, by, RESULT) == (
        "Seat 0 has won this round: 5 credits (5 for seven pairs), 32 points.\n"
        "  Laid open: 11s 33s 99s 22p 55p 77m EE.\n"
    )
    state = game.state_from_dict({"hands": [full, waiting], "dealer": 0})
    check_fields(state, read(state, viewer(state, 0)))
    assert ": 1111s EEE JJJJJJ, 7m just drawn." in said(state, viewer(state, 0), SEAT, 0)


Fields = dict[str, Any]


def put(name: str, value: int, *place: int | slice) -> Any:
    def change(fields: Fields) -> None:
        fields[name][place if place else ...] = value

    return change


def fives(fields: Fields) -> None:
    """As many cards as before, five of a type."""
    held = fields["hand"]
    size, held[:] = int(held.sum()), 0
    held[0], held[1 : size - 4] = 5, 1


WRONG = [
    (put("on_turn", 0), "a seat that nobody has"),
    (put("on_turn", 5), "a seat that nobody has"),
    (put("dealer", 0), "a seat that nobody has"),
    (put("dealer", 5), "a seat that nobody has"),
    (put("claimed_from", 5), "a seat that nobody has"),
    (put("last_winner", 5), "a seat that nobody has"),
    (put("meld_jokers", 1, 2, 3), "a meld that is none"),
    (put("meld_from", 1, 2, 3), "a meld that is none"),
    (put("meld_kind", 3, 1, 3), "a meld that cannot lie there"),
    (put("num_discards", 67, 1), "more discards than a seat can make"),
    (put("num_discards", 9, 2), "a discard that cannot lie there"),
    (put("discards", 1, 2, 30), "a discard that cannot lie there"),
    (put("discards", 36, 1, 0), "a discard that cannot lie there"),
    (put("discards", 145, 1, 0), "a discard that cannot lie there"),
    (put("offered_by", 0), "the card on offer is not of the seat on turn"),
    (put("phase", 1), "who is asked is not on turn"),
    (put("offer", 35), "the card on offer is not the last discard"),
    (put("on_turn", 1), "the card on offer is not of the seat on turn"),
    (fives, "the hand has other cards than its size says"),
    (put("hand", 6, 34), "the hand has other cards than its size says"),
    (put("hand_size", 12, 0), "the hand has other cards than its size says"),
    (put("revealed", 6, slice(0, 35)), "the hand laid open has cards that no hand has"),
    (put("revealed", 5, 3), "the hand laid open has cards that no hand has"),
    (put("rules", 3, 0), "the rules are not those"),
    (put("rules", 1, 1), "the rules are not those"),
    (put("rules", 1, 2), "the rules are not those"),
    (put("rules", 1, 3), "the rules are not those"),
    (put("source_left", 125), "source_left is 125, and at most 124 can be"),
    (put("event_detail", 55, 31), "there is no such event"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words"), WRONG)
def test_what_cannot_be_said_is_refused(change: Any, words: str) -> None:
    """Each by itself, in an observation that is said but for that."""
    game = mhing.Game("mhing")
    state = next(
        state
        for seed in range(20)
        for state in play(game, seed)
        if state.seat == 0 and state.to_dict()["phase"] == "claim" and state.to_dict()["turn"] > 8
    )
    observation = state.observation(0).copy()
    by = viewer(state, 0)
    assert game._handle.words(observation, by)
    change(game.unpack(observation))
    with pytest.raises(ValueError, match=words):
        game._handle.words(observation, by)


def test_what_cannot_be_beside_an_observation_is_refused() -> None:
    game = mhing.Game("mhing")
    state = list(play(game, 3, 20))[-1]
    names = [field.name for field in game.info_fields]
    observation = state.public_observation()

    def refused(words: str, by: Viewer, shown: Any = observation) -> None:
        with pytest.raises(ValueError, match=words):
            game._handle.words(shown, by)

    for payer in (-2, 4, 1 << 40):
        info = state._numbers().copy()
        info[game.info_fields[names.index("payer")].offset] = payer
        refused("info has a payer that no seat is", Viewer(info=info))
    hidden = {
        "omniscient names a seat that nobody has": put("to_act", 5),
        "another number of cards in the source": put("source", 0, 0),
        "other cards in a hand than its size says": put("hands", 6, 1, 34),
        "an answer that is no action": put("answers", 2, 1, 1),
    }
    for words, change in hidden.items():
        omniscient = state.omniscient().copy()
        change(game.unpack_omniscient(omniscient))
        refused(words, Viewer(omniscient=omniscient))
    shown = observation.copy()
    put("drawn", 1)(game.unpack(shown))
    refused("a spectator is asked, or has drawn a card", Viewer(), shown)


def test_a_text_is_short() -> None:
    """In characters, of which a token of a language model has three in such a text."""
    sizes, events = list[int](), list[int]()
    for seed in range(10):
        for state in play(mhing.Game("mhing", episode="game"), seed):
            if state.seat >= 0 and 12 <= state.to_dict()["turn"] <= 40:
                by = viewer(state, state.seat)
                tail = said(state, by, EVENT_LINES, _TAIL)
                sizes.append(len(said(state, by)) - len(tail))
                events.append(len(said(state, by, EVENT_LINES, state.game.num_seats)))
    assert len(sizes) > 500
    assert sum(sizes) / len(sizes) < 1_000
    assert sum(events) / len(events) < 140
