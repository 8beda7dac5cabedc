"""The trainer: its parts against slow and plain ones, and that it does learn."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from learners import GAMES, as_seen, learner

import mhing
from mhing import arena
from mhing.players.onnx import OnnxPolicy
from mhing.train import ppo
from mhing.train.export import export_onnx
from mhing.train.gae import gae
from mhing.train.learner import FEATURES, FRESH, OBSERVATION
from mhing.train.observation_net import ObservationInputs, ObservationNet
from mhing.train.player import Logits, NetPolicy
from mhing.train.rows import LearnerRows


def positions(game: mhing.Game, rows: int, steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Observations and masks of play at random."""
    played = LearnerRows(game, [game.default_bot], 1, rows)
    found = []
    for _ in range(steps):
        seen, _ = played.observe()
        assert isinstance(seen, ObservationInputs)
        found.append(seen)
        played.step(played.choose(torch.zeros(rows, game.num_actions)))
    observations, masks = ObservationInputs.join(found)
    return observations, masks


torch.set_num_threads(1)


# ---- What the network sees -------------------------------------------------------------------


def inputs_of(game: mhing.Game, observation: np.ndarray, mask: np.ndarray) -> list[float]:
    """The encoder's output for a single row: flags, numbers, counts, kinds of actions."""
    flags: list[float] = []
    numbers: list[float] = []
    counts: list[float] = []
    hints: list[np.ndarray] = []
    parts = game.unpack(observation)
    for field in game.observation_fields:
        part = parts[field.name].astype(int)
        rows = part.reshape(part.shape[0] if field.per_seat else 1, -1)
        if part.shape == (game.num_actions,):
            hints.append(part)
        elif rows.shape[1] == 1 and field.high < (16 if field.per_seat else 66):
            flags += [float(row[0] == value) for row in rows for value in range(field.high + 1)]
        elif rows.shape[1] > 1 and not re.search(r"\bby [a-z]+\b", field.meaning):
            if field.high < 66:
                for row in rows:
                    counts += (np.bincount(row, minlength=field.high + 1) / len(row)).tolist()
        elif field.high <= 6 and not field.public:
            most = min(field.high, 3)
            flags += [float(one >= few) for one in part.flat for few in range(1, most + 1)]
        else:
            numbers += [one / field.high for one in part.flat]
    return flags + numbers + counts + said_by_hints(game, hints, np.flatnonzero(mask))


def said_by_hints(game: mhing.Game, hints: list[np.ndarray], legal: np.ndarray) -> list[float]:
    """Of each kind of action: whether one is legal, and how near the best comes; of each hint its
    least and most."""
    best: set[int] = set()
    features: list[dict[int, float]] = []
    for place, hint in enumerate(hints):
        if not place:
            best = {action for action in legal if hint[action] == hint[legal].min()}
        low: dict[int, float] = {}
        high: dict[int, float] = {}
        for action in legal:
            alike = [a for a in legal if not place or (a in best) == (action in best)]
            low[action] = np.log1p(hint[action] - hint[alike].min())
            high[action] = np.log1p(hint[alike].max() - hint[action])
        features += [low, high]
    kinds = [range(kind.first, kind.first + kind.count) for kind in game.actions]
    near = [float(any(action in kind for action in legal)) for kind in kinds]
    for feature in features:
        near += [
            max((4 - min(4, feature[action]) for action in legal if action in kind), default=0)
            for kind in kinds
        ]
    bounds: list[float] = []
    for hint in hints:
        group = [*best] if bounds else legal
        bounds += [np.log1p(hint[group].min()) / 4, np.log1p(hint[group].max()) / 4]
    return near + bounds


@pytest.mark.parametrize("name", GAMES)
def test_what_the_network_sees(name: str) -> None:
    game = mhing.Game(name, **GAMES[name])
    observations, masks = positions(game, 4, 12)
    net = ObservationNet(game, 8)
    inputs, legal = net.encoder(observations, masks)
    assert inputs.shape == (48, net.encoder.width)
    for row in range(48):
        expected = inputs_of(game, observations[row].numpy(), masks[row].numpy())
        assert inputs[row].tolist() == pytest.approx(expected, abs=1e-6)
        assert legal.actions[legal.rows == row].tolist() == masks[row].nonzero()[:, 0].tolist()


