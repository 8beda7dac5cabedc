"""The words of General Mhing: what they say is all that an observation says, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from games.general_mhing.matches import ALL, hoarding, moody, swapping
from games.general_mhing.matches import table as dealt
from playing import DULL
from policies import Policy, play

import mhing
from mhing._lib.binding import lib
from mhing._lib.games import Viewer
from words.asking import (
    EVENTS,
    LIMITS,
    PILES,
    RESULT,
    SEAT,
    STATUS,
    check_parts,
    observation_of,
    words,
)
from words.general_mhing_reader import DECK, PARTS, Reader

NAMES = ["Ann", "you", "Zoë 日本"]
ALIKE = ["Ann", "Ann", "Bo 2"]

HINTS = ("lacking", "lacking_after", "useful_after", "tally_after")

Seen = Counter[str]


def shown_names(names: list[str]) -> list[str]:
    """Names as they are shown: those that are alike have the numbers of their seats."""
    return [f"{name} {seat}" if names.count(name) > 1 else name for seat, name in enumerate(names)]


def viewers(state: mhing.State) -> Iterator[Viewer]:
    """All seats, asked or not, and a spectator, with what each may be given beside it."""
    seats, numbers = state.game.num_seats, state._numbers()
    for seat in range(-1, seats):
        mask = state.action_mask() if seat >= 0 and seat == state.seat else None
        to_act = state.seat if state.seat < 0 or mask is not None else lib.MH_NOT_KNOWN
        yield Viewer(seat=seat, mask=mask)
        yield Viewer(seat, to_act, info=numbers, names=NAMES[:seats])
        yield Viewer(seat, to_act, numbers, state.omniscient(), mask, ALIKE[:seats])
        yield Viewer(seat, to_act, omniscient=state.omniscient())


def read(game: mhing.Game, viewer: Viewer, text: str) -> Reader:
    names = None if viewer.names is None else shown_names(list(viewer.names))
    reader = Reader(game.num_seats, viewer.seat, names)
    reader.read(text)
    return reader


def check_text(state: mhing.State, viewer: Viewer, seen: Seen) -> None:
    """Reads the text of a viewer and compares every field."""
    game, observation = state.game, observation_of(state, viewer.seat)
    text = words(game, observation, viewer)
    reader = read(game, viewer, text)
    fields, unpacked = reader.fields(), game.unpack(observation)
    hints = {name: unpacked.pop(name) for name in HINTS if name in unpacked}
    assert fields.keys() == unpacked.keys()
    for name, value in unpacked.items():
        assert np.array_equal(fields[name], value), (name, text)
    check_hints(game, viewer, reader, hints)
    check_viewer(state, viewer, reader)
    check_result(state, viewer, reader)
    check_hidden(state, viewer, reader)
    check_parts(game, observation, viewer, text)
    note(seen, reader, fields)


def check_hints(game: mhing.Game, viewer: Viewer, reader: Reader, hints: dict[str, Any]) -> None:
    if not hints or viewer.seat < 0:
        assert "lacking" not in reader.known
        return
    legal = np.flatnonzero(hints["lacking_after"] != 255).tolist()
    assert reader.known["lacking"] == hints["lacking"]
    assert reader.known["after"] == {
        game.action_text(action): tuple(int(hints[name][action]) for name in HINTS[1:])
        for action in legal
    }


def check_viewer(state: mhing.State, viewer: Viewer, reader: Reader) -> None:
    """Check the viewer's name, its choices, and the state of the game."""
    known, game = reader.known, state.game
    named = viewer.names and shown_names(list(viewer.names))[viewer.seat]
    expected = f"seat {viewer.seat}" if named is None else named
    assert known["viewer"] == (None if viewer.seat < 0 or expected == "you" else expected)
    assert known["on_top"] == (game.options["offer"] == "top")
    assert (known["instead"] is None) == (known["target"] > 0)
    assert (known["instead"] == "this round, the only one") == (game.options["episode"] == "round")
    mask = [] if viewer.mask is None else np.flatnonzero(viewer.mask).tolist()
    assert known.get("moves", []) == [game.action_text(action) for action in mask]
    asked = state.seat >= 0 and (viewer.seat == state.seat or viewer.omniscient is not None)
    legal = state.legal_actions().tolist() if asked else []
    moves = {game.action_text(action).split()[0] for action in legal}
    said = {choice.split()[0] for choice in known.get("choices", [])}
    assert said == {"lay" if move == "sequence" else move for move in moves}
    is_game_over = state.is_terminal and game.options["episode"] == "game"
    assert known.get("over") == ("game" if is_game_over else "round" if state.seat < 0 else None)
    if is_game_over:
        scores = np.ravel(state.info()["scores"])
        assert sorted(known["winners"]) == np.flatnonzero(scores == scores.max()).tolist()
        assert known["winners_points"] == scores.max()


