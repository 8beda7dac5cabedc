"""The words of Mexican Rummy: what they say is all that an observation says, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import Any

import numpy as np
import pytest
from games.mexican_rummy.matches import ALL, laying, moody, polite, waiting
from policies import Policy

import mhing
from mhing._lib.binding import lib
from mhing._lib.games import Viewer
from words.asking import (
    EVENTS,
    HEADING,
    LIMITS,
    PILES,
    RESULT,
    SEAT,
    STATUS,
    check_parts,
    observation_of,
    words,
)
from words.mexican_rummy_reader import RANKS, SUITS, Reader

NAMES = ["Ann", "you", "Zoë", "Ann", "Bo's 2.1", "日本"]


def shown_names(seats: int) -> list[str]:
    """Names as they are shown: two that are alike have the numbers of their seats."""
    return ["Ann" if seats < 4 else "Ann 0", "you", "Zoë", "Ann 3", *NAMES[4:]][:seats]


Seen = Counter[str]


def numbers(state: mhing.State) -> Any:
    return state._numbers()


def viewers(state: mhing.State) -> Iterator[Viewer]:
    """All seats, asked or not, and a spectator, with what each may be given beside it."""
    for seat in range(-1, state.game.num_seats):
        mask = state.action_mask() if seat >= 0 and seat == state.seat else None
        to_act = state.seat if state.seat < 0 or mask is not None else lib.MH_NOT_KNOWN
        yield Viewer(seat=seat, mask=mask)
        names = NAMES[: state.game.num_seats]
        yield Viewer(seat, to_act, info=numbers(state), names=names)
        yield Viewer(seat, to_act, numbers(state), state.omniscient(), mask)


def check_text(state: mhing.State, viewer: Viewer, seen: Seen) -> None:
    """Reads the text of a viewer and compares every field."""
    game, observation = state.game, observation_of(state, viewer.seat)
    reader = Reader(
        game.num_seats, viewer.seat, shown_names(game.num_seats) if viewer.names else None
    )
    text = words(game, observation, viewer)
    reader.read(text)
    fields = reader.fields()
    unpacked = game.unpack(observation)
    hints = {name: unpacked.pop(name) for name in HINTS if name in unpacked}
    assert fields.keys() == unpacked.keys()
    for name, value in unpacked.items():
        assert np.array_equal(np.ravel(fields[name]), np.ravel(value)), (name, text)
    if hints and viewer.seat >= 0:
        check_hints(game, reader, hints)
    check_beside(state, viewer, reader)
    check_parts(game, observation, viewer, text)
    note(seen, reader, fields)


HINTS = ("lacking", "points", "lacking_after", "points_after")


def check_hints(game: mhing.Game, reader: Reader, hints: dict[str, Any]) -> None:
    assert reader.known["lacking"] == hints["lacking"]
    assert reader.known["points"] == hints["points"]
    after = {
        game.action_text(action): (
            hints["lacking_after"][action],
            5 * hints["points_after"][action],
        )
        for action in np.flatnonzero(hints["lacking_after"] != 255).tolist()
    }
    assert reader.known["after"] == after


def check_beside(state: mhing.State, viewer: Viewer, reader: Reader) -> None:
    """Check that numbers given beside the observation are said, and no others."""
    known, info = reader.known, state.info()
    over = state.seat < 0
    assert known["is_over"] == over
    if viewer.info is None:
        assert known["round"] is None
        assert "result" not in known
    else:
        assert known["round"] == info["round"]
        result = known.get("result")
        assert (result is not None) == (state.rounds_over > 0)
        if result:
            assert result["is_this"] == over
            assert result["winner"] == info["winner"]
            assert result["ending"] == info["ending"]
            assert result["points"] == np.ravel(info["points"]).tolist()
    if viewer.omniscient is None:
        assert "draw_pile" not in known
    else:
        hidden = state.game.unpack_omniscient(viewer.omniscient)
        assert known.get("to_act", 0) == hidden["to_act"]
        pile = [0 if card is None else card for card in _types(known.get("draw_pile"))]
        assert pile == hidden["draw_pile"][: len(pile)].tolist()
        assert not hidden["draw_pile"][len(pile) :].any()
        assert np.array_equal(reader.hidden_hands(), hidden["hands"])
    if over and state.is_terminal:
        scores = np.ravel(info["scores"])
        assert sorted(known["winners"]) == np.flatnonzero(scores == scores.min()).tolist()
        assert known["winners_points"] == scores.min()
        assert known["what"] == ("game" if state.game.has_rounds else "round")


def _types(text: str | None) -> list[int]:
    return [RANKS.index(card[0]) + 13 * SUITS.index(card[1]) + 1 for card in (text or "").split()]


def note(seen: Seen, reader: Reader, fields: dict[str, Any]) -> None:
    """Counts what there is to be said, so that nothing can be missing from all tests."""
    seen[f"phase {fields['phase']}"] += 1
    for name in ("drawn", "wanted", "to_fill", "swap_card", "taken", "asker"):
        seen[name] += bool(fields[name])
    for name in ("old_cards", "refused", "known"):
        seen[name] += bool(np.any(fields[name]))
    seen["held"] += "held" in reader.known
    seen["result"] += "result" in reader.known
    for _, kind, detail, _ in reader.events:
        seen[kind if kind != "over" else f"over {detail}"] += 1


# ---- The round trip ------------------------------------------------------------------------------

PLAYS: list[tuple[str, Policy, dict[str, Any]]] = [
    ("random", ALL["at random"], {"num_players": 2, "objective": 1, "turn_limit": 60}),
    ("greedy", ALL["greedy"], {"num_players": 4, "objective": 2, "episode": "game"}),
    ("laying", laying, {"num_players": 3, "objective": 5, "swaps": "needed"}),
    ("last", laying, {"num_players": 3, "objective": 6, "hints": True}),
    ("swaps", laying, {"num_players": 2, "objective": 3, "turned_up": False}),
    ("polite", polite, {"num_players": 5, "objective": 4, "hints": True}),
    ("waiting", waiting, {"num_players": 6, "objective": 2}),
    ("limit", moody, {"num_players": 4, "objective": 0, "turn_limit": 3, "episode": "game"}),
    ("game", moody, {"num_players": 3, "episode": "game", "rounds": 3, "turn_limit": 65535}),
    ("moody", moody, {"num_players": 6, "objective": 0, "turned_up": False, "dealer": 2}),
]

WANTED = [
    *("deal", "ask", "grant", "refuse", "take", "swap", "set", "run", "lay", "discard", "shuffle"),
    *("over 1", "over 2", "over 3", "over 4", "drawn", "wanted", "to_fill", "swap_card", "taken"),
    *("asker", "old_cards", "refused", "known", "held", "result"),
    *(f"phase {phase}" for phase in range(11)),
]


def play_on(state: mhing.State, policy: Policy, rng: Random) -> Iterator[mhing.State]:
    """The states of an episode, those between its rounds among them."""
    yield state
    while not state.is_terminal:
        if state.is_between_rounds:
            state.next_round()
        else:
            game = state.game
            legal = [game.action_text(action) for action in state.legal_actions().tolist()]
            state.apply(game.action_id(policy(state, legal, rng)), deal=False)
        yield state


def states(seeds: int = 4) -> Iterator[mhing.State]:
    """Of every kind of play those that follow the first deals, and of the rest one in so many."""
    for place, (_, policy, options) in enumerate(PLAYS):
        rng = Random(place)
        game = mhing.Game("mexican_rummy", **options)
        for seed in range(seeds):
            for turn, state in enumerate(play_on(game.new_state(seed), policy, rng)):
                rare = game_phase(state) >= 5
                if turn < 12 or turn % 25 == seed or (rare and rng.random() < 0.3):
                    yield state
                if turn == 600:
                    break


@pytest.mark.slow
def test_words_say_every_field(full: bool) -> None:
    seen: Seen = Counter()
    for state in chain(scripted(), states(4 if full else 2)):
        for viewer in viewers(state):
            check_text(state, viewer, seen)
    assert {name: seen[name] for name in WANTED if not seen[name]} == {}


# ---- Positions that play seldom leads to ---------------------------------------------------------

HAND = "7s 8s 9s Ts Ah 2h 3h 4h Jc Kc Qh"


def table(melds: list[dict[str, Any]], hand: str, others: str, objective: int = 3) -> mhing.State:
    """Seat 0 has drawn the last card of its hand in turn 9; seat 1 has laid these melds."""
    game = mhing.Game("mexican_rummy", num_players=2, objective=objective)
    position = {
        "phase": "play",
        "turn": 9,
        "seat": 0,
        "drawn": hand.rsplit(maxsplit=1)[-1],
        "hands": [hand.split(), others.split()],
        "melds": [[], melds],
        "discards": [{"card": "5c", "by": 1}],
        "decisions": 40,
    }
    return game.state_from_dict(position)


def run(ranks: str, suit: str, **wild: str) -> dict[str, Any]:
    """A run of these ranks; `wild` names the black 2 at a place from the low end."""
    laid = [wild.get(f"at_{place}", rank + suit) for place, rank in enumerate(ranks)]
    low = RANKS.index(ranks[0])
    return {"kind": "run", "suit": SUITS.index(suit), "low": low, "cards": laid}


def game_phase(state: mhing.State) -> int:
    """The phase as the seat to act sees it."""
    seat = max(state.seat, 0)
    return int(state.game.unpack(state.observation(seat))["phase"].item())


def without_cards() -> mhing.State:
    """Seat 1 has asked seat 0, and the draw pile has its penalty but no card for seat 0."""
    names = [rank + suit for suit in SUITS for rank in RANKS[:13]]
    deck = names + [name + "'" for name in names]
    game = mhing.Game("mexican_rummy", num_players=3)
    return game.state_from_dict(
        {
            "phase": "answer",
            "turn": 100,
            "seat": 0,
            "asker": 1,
            "hands": [deck[:34], deck[34:68], deck[68:102]],
            "discards": [{"card": deck[102], "by": 2}],
        }
    )


def scripted() -> Iterator[mhing.State]:
    """Aces swapped low and high, one of two black 2s; long last hands; no card left to draw."""
    state = without_cards()
    yield state
    state.apply(state.game.action_id("grant"))
    yield state
    full = RANKS[:13] + "A"
    low, high = ([run(full, "d", **{place: "2c"}), run("3456", "c")] for place in ("at_0", "at_13"))
    both = [run("3456", "d", at_1="2c"), run("4567", "d", at_0="2s")]
    more = "3s 3h 3d 5h 6h 7h 8h 9h Th 6c 7c 8c 9c"
    for melds, hand, others, objective in [
        (low, "7s 8s 9s Ts Ah 3h 4h Jc Kc Qh Ad", "9c 9h", 3),
        (high, "7s 8s 9s Ts Ah 3h 4h Jc Kc Qh Ad", "9c 9h", 3),
        (both, "7s 8s 9s Ts Ah 3h 4h Jc Kc Qh 4d", "9c 9h", 3),
        ([], more, "2c 4s 4h 6d 7d 9d Tc Jc Qs Ks", 6),
    ]:
        for seed in range(5):
            state, rng = table(melds, hand, others, objective), Random(seed)
            yield state
            while state.seat == 0:
                legal = [
                    state.game.action_text(action) for action in state.legal_actions().tolist()
                ]
                state.apply(state.game.action_id(laying(state, legal, rng)))
                yield state


# ---- A function of what is seen ------------------------------------------------------------------


def some_states(every: int) -> Iterator[mhing.State]:
    for number, state in enumerate(chain(scripted(), states())):
        if number % every == 0:
            yield state


def test_equal_bytes_are_said_equally() -> None:
    for state in some_states(7):
        for viewer in viewers(state):
            observation = observation_of(state, viewer.seat)
            text = words(state.game, observation, viewer)
            other = words(state.game, observation_of(state, 0), Viewer(seat=0))  # in between
            assert other
            assert words(state.game, observation.copy(), viewer) == text


def test_worlds_that_a_seat_takes_for_possible_are_said_equally() -> None:
    worlds = 0
    for number, state in enumerate(some_states(5)):
        for seat in range(state.game.num_seats):
            other = state.resample(seat, number)
            mask = state.action_mask() if seat == state.seat else None
            viewer = Viewer(seat, info=numbers(state), mask=mask)
            texts = [words(each.game, each.observation(seat), viewer) for each in (state, other)]
            assert texts[0] == texts[1]
            worlds += not np.array_equal(state.omniscient(), other.omniscient())
    assert worlds > 100


def open_lines(state: mhing.State, viewer: Viewer, hidden_from: set[int]) -> list[str]:
    """Lines that all get, but for the hands of these seats; melds by their owners' seats."""
    game, observation = state.game, observation_of(state, viewer.seat)
    seats = [seat for seat in range(game.num_seats) if seat not in hidden_from]
    parts = [
        (HEADING, 0),
        (LIMITS, 0),
        (EVENTS, 32),
        (RESULT, 0),
        *((SEAT, seat) for seat in seats),
    ]
    text = "".join(words(game, observation, viewer, part, number) for part, number in parts)
    piles = words(game, observation, viewer, PILES).splitlines()
    lines = [*text.splitlines(), *(line for line in piles if not line.startswith("Not in the"))]
    lines = [re.sub(r" You are [^.]*\.", "", line) for line in lines]

    def by_seat(name: re.Match[str]) -> str:
        return f"{(int(name[1]) + max(viewer.seat, 0)) % game.num_seats}.{name[2]}"

    return [re.sub(r"\b(\d)\.(\d)\b", by_seat, line) for line in lines]


