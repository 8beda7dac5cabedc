"""Nets of the core: files, values, and the rounds that nets learn from."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mhing
from mhing import models
from mhing._lib import nets

SIZES = (24, 12, 1)
WITH_FEATURES = [game_id for game_id in mhing.games() if mhing.Game(game_id).features]


def num_features(game: mhing.Game) -> int:
    return sum(feature.count for feature in game.features)


def some_weights(sizes: tuple[int, ...], seed: int = 1) -> NDArray[np.float32]:
    count = sum((n + 1) * m for n, m in pairwise(sizes))
    return np.random.default_rng(seed).normal(0, 0.3, count).astype(np.float32)


def net_bytes(
    game: mhing.Game, note: str = "a test", seed: int = 1, without: tuple[int, ...] = ()
) -> bytes:
    """A net that weighs all features but those `without` weights."""
    sizes = (num_features(game), *SIZES)
    options = game.describe()["options"]
    low, high = ([option[end] for option in options] for end in ("low", "high"))
    weights = some_weights(sizes, seed)
    weights[: sizes[0] * sizes[1]].reshape(sizes[:2])[list(without)] = 0
    return nets.save_net(game._handle, weights, sizes, low, high, note)


def forward(
    sizes: tuple[int, ...], weights: NDArray[np.float32], features: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The core's computation, written anew."""
    at, numbers = 0, features.astype(np.float64)
    for layer, (n, m) in enumerate(pairwise(sizes)):
        matrix = weights[at : at + n * m].reshape(n, m)
        numbers = numbers @ matrix + weights[at + n * m : at + (n + 1) * m]
        at += (n + 1) * m
        if layer < len(sizes) - 2:
            numbers = np.maximum(numbers, 0)
    return numbers[:, 0]


@pytest.fixture(params=WITH_FEATURES)
def game(request: pytest.FixtureRequest) -> mhing.Game:
    return mhing.Game(request.param)


# ---- Values --------------------------------------------------------------------------------------


def test_values_are_those_of_a_slow_forward_pass(game: mhing.Game) -> None:
    draw = np.random.default_rng(2)
    features = draw.random((200, num_features(game)), np.float32)
    features[draw.random(features.shape) < 0.7] = 0
    sizes = (num_features(game), *SIZES)
    net = nets.NetMemory(game._handle, net_bytes(game))
    expected = forward(sizes, some_weights(sizes), features)
    assert np.abs(expected).max() > 0.5
    np.testing.assert_allclose(net.values(features), expected, atol=1e-4)


# ---- Files ---------------------------------------------------------------------------------------


def test_damaged_files_are_refused(game: mhing.Game) -> None:
    data, rng = net_bytes(game), Random(3)
    for place in [*range(600), *(rng.randrange(len(data)) for _ in range(400))]:
        damaged = bytearray(data)
        damaged[place] ^= 1 << rng.randrange(8)
        with pytest.raises(ValueError, match=f"net: for {game.id} it cannot be read"):
            nets.NetMemory(game._handle, bytes(damaged))


def test_parts_of_files_are_refused(game: mhing.Game) -> None:
    data = net_bytes(game)
    for size in (0, 1, 4, 100, 455, 456, 457, 460, len(data) - 4, len(data) - 1):
        with pytest.raises(ValueError, match="it cannot be read: "):
            nets.NetMemory(game._handle, data[:size])
    with pytest.raises(ValueError, match="it cannot be read: the file is damaged"):
        nets.NetMemory(game._handle, data + bytes(4))


