"""Networks that judge what moves leave, and what they learn by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from learners import WITH_FEATURES, as_seen, settings

import mhing
from mhing._lib.nets import NetMemory, best_afterstates
from mhing.train import ppo
from mhing.train import run as training
from mhing.train.afterstate_net import AfterstateInputs, AfterstateNet
from mhing.train.layers import CoreLayers
from mhing.train.learner import FEATURES
from mhing.train.player import NetworkSeats
from mhing.train.rows import LearnerRows


def left_in(game: mhing.Game, steps: int) -> tuple[list[mhing.State], AfterstateInputs]:
    """Positions of some games, and what moves leave in them."""
    rows = LearnerRows(game, ["self"], 1, 6, teacher="greedy", sees=FEATURES)
    states, found = [], []
    for _ in range(steps):
        states += [rows.envs.state(row) for row in range(6)]
        seen, _ = rows.observe()
        assert isinstance(seen, AfterstateInputs)
        found.append(seen)
        rows.step(rows.teacher_actions())
    return states, AfterstateInputs.join(found)


def make_afterstate_net(game: mhing.Game) -> AfterstateNet:
    """One with strong opinions."""
    torch.manual_seed(3)
    net = AfterstateNet(game, (16, 8))
    with torch.no_grad():
        for layers in (net.actor, net.critic):
            *_, (last, _) = layers.layers()
            last.normal_(std=3.0)
    net.log_price.data.fill_(0.7)
    net.scale.fill_(2.0)
    return net


@pytest.mark.parametrize("name", WITH_FEATURES)
def test_what_a_judge_makes_of_moves(name: str) -> None:
    """Against a plain way to say it, one position after the other."""
    game = mhing.Game(name)
    states, seen = left_in(game, 50)
    net = make_afterstate_net(game)
    with torch.no_grad():
        policy, values = net(*seen)
    log_probs = policy.dense(game.num_actions)
    price, certain = net.log_price.exp().item(), 0
    for row, state in enumerate(states):
        left = state.afterstates()
        given = torch.from_numpy(left.features).half(), torch.arange(len(left.features))
        with torch.no_grad():
            actor, critic = net.actor.by_torch(*given), 2.0 * net.critic.by_torch(*given)
        best: dict[int, tuple[float, float]] = {}
        for way, (action, value) in enumerate(zip(left.actions, left.values, strict=True)):
            known = not np.isnan(value)
            certain += known
            logit = price * float(value) if known else float(actor[way])
            worth = float(value) if known else float(critic[way])
            if action not in best or logit > best[action][0]:
                best[action] = logit, worth
        total = np.logaddexp.reduce([logit for logit, _ in best.values()])
        chances = {action: np.exp(logit - total) for action, (logit, _) in best.items()}
        assert log_probs[row].isfinite().nonzero()[:, 0].tolist() == sorted(best)
        for action, chance in chances.items():
            assert log_probs[row, action].exp().item() == pytest.approx(chance, abs=1e-4)
        assert values[row].item() == pytest.approx(max(best.values())[1], abs=1e-3)
    assert certain or name == "mexican_rummy"  # where it is rare


@pytest.mark.parametrize("name", WITH_FEATURES)
def test_a_loss_and_its_gradients(name: str) -> None:
    """Against PPO's objective said slowly, one position and one action after the other."""
    _, seen = left_in(mhing.Game(name), 30)
    net = make_afterstate_net(mhing.Game(name))
    draw = torch.Generator().manual_seed(3)
    advantages, returns = torch.randn(2, len(seen.counts), generator=draw)
    ends = seen.counts.cumsum(0)
    parts = [
        range(int(end - count), int(end)) for end, count in zip(ends, seen.counts, strict=True)
    ]
    taken = torch.stack([seen.actions[part[len(part) // 2]] for part in parts])

    def fast() -> torch.Tensor:
        policy, values = net(*seen)
        gain = (policy.log_prob(taken).exp() * advantages).mean()
        return (values - returns).square().mean() - gain - policy.entropy()

    def slow() -> torch.Tensor:
        ways = net.actor.by_torch(seen.features, seen.places)
        worths = net.scale * net.critic.by_torch(seen.features, seen.places)
        terms = []
        for row, part in enumerate(parts):
            best: dict[int, torch.Tensor] = {}
            most, worth = torch.tensor(-torch.inf), torch.tensor(0.0)
            for way in part:
                known = not seen.values[way].isnan()
                logit = net.log_price.exp() * seen.values[way] if known else ways[way]
                action = int(seen.actions[way])
                if action not in best or logit > best[action]:
                    best[action] = logit
                if logit > most:
                    most, worth = logit, seen.values[way] if known else worths[way]
            log_probs = torch.stack([*best.values()]).log_softmax(0)
            chosen = log_probs[[*best].index(int(taken[row]))]
            surprise = -(log_probs.exp() * log_probs).sum()
            terms.append((worth - returns[row]) ** 2 - chosen.exp() * advantages[row] - surprise)
        return torch.stack(terms).mean()

    found = []
    for loss in (fast, slow):
        value = loss()
        slopes = torch.autograd.grad(value, [*net.parameters()], materialize_grads=True)
        found.append((value.detach(), *slopes))
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5 * float(other.abs().max()))


def test_a_position_has_a_way_at_least() -> None:
    counts, two = np.array([2, 0]), np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="a position has no way to continue"):
        best_afterstates(counts, two, np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="2 actions, 2 values, 1 counted"):
        best_afterstates(np.array([1, 0]), two, np.zeros(2, np.float32))


@pytest.mark.parametrize("name", WITH_FEATURES)
def test_the_core_plays_what_a_judge_finds_most_likely(name: str) -> None:
    game = mhing.Game(name)
    states, seen = left_in(game, 40)
    net = make_afterstate_net(game)
    seats = NetworkSeats(game, settings(name, sees=FEATURES))
    bot = seats.player(net)
    assert isinstance(bot, str)
    with torch.no_grad():
        policy, _ = net(*seen)
    log_probs = policy.dense(game.num_actions)
    two = log_probs.topk(2).values
    clear = 0
    for row, state in enumerate(states):
        if two[row, 0] - two[row, 1] > 0.05:  # what the learner sees is rounded
            assert state.bot_action(bot, 0)[0] == log_probs[row].argmax()
            clear += 1
    assert clear > len(states) / 4


def test_a_network_does_without_features_that_are_skipped(tmp_path: Path) -> None:
    """They are not read and have no weight, also in what is exported and in a run that goes on."""
    game = mhing.Game("mhing")
    places = game.feature_places(["expert", "laid"])

    def weights(layers: CoreLayers) -> np.ndarray:
        return next(layers.layers())[0].detach().numpy()

    given: dict[str, Any] = {"game": "mhing", "sees": FEATURES, "opponents": ("greedy",)}
    for skip in ((), ("expert", "laid")):
        run = training.start(tmp_path / str(len(skip)), settings(skip=skip, **given))
        run.learn(lambda *_: None)
        for one in (run.learner, training.reopened(run.folder.path).learner):
            assert isinstance(one, ppo.Ppo)
            assert isinstance(one.net, AfterstateNet)
            one.begin()
            played, *_ = one.gather(with_teacher=False)
            assert isinstance(played.inputs, AfterstateInputs)
            one.step()
            file = NetMemory(game._handle, one.export(tmp_path)[0].read_bytes())
            exported = file.weights()[: 154 * 64].reshape(154, 64)
            for read in (
                played.inputs.features, weights(one.net.actor).T, weights(one.net.critic).T,
                exported.T,
            ):  # fmt: skip
                assert np.any(np.asarray(read[:, places])) == (not skip)
                assert np.any(np.delete(np.asarray(read), places, 1))


def test_some_of_what_is_left() -> None:
    _, seen = left_in(mhing.Game("mhing"), 3)
    chosen = torch.tensor([7, 2, 2, 17])
    some, ends = seen.take(chosen), seen.counts.cumsum(0)
    parts = [slice(int(ends[row] - seen.counts[row]), int(ends[row])) for row in chosen]
    expected = [torch.cat([tensor[part] for part in parts]) for tensor in as_seen(seen)[1:]]
    torch.testing.assert_close(
        as_seen(some), (seen.counts[chosen], *expected), rtol=0, atol=0, equal_nan=True
    )
    assert [len(tensor) for tensor in some.to("meta")] == [4, *4 * [len(expected[0])]]


def test_what_was_seen_is_joined_where_it_was_before() -> None:
    rows = LearnerRows(mhing.Game("mhing"), ["greedy"], 1, 6, sees=FEATURES)
    seen = []
    for _ in range(4):
        inputs, _ = rows.observe()
        assert isinstance(inputs, AfterstateInputs)
        seen.append(inputs)
        rows.step(rows.choose(torch.zeros(6, 341)))
    memory = set()
    for some in (seen[:1], seen, seen[2:], seen[:3]):
        found = rows.join(some)
        torch.testing.assert_close(
            tuple(found), tuple(AfterstateInputs.join(some)), rtol=0, atol=0, equal_nan=True
        )
        memory.add(found[-1].data_ptr())
    assert len(memory) == 2  # the second time there was not enough