@pytest.mark.slow
def test_what_all_see_is_said_to_all_alike() -> None:
    names = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]
    for state in some_states(5):
        shown = names[: state.game.num_seats]
        for one in range(state.game.num_seats):
            for other in (-1, (one + 1) % state.game.num_seats):
                first, second = (
                    open_lines(
                        state, Viewer(seat, info=numbers(state), names=shown), {one, max(other, 0)}
                    )
                    for seat in (one, other)
                )
                assert first == second


def test_nobody_reads_that_another_seat_is_asked() -> None:
    """Neither by who is to act, nor when a seat passes, nor while a seat lays down."""
    passes = steps = 0
    for state in some_states(1):
        game = state.game
        if state.seat < 0:
            continue
        others = [seat for seat in range(-1, game.num_seats) if seat != state.seat]
        texts = {
            seat: words(game, observation_of(state, seat), Viewer(seat, info=numbers(state)))
            for seat in others
        }
        for seat, text in texts.items():
            viewer = Viewer(seat, to_act=state.seat, info=numbers(state))
            assert words(game, observation_of(state, seat), viewer) == text
            assert not re.search(r" (?:may|are to|is to) ", text), text
        after = state.clone()
        is_pass = game.action_text(int(state.legal_actions()[-1])) == "pass"
        after.apply(int(state.legal_actions()[-1 if is_pass else 0]), deal=False)
        if not (is_pass or (game_phase(state) >= 5 and after.seat == state.seat)):
            continue
        if game_phase(after) == 4:  # what was laid down lies on the table
            continue
        for seat in {*others} - {after.seat}:
            assert (
                words(game, observation_of(after, seat), Viewer(seat, info=numbers(after)))
                == texts[seat]
            )
        passes += is_pass
        steps += not is_pass
    assert passes > 20
    assert steps > 20


