"""Fitted afterstate values: equal from equal seeds, what is learned from, and that it learns."""

from __future__ import annotations

import io
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from small_runs import one_thread  # noqa: F401  a fixture

import mhing
from mhing import arena
from mhing._lib import nets
from mhing.cli import main
from mhing.train import fitted, netfile
from mhing.train.learner import Settings
from mhing.train.netfile import made_by
from mhing.train.workers import ProcessWorker

SMALL = fitted.Tuning(rounds=250, keep=4, hidden=16, hidden2=8, minibatch=128, teacher_share=0.5)
MIXED = replace(SMALL, mix=0.3)
STEPS = 5
SHIPPED = sorted((Path(__file__).parents[3] / "envs").glob("*/nets/*.net"))
GAMES = [game_id for game_id in mhing.games() if mhing.Game(game_id).features]


def learner(game_id: str = GAMES[0], seed: int = 1, tuning: fitted.Tuning = SMALL) -> fitted.Fitted:
    return fitted.make(mhing.Game(game_id), Settings(game=game_id, seed=seed), tuning)


def train(one: fitted.Fitted, first: int = 0, last: int = STEPS) -> list[dict[str, Any]]:
    numbers = []
    for step in range(first, last):
        one.set_progress(step / STEPS)
        numbers.append(one.step())
    return numbers


def memory(one: fitted.Fitted) -> nets.NetMemory:
    return nets.NetMemory(one.game._handle, one.to_bytes())


def earned(game: mhing.Game, net: nets.NetMemory | None, bot: int, rounds: int) -> float:
    """The average earnings of a seat against greedy, played by the net or by a bot."""
    seats = np.arange(rounds, dtype=np.int32) % game.num_seats
    bots = np.full((rounds, game.num_seats), game.bot_index("greedy"), np.int32)
    bots[np.arange(rounds), seats] = bot
    seeds = np.arange(10**6, 10**6 + rounds, dtype=np.uint64)
    played = nets.play_to_fit(game._handle, seeds, bots, seats, 0.0, net, 1, 1)
    return float(played.returns[np.arange(rounds), seats].mean())


@pytest.mark.slow
@pytest.mark.parametrize("game_id", GAMES)
def test_the_same_seed_gives_the_same_bytes_and_more_than_random(game_id: str) -> None:
    one, other = learner(game_id), learner(game_id)
    numbers = train(one)
    assert train(other) == numbers
    assert one.to_bytes() == other.to_bytes()
    different = learner(game_id, seed=2)
    train(different, last=1)
    assert different.to_bytes() != one.to_bytes()
    rounds = 400
    by_net = earned(one.game, memory(one), nets.BY_NET, rounds)
    by_chance = earned(one.game, None, one.game.bot_index("random"), rounds)
    assert by_net > by_chance + 0.05


@pytest.mark.parametrize("game_id", GAMES)
def test_the_core_judges_as_the_learner_does_in_units_of_the_reward(game_id: str) -> None:
    one = learner(game_id)
    one.step()
    rows, _ = one.play(one.next_source(40))
    assert one.spread == pytest.approx(float(one.kept[0].earned.std()))
    values = memory(one).values(rows.features.float().numpy())
    assert values == pytest.approx(one.values(rows).numpy(), abs=1e-4 * one.spread)


@pytest.mark.slow
@pytest.mark.once
def test_rounds_are_the_same_whoever_plays_them() -> None:
    """Two workers, one of which is lost before it has played its part."""
    game = mhing.Game(GAMES[0])
    one, other = (
        fitted.make(game, Settings(game=game.id, workers=workers), SMALL) for workers in (1, 2)
    )
    other.pool.refresh()
    worker = other.pool.workers[1]
    assert isinstance(worker, ProcessWorker)
    worker.process.kill()
    (rows, returned), (others, same) = (
        one.play(one.next_source(50)),
        other.play(other.next_source(50)),
    )
    assert np.array_equal(returned, same)
    for name in fitted.WatchedAfterstates.__annotations__:
        assert torch.equal(getattr(rows, name), getattr(others, name))
    assert other.pool.lost == 1
    numbers = other.step()
    assert (numbers["workers"], numbers["workers_lost"]) == (2, 1)


def test_what_is_learned_does_not_depend_on_threads() -> None:
    game, nets = mhing.Game(GAMES[0]), set()
    for threads in (1, 3):
        learner = fitted.make(game, Settings(game=game.id, threads=threads), SMALL)
        for _ in range(2):
            learner.step()
        nets.add(learner.to_bytes())
    assert len(nets) == 1