def check_result(state: mhing.State, viewer: Viewer, reader: Reader) -> None:
    """Check the last round's result: at its end the table has it, later it is given."""
    result, expected = reader.known.get("result"), state.to_dict()["result"]
    assert (result is None) == (expected is None)
    if result is None:
        return
    assert result["is_this"] == (state.seat < 0)
    if not result["is_this"] and viewer.info is None:
        assert result["ending"] == 0
        assert not any(result["tallies"])
        return
    info = state.info()
    assert result["ending"] == info["ending"]
    assert result["tallies"] == [seat["tally"] for seat in expected["seats"]]
    for seat, parts in enumerate(result["parts"]):
        known = result["is_this"] or seat == expected["winner"]
        assert parts == (parts_of(expected["seats"][seat]) if known else [0] * 4)


def parts_of(seat: dict[str, Any]) -> list[int]:
    found = dict(seat["parts"])
    return [found.get(label, 0) for label in PARTS]


def check_hidden(state: mhing.State, viewer: Viewer, reader: Reader) -> None:
    """All cards are said to who was given them, and to nobody else."""
    if viewer.omniscient is None:
        assert "draw_pile" not in reader.known
        others = [block for seat, block in reader.blocks.items() if seat != viewer.seat]
        assert all(block["hand"] is None for block in others)
        return
    hidden, said = state.game.unpack_omniscient(viewer.omniscient), reader.hidden()
    assert hidden.keys() == said.keys()
    for name, value in hidden.items():
        assert np.array_equal(said[name], value), name
    if state.seat >= 0:
        phases = ["wait", "start", "taken", "play", "end"]
        assert phases[reader.phase()] == state.to_dict()["phase"]


def note(seen: Seen, reader: Reader, fields: dict[str, Any]) -> None:
    """Counts what there is to be said, so that nothing can be missing from all tests."""
    seen[f"phase {fields['phase']}"] += 1
    for name in ("taken", "offer", "old_cards", "aces_held", "shuffles", "target", "rounds_left"):
        seen[name] += bool(np.any(fields[name]))
    seen[f"drawn {np.count_nonzero(fields['drawn'])}"] += 1
    seen["given after the draw"] += any(
        card and not fields["hand"][card - 1] for card in fields["drawn"]
    )
    seen["held"] += bool(reader.known["held"])
    seen[f"over {reader.known.get('over')}"] += 1
    seen["shared"] += len(reader.known.get("winners", [])) > 1
    seen["nobody won"] += reader.known.get("result", {}).get("winner") == -1
    for _, kind, detail, _ in reader.events:
        seen[kind if kind != "over" else f"ending {detail}"] += 1


# ---- The round trip ------------------------------------------------------------------------------

PLAYS: list[tuple[Policy, dict[str, Any]]] = [
    (ALL["at random"], {}),
    (ALL["greedy"], {"num_players": 3, "episode": "game"}),
    (swapping, {"num_players": 2, "offer": "top", "hints": "on"}),
    (swapping, {"num_players": 3, "episode": "game", "target": 0, "rounds": 2}),
    (hoarding, {"num_players": 3, "episode": "game", "rounds": 0, "turn_limit": 65535}),
    (hoarding, {"num_players": 2, "turn_limit": 400, "hints": "on"}),
    (moody, {"num_players": 2, "episode": "game", "target": 3, "turn_limit": 1200}),
    (moody, {"num_players": 3, "episode": "game", "target": 1, "rounds": 1000, "turn_limit": 5}),
    (moody, {"num_players": 2, "target": 1, "rounds": 3, "turn_limit": 8, "episode": "game"}),
    (moody, {"num_players": 3, "target": 0, "rounds": 1, "turn_limit": 3, "episode": "game"}),
    (moody, {"num_players": 3, "offer": "top", "starter": 2, "next_starter": "same"}),
]