@pytest.mark.parametrize("name", GAMES)
def test_legal_actions_alone_have_a_chance(name: str) -> None:
    game = mhing.Game(name, **GAMES[name])
    observations, masks = positions(game, 8, 6)
    net = ObservationNet(game, 8)
    torch.nn.init.normal_(net.head.weight)  # strong opinions, also about what is illegal
    policy, values = net(observations, masks)
    log_probs = policy.dense(game.num_actions)
    assert torch.allclose(log_probs.exp().sum(1), torch.ones(48), atol=1e-5)
    assert torch.equal(log_probs.isfinite(), masks)
    assert torch.allclose(net.logits(observations, masks).log_softmax(1), log_probs, atol=1e-4)
    assert values.shape == (48,)


@pytest.mark.parametrize("name", GAMES)
def test_an_exported_network_plays_alike(name: str, tmp_path: Path) -> None:
    game = mhing.Game(name, **GAMES[name])
    observations, masks = positions(game, 16, 6)
    net = ObservationNet(game, 16)
    torch.nn.init.normal_(net.head.weight)
    exported = OnnxPolicy(str(export_onnx(game, Logits(net), tmp_path / "policy.onnx")), game)
    own = NetPolicy(game, net)
    seen, legal = observations.numpy(), masks.numpy().astype(np.int8)
    actions = own.choose_rows(seen, legal)
    assert np.array_equal(exported.choose_rows(seen, legal), actions)
    assert legal[np.arange(len(legal)), actions].all()
    assert own(seen[5], legal[5], {}) == exported(seen[5], legal[5], {}) == actions[5]