def signed(words: NDArray[np.uint32]) -> bytes:
    """A file with a checksum that fits, whatever else is wrong with it."""
    total = 0x811C9DC5
    for at, word in enumerate(words.tolist()):
        total = (total ^ (0 if at == 2 else word)) * 0x01000193 & 0xFFFFFFFF
        total ^= total >> 15
    words[2] = total
    return words.tobytes()


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (1, 2, "another version"),
        (4, 5, "another game, or of other features"),
        (6, 0, "its layers do not fit"),
        (6, 5, "its layers do not fit"),
        (7, 3, "its layers do not fit"),
        (8, 600, "its layers do not fit"),
        (8, 25, "its layers do not fit"),
        (10, 2, "its layers do not fit"),
        (13, 99, "values that the options cannot have"),
        (43, 1, "values that the options cannot have"),
        (107, 1 << 24, "its note has no end"),
        (108, 0x7FC00000, "a weight is too large, or no number"),
        (120, 0x7F800000, "a weight is too large, or no number"),
    ],
)
def test_files_that_say_what_cannot_be_are_refused(place: int, value: int, words: str) -> None:
    game = mhing.Game(WITH_FEATURES[0])
    file = np.frombuffer(net_bytes(game), "<u4").copy()
    assert signed(file.copy()) == net_bytes(game)
    file[place] = value
    with pytest.raises(ValueError, match=words):
        nets.NetMemory(game._handle, signed(file))


def test_nets_that_cannot_be_saved() -> None:
    game = mhing.Game(WITH_FEATURES[0])
    sizes = (num_features(game), 4, 1)
    options = game.describe()["options"]
    low, high = ([option[end] for option in options] for end in ("low", "high"))
    weights = some_weights(sizes)
    with pytest.raises(ValueError, match="too long a note"):
        nets.save_net(game._handle, weights, sizes, low, high, "n" * 256)
    with pytest.raises(ValueError, match=r"weights: \(7,\) given"):
        nets.save_net(game._handle, weights[:7], sizes, low, high, "")
    wide, odd = (num_features(game), 513, 1), (num_features(game) - 1, 4, 1)
    with pytest.raises(ValueError, match="a layer of 513 numbers"):
        nets.save_net(game._handle, some_weights(wide), wide, low, high, "")
    with pytest.raises(ValueError, match="values that the options cannot have"):
        nets.save_net(game._handle, weights, sizes, [number - 1 for number in low], high, "")
    with pytest.raises(ValueError, match="its layers do not fit"):
        nets.save_net(game._handle, some_weights(odd), odd, low, high, "")


def test_games_without_features_have_no_nets() -> None:
    for game in map(mhing.Game, mhing.games()):
        if not game.features:
            with pytest.raises(ValueError, match=f"net: {game.id} has no features"):
                nets.NetMemory(game._handle, b"")


# ---- Rounds to learn from ------------------------------------------------------------------------


def play(
    game: mhing.Game,
    count: int,
    bot: int,
    explore: float,
    threads: int = 1,
    rows: int = 60,
    net: bytes = b"",
) -> nets.FitRows:
    seats = game.num_seats
    return nets.play_to_fit(
        game._handle,
        np.arange(count, dtype=np.uint64),
        np.full((count, seats), bot, np.int32),
        np.arange(count, dtype=np.int32) % seats,
        explore,
        nets.NetMemory(game._handle, net or net_bytes(game)),
        rows,
        threads,
    )


def test_rows_are_what_the_watched_seat_left(game: mhing.Game) -> None:
    """By a bot that draws nothing, so that the rounds can be played once more."""
    greedy = game.bot_index("greedy")
    played = play(game, 12, greedy, explore=0.0)
    assert played.used.min() >= 1
    for number in range(12):
        seat, state, row = number % game.num_seats, game.new_state(number), 0
        while not state.is_terminal and not state.rounds_over:
            action, before = state.bot_action("greedy", 1)[0], state.clone()
            state.apply(action)
            if before.seat != seat:
                continue
            actions, features, values = before.afterstates(every=True)
            ways = features[(actions == action) & np.isnan(values)]
            if len(ways):
                kept = played.features[number, row]
                assert (ways == kept).all(1).any()
                row += 1
        assert row == played.used[number]
        np.testing.assert_array_equal(played.returns[number], state.returns())
        if row:
            assert played.earned[number, 0] == state.returns()[seat]


def test_features_without_weights_are_left_out_of_the_rows() -> None:
    game = mhing.Game("mhing")
    expert = next(feature for feature in game.features if feature.name == "expert")
    places = tuple(range(expert.offset, expert.offset + expert.count))
    greedy = game.bot_index("greedy")
    for without in ((), places[:1], places[1:], places):
        net = net_bytes(game, without=without)
        rows = play(game, 12, greedy, explore=0.2, net=net).features
        assert rows[..., : expert.offset].any()
        assert rows[..., places].any((0, 1)).all() == (without != places)