WANTED = [
    *(f"phase {phase}" for phase in range(6)),
    *(f"drawn {count}" for count in range(3)),
    *("deal", "take", "sequence", "swap", "discard", "shuffle", "ending 1", "ending 2"),
    *("taken", "offer", "old_cards", "aces_held", "held", "shuffles", "target", "rounds_left"),
    *("over None", "over round", "over game", "nobody won", "shared"),
    "given after the draw",
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


def states(rest: int = 60, seeds: int = 4) -> Iterator[mhing.State]:
    """Of every kind of play those that follow the first deals, and of the rest one in so many."""
    for place, (policy, options) in enumerate(PLAYS):
        rng = Random(place)
        game = mhing.Game("general_mhing", **options)
        for seed in range(seeds):
            for turn, state in enumerate(play_on(game.new_state(seed), policy, rng)):
                rare = state.seat < 0 or not state.is_settled
                if turn < 12 or turn % rest == seed or (rare and rng.random() < 0.3):
                    yield state
                if turn == 1000:
                    break


def large_numbers() -> mhing.State:
    """Numbers that take several bytes: those of a long game, late in a long round."""
    dull = dealt([DULL, DULL], "").to_dict()
    shuffled = dull["draw_pile"] + dull["drawn"]
    options = {"episode": "game", "target": 1000, "rounds": 1000, "turn_limit": 65535}
    result = {
        "round": 698,
        "winner": 1,
        "ending": "fourth sequence",
        "seats": [
            {"sequences": []},
            {"sequences": [{"text": text} for text in ("A23s", "A23h", "456h", "89Td")]},
        ],
    }
    return mhing.Game("general_mhing", **options).state_from_dict(
        {
            "hands": dull["hands"],
            "round": 699,
            "turn": 30001,
            "shuffles": 1234,
            "shuffle_of": dict.fromkeys(DECK, 7) | dict.fromkeys(shuffled, 1234),
            "drawn": dull["drawn"],
            "scores": [600, 515],
            "result": result,
        }
    )


def ends_of_turns() -> Iterator[mhing.State]:
    """A seat may still swap after its sequence, with a swap or a shuffle behind that."""
    state = dealt(["78A9h 78Ad", DULL], "9d 2s 5c 6s Js Qc 3c")
    play(state, "sequence 789*h", "end", "discard 6s", "draw", "sequence 789*d", "swap 9h")
    yield state
    keys = dealt(["78A9h 78Ad", DULL], "9d 2s 5c").to_dict()
    pile = keys["draw_pile"]
    made = [{"card": card, "by": place % 2} for place, card in enumerate(pile[:-1])]
    position = {name: keys[name] for name in ("hands", "drawn", "phase")}
    position |= {"draw_pile": pile[-1:], "discards": made, "turn": 41}
    state = state.game.state_from_dict(position)
    play(state, "sequence 789*h")
    yield state


@pytest.mark.slow
def test_words_say_every_field(full: bool) -> None:
    seen: Seen = Counter()
    played = states(seeds=4 if full else 2)
    for state in [*ends_of_turns(), large_numbers(), *map(mhing.State.clone, played)]:
        for viewer in viewers(state):
            check_text(state, viewer, seen)
    assert [name for name in WANTED if not seen[name]] == []


# ---- Sentences -----------------------------------------------------------------------------------


def test_a_whole_text() -> None:
    state = dealt(
        ["78Ah 234h 5s", "6h 2c 5c 8c Jc 2d 9d"],
        "Ks 3d Kd 5d 9h Qd Tc",
        episode="game",
        target=1,
        turn_limit=5,
    )
    play(state, "sequence 789*h", "discard 6h", "discard 3d", "discard 2c")
    asked = Viewer(0, mask=state.action_mask())
    assert words(state.game, state.observation(0), asked).splitlines() == [
        "General Mhing, round 1 of 100, turn 5 of 5. You are seat 0. You had the first turn.",
        "1 point wins the game.",
        "You have 7 cards: 5s Ks 2h 3h 4h 9h Kd.",
        "  Sequences: 789*h, worth 1 point.",
        "Seat 1 has 7 cards.",
        "Discards, the newest last: 6h (seat 1), 3d (you), 2c (seat 1).",
        "The draw pile has 32 cards. 2c is on offer.",
        "You have the first turn.",
        "You lay 789*h.",
        "Seat 1 discards 6h.",
        "You discard 3d.",
        "Seat 1 discards 2c.",
        "You are on turn. You are to draw, or to swap.",
        "Moves: draw; swap 9h.",
    ]
    play(state, "draw", "sequence 234h", "swap 9h")
    text = words(state.game, state.observation(1), Viewer(1, names=["Ann", "Bob"]))
    assert text.splitlines()[:7] + text.splitlines()[-4:] == [
        "General Mhing, round 1 of 100, turn 5 of 5. You are Bob. Ann had the first turn.",
        "1 point wins the game.",
        "Bob has 7 cards: 2d 5d 9d Qd 5c 8c Jc.",
        "Ann has 1 point and 7 cards. All know Ah.",
        "  Sequences: 789h 234h, worth 1 point.",
        "Discards, the newest last: 6h (Bob), 3d (Ann), 2c (Bob).",
        "The draw pile has 29 cards.",
        "Ann gives 9h for Ah.",
        "Ann ends the round at the turn limit.",
        "Ann won this round and 1 point. It ended at the turn limit. Ann had 1 point: 1 same suit.",
        "The game is over. Ann wins it with 1 point.",
    ]


# ---- A function of what is given -----------------------------------------------------------------


def test_words_are_those_of_every_world_that_a_seat_may_be_in() -> None:
    for place, state in enumerate(states(rest=100)):
        game, numbers = state.game, state._numbers()
        for seat in range(game.num_seats):
            other = state.resample(seat, place)
            viewer = Viewer(seat, info=numbers, names=ALIKE[: game.num_seats])
            said = words(game, state.observation(seat), viewer)
            assert words(game, other.observation(seat), viewer) == said
            words(game, other.observation(seat), Viewer(seat, omniscient=other.omniscient()))
            assert words(game, state.observation(seat).copy(), viewer) == said


def test_seats_read_alike_what_all_can_see() -> None:
    for state in states(rest=100):
        read: dict[Any, set[Any]] = {}
        for seat in range(-1, state.game.num_seats):
            for part, lines in public_parts(state, seat).items():
                read.setdefault(part, set()).add(lines)
        assert {part: len(texts) for part, texts in read.items()} == dict.fromkeys(read, 1)


def public_parts(state: mhing.State, seat: int) -> dict[tuple[int, int], tuple[str, ...]]:
    """The words that a seat gets of public parts, where nobody is called "you"."""
    game, observation = state.game, observation_of(state, seat)
    viewer = Viewer(seat, info=state._numbers(), names=["Ann", "Bob", "Cyd"][: game.num_seats])

    def said(part: int, number: int = 0) -> list[str]:
        return words(game, observation, viewer, part, number).splitlines()

    found = {
        (LIMITS, 0): said(LIMITS),
        (PILES, 0): [line for line in said(PILES) if not line.startswith("Not in the draw pile")],
        (EVENTS, 32): said(EVENTS, 32),
        (RESULT, 0): said(RESULT),
    }
    if state.seat < 0 or seat != state.seat:
        found[STATUS, 0] = said(STATUS)[:1]  # hints are behind it
    for other in {*range(game.num_seats)} - {seat}:
        found[SEAT, other] = said(SEAT, other)
    return {part: tuple(lines) for part, lines in found.items()}


# ---- What cannot be ------------------------------------------------------------------------------

Spoil = Callable[[dict[str, Any]], None]


def set_to(name: str, value: int, *place: int) -> Spoil:
    """Changes a field, or one place of it."""

    def spoil(fields: dict[str, Any]) -> None:
        fields[name][place or ...] = value

    return spoil


def both(*spoils: Spoil) -> Spoil:
    def spoil(fields: dict[str, Any]) -> None:
        for each in spoils:
            each(fields)

    return spoil


def event(seat: int, kind: int, detail: int = 0) -> Spoil:
    """Another last event."""
    return both(
        set_to("event_seat", seat, -1),
        set_to("event_kind", kind, -1),
        set_to("event_detail", detail, -1),
        set_to("event_ace", 0, -1),
    )


TAKE, OVER = 1, 6

REFUSED: list[tuple[str, Spoil]] = [
    ("on_turn is 0, and seats are from 1 to 2", set_to("on_turn", 0)),
    ("on_turn is 3, and seats are from 1 to 2", set_to("on_turn", 3)),
    ("starter is 0, and seats are from 1 to 2", set_to("starter", 0)),
    ("last_winner is 3, and seats are from 0 to 2", set_to("last_winner", 3)),
    (
        "turns_left is as much as all turns of the round, which are 200",
        set_to("turns_left", 200, 0),
    ),
    ("last_winner or last_points without a round that is finished", set_to("last_winner", 1)),
    ("last_winner or last_points without a round that is finished", set_to("last_points", 1)),
    ("the round did not end in the turn of on_turn", event(2, OVER, 1)),
    ("phase and the last event differ on whether the round is over", event(1, OVER, 1)),
    ("phase and the last event differ on whether the round is over", set_to("phase", 5)),
    ("phase asks the observer, and another seat is on_turn", set_to("on_turn", 2)),
    ("a card has been taken, and taken is none", set_to("phase", 2)),
    ("seat 0 has sequences that are none", set_to("sequence_ace", 1, 0, 3)),
    ("seat 0 has sequences that are none", set_to("sequence_kind", 1, 0, 3)),
    ("seat 0 has sequences that are none, or that tally does not", set_to("tally", 3, 0)),
    ("missing of seat 1 is not target less score", set_to("missing", 1, 1, 0)),
    ("seat 1 has hand_size 7, and more cards known or older", set_to("old_cards", 8, 1)),
    ("discards has a gap, or nobody discarded the card at place 1", set_to("discards", 0, 1)),
    ("discards has a gap, or nobody discarded the card at place 2", set_to("discarded_by", 0, 2)),
    ("discards has a gap, or nobody discarded the card at place 2", set_to("discarded_by", 3, 2)),
    ("discards has a gap, or nobody discarded the card at place 9", set_to("discarded_by", 1, 9)),
    ("a card lies in discards and elsewhere", set_to("discards", 1 + 18, 1)),
    ("offer is not the last one of discards", set_to("offer", 1 + 28)),
    ("offer is not the last one of discards", set_to("offered_by", 1)),
    ("a card lies in a sequence and elsewhere", set_to("discards", 1 + 19, 1)),
    ("draw_pile_left and hand_size are not all the cards", set_to("draw_pile_left", 30)),
    ("draw_pile_left and hand_size are not all the cards", set_to("hand_size", 8, 1)),
    ("hand has another number of cards than hand_size", set_to("hand", 1, 30)),
    ("a card is in the hand and lies open", both(set_to("hand", 0, 4), set_to("hand", 1, 18))),
    ("drawn has a second card and no first one", set_to("drawn", 1, 1)),
    ("drawable has cards that unseen has not", set_to("drawable", 1, 18)),
]


def few_cards(seat: int) -> Spoil:
    """All cards but one of a hand are in the draw pile, and four aces are known to be there."""

    def spoil(fields: dict[str, Any]) -> None:
        fields["draw_pile_left"][...] += np.uint8(fields["hand_size"][seat] - 1)
        fields["hand_size"][seat] = 1
        fields["aces_held"][seat] = 1

    return spoil


def in_play() -> mhing.State:
    """Seat 0 is asked before its draw, with a sequence before it and three discards."""
    state = dealt(
        ["78Ah 234h 5s", "6h 2c 5c 8c Jc 2d 9d"],
        "Ks 3d Kd 5d 9h Qd Tc",
        episode="game",
    )
    play(state, "sequence 789*h", "discard 6h", "discard 3d", "discard 2c")
    return state


@pytest.mark.parametrize(("message", "spoil"), [*REFUSED, ("more cards known", few_cards(1))])
def test_an_observation_that_cannot_be_is_refused(message: str, spoil: Spoil) -> None:
    state = in_play()
    game, observation = state.game, state.observation(0)
    assert words(game, observation, Viewer(0))
    spoil(game.unpack(observation))
    with pytest.raises(ValueError, match=f"^observation: .*{message}"):
        words(game, observation, Viewer(0))


def test_a_spectator_has_no_hand_and_no_phase() -> None:
    """The bytes of private fields are not read, and need not fit."""
    state = in_play()
    said = words(state.game, state.public_observation(), Viewer())
    assert "Ks" not in said
    assert words(state.game, state.observation(0), Viewer()) == said


HIDDEN: list[tuple[str, Spoil]] = [
    ("to_act is not the seat on turn", set_to("to_act", 2)),
    ("to_act is not the seat on turn", set_to("to_act", 0)),
    ("hands of seat 0 are not what the observation says", set_to("hands", 1, 0, 30)),
    ("hands of seat 0 are not", both(set_to("hands", 0, 0, 4), set_to("hands", 1, 0, 18))),
    ("hands of seat 1 are not what the observation says", set_to("hands", 0, 1, 30)),
    ("draw_pile has a card that is elsewhere, or not draw_pile_left", set_to("draw_pile", 0, 3)),
    ("draw_pile has a card that is elsewhere, or not draw_pile_left", set_to("draw_pile", 7, 37)),
    ("draw_pile has a card that is elsewhere, or not draw_pile_left", set_to("draw_pile", 20, 0)),
]


@pytest.mark.parametrize(("message", "spoil"), HIDDEN)
@pytest.mark.parametrize("seat", [-1, 0, 1])
def test_hidden_cards_that_cannot_be_are_refused(seat: int, message: str, spoil: Spoil) -> None:
    state = in_play()
    omniscient = state.omniscient()
    spoil(state.game.unpack_omniscient(omniscient))
    with pytest.raises(ValueError, match=f"^omniscient: .*{message}"):
        words(state.game, observation_of(state, seat), Viewer(seat, omniscient=omniscient))


def test_hidden_cards_of_a_turn_need_the_card_taken() -> None:
    state = in_play()
    observation = state.public_observation()
    event(1, TAKE, 29)(state.game.unpack(observation))
    assert words(state.game, observation, Viewer())
    with pytest.raises(ValueError, match="a card has been taken, and taken is none"):
        words(state.game, observation, Viewer(omniscient=state.omniscient()))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds_over": 1}, "rounds_over, winner or points are not what the observation says"),
        ({"winner": 1}, "winner"),
        ({"points": 1}, "rounds_over, winner or points are not what the observation says"),
        ({"ending": 1}, "ending is none of the endings, or of a round that has not been played"),
        ({"ending": 3}, "ending is none of the endings, or of a round that has not been played"),
        ({"ending": -1}, "ending is none of the endings, or of a round that has not been played"),
        ({"ending": 2**40}, "ending is none of the endings, or of a round that has not"),
    ],
)
def test_numbers_that_cannot_be_are_refused(changes: dict[str, int], message: str) -> None:
    state = in_play()
    game, numbers = state.game, state._numbers()
    offsets = {field.name: field.offset for field in game.info_fields}
    for name, value in changes.items():
        numbers[offsets[name]] = value
    with pytest.raises(ValueError, match=f"^info: .*{message}"):
        words(game, state.observation(0), Viewer(0, info=numbers))