def test_rounds_are_the_same_however_many_are_played_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Few are, since room for their rows is dear, and they come in one message."""
    one, other = learner(), learner()
    rows, returned = one.play(one.next_source(50))
    counts, play = [], fitted.FittedActor.play

    def count(actor: fitted.FittedActor, rounds: fitted.Rounds, *more: Any) -> Any:
        counts.append(len(rounds.seeds))
        return play(actor, rounds, *more)

    monkeypatch.setattr(fitted, "AT_ONCE", 7)
    monkeypatch.setattr(fitted.FittedActor, "play", count)
    others, same = other.play(other.next_source(50))
    assert np.array_equal(returned, same)
    for name in fitted.WatchedAfterstates.__annotations__:
        assert torch.equal(getattr(rows, name), getattr(others, name))
    assert max(counts) <= 7
    assert sum(counts) == 50


@pytest.mark.slow
def test_a_learner_goes_on_from_its_state() -> None:
    whole, part, rest = learner(), learner(), learner()
    train(whole)
    train(part, last=3)
    rest.restore(part.state())
    train(rest, first=3)
    assert rest.to_bytes() == whole.to_bytes()


# ---- Opponents -------------------------------------------------------------------------------


def against(*opponents: str, seed: int = 1) -> fitted.Fitted:
    settings = Settings(game="mhing", opponents=opponents, teacher="greedy", seed=seed)
    return fitted.make(mhing.Game("mhing"), settings, replace(SMALL, rounds=200))


def seated(monkeypatch: pytest.MonkeyPatch, one: fitted.Fitted) -> tuple[Any, Any]:
    """The rounds of the next source, and who plays in each seat."""
    found: list[Any] = []

    def look(handle: Any, seeds: Any, players: Any, *more: Any) -> Any:
        found.append(players)
        return play(handle, seeds, players, *more)

    play = fitted.play_to_fit
    source = one.next_source(200)
    with monkeypatch.context() as patched:
        patched.setattr(fitted, "play_to_fit", look)
        one.play(source)
    return one.draw(source), np.concatenate(found)


def test_opponents_that_are_the_learner_play_as_the_watched_seat_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = against("self")
    greedy = one.game.bot_index("greedy")
    _, players = seated(monkeypatch, one)
    assert (players == greedy).all(), "the teacher plays at first"
    one.set_progress(0.9)
    rounds, players = seated(monkeypatch, one)
    assert (players == np.where(rounds.by_teacher, greedy, nets.BY_NET)[:, None]).all()
    assert 0 < rounds.by_teacher.sum() < 200


def test_of_several_opponents_each_seat_gets_one_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    one = against("self", "random", "expert", "expert", "expert")
    one.set_progress(0.9)
    rounds, players = seated(monkeypatch, one)
    others = np.arange(4) != rounds.watched[:, None]
    shares = [
        (players[others] == number).mean()
        for number in map(one.game.bot_index, ("random", "expert"))
    ]
    assert shares == pytest.approx([0.2, 0.6], abs=0.06)
    first, second = players[:, 0][rounds.watched > 1], players[:, 1][rounds.watched > 1]
    assert (first != second).any()


@pytest.mark.slow
def test_a_league_grows_and_has_all_other_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitted, "GROW", 1)
    one = against("league")
    lines = train(one)
    names = [f"past:{step}" for step in range(1, STEPS)]
    known: Any = lines[-1]["league"]
    bots = [name for name in known if not name.startswith("past:")]
    assert [*known] == [*bots, *names]
    assert "random" not in bots
    assert {"greedy", "expert"} <= {*bots}
    assert [*one.rivals()] == [*names, f"past:{STEPS}"]
    rounds, players = seated(monkeypatch, one)
    others = np.arange(4) != rounds.watched[:, None]
    theirs = players[others].reshape(-1, 3)
    assert (theirs == theirs[:, :1]).all()
    assert nets.BY_NET not in theirs
    assert len(np.unique(theirs)) > len(names)
    own = one.past(one.next_source(1))
    assert len({*own.values()}) == STEPS, "each has separate weights"


def test_a_league_counts_what_is_earned_by_the_net_only() -> None:
    one = against("league")
    one.set_progress(0.9)
    source = one.next_source(200)
    _, earned = one.play(source)
    found = one.advance(source, earned)["league"]
    rounds = one.draw(source)
    for number, name in enumerate(source.members):
        some = (rounds.opponents[:, 0] == number) & ~rounds.by_teacher
        assert found[name]["episodes"] == some.sum()
        assert found[name]["reward"] == pytest.approx(earned[some, 0].mean())
        assert found[name]["theirs"] == pytest.approx(earned[some, 1].mean())


@pytest.mark.slow
@pytest.mark.parametrize("opponents", [("league",), ("self", "greedy", "expert")])
def test_a_run_against_itself_goes_on_to_the_same_bit(
    opponents: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitted, "GROW", 1)
    whole, part, rest = against(*opponents), against(*opponents), against(*opponents, seed=1)
    lines = train(whole)
    train(part, last=3)
    file = io.BytesIO()
    torch.save(part.state(), file)
    file.seek(0)
    rest.restore(torch.load(file, weights_only=True))
    resumed = train(rest, first=3)
    assert rest.to_bytes() == whole.to_bytes()
    assert [line["loss"] for line in resumed] == [line["loss"] for line in lines[3:]]
    if opponents == ("league",):
        assert resumed[-1]["league"] == lines[-1]["league"]


# ---- What is learned from --------------------------------------------------------------------


def test_deals_that_are_held_out_are_not_learned_from() -> None:
    one, other = learner(), learner()
    rows, _ = one.play(one.next_source(200))
    assert 0 < rows.held_out.sum() < len(rows) / 4
    changed = replace(rows, earned=torch.where(rows.held_out, 99.0, rows.earned))
    assert one.fit(rows) == other.fit(changed)
    assert one.to_bytes() == other.to_bytes()
    assert one.held_out_loss(changed) > 1000 > other.held_out_loss(rows)
    ends = (~rows.follows).nonzero()[:, 0].tolist()
    starts = [0, *(end + 1 for end in ends[:-1])]
    for start, end in zip(starts, ends, strict=True):
        assert len(set(rows.held_out[start : end + 1].tolist())) == 1


def test_a_teacher_plays_all_rounds_at_first_and_a_share_of_them_later() -> None:
    one = learner()
    first = one.next_source(400)
    one.set_progress(SMALL.teacher_share)
    later = one.next_source(400)
    assert one.draw(first).by_teacher.all()
    assert one.draw(later).by_teacher.mean() == pytest.approx(SMALL.teacher_share, abs=0.1)


def test_what_a_random_move_brought_is_not_learned_from() -> None:
    one, other = learner(), learner()
    rows, _ = one.play(one.next_source(200))
    assert 0.02 < rows.explored.float().mean() < 0.3
    changed = replace(rows, earned=torch.where(rows.explored, 99.0, rows.earned))
    assert one.fit(rows) == other.fit(changed)
    assert one.held_out_loss(rows) == other.held_out_loss(changed)


def test_what_plays_is_the_average_of_the_weights() -> None:
    one = learner()
    first = one.net.weights.detach().clone()
    one.net.weights.data += 1.0
    for _ in range(9):
        one.update_average()
    moved = one.average.weights - first
    assert 0.0 < float(moved.min()) < float(moved.max()) + 1e-5 < 1.0
    assert float(moved.max() - moved.min()) < 1e-5
    memory = nets.NetMemory(one.game._handle, one.to_bytes())
    ones = torch.ones(1, one.net.sizes[0])
    values = memory.values(ones.numpy())
    expected = one.average(ones.half(), torch.tensor([0])) * one.spread + one.mean
    assert float(values[0]) == pytest.approx(float(expected), rel=1e-4)


def test_targets_mix_returns_with_the_value_of_the_next_row() -> None:
    one = learner(tuning=MIXED)
    rows, _ = one.play(one.next_source(60))
    assert torch.equal(one.targets(rows), rows.earned)
    one.set_progress(MIXED.returns)
    values, targets = one.values(rows), one.targets(rows)
    for i in range(len(rows)):
        expected = float(rows.earned[i])
        if rows.follows[i]:
            later = float(rows.earned[i] - rows.earned[i + 1] + values[i + 1])
            expected = MIXED.mix * expected + (1 - MIXED.mix) * later
        assert abs(float(targets[i]) - expected) < 1e-5


def test_exported_nets_are_bound_to_what_they_were_trained_for() -> None:
    game = mhing.Game(GAMES[0])
    option = next(one for one in game.describe()["options"] if one["name"] == "reward")
    assert netfile._number_of(option) == option["choices"].index(option["value"])
    with pytest.raises(ValueError, match="leduc has no features"):
        fitted.make(mhing.Game("leduc"), Settings(game="leduc"), SMALL)


def test_a_learner_begins_with_the_net_that_teaches_it(tmp_path: Path) -> None:
    first = learner()
    train(first)
    (file,) = first.export(tmp_path)
    assert file.read_bytes() == first.to_bytes()
    game = mhing.Game(GAMES[0])
    settings = Settings(game=game.id, method="fitted", teacher=f"net:{file}", steps=9, seed=3)
    second = fitted.make(game, settings, SMALL)
    rows, _ = first.play(first.next_source(40))
    assert torch.allclose(second.values(rows), first.values(rows), atol=1e-4)
    second.mean, second.spread = 0.7, 2.0
    second.rescale()
    assert torch.allclose(second.values(rows), first.values(rows), atol=1e-4)
    assert made_by(settings, game) == (
        f"mhing train {game.id} --method fitted --steps 9 --seed 3 --teacher net:{file}"
    )
    other = replace(SMALL, hidden=17)
    with pytest.raises(ValueError, match="other layers than are to be learned"):
        fitted.make(game, settings, other)


@pytest.mark.parametrize(
    ("game_id", "name"), [("mhing", "expert"), ("mhing", "useful_for"), ("general_mhing", None)]
)
def test_a_net_does_without_features_that_are_skipped(
    game_id: str, name: str | None, tmp_path: Path
) -> None:
    """A feature is skipped even where the game computes it for every net."""
    game = mhing.Game(game_id)
    skipped = next(feature for feature in game.features if name in (None, feature.name))
    places = slice(skipped.offset, skipped.offset + skipped.count)
    inputs = learner(game_id).net.sizes[0]
    settings = Settings(game=game_id, method="fitted", steps=9, skip=(skipped.name,))
    assert made_by(settings, game).endswith(f"--seed 1 --skip {skipped.name}")

    def weights(one: fitted.Fitted) -> Any:
        return memory(one).weights()[: inputs * SMALL.hidden].reshape(inputs, SMALL.hidden)

    one, other = fitted.make(game, settings, SMALL), learner(game_id)
    for each, reads in ((one, False), (other, True)):
        train(each, last=2)
        assert each.kept[-1].features[:, places].any() == reads
        assert weights(each)[places].any() == reads
        assert np.delete(weights(each), places, 0).any()
    (file,) = other.export(tmp_path)
    second = fitted.make(game, replace(settings, teacher=f"net:{file}"), SMALL)
    assert not weights(second)[places].any()


def test_a_net_names_the_command_that_makes_it() -> None:
    game = mhing.Game("mhing", rules="jmhing", num_players=3)
    made = Settings("mhing", game.options, "fitted", minutes=2, teacher="greedy")
    assert made_by(made, game) == (
        "mhing train mhing --method fitted --minutes 2 --seed 1 --teacher greedy "
        "--option num_players=3 --option lay_down=on"
    )


def test_a_player_is_a_bot_of_the_game() -> None:
    one = learner()
    one.step()
    bot = one.game.bot_index(one.player())
    assert bot >= len(one.game.bots)
    with pytest.raises(ValueError, match="net: trained for"):
        mhing.Game(GAMES[0], num_players=2 if one.game.num_seats > 2 else 3).bot_index(one.player())


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_shipped_nets_are_what_the_command_in_them_would_write(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the weights: the layers, the options that it may play with, the command itself."""
    data, asked = file.read_bytes(), []

    def start(path: Path, settings: Settings) -> None:
        asked.append(settings)
        raise ValueError("it would take minutes")

    monkeypatch.setattr("mhing.train.run.start", start)
    monkeypatch.chdir(file.parent)  # a teacher may be the net that it takes the place of
    command = data[data.index(b"mhing train") :].partition(b"\0")[0].decode()
    assert main(shlex.split(command)[1:]) == 2
    again = asked[0].make_learner()
    made = again.to_bytes()
    weights = nets.NetMemory(again.game._handle, data).weights()
    assert len(made) == len(data)
    header, checksum = len(data) - weights.nbytes, slice(8, 12)
    assert made[: checksum.start] == data[: checksum.start]
    assert made[checksum.stop : header] == data[checksum.stop : header]