def test_functions_and_modules_are_exported(tmp_path: Path) -> None:
    """With masks or without, with values or without, in eval mode, and afterwards as they were."""
    game = mhing.Game("mhing")
    observations, masks = positions(game, 16, 6)
    seen, legal = observations.numpy(), masks.numpy().astype(np.int8)
    weights = torch.randn(game.observation_size, game.num_actions)
    rise = torch.arange(game.num_actions)

    def last_legal(observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        return action_mask * rise.float() + observation.float().mean(1, keepdim=True)

    class Dropping(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop = torch.nn.Dropout(0.9)

        def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
            return self.drop(observation.float() @ weights)

    class ActorCritic(torch.nn.Module):
        def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return observation @ weights, observation.mean(1)

    def with_value(observation: torch.Tensor, action_mask: torch.Tensor) -> Any:
        return last_legal(observation, action_mask), action_mask

    module = Dropping()
    linear = torch.nn.Linear(game.observation_size, game.num_actions, bias=False)
    linear.weight.data = weights.T
    logits = np.where(legal, (observations.float() @ weights).numpy(), -np.inf)
    last, likely = legal.shape[1] - 1 - legal[:, ::-1].argmax(1), logits.argmax(1)
    policies: list[tuple[Any, Any]] = [
        (last_legal, last),
        (with_value, last),
        (module, likely),
        (linear, likely),
        (ActorCritic(), likely),
    ]
    for policy, expected in policies:
        path = export_onnx(game, policy, str(tmp_path / "policy.onnx"))
        exported = OnnxPolicy(str(path), game)
        assert np.array_equal(exported.choose_rows(seen, legal), expected)
        assert exported(seen[5], legal[5], {}) == expected[5]
    assert module.training


class Fixed(torch.nn.Module):
    """Cannot be exported."""

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        scale = torch.linalg.eigvalsh(torch.eye(2) * observation.float().sum())[0]
        return scale * action_mask.float()


def test_policies_that_cannot_be_exported_get_the_reason(tmp_path: Path) -> None:
    game = mhing.Game("leduc")
    weights = torch.randn(game.observation_size, game.num_actions)
    wanted = r"expected \(observation, action_mask\), or the first alone$"
    bad: list[tuple[Any, type[Exception], str]] = [
        (lambda seen, mask: mask, ValueError, r"it returns torch.int8 \(2, 3\) for two rows"),
        (
            lambda seen, mask: mask[0].float(),
            ValueError,
            r"torch.float32 \(3,\) .* floats \(2, 3\)",
        ),
        (lambda seen, mask: [mask.float()], ValueError, "it returns list for two rows; expected"),
        (lambda seen, mask: (mask, mask.float()), ValueError, "it returns torch.int8"),
        (
            lambda seen, mask: seen @ weights,
            ValueError,
            r"it fails for two rows, torch.uint8 \(2, ",
        ),
        (lambda seen: seen @ weights[1:], ValueError, "it fails for two rows, .*: RuntimeError"),
        (lambda seen, mask, info: mask, TypeError, rf"it takes \(seen, mask, info\); {wanted}"),
        (weights, TypeError, f"tensor.* is neither a module nor a function; {wanted}"),
        (torch.nn.Linear, TypeError, "Linear.* is neither a module nor a function"),
        (Fixed(), ValueError, "PyTorch cannot export it: "),
    ]
    for policy, error, words in bad:
        with pytest.raises(error, match=f"(?s)^policy: .*{words}"):
            export_onnx(game, policy, tmp_path / "bad.onnx")
    named: Any = "leduc"
    with pytest.raises(TypeError, match=r"^game: 'leduc' is a str; expected a mhing\.Game$"):
        export_onnx(named, bad[0][0], tmp_path / "bad.onnx")
    assert not [*tmp_path.iterdir()]


# ---- What came of it -------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [1, 3])
def test_gae_is_the_sum_that_it_stands_for(seats: int) -> None:
    """For each decision: the errors from it on, at the later decisions of its seat."""
    random, steps, rows, gae_lambda, discount = np.random.default_rng(seats), 25, 6, 0.9, 0.8
    seat = random.integers(seats, size=(steps + 1, rows))
    values, earned = random.normal(size=(steps + 1, rows)), random.normal(size=(steps, rows))
    ends, last = random.random((steps, rows)) < 0.2, random.normal(size=(steps, rows, seats))
    if seats == 1:
        last = earned[..., None]
    tensors = map(torch.from_numpy, (seat, values.astype("f4"), earned.astype("f4"), ends))
    found, known = gae(*tensors, torch.from_numpy(last.astype("f4")), gae_lambda, discount)
    for row in range(rows):
        for t in range(steps):
            errors: list[float] = []
            now = t
            while now is not None:  # from one decision of the seat to the next one
                later = now
                while (
                    not ends[later, row]
                    and later + 1 < steps
                    and seat[later + 1, row] != seat[t, row]
                ):
                    later += 1
                over, after = ends[later, row], seat[later + 1, row] == seat[t, row]
                if over:
                    errors.append(last[later, row, seat[t, row]] - values[now, row])
                elif after:
                    follows = earned[later, row] + discount * values[later + 1, row]
                    errors.append(follows - values[now, row])
                if now == t:
                    assert known[t, row] == (over or after)
                now = later + 1 if after and not over and later + 1 < steps else None
            total = sum(
                (discount * gae_lambda) ** place * error for place, error in enumerate(errors)
            )
            assert found[t, row].item() == pytest.approx(total, abs=1e-5)
    assert known.any()
    assert seats == 1 or not known.all()


@pytest.mark.parametrize(
    ("game", "opponents", "sees"),
    [
        ("mhing", (), OBSERVATION),
        ("leduc", ("self",), OBSERVATION),
        ("mhing", ("greedy", "self", "random"), OBSERVATION),
        ("mhing", ("greedy", "self", "random"), FEATURES),
        ("mexican_rummy", (), FEATURES),
    ],
)
def test_a_rollout_is_what_was_played(game: str, opponents: tuple[str, ...], sees: str) -> None:
    one = learner(game=game, opponents=opponents, tuning={"horizon": 40}, sees=sees)
    played, numbers, _ = one.gather(with_teacher=False)
    twin = LearnerRows(one.game, opponents or ("greedy",), 1, 16, sees=sees)
    earned, rounds = 0.0, 0.0
    for t in range(40):
        seen, _ = twin.observe()
        part = played.take(torch.arange(16 * t, 16 * (t + 1)), "cpu")
        found, expected = as_seen(part.inputs), as_seen(seen)
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
        policy, _ = one.net(*seen)
        assert torch.allclose(part.log_probs, policy.log_prob(part.actions), atol=1e-5)
        rewards, ends, last = twin.step(part.actions)
        earned += float(rewards[~ends].sum() + last[ends].sum())
        rounds += int(ends.sum())
    assert numbers["steps"] == played.known.sum()
    assert numbers["rounds"] == rounds > 0
    assert numbers["return"] == pytest.approx(earned / rounds / twin.seats)
    assert numbers.items() >= {**twin.numbers(), "workers": 1, "workers_lost": 0}.items()


def test_in_self_play_each_seat_is_paid() -> None:
    """All seats earn in an episode what the game's returns say."""
    rows = LearnerRows(mhing.Game("leduc"), ["self"], 1, 8)
    states = [rows.envs.state(row) for row in range(8)]
    sums = np.zeros((8, 2))
    compared = 0
    for _ in range(60):
        _, seats = rows.observe()
        actions = rows.choose(torch.zeros(8, rows.envs.game.num_actions))
        earned, ends, last = rows.step(actions)
        for row, state in enumerate(states):
            assert state.seat == seats[row]
            state.apply(int(actions[row]))
            if ends[row]:
                assert np.allclose(sums[row] + last[row].numpy(), state.returns())
                sums[row], states[row] = 0, rows.envs.state(row)
                compared += 1
            else:
                sums[row, state.seat] += float(earned[row])
    assert compared > 20


@pytest.mark.parametrize("game", ["leduc", "mhing"])
def test_wins_are_those_of_the_learners_seat(game: str) -> None:
    """Nobody else earns anything; in Mhing few win with a hand without credits."""
    rows = LearnerRows(mhing.Game(game), ["greedy"], 1, 64, teacher="greedy")
    ended = won = 0
    for _ in range(40):
        earned, ends, _ = rows.step(rows.teacher_actions())
        ended, won = ended + int(ends.sum()), won + int((earned[ends] > 0).sum())
    wins = rows.numbers()["wins"]
    assert wins == won / ended if game == "leduc" else won / ended <= wins < won / ended + 0.05
    assert won > 0
    assert rows.numbers() == {"rounds": 0, "return": 0, "wins": 0}


# ---- Learning --------------------------------------------------------------------------------


def earns(one: ppo.Ppo, against: str, deals: int = 300) -> float:
    result = arena.play([one.player()], one.game, field=against, deals=deals, first_seed=FRESH)
    return result.players[0].reward.value


@pytest.mark.slow
def test_it_learns_from_nothing() -> None:
    """Leduc against an opponent that plays at random: random play earns nothing."""
    tuning = {"rows": 128, "horizon": 16, "minibatch": 512, "learning_rate": 2e-3}
    one = learner(opponents=("random",), tuning=tuning)
    for _ in range(25):
        numbers = one.step()
    assert numbers["return"] > 1.0
    assert earns(one, "random") > 1.3


@pytest.mark.slow
def test_it_learns_from_a_teacher() -> None:
    """In Mhing play at random never wins; what has seen greedy play for a moment does."""
    tuning = {
        "rows": 256,
        "horizon": 16,
        "minibatch": 512,
        "learning_rate": 2e-3,
        "hidden": 64,
        "imitate": 12,
        "imitation_ent_coef": 0.1,
    }
    one = learner(game="mhing", teacher="greedy", tuning=tuning)
    returns = []
    for _ in range(12):
        numbers = one.step()
        assert numbers["imitates"]
        returns.append(numbers["return"])
    assert returns[0] < 0.2
    assert returns[-1] > 0.5
    assert not one.step()["imitates"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        {"opponents": ("self",)},
        {"teacher": "greedy"},
        {"opponents": ("league",)},
        {"game": "general_mhing", "opponents": ("league",), "sees": FEATURES},
    ],
)
def test_a_run_goes_on_to_the_same_bit(given: dict[str, Any]) -> None:
    one, other = learner(**given), learner(seed=2, **given)
    for _ in range(27):  # by then a past version has joined a league
        one.step()
    file = io.BytesIO()
    torch.save(one.state(), file)
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    other.restore(saved)
    for done in (0.1, 0.2, 0.3):
        one.set_progress(done)
        other.set_progress(done)
        assert one.step() == other.step()
    assert all(map(torch.equal, one.net.parameters(), other.net.parameters()))
    assert all(tensor.isfinite().all() for tensor in one.net.parameters())
    now = one.net.state_dict()
    assert not any(torch.equal(now[name], saved["net"][name]) for name in now if "bias" in name)


def test_learners_leave_torchs_generator_alone() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    learner().step()
    assert torch.equal(torch.get_rng_state(), before)


def test_seeds_leave_other_deals_to_evaluations() -> None:
    with pytest.raises(ValueError, match="seed: 65536 is not a whole number from 0 to 65535"):
        learner(seed=65536)
