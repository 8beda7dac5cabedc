"""Words of every game: who may ask for which, and that they follow from what is given alone."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from every_game import Options

import mhing
from mhing._lib.games import NOT_KNOWN, OVER
from mhing.render import View
from mhing.vector import CardGameVectorEnv
from mhing.words import PARTS, called

LONG_GAMES: list[tuple[str, Options]] = [
    (name, {"episode": "game", "rounds": 2} if "rounds" in mhing.Game(name).options else {})
    for name in mhing.games()
]
NAMES = ["Ann", "Zo\u00eb", "\u5f35", "b\nob", "a" * 40, "Ann"]


@pytest.fixture(params=LONG_GAMES, ids=str)
def state(request: pytest.FixtureRequest) -> mhing.State:
    """Somewhere in the second round, where there is one."""
    game_id, options = request.param
    state, rng = mhing.Game(game_id, **options).new_state(5), Random(5)
    while not state.is_terminal and not state.rounds_over:
        state.apply(rng.choice(state.legal_actions().tolist()))
    for _ in range(12 * (not state.is_terminal)):
        state.apply(rng.choice(state.legal_actions().tolist()))
    return state


def views(state: mhing.State) -> list[int | None]:
    return [None, *range(state.game.num_seats)]


def test_the_whole_is_its_parts(state: mhing.State) -> None:
    seats = state.game.num_seats
    for view in views(state):
        parts = []
        for part in PARTS[1:-1]:
            numbers = (
                [((view or 0) + i) % seats for i in range(seats)] if part == "seat" else [None]
            )
            parts += [state.words(view, part, number=number) for number in numbers]
        assert state.words(view) == "".join(parts)
        assert all(not part or part.endswith("\n") for part in parts)
    assert str(state) == state.words()


def test_a_move_is_said_by_its_text(state: mhing.State) -> None:
    """With more behind it at most; also of moves that nobody may play now."""
    for view in views(state):
        for action in range(state.game.num_actions):
            said = state.words(view, "move", number=action)
            assert said.partition(", ")[0] == state.game.action_text(action)
    with pytest.raises(ValueError, match=f"number: {state.game.num_actions}, and this part takes"):
        state.words(None, "move", number=state.game.num_actions)


def test_the_last_events_are_said_alone(state: mhing.State) -> None:
    lines = state.words(0, "events").splitlines()
    assert len(lines) > 3
    for count in (0, 1, 3, 32):
        assert (
            state.words(0, "events", number=count).splitlines()
            == lines[max(0, len(lines) - count) :][-32:]
        )


def test_events_are_those_of_the_observation(state: mhing.State) -> None:
    game, kinds = state.game, {event.name: event.id for event in state.game.events}
    for view in views(state):
        said = []
        for event in state.to_dict()["events"][-32:]:
            extra = list(event.values())[-1]
            numbers = event["seat"], kinds[event["event"]], event["detail"], extra
            said.append(game.event_words(*numbers, view=view))
        assert state.words(view, "events").splitlines() == said


def test_equal_observations_have_equal_words(state: mhing.State) -> None:
    """Words stay the same when all that a seat cannot know is drawn anew."""
    for seat in range(state.game.num_seats):
        for seed in range(3):
            other = state.resample(seat, seed)
            assert other.words(seat) == state.words(seat)
    others = {state.resample(0, seed).words() for seed in range(5)}
    assert len(others) > 1 or state.is_terminal


def test_a_view_says_what_the_state_says(state: mhing.State) -> None:
    for view in views(state)[1:]:
        is_asked = state.seat == view
        seen = View(
            state.game, state.observation(view), view, state.info(),
            asked=view if is_asked else None, is_over=state.is_terminal,
            mask=state.action_mask() if is_asked else None,
        )  # fmt: skip
        assert seen.words() == state.words(view)
        assert seen.words("status") == state.words(view, "status")
        assert replace(seen, mask=None).words("moves") == ""


def test_many_are_said_at_once(state: mhing.State) -> None:
    game, seats = state.game, range(state.game.num_seats)
    seen = [state.observation(seat) for seat in seats]
    masks = [state.action_mask() * (seat == state.seat) for seat in seats]
    info = [game.number_array(state.info())] * game.num_seats
    to_act = [state.seat if state.seat in (seat, OVER) else NOT_KNOWN for seat in seats]
    given = {"masks": masks, "info": info, "to_act": to_act}
    assert game.words(seen, list(seats), **given) == [state.words(seat) for seat in seats]
    status = game.words(seen, list(seats), "status", to_act=to_act)
    assert status == [state.words(seat, "status") for seat in seats]
    assert game.words(np.zeros((0, game.observation_size)), None) == []
    names = NAMES[: game.num_seats]
    watched = game.words([state.public_observation()] * 2, None, "seat", number=1, names=names)
    view = View(game, state.public_observation())
    assert watched == [view.words("seat", number=1, names=names)] * 2


def test_long_texts_grow_the_buffer() -> None:
    game = mhing.Game("mhing")
    seen = [game.new_state(1).play_out("random", seed).observation(0) for seed in range(3)]
    whole = game.words(seen, 0)
    assert max(map(len, whole)) > 1024  # bytes that a text has at first
    assert whole == [game.words([one], 0)[0] for one in seen]


def test_rows_of_an_environment_say_what_their_states_say(state: mhing.State) -> None:
    options = dict(state.game.options)
    envs = CardGameVectorEnv(5, game=state.game.id, autoreset_mode="disabled", **options)
    envs.reset(seed=4)
    over = np.zeros(5, bool)
    for _ in range(60):
        _, _, over, _, infos = envs.step(envs.sample_actions())
        said = envs.words()
        for row, seat in enumerate(infos["seat"].tolist()):
            assert said[row] == envs.state(row).words(seat)
            assert ("\nMoves: " in said[row]) != over[row]
        if over.any():
            break
    every = envs.words(part="status")
    assert envs.words([3, 1], "status") == [every[3], every[1]]
    with pytest.raises(ValueError, match="rows"):
        envs.words([5])


def test_who_is_you_is_spoken_to(state: mhing.State) -> None:
    seats = state.game.num_seats
    names = ["you", *NAMES[: seats - 1]]
    shown = called(names)
    plain = state.words(0, "seat", number=0)
    named = re.sub(r"\bseat (\d)\b", lambda seat: shown[int(seat[1])], plain)
    assert state.words(0, "seat", number=0, names=names) == named
    text = state.words(None, names=names)
    assert all(name in text for name in shown[1:])
    assert "You" in text


def test_names_are_made_fit() -> None:
    assert called(["a", "b", "a"]) == ("a 0", "b", "a 2")
    assert called(["a", "a", "a 1"]) == ("a 0", "a 1", "a 1 2")
    assert called(["a\nb\x7f\x00", "\u202eevil\u200b", "\ud800", ""]) == (
        "a?b??", "?evil?", "? 2", "? 3",
    )  # fmt: skip
    assert called(["you", "you"]) == ("you 0", "you 1")
    assert called(["Zo\u00eb \u5f35\u4e09 \U0001f004"]) == ("Zo\u00eb \u5f35\u4e09 \U0001f004",)
    assert called(["\u5f35" * 17, "\U0001f004" * 16]) == ("\u5f35" * 13 + "...", "\U0001f004" * 16)
    assert called(["a" * 16, "a" * 17]) == ("a" * 16, "a" * 13 + "...")
    assert called(["a" * 16] * 2) == ("a" * 11 + "... 0", "a" * 11 + "... 1")
    assert called([]) == ()
    with pytest.raises(ValueError, match="names: 7 of them, and a table has 1 to 6 seats"):
        called(["a"] * 7)


def test_shown_names_stay_as_they_are() -> None:
    """Pages clean names first, and the core does so again."""
    rng = Random(3)
    for _ in range(3000):
        letters = rng.choice(["ab", "a 01.", "\u00e9\u5f35\U0001f004a", "\x1b\u200fa0 1"])
        names = [
            "".join(rng.choices(letters, k=rng.choice([1, 2, 15, 16, 17, 30]))) for _ in range(4)
        ]
        shown = called(names)
        assert len(set(shown)) == 4
        assert all(0 < len(name) <= 16 for name in shown)
        assert called(shown) == shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"part": "hands"}, "part: 'hands' is none of all, heading, limits, seat"),
        ({"part": "seat"}, "number: the part 'seat' needs one"),
        ({"part": "seat", "number": 9}, "number: 9, and this part takes 0 to"),
        ({"part": "events", "number": 33}, "number: 33, and this part takes 0 to 32"),
        ({"part": "status", "number": 1}, "number: the part 'status' has none"),
        ({"view": 9}, "view must be None or a seat from 0 to"),
        ({"view": -1}, "view must be None or a seat from 0 to"),
        ({"names": ["a"]}, "names: 1 for "),
    ],
)
def test_what_cannot_be_asked_is_refused(
    state: mhing.State, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        state.words(**arguments)  # type: ignore[arg-type]


def test_arguments_of_other_types_are_refused(state: mhing.State) -> None:
    with pytest.raises(TypeError, match=r"number: 1\.5"):
        state.words(0, "events", number=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="names: 'you' are not texts"):
        state.words(0, names="you")
    with pytest.raises(TypeError, match="are not texts"):
        state.words(0, names=[1] * state.game.num_seats)  # type: ignore[list-item]


def test_rows_that_cannot_be_are_named(state: mhing.State) -> None:
    game, seen = state.game, state.observation(0)
    broken = seen.copy()
    field = next(one for one in game.observation_fields if one.high < 255)
    broken[field.offset] = 255
    message = f"row 1: observation: {field.name} is 255, and at most {field.high} can be"
    with pytest.raises(ValueError, match=message):
        game.words([seen, broken], 0)
    with pytest.raises(ValueError, match=r"row 0: viewer: seat is 7"):
        game.words([seen], 7)
    size = game.observation_size
    for arguments, refusal in (
        ({"observations": [seen[1:]], "seats": 0}, rf"observations: .*not \(1, {size}\)"),
        ({"observations": [seen], "seats": 0, "masks": [[1]]}, "masks: the shape is"),
        ({"observations": [seen], "seats": 0, "info": [[1]]}, "info: the shape is"),
        ({"observations": [seen], "seats": 0, "to_act": [1, 1]}, "to_act: the shape is"),
    ):
        with pytest.raises(ValueError, match=refusal):
            game.words(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mask: "):
        View(game, seen, 0, mask=np.ones(1, np.int8))
    with pytest.raises(ValueError, match="event: seat 9"):
        game.event_words(9, 0, 0, 0)
    winner = next((one for one in game.info_fields if one.role == "winner"), None)
    if winner:
        numbers = state.info() | {winner.name: 6}
        with pytest.raises(ValueError, match=f"info: {winner.name} is 6, and it is a seat"):
            View(game, seen, 0, numbers).words()