def test_the_command_writes_a_net_that_plays(tmp_path: Path) -> None:
    run = tmp_path / "run"
    tuning = ["--tune", "rounds=200", "--tune", "hidden=8"]
    given = ["train", "mhing", "--method", "fitted", "--steps", "2000", "--deals", "4"]
    assert main([*given, *tuning, "--out", str(run)]) in (0, None)
    data = (run / "values.net").read_bytes()
    command = "mhing train mhing --method fitted --steps 2000 --seed 1"
    assert f"{command} --tune rounds=200 --tune hidden=8\0".encode() in data
    assert mhing.Game("mhing").bot_index(f"net:{run / 'values.net'}") >= 0
    by_folder, by_file = f"run:{run}", f"net:{run / 'values.net'}"
    for hints in (False, True):  # a net goes by the cards themselves
        game = mhing.Game("mhing", hints=hints)
        result = arena.play({"folder": by_folder, "file": by_file}, game, field="greedy", deals=4)
        assert result.players[0].reward.value == result.players[1].reward.value
    envs = gym.make_vec("mhing:Mhing-v0", num_envs=2, opponents=by_folder)
    envs.reset(seed=1)
    assert envs.step(envs.sample_actions())[0].shape[0] == 2
    with pytest.raises(ValueError, match=r"^opponents: '.*run': trained for reward=credits, not"):
        gym.make("mhing:Mhing-v0", opponents=by_folder, reward="win")
    with pytest.raises(ValueError, match=r"has learned to play Game\('mhing'\), not"):
        gym.make("mhing:Mhing-v0", opponents=by_folder, num_players=3)