def test_threads_change_nothing(game: mhing.Game) -> None:
    one, three = (play(game, 40, nets.BY_NET, explore=0.2, threads=n) for n in (1, 3))
    for first, second in zip(one, three, strict=True):
        np.testing.assert_array_equal(first, second)


def explored_rows(
    game: mhing.Game, played: nets.FitRows, number: int
) -> Iterator[tuple[int, int, int, bool]]:
    """Plays a round of greedy once more, by what it left.

    Yields:
        At each decision of the watched seat after its first row: how many actions are worth
        considering, the place of the one that it took among them, greedy's, and whether the row
        before says that it was explored.
    """
    seat, state, row, explored = number % game.num_seats, game.new_state(number), 0, False
    while not state.is_terminal and not state.rounds_over:
        action = greedy = state.bot_action("greedy", 1)[0]
        if state.seat == seat:
            actions, features, values = state.afterstates()
            looked_at = list(dict.fromkeys(actions.tolist()))
            known = row < played.used[number]
            same = (features == played.features[number, row]).all(1) & known & np.isnan(values)
            ways = set(actions[same].tolist())
            certain = set(actions[~np.isnan(values)].tolist())
            if len(ways or certain) != 1:  # two moves leave equal features: who knows
                return
            (action,) = ways or certain
            if row and len(looked_at) > 1 and greedy in looked_at:
                yield len(looked_at), looked_at.index(action), looked_at.index(greedy), explored
            if ways:
                explored = bool(played.explored[number, row])
                row += 1
        state.apply(action)
    assert row == played.used[number]


def test_the_seat_explores_among_candidates_and_says_so(game: mhing.Game) -> None:
    greedy, rounds = game.bot_index("greedy"), 150
    played = play(game, rounds, greedy, explore=0.3)
    found = [one for number in range(rounds) for one in explored_rows(game, played, number)]
    own = [place == by_greedy for _, place, by_greedy, explored in found if not explored]
    assert len(own) > 300
    assert all(own)
    at_random = [(place + 0.5) / count for count, place, _, explored in found if explored]
    share = len(at_random) / (len(at_random) + len(own))
    assert share == pytest.approx(0.3, abs=0.07)
    assert np.mean(at_random) == pytest.approx(0.5, abs=4 * 0.29 / len(at_random) ** 0.5)


def test_a_seat_that_never_explores_plays_on(game: mhing.Game) -> None:
    plain, always = (play(game, 60, game.bot_index("greedy"), explore=n) for n in (0.0, 1.0))
    assert not plain.explored.any()
    assert always.explored.sum() > 0.5 * (always.used - 1).clip(0).sum()


def test_rows_beyond_those_asked_for_are_left_out(game: mhing.Game) -> None:
    greedy = game.bot_index("greedy")
    many, few = (play(game, 20, greedy, explore=0.0, rows=n) for n in (60, 2))
    np.testing.assert_array_equal(few.used, np.minimum(many.used, 2))
    np.testing.assert_array_equal(few.earned, many.earned[:, :2])
    np.testing.assert_array_equal(few.features, many.features[:, :2])


def test_plans_that_cannot_be_played() -> None:
    game = mhing.Game(WITH_FEATURES[0])
    with pytest.raises(ValueError, match="there is no such bot, or no net"):
        play(game, 2, 99, explore=0.0)
    with pytest.raises(ValueError, match="rows or threads is not at least 1"):
        play(game, 2, 0, explore=0.0, rows=0)
    seeds, none = np.zeros(1, np.uint64), np.zeros(1, np.int32)
    bots = np.zeros((1, game.num_seats), np.int32)
    with pytest.raises(ValueError, match="watched: there is no such seat"):
        nets.play_to_fit(game._handle, seeds, bots, none + 9, 0.0, None, 4, 1)
    with pytest.raises(ValueError, match="there is no such bot, or no net"):
        nets.play_to_fit(game._handle, seeds, bots - 1, none, 0.0, None, 4, 1)


