"""Players' views and the ways to ask them: views, trial calls, coroutines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import mhing
from mhing import arena, players, render
from mhing.env import CardGameEnv
from mhing.players.asking import ask_each
from mhing.players.views import SEES, PlayerView
from mhing.table import PlayerFailed, Table
from mhing.text import TextEnv, TextTable
from mhing.vector import CardGameVectorEnv

GAMES = ("mhing", "general_mhing", "mexican_rummy")


class Looking:
    """Plays by the sum of what it sees, and keeps that."""

    def __init__(self, sees: Any) -> None:
        self.sees = sees
        self.seen: list[Any] = []

    def __call__(self, seen: Any, mask: Any, info: dict[str, Any]) -> int:
        self.seen.append(seen)
        return int(mask.argmax())


class LookingAtRows(Looking):
    """The same, of many rows at once."""

    def choose_rows(self, seen: Any, masks: Any) -> Any:
        if isinstance(seen, dict):
            lines = [{name: part[row] for name, part in seen.items()} for row in range(len(masks))]
        else:
            lines = list(seen)
        return [self(line, mask, {}) for line, mask in zip(lines, masks, strict=True)]


def plain(seen: Any) -> Any:
    """The comparable parts of any view."""
    if isinstance(seen, dict):
        return {name: part.tolist() for name, part in seen.items()}
    if isinstance(seen, mhing.game.Afterstates):
        return [part.tobytes() for part in (seen.actions, seen.features)]
    if isinstance(seen, mhing.State):
        return seen.to_bytes()
    if isinstance(seen, render.View):
        return (
            seen.words(),
            seen.observation.tobytes(),
            seen.mask is not None and seen.mask.tolist(),
        )
    return seen if isinstance(seen, str) else seen.tolist()


def in_env(player: Any, **options: Any) -> None:
    CardGameEnv(seat=0, opponents=player, **options).reset(seed=3)


def in_batch(player: Any, **options: Any) -> None:
    CardGameVectorEnv(1, seat=0, opponents=player, **options).reset(seed=3)


def at_table(player: Any, **options: Any) -> None:
    """The same decisions: all before the first one of seat 0."""
    game = mhing.Game(options.pop("game"), **options)
    env = CardGameEnv(game.id, seat=0, opponents="random", **options)
    env.reset(seed=3)
    table = Table(game, [None, *[player] * (game.num_seats - 1)], env.episode_seed)
    while table.choice is not None:
        table.play(table.choice)


def shown_in(door: Callable[..., None], player: Looking, **options: Any) -> list[Any]:
    player.seen.clear()
    door(player, **options)
    unique: list[Any] = []
    for one in map(plain, player.seen):  # tables are asked twice, and rows once for trial
        if one not in unique:
            unique.append(one)
    return unique


@pytest.mark.parametrize("hints", [False, True])
@pytest.mark.parametrize("sees", [*SEES, None])
@pytest.mark.parametrize("game", GAMES)
def test_a_view_is_the_same_everywhere(game: str, sees: str | None, hints: bool) -> None:
    options = {"game": game, "dealer": 1} if game == "mhing" else {"game": game}
    options |= {"hints": hints}
    seen = shown_in(in_env, Looking(sees), **options)
    assert shown_in(in_batch, Looking(sees), **options) == seen
    trial, *rest = shown_in(in_batch, LookingAtRows(sees), **options)
    assert rest == seen
    assert trial not in seen
    if game == "mhing":
        assert seen
        assert shown_in(at_table, Looking(sees), **options)[-1] == seen[-1]


@pytest.mark.parametrize("game", GAMES)
def test_a_world_has_what_the_seat_knows_and_nothing_else(game: str) -> None:
    state = mhing.Game(game).new_state(seed=1)
    worlds = [
        PlayerView(state.game, "world").of(one)
        for one in (state, state, state.resample(state.seat, 5))
    ]
    assert worlds[0] == worlds[1] == worlds[2]
    assert worlds[0].observation().tobytes() == state.observation().tobytes()
    assert worlds[0].omniscient().tobytes() != state.omniscient().tobytes()


@pytest.mark.parametrize("game", GAMES)
def test_a_player_sees_what_it_was_made_for_whatever_the_others_see(game: str) -> None:
    raw, hints = (mhing.Game(game, hints=on) for on in (False, True))
    for seed in range(20):
        state, other = raw.new_state(seed), hints.new_state(seed)
        for one in (state, other):
            views = {
                sees: players.load(Looking(sees), one.game).view.of(one).tolist()
                for sees in ("raw", "hints", raw.observation_size, hints.observation_size)
            }
            assert views["raw"] == views[raw.observation_size] == state.observation().tolist()
            assert views["hints"] == views[hints.observation_size] == other.observation().tolist()


def test_raw_and_hinted_players_meet() -> None:
    """In one game each plays as it does in a game that shows what it wants."""
    sizes = {sees: Looking(sees) for sees in ("raw", "hints")}
    found = [
        arena.play(sizes, "general_mhing", deals=3, first_seed=5, hints=hints).players
        for hints in (False, True)
    ]
    assert found[0] == found[1]
    for sees, size in (("raw", 421), ("hints", 1223)):
        assert {seen.shape for seen in sizes[sees].seen} == {(size,)}


@pytest.mark.parametrize(
    ("game", "sees", "words"),
    [
        ("mhing", "everything", "sees: 'everything' is none of raw, hints"),
        ("leduc", "hints", "sees: leduc has no hints"),
        ("leduc", "features", "sees: leduc has no features"),
        ("mhing", 660, r"observations of 660 numbers; .* 659 without hints or 1343 with hints"),
        ("leduc", 660, r"takes observations of 660 numbers; .* has \d+ without hints$"),
    ],
)
def test_views_that_there_are_not(game: str, sees: Any, words: str) -> None:
    for make in (
        CardGameEnv,
        lambda game, opponents: CardGameVectorEnv(2, game=game, opponents=opponents),
    ):
        with pytest.raises(ValueError, match=f"^opponents: Looking .*{words}"):
            make(game, opponents=Looking(sees))
    with pytest.raises(ValueError, match=f"^players: Looking .*{words}"):
        arena.play([Looking(sees), "random"], game)


class Odd(Looking):
    def __init__(self, answer: Callable[[Any, Any], Any]) -> None:
        super().__init__(None)
        self.answer = answer

    def choose_rows(self, seen: Any, masks: Any) -> Any:
        return self.answer(seen, masks)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda seen, masks: seen @ np.ones((660, 2)), r"observation of \(1, 659\): ValueError"),
        (lambda seen, masks: masks, r"array \(1, 341\); expected \(1,\)"),
        (lambda seen, masks: [1.5], "its answer: .*1.5.* not a whole number"),
        (lambda seen, masks: np.array([True]), "its answer: .*True.* not a whole number"),
        (lambda seen, masks: masks.argmin(1), r"action \d+ where the mask forbids it; .*masks"),
        (lambda seen, masks: [-1], "action -1 where the mask forbids it"),
        (lambda seen, masks: [341], "action 341 where the mask forbids it"),
    ],
)
def test_a_player_is_tried_where_it_is_given(answer: Any, words: str) -> None:
    player = Odd(answer)
    for argument, make in {
        "opponents": lambda: CardGameVectorEnv(2, opponents=player),
        "players": lambda: arena.play([player, "random"]),
        "bot": lambda: mhing.analyse(mhing.Game("mhing").new_state(1), player),
    }.items():
        with pytest.raises(ValueError, match=f"^{argument}: Odd .*{words}"):
            make()


def test_callables_are_not_tried() -> None:
    """They may be people, or services that are paid."""
    player = Looking(None)
    CardGameEnv(opponents=player)
    CardGameVectorEnv(2, opponents=player)
    assert player.seen == []


@pytest.mark.once
def test_truths_are_no_actions() -> None:
    torch = pytest.importorskip("torch")
    for answer in (torch.tensor(True), np.bool_(True), np.array(True), True):
        alone = CardGameEnv()
        alone.reset(seed=1)
        with pytest.raises(TypeError, match=r"action: .*not a whole number"):
            alone.step(answer)
        env = CardGameEnv(seat=0, dealer=1, opponents=lambda *_, answer=answer: answer)
        with pytest.raises(TypeError, match="seat 1 has given no legal action") as caught:
            env.reset(seed=1)
        assert "not a whole number" in str(caught.value.__cause__)


# ---- Texts as answers ----------------------------------------------------------------------------


class Writing:
    """Reads a position, and says in a sentence what it plays: the last move that is listed."""

    sees = "words"

    def __call__(self, text: str, mask: Any, info: dict[str, Any]) -> str:
        kind, _, cards = (
            text.rpartition("Moves: ")[2].rstrip(".\n").rpartition("; ")[2].partition(" ")
        )
        return f"I don't know much, so I'll {kind} {cards.rpartition(', ')[2]}."


class WritingRows(Writing):
    def choose_rows(self, texts: list[str], masks: Any) -> list[str]:
        return [self(text, mask, {}) for text, mask in zip(texts, masks, strict=True)]


def last(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    """The same as a number."""
    return int(np.flatnonzero(mask)[-1])


def lasts(player: Any, game: str) -> list[Any]:
    """One answer of a player in each place that takes opponents or players."""
    others = mhing.Game(game).num_seats - 1
    env = CardGameEnv(game, seat=others, opponents=player)
    envs = CardGameVectorEnv(3, game=game, opponents=player)
    words, table = TextEnv(game, opponents=player), TextTable(game, [*[player] * others, None])
    seats = Table(mhing.Game(game), [player] * (others + 1), seed=2)
    for _ in range(20):
        seats.play(cast("int", seats.choice))
    first = words.reset(seed=3)
    return [
        env.reset(seed=4)[0].tolist(),
        envs.reset(seed=4)[0].tolist(),
        [first.text, words.step(next(iter(first.moves))).text],
        [table.reset(seed=3).text, len(table.table.played)],
        [(one.seat, one.action, one.by) for one in seats.played],
        arena.play({"one": player, "random": "random"}, game, deals=1, first_seed=3).players,
    ]


@pytest.mark.parametrize("game", GAMES)
def test_texts_are_read_wherever_a_player_plays(game: str) -> None:
    expected = lasts(last, game)
    assert lasts(Writing(), game) == expected
    assert lasts(WritingRows(), game) == expected


def test_a_text_that_is_no_move_is_refused_where_it_was_said() -> None:
    class Vague(Writing):
        def __call__(self, text: str, mask: Any, info: dict[str, Any]) -> str:
            return "I could call."

    for place, make in {
        "opponent Vague at seat 0": lambda: CardGameEnv("leduc", seat=1, opponents=Vague()),
        "opponent Vague at seat 0 in row 0": lambda: CardGameVectorEnv(
            1, game="leduc", seat=1, opponents=Vague()
        ),
    }.items():
        with pytest.raises(ValueError, match=f"^{place} has given no legal action$") as refused:
            make().reset(seed=3)
        assert "'I could call.' does not say for certain" in str(refused.value.__cause__)
    with pytest.raises(PlayerFailed, match=r"^Vague, the player in seat 0, fails$") as caught:
        TextEnv("leduc", seat=1, opponents=Vague()).reset(seed=3)
    assert "fails: ValueError: illegal answer: " in caught.value.whole


# ---- Coroutines ----------------------------------------------------------------------------------


async def slow(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    await asyncio.sleep(0.02)
    return int(mask.argmax())


def first(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    return int(mask.argmax())


def test_coroutines_are_waited_for() -> None:
    async def in_a_loop() -> Any:
        return CardGameEnv("leduc", opponents=slow).reset(seed=4)[0]

    expected = CardGameEnv("leduc", opponents=first).reset(seed=4)[0]
    assert (asyncio.run(in_a_loop()) == expected).all()
    slow_one, fast_one = (
        [
            CardGameEnv("leduc", opponents=one).reset(seed=4)[0].tolist(),
            CardGameVectorEnv(3, game="leduc", opponents=one).reset(seed=4)[0].tolist(),
            Table(mhing.Game("leduc"), [one, one], seed=2).choice,
            arena.play({"one": one, "greedy": "greedy"}, "leduc", deals=2, first_seed=3),
        ]
        for one in (slow, first)
    )
    assert slow_one == fast_one


def test_coroutines_of_a_batch_are_waited_for_together() -> None:
    begun = time.monotonic()
    envs = CardGameVectorEnv(64, game="leduc", opponents=slow)
    envs.reset(seed=1)
    assert time.monotonic() - begun < 64 * 0.02 / 2


def test_a_coroutine_that_fails_is_named_by_its_row() -> None:
    async def failing(observation: Any, mask: Any, info: dict[str, Any]) -> int:
        raise KeyError("lost")

    envs = CardGameVectorEnv(4, game="leduc", seat=1, opponents=failing)
    with pytest.raises(RuntimeError, match=r"opponent failing at seat 0 in row 0 has raised Key"):
        envs.reset(seed=1)


def test_questions_at_the_same_time() -> None:
    """Answers in order; an exception in the place of its answer."""

    async def choose(seen: Any, mask: Any, info: dict[str, Any]) -> Any:
        await asyncio.sleep(0.01 * (3 - seen))
        if seen == 1:
            raise ValueError("one")
        return seen

    questions = [(number, np.ones(2, np.int8), 0) for number in range(3)]
    one, other, third = ask_each(choose, questions)
    assert (one, third) == (0, 2)
    assert isinstance(other, ValueError)
