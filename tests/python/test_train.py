"""The example that learns: its parts against slow and plain ones, and that it does learn."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mhing
from mhing.cli import main
from mhing.examples import ppo_mhing as ppo

SMALL = ppo.Settings(rows=64, horizon=8, minibatch=128, rounds=150)
GAME = mhing.Game("mhing", hints=True)
TEXTS = [GAME.action_text(action) for action in range(GAME.num_actions)]
CARDS = [text.removeprefix("discard ") for text in TEXTS[:35]]

Capture = pytest.CaptureFixture[str]


def exchanged(text: str, suits: Any) -> str:
    """Texts of cards and actions with bamboo renamed to the first of `suits`, and so on."""
    return re.sub("(?<=[0-9*])[spm]", lambda suit: suits["spm".index(suit[0])], text)


# ---- What the network sees -------------------------------------------------------------------


def test_actions_are_numbered_with_the_suits_in_their_order() -> None:
    for k, order in enumerate(ppo.ORDERS):
        suits = ["spm"[suit] for suit in order]
        ids = ppo.ACTION[k].tolist()
        assert [TEXTS[action] for action in ids] == [exchanged(text, suits) for text in TEXTS]
        assert ppo.OURS[k][ids].tolist() == list(range(GAME.num_actions))
        assert [CARDS[card] for card in ppo.TYPE[k]] == [exchanged(card, suits) for card in CARDS]


def test_slots_and_jokers_of_actions() -> None:
    """Actions share a slot when they differ in their jokers only."""
    texts: dict[int, set[str]] = {}
    for action, text in enumerate(TEXTS):
        assert ppo.JOKERS[action] == text.count("*")
        texts.setdefault(int(ppo.SLOT[action]), set()).add(text.replace("*", ""))
    assert sorted(texts) == list(range(92))
    assert all(len(same) == 1 for same in texts.values())


def test_melds_are_the_cards_that_they_stand_for() -> None:
    envs = ppo.make_batch(SMALL, 64)
    envs.reset(seed=1)
    seen = set()
    for _ in range(100):
        observations, *_ = envs.step(envs.sample_actions())
        kinds = envs.unpack(observations)["meld_kind"]
        row = int(np.argmax(np.count_nonzero(kinds[:, 0], axis=1)))
        state = envs.state(row)
        for kind, meld in zip(kinds[row, 0], state.to_dict()["melds"][state.seat], strict=False):
            assert np.repeat(CARDS, ppo.MELD[kind]).tolist() == meld["cards"]
            seen.add(int(kind))
    assert len(seen) > 20, "the test has seen many melds"


def exchange_suits(observations: np.ndarray, suits: str) -> np.ndarray:
    """The same positions with the suits renamed."""
    result = observations.copy()
    old, new = GAME.unpack(observations), GAME.unpack(result)
    cards = [CARDS.index(exchanged(card, suits)) for card in CARDS]
    actions = [TEXTS.index(exchanged(text, suits)) for text in TEXTS]
    sequences = [(action - 35) // 8 + 1 for action in actions[35:203:8]]
    triplets = [(action - 203) // 4 + 22 for action in actions[203:339:4]]
    for field in ("hand", "unseen"):
        new[field][:, cards] = old[field]
    for field in ("distance_after", "useful_after"):
        new[field][:, actions] = old[field]
    new["offer"][:] = np.array([0, *(card + 1 for card in cards)])[old["offer"]]
    new["meld_kind"][:] = np.array([0, *sequences, *triplets])[old["meld_kind"]]
    return result


@pytest.mark.parametrize("suits", ["psm", "mps", "pms"])
def test_the_suits_are_alike(suits: str) -> None:
    """Positions that differ in the names of their suits alone look the same."""
    envs = ppo.make_batch(SMALL, 64)
    observations, _ = envs.reset(seed=1)
    compared = 0
    for _ in range(30):
        view = ppo.look(envs, observations)
        other = ppo.look(envs, exchange_suits(observations, suits))
        seen = envs.unpack(observations)
        own = seen["hand"] + ppo.MELD.numpy()[seen["meld_kind"][:, 0]].sum(1)
        sizes = np.sort(own[:, :27].reshape(-1, 3, 9).sum(2))
        clear = np.diff(sizes).all(axis=1)  # no two suits of the same size
        for part in ("inputs", "after", "behind"):
            assert torch.equal(getattr(view, part)[clear], getattr(other, part)[clear])
        compared += clear.sum()
        observations, *_ = envs.step(envs.sample_actions())
    assert compared > 300


def test_the_critic_sees_hands_and_draws() -> None:
    envs = ppo.make_batch(SMALL, 64)
    observations, _ = envs.reset(seed=2)
    for _ in range(12):
        observations, *_ = envs.step(envs.sample_actions())
    view = ppo.look(envs, observations, all_cards=True)
    hands, draws = view.hidden[:, 105:210].reshape(-1, 3, 35), view.hidden[:, 210:350]
    for row in range(64):
        state = envs.state(row).to_dict()
        cards = [CARDS[card] for card in ppo.TYPE[view.order[row]]]
        for other in range(3):
            hand = state["hands"][(state["seat"] + 1 + other) % 4]
            assert hands[row, other].tolist() == [8 * hand.count(card) for card in cards]
        expected = np.zeros((4, 35))
        for place, card in enumerate(state["source"][:12]):
            if card in cards:  # no flower
                drawer = (state["on_turn"] + 1 + place - state["seat"]) % 4
                expected[drawer, cards.index(card)] += (32, 16, 8)[place // 4]
        assert np.array_equal(draws[row].reshape(4, 35), expected)


# ---- Acting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [True, False])
def test_chosen_actions_are_legal(sample: bool) -> None:
    envs, agent = ppo.begin(replace(SMALL, opponents="random", trust=0.0))
    torch.nn.init.normal_(agent.head.weight)  # strong opinions, also about what is illegal
    for _ in range(60):
        masks = envs.action_masks()
        view = ppo.look(envs, envs.observe()[0])
        with torch.no_grad():
            rows, actions, logs = agent(view)
            ids, chosen, chosen_logs = agent.choose(envs, view, sample)
        assert masks[np.arange(64), ids].all()
        assert np.array_equal(ppo.ACTION[view.order, chosen], ids)
        legal = np.zeros_like(masks)
        legal[rows, ppo.ACTION[view.order[rows], actions]] = True
        assert np.array_equal(legal, masks)
        sums = torch.zeros(64).index_add(0, rows, logs.exp())
        assert torch.allclose(sums, torch.ones(64), atol=1e-5)
        for row in range(64):
            own = rows == row
            assert chosen_logs[row] == logs[own][actions[own] == chosen[row]]
            assert sample or chosen_logs[row] == logs[own].max()
        envs.step(ids)


def test_it_begins_close_to_greedy() -> None:
    _, agent = ppo.begin(SMALL)
    settings = replace(SMALL, rounds=3000)
    beginner, greedy = ppo.evaluate(settings, agent), ppo.evaluate(settings, None)
    assert greedy["credits"] - 0.2 < beginner["credits"] < greedy["credits"] + 0.1


# ---- Learning --------------------------------------------------------------------------------


def test_gae_is_the_sum_that_it_stands_for() -> None:
    random, trace = np.random.default_rng(1), 0.9
    rewards, values = random.normal(size=(9, 5)), random.normal(size=(10, 5))
    ends = random.random((9, 5)) < 0.25
    tensors = [torch.from_numpy(array) for array in (rewards, ends.astype(float), values)]
    found = ppo.gae(*tensors, trace)
    for t in range(9):
        for row in range(5):
            total, weight = 0.0, 1.0
            for later in range(t, 9):
                follows = 0.0 if ends[later, row] else values[later + 1, row]
                total += weight * (rewards[later, row] + follows - values[later, row])
                weight *= trace
                if ends[later, row]:
                    break
            assert found[t, row].item() == pytest.approx(total)


def test_a_rollout_is_what_was_played() -> None:
    envs, agent = ppo.begin(SMALL)
    with torch.no_grad():
        views, actions, _, earned, ends, values = ppo.roll_out(envs, agent, 20)
        twin, _ = ppo.begin(SMALL)
        for t in range(20):
            part = ppo.View(*(tensor[64 * t : 64 * (t + 1)] for tensor in views))
            view = ppo.look(twin, twin.observe()[0], all_cards=True)
            assert all(map(torch.equal, view, part))
            assert torch.allclose(agent.value(view), values[t], atol=1e-5)
            ids = ppo.ACTION[view.order, actions[t]]
            _, rewards, over, _, _ = twin.step(ids.numpy())
            assert np.array_equal(earned[t], rewards)
            assert np.array_equal(ends[t], over)
    assert ends.any(), "the test has seen some ends"
    assert values.shape == (21, 64)


def test_a_run_can_be_repeated() -> None:
    settings = replace(SMALL, steps=2000)
    runs = []
    for _ in range(2):
        envs, agent = ppo.begin(settings)
        curve = ppo.learn(settings, envs, agent)
        runs.append(([point | {"minutes": 0} for point in curve], agent.state_dict()))
    assert runs[0][0] == runs[1][0]
    assert curve[-1]["steps"] >= 2000
    assert all(map(torch.equal, runs[0][1].values(), runs[1][1].values()))
    assert all(tensor.isfinite().all() for tensor in agent.parameters())


@pytest.mark.parametrize("updates", [7, 60, 150])
def test_the_curve_joins_what_was_played(updates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Update number i, from 1 on, ends i rounds, or one less, with i credits each."""
    played = iter(range(1, updates + 1))

    def roll_out(*_: object) -> tuple[Any, ...]:
        update = next(played)
        ends = torch.zeros(100, 2)
        ends[: update // 2] = 1
        return None, ends, ends, update * ends, ends, torch.zeros(101, 2)

    monkeypatch.setattr(ppo, "roll_out", roll_out)
    monkeypatch.setattr(ppo, "update", lambda *_: None)
    envs, agent = ppo.begin(SMALL)
    curve = ppo.learn(replace(SMALL, steps=200 * updates), envs, agent)
    assert len(curve) == min(updates, 60)
    first = 1
    for point in curve:
        last = point["steps"] // 200
        rounds = {update: 2 * (update // 2) for update in range(first, last + 1)}
        assert point["rounds"] == sum(rounds.values())
        credits = sum(update * count for update, count in rounds.items())
        assert point["credits"] == pytest.approx(credits / max(1, point["rounds"]))
        first = last + 1
    assert first == updates + 1


def test_it_learns_from_nothing() -> None:
    """Against three random bots, its hints not trusted at first: random play earns 0.55 credits."""
    settings = ppo.Settings(
        opponents="random", trust=0.0, steps=160_000, rounds=1000,
        rows=256, minibatch=1024, learning_rate=1e-3,
    )  # fmt: skip
    envs, agent = ppo.begin(settings)
    before = ppo.evaluate(settings, agent, sample=True)
    curve = ppo.learn(settings, envs, agent)
    assert before["credits"] < 0.8
    assert curve[0]["credits"] < 0.8
    assert curve[-1]["credits"] > 2.5
    assert ppo.evaluate(settings, agent)["credits"] > 2.5


# ---- What came of it -------------------------------------------------------------------------


def test_everybody_is_given_the_same_deals() -> None:
    """The first round of each seed, played on by greedy from where its seat is first asked."""
    envs = ppo.make_batch(SMALL, SMALL.rounds)
    _, infos = envs.reset(seed=ppo.FRESH)
    earned = [
        envs.state(row).play_out("greedy", 0).returns()[seat]
        for row, seat in enumerate(infos["seat"])
    ]
    result = ppo.evaluate(SMALL, None)
    assert result["credits"] == pytest.approx(np.mean(earned))
    assert result["wins"] == np.mean(np.array(earned) > 0)
    assert result["interval"] == pytest.approx(1.96 * np.std(earned, ddof=1) / 150**0.5)


def test_rounds_need_not_fill_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ppo.evaluate(SMALL, None)
    make = ppo.make_batch
    monkeypatch.setattr(ppo, "make_batch", lambda settings, _: make(settings, 64))
    assert ppo.evaluate(SMALL, None) == whole


# ---- The command -----------------------------------------------------------------------------


def test_train(tmp_path: Path, capsys: Capture) -> None:
    weights, curve = tmp_path / "agent.pt", tmp_path / "curve.svg"
    line = f"train --steps 1 --rounds 50 --save {weights} --curve {curve} --json"
    assert main(line.split()) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["curve"][-1]["steps"] == 32 * 1024
    assert "credits a round" in curve.read_text()
    assert main(f"train --minutes 0 --rounds 50 --load {weights} --json".split()) == 0
    assert json.loads(capsys.readouterr().out) == {"curve": [], "results": first["results"]}
    assert main(f"train --minutes 0 --rounds 50 --load {weights}".split()) == 0
    out, err = capsys.readouterr()
    assert re.search(r"^likeliest actions +\d+\.\d% +\d\.\d{3} ± \d\.\d{3}$", out, re.MULTILINE)
    assert "evaluating, greedy: 0 %" in err


@pytest.mark.parametrize("content", [b"", b"no weights"])
def test_weights_that_cannot_be_loaded(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """It is noticed before there is anything to play with."""
    monkeypatch.delattr(ppo, "make_batch")
    path = tmp_path / "agent.pt"
    path.write_bytes(content)
    assert main(["train", "--load", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("mhing: load: ")
    assert err.count("\n") == 1


def test_weights_that_cannot_be_saved(capsys: Capture) -> None:
    line = "train --minutes 0 --rounds 2 --save /dev/full"
    assert main(line.split()) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("mhing: train: a file cannot be")


def test_threads_beyond_the_processors() -> None:
    before = ppo.torch.get_num_threads()
    try:
        ppo.begin(replace(SMALL, threads=2**31 - 1))
        assert ppo.torch.get_num_threads() == os.cpu_count()
    finally:
        ppo.torch.set_num_threads(before)


@pytest.mark.parametrize("missing", ["torch", "matplotlib.figure"])
def test_a_missing_extra_is_named(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.delitem(sys.modules, "mhing.examples.ppo_mhing")
    monkeypatch.delattr(mhing.examples, "ppo_mhing")
    monkeypatch.setitem(sys.modules, missing, None)
    assert main(["train"]) == 2
    expected = f"mhing: train: {missing} is missing: pip install 'mhing[train]'\n"
    assert capsys.readouterr().err == expected