INTERRUPTED = """
import signal, time
import numpy as np
import mhing
from mhing._lib import nets

game = mhing.Game("mhing")
seats = np.full((1, 4), game.bot_index("search:1000000"), np.int32)
first = np.zeros(1, np.int32)
pressed = []
def press(*_):
    pressed.append(time.monotonic())
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, press)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    nets.play_to_fit(game._handle, np.arange(1, dtype=np.uint64), seats, first, 0.0, None, 4, 1)
except KeyboardInterrupt:
    print(time.monotonic() - pressed[0])
"""


def test_ctrl_c_does_not_wait_for_a_search() -> None:
    """The process ends, with the search that nobody waits for in it."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=True
    )
    assert float(done.stdout) < 1


# ---- Nets that come with a game, and nets in files -----------------------------------------------

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "envs").glob("*/nets/*.net"))


def game_of(file: Path) -> mhing.Game:
    """A game that the net was trained for, as its card says."""
    return models.named(f"{file.parts[-3]}/{file.stem}").make_game()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_shipped_nets_can_be_read_and_say_what_made_them(file: Path) -> None:
    game = game_of(file)
    nets.NetMemory(game._handle, file.read_bytes())
    assert f"mhing train {game.id} --method fitted".encode() in file.read_bytes()
    assert game.bots[-1].name == "net"


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_a_net_in_a_file_plays_as_it_does_in_the_game(file: Path) -> None:
    game = game_of(file)
    for seed in range(3):
        state = game.new_state(seed)
        while not state.is_terminal:
            action, _ = state.bot_action(f"net:{file.stem}", 1)
            assert state.bot_action(f"net:{file}", 1) == (action, 1)
            judged, own = state.values(f"net:{file.stem}"), state.values(f"net:{file}")
            np.testing.assert_array_equal(judged.values, own.values)
            assert judged.values[judged.actions == action] == judged.values.max()
            state.apply(action)


def test_a_file_is_read_when_the_game_is_first_asked_for_it(tmp_path: Path) -> None:
    game, file = mhing.Game("mhing"), tmp_path / "mine.net"
    file.write_bytes(FILES[0].read_bytes()[:-4])
    with pytest.raises(ValueError, match=r"mine\.net: for mhing it cannot be read"):
        game.bot_index(f"net:{file}")
    file.write_bytes(net_bytes(game))
    bot = game.bot_index(f"net:{file}")
    file.unlink()
    assert game.bot_index(f"net:{file}") == bot
    with pytest.raises(ValueError, match=r"mine\.net: the file cannot be read"):
        mhing.Game("mhing").bot_index(f"net:{file}")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("net:mhing/quick", "; did you mean net:quick?"),
        ("net:./quick+credits", "; did you mean net:quick+credits?"),
        ("net:quick+mine.net", "; only nets of the package are joined by +, not files"),
        ("net:./mine.net", ""),
    ],
)
def test_of_a_file_that_is_not_there_the_net_that_was_meant(name: str, meant: str) -> None:
    said = re.escape(f"{name}: the file cannot be read: No such file or directory{meant}")
    with pytest.raises(ValueError, match=f"^{said}$"):
        mhing.Game("mhing").bot_index(name)


def test_of_a_folder_the_run_that_was_meant(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(f"; did you mean run:{tmp_path}?")):
        mhing.Game("mhing").bot_index(f"net:{tmp_path}")


def test_of_the_nets_that_suit_a_game_the_first_one_by_name_is_the_bot() -> None:
    game = mhing.Game("mhing")
    state, quick = game.new_state(1), 0
    while not state.is_terminal:
        action, _ = state.bot_action("net", 1)
        assert state.bot_action("net:credits", 1)[0] == action
        quick += state.bot_action("net:quick", 1)[0] != action
        state.apply(action)
    assert quick
    assert mhing.Game("mhing", episode="game", reward="win").bot_index("net:quick") > 0
    with pytest.raises(ValueError, match=r"^net:chips: trained for reward=chips, not for rew"):
        game.bot_index("net:chips")
    with pytest.raises(ValueError, match=r"^no net 'fast' came with mhing; there is chips, cred"):
        game.bot_index("net:fast")
    with pytest.raises(ValueError, match=r"^no net 'fast' came with mhing; there is chips, cred"):
        game.bot_index("net:quick+fast")
    for joined in ("net:+credits", "net:quick+", "net:quick+credits+quick"):
        said = re.escape(f"{joined}: two nets are joined as net:FIRST+NAME")
        with pytest.raises(ValueError, match=f"^{said}$"):
            game.bot_index(joined)
    with pytest.raises(ValueError, match=r"^net:chips: trained for reward=chips, not for rew"):
        game.bot_index("net:quick+chips")
    with pytest.raises(ValueError, match=r"^net:quick\+quick: a net is joined to itself$"):
        game.bot_index("net:quick+quick")
    with pytest.raises(ValueError, match=r"^no net 'quick' came with leduc; there is none$"):
        mhing.Game("leduc").bot_index("net:quick")


@pytest.mark.parametrize("left_out", ["", "expert"])
def test_a_net_judges_by_its_best_afterstate(
    game: mhing.Game, left_out: str, tmp_path: Path
) -> None:
    """Also one to which a feature makes no difference."""
    without = tuple(
        place
        for feature in game.features
        for place in range(feature.offset, feature.offset + feature.count)
        if feature.name == left_out
    )
    data = net_bytes(game, without=without)
    (tmp_path / "a.net").write_bytes(data)
    name, net = f"net:{tmp_path / 'a.net'}", nets.NetMemory(game._handle, data)
    for seed in range(2):
        state = game.new_state(seed)
        while not state.is_terminal:
            actions, features, certain = state.afterstates()
            values = np.where(np.isnan(certain), net.values(features), certain)
            chosen, _ = state.bot_action(name, 1)
            assert chosen == actions[values.argmax()]
            judged = state.values(name)
            for action in set(actions.tolist()):
                value = judged.values[judged.actions == action][0]
                assert values[actions == action].max() - 1e-6 <= value <= values.max() + 1e-6
            state.apply(chosen)


def chosen_by_first(
    first: nets.NetMemory, features: NDArray[np.float32], certain: NDArray[np.float64]
) -> list[int]:
    """The three that are worth most, as far as the first one of them is worth little more."""
    worths, left = first.values(features), np.flatnonzero(np.isnan(certain)).tolist()
    chosen: list[int] = []
    while left and len(chosen) < 3:
        best = max(left, key=lambda look: float(worths[look]))
        if chosen and worths[best] < worths[chosen[0]] - np.float32(0.3):
            break
        chosen.append(best)
        left.remove(best)
    return chosen


def test_a_first_net_chooses_what_the_other_one_judges() -> None:
    game = mhing.Game("mhing")
    first, net = (
        nets.NetMemory(game._handle, (ROOT / f"envs/mhing/nets/{name}.net").read_bytes())
        for name in ("quick", "credits")
    )
    lengths, differ, declared = set(), 0, 0
    for seed in range(30):
        state = game.new_state(seed)
        while not state.is_terminal:
            actions, features, certain = state.afterstates()
            looks = chosen_by_first(first, features, certain)
            worths = certain.copy()
            worths[looks] = net.values(features[looks])
            action, _ = state.bot_action("net:quick+credits", 1)
            assert action == actions[np.nanargmax(worths)]
            best = np.nanmax(worths)
            actions, features, certain = state.afterstates(every=True)
            worths = np.where(np.isnan(certain), net.values(features), certain)
            judged = state.values("net:quick+credits")
            for other, value in zip(judged.actions, judged.values, strict=True):
                assert value == min(best, worths[actions == other].max())
            lengths.add(len(looks))
            declared += not np.isnan(certain).all()
            differ += state.bot_action("net:credits", 1)[0] != action
            state.apply(action)
    assert lengths == {1, 2, 3}
    assert differ > 3
    assert declared > 3


def test_two_nets_play_whole_games_as_they_play_rounds() -> None:
    whole = mhing.Game("mhing", episode="game", reward="win")
    rounds = mhing.Game("mhing")
    one, other = whole.new_state(2), rounds.new_state(2)
    for _ in range(30):
        action, _ = one.bot_action("net:quick+credits", 1)
        assert other.bot_action("net:quick+credits", 1) == (action, 1)
        one.apply(action)
        other.apply(action)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_a_net_is_refused_for_what_it_was_not_trained_for(file: Path) -> None:
    seats = game_of(file).num_seats
    alike = [game_of(other) for other in FILES if other.parent == file.parent]
    trained = {game.options["reward"] for game in alike if game.num_seats == seats}
    options = game_of(file).describe()["options"]
    rewards = set(next(option["choices"] for option in options if option["name"] == "reward"))
    for reward in rewards - trained - ({"chips"} if seats > 4 else set()):
        game = mhing.Game(file.parts[-3], reward=reward, num_players=seats)
        assert "net" not in [bot.name for bot in game.bots]
        # Of the nets of a game, one for these players and one for this reward may be as near.
        either = f"(reward={reward}|num_players={seats})"
        for name, option in (("net", either), (f"net:{file}", f"reward={reward}")):
            with pytest.raises(ValueError, match=f"^{re.escape(name)}: trained .*not for {option}"):
                game.new_state(1).bot_action(name, 1)


SURROGATES = [
    ("mhing", {}, "credits"),
    ("mhing", {"num_players": 3}, "credits"),
    ("mhing", {"scoring": "chips"}, "chips"),
    ("general_mhing", {}, "margin"),
]


@pytest.mark.parametrize(("game_id", "options", "reward"), SURROGATES)
def test_where_only_the_game_is_rewarded_it_plays_for_what_rounds_pay(
    game_id: str, options: dict[str, Any], reward: str
) -> None:
    """It plays what it plays where that is the reward, also in round two, and does not judge."""
    game = mhing.Game(game_id, episode="game", reward="win", **options)
    paid = mhing.Game(game_id, episode="game", reward=reward, **options)
    file = next(
        file
        for file in FILES
        if (it := game_of(file)).id == game_id
        and (it.num_seats, it.options["reward"]) == (game.num_seats, reward)
    )
    one, other = game.new_state(1), paid.new_state(1)
    assert not next(bot for bot in game.bots if bot.name == "net").values
    with pytest.raises(ValueError, match=r"net of .* does not judge"):
        one.values("net")
    for _ in range(300):
        if one.is_terminal:
            break
        action, _ = other.bot_action("net", 1)
        assert {one.bot_action(name, 1)[0] for name in ("net", f"net:{file}")} == {action}
        one.apply(action)
        other.apply(action)
    assert one.rounds_over > 1


def test_where_a_place_counts_it_does_not_play_for_its_own_points() -> None:
    with pytest.raises(ValueError, match=r"^net: trained for .*, not for reward=rank$"):
        mhing.Game("mexican_rummy", episode="game", reward="rank").bot_index("net")


def test_files_that_are_no_nets(game: mhing.Game, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the file cannot be read: No such file"):
        game.bot_index(f"net:{tmp_path / 'none'}")
    (tmp_path / "text").write_text("no net")
    with pytest.raises(ValueError, match="these bytes are no net"):
        game.bot_index(f"net:{tmp_path / 'text'}")
    (tmp_path / ("n" * 200)).write_bytes(net_bytes(game))
    with pytest.raises(ValueError, match="its name has more than 127 bytes"):
        game.bot_index(f"net:{tmp_path / ('n' * 200)}")
    with pytest.raises(ValueError, match="no bot 'netto'"):
        game.bot_index("netto")
    (tmp_path / "a").write_bytes(net_bytes(game))
    bot = game.bot_index(f"net:{tmp_path / 'a'}")
    assert game.bot_index(f"net:{tmp_path / 'a'}") == bot
    with pytest.raises(ValueError, match="cannot hold more"):
        fill(game, tmp_path)


def fill(game: mhing.Game, folder: Path) -> None:
    """Names bots until there is no room."""
    for number in range(1000):
        (folder / f"{number}").write_bytes(net_bytes(game))
        game.bot_index(f"net:{folder / str(number)}")