def test_all_cards_open_say_who_is_asked() -> None:
    state = mhing.Game("mexican_rummy", num_players=3, dealer=2).new_state(1)
    text = words(
        state.game, state.public_observation(), Viewer(omniscient=state.omniscient()), STATUS
    )
    assert re.fullmatch(r"Seat 0 is on turn, before the draw\. Seat 1 may ask for ..\.\n", text)


# ---- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "place", "value", "message"),
    [
        ("on_turn", 0, 0, "on_turn is 0, and seats are from 1 to 3"),
        ("starter", 0, 4, "starter is 4, and seats are from 1 to 3"),
        ("asker", 0, 4, "asker is 4, and seats are from 0 to 3"),
        ("sets", 0, 3, "objective is none, or has other sets and runs"),
        ("turns_left", 1, 255, "turns_left is as much as all turns of the round, which are 200"),
        ("rounds_left", 0, 1, "rounds_left is 1, and fewer than 1 can be left"),
        ("discards", 1, 9, "discards has a gap, or nobody discarded the card at place 1"),
        ("offer", 0, 9, "offer is not the last discard, or a seat asks for none"),
        ("meld_cards", 0, 3, "meld_cards of seat 0 are none of its meld_kind"),
        ("chosen", 0, 3, "offer, asker, chosen or to_fill do not fit the phase"),
        ("drawable", 0, 2, "drawable is more than unseen"),
        ("plan_kind", 1, 3, "plan_cards are none of plan_kind"),
        ("swap_card", 0, 3, "swap_from names no meld"),
        ("wanted", 0, 2, "a black 2 is swapped for no card"),
        ("old_cards", 0, 11, "seat 0 has hand_size 10, and more cards known or older"),
        ("hand_size", 0, 11, "hand and plan_cards are not as many as hand_size"),
        ("draw_pile_left", 0, 84, "there are more cards than two decks have"),
    ],
)
def test_bytes_that_cannot_be_are_refused(field: str, place: int, value: int, message: str) -> None:
    game = mhing.Game("mexican_rummy", num_players=3, dealer=2)
    state = game.new_state(2)
    while state.seat != 0:
        state.apply(game.action_id("pass"))
    observation = state.observation(0).copy()
    assert words(game, observation, Viewer(0))
    row = next(row for row in game.observation_fields if row.name == field)
    if field == "drawable":
        place = int(np.flatnonzero(game.unpack(observation)["unseen"] < 2)[0])
    observation[row.offset + place] = value
    with pytest.raises(ValueError, match=f"^observation: {message}$"):
        words(game, observation, Viewer(0))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("round", 6, "info: round and rounds_over are from 0 to 6"),
        (
            "ending",
            5,
            "info: ending is none of the endings, or of a round that has not been played",
        ),
        (
            "ending",
            1,
            "info: ending is none of the endings, or of a round that has not been played",
        ),
        ("points", -5, "info: points of seat 0 are -5, and they are from 0 to 2080"),
    ],
)
def test_numbers_that_cannot_be_are_refused(name: str, value: int, message: str) -> None:
    state = mhing.Game("mexican_rummy").new_state(2)
    info = numbers(state).copy()
    row = next(row for row in state.game.info_fields if row.name == name)
    info[row.offset] = value
    with pytest.raises(ValueError, match=f"^{message}$"):
        words(state.game, state.observation(0), Viewer(0, info=info))


def test_hidden_cards_that_cannot_be_are_refused() -> None:
    state = mhing.Game("mexican_rummy", num_players=2).new_state(2)
    for place, value, message in [
        (0, 3, "to_act is 3, and seats are from 0 to 2"),
        (5, 0, "draw_pile has a gap"),
        (1, None, "cards are there too often, or not as many as draw_pile_left"),
        (-1, None, "hands has another number of cards than hand_size for seat 1"),
    ]:
        omniscient = state.omniscient().copy()
        omniscient[place] = (omniscient[place] + 1) % 2 if value is None else value
        if place == 1:
            omniscient[1:4] = 1
        with pytest.raises(ValueError, match=f"^omniscient: {message}$"):
            words(state.game, state.observation(0), Viewer(0, omniscient=omniscient))
