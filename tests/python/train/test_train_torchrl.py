"""TorchRL: its own checks, the batch as one of its environments, all seats, and learning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from learning import means
from options import known
from same import assert_same
from small_runs import one_thread  # noqa: F401
from tensordict.nn import TensorDictModule, TensorDictSequential
from zoo import every_game, module

import mhing
from mhing import arena
from mhing.torchrl import ActorPolicy, MhingEnv, MhingSeatsEnv
from mhing.vector import CardGameVectorEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what it has deprecated itself
    from torchrl.envs import (
        ActionMask,
        Compose,
        GymEnv,
        GymWrapper,
        RewardSum,
        SerialEnv,
        StepCounter,
        TransformedEnv,
        check_env_specs,
    )
    from torchrl.modules import (
        EGreedyModule,
        MaskedCategorical,
        ProbabilisticActor,
        QValueActor,
    )
    from torchrl.objectives import DQNLoss, SoftUpdate

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")


def make(num_envs: int | None = 4, game: str = "general_mhing", **settings: Any) -> MhingEnv:
    return MhingEnv(game, num_envs, **{"opponents": "random"} | settings)


def first_legal(tensordict: Any) -> Any:
    return tensordict.set("action", tensordict["action_mask"].byte().argmax(-1))


def test_dqn_learns_from_masked_values() -> None:
    """TorchRL's own DQN: values of illegal actions are never the best, in play and in the loss."""
    env = make(8, "leduc", illegal_action="raise")
    size, actions = env.game.observation_size, env.game.num_actions
    torch.manual_seed(1)
    net = torch.nn.Sequential(Numbers(), torch.nn.Linear(size, actions))
    spec = env.action_spec_unbatched
    actor = QValueActor(net, in_keys=["observation"], spec=spec, action_mask_key="action_mask")
    loss = DQNLoss(actor, action_space=env.action_spec, delay_value=True)
    target = SoftUpdate(loss, eps=0.9)
    explorer = EGreedyModule(spec, eps_init=0.5, action_mask_key="action_mask")
    optimizer = torch.optim.Adam(loss.parameters(), 0.01)
    before = net[1].weight.clone()
    for _ in range(3):
        with torch.no_grad():
            played = env.rollout(
                20, TensorDictSequential(actor, explorer), break_when_any_done=False
            )
        found = loss(played.reshape(-1))["loss"]
        optimizer.zero_grad()
        found.backward()
        optimizer.step()
        target.step()
    assert torch.isfinite(found)
    assert not torch.equal(net[1].weight, before)
    assert env.rollout(20, actor, break_when_any_done=False)["action_mask"].any()


class Numbers(torch.nn.Module):
    """Bytes as floats."""

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return observation.float()


# ---- The library's own checks -------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("num_envs", [None, 3])
def test_the_library_accepts_ours(game: str, num_envs: int | None) -> None:
    """With draws by the environment's own masks, and with those of the library's transform."""
    check_env_specs(make(num_envs, game, illegal_action="raise"))
    check_env_specs(TransformedEnv(make(num_envs, game, illegal_action="raise"), ActionMask()))


@pytest.mark.parametrize("num_envs", [None, 16])
def test_draws_are_legal_behind_any_transforms(num_envs: int | None) -> None:
    """The transformed environment has a copy of the spec, which it makes once."""
    base = make(num_envs, "mhing", illegal_action="raise")
    env = TransformedEnv(base, Compose(RewardSum(), StepCounter()))
    played = env.rollout(100, break_when_any_done=False)
    chosen = played["action_mask"].gather(-1, played["action"][..., None])
    assert chosen.all()
    assert played["next", "done"].any()
    before = played["action_mask"].clone()
    env.base_env.action_spec.update_mask(played["action_mask"][..., 0, :])  # as explorers do
    env.rollout(20, break_when_any_done=False)
    assert torch.equal(played["action_mask"], before)


@every_game
@pytest.mark.filterwarnings("ignore:.*episodes in a row")  # these are unmasked
def test_the_library_accepts_gymnasiums(game: str) -> None:
    name = f"mhing:{mhing.environment_id(game)}"
    masked = GymEnv(name, obs_mode="dict", illegal_action="raise")
    check_env_specs(TransformedEnv(masked, ActionMask()))
    check_env_specs(GymWrapper(gym.make_vec(name, num_envs=2, autoreset_mode="disabled")))


@every_game
@pytest.mark.parametrize("obs_mode", ["dict", "flat"])
@pytest.mark.parametrize("kind", ["raw_env", "parallel_env"])
def test_the_library_accepts_all_seats(game: str, kind: str, obs_mode: str) -> None:
    make_env = getattr(module(game), kind)
    check_env_specs(MhingSeatsEnv(make_env(obs_mode=obs_mode, illegal_action="raise")))


# ---- Rows ---------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("num_envs", [None, 3])
def test_rows_are_those_of_the_batch(game: str, num_envs: int | None) -> None:
    """Observations, masks, rewards and ends, with new episodes where they have ended."""
    rows = 1 if num_envs is None else num_envs
    settings = known(game, hints=True, num_players=2)
    env = make(num_envs, game, **settings)
    batch = CardGameVectorEnv(
        rows, game=game, opponents="random", autoreset_mode="disabled", **settings
    )
    env.set_seed(5)
    state, (observations, _) = env.reset(), batch.reset(seed=5)
    rng, ended, steps = np.random.default_rng(1), 0, 0

    def see(part: Any, name: str) -> Any:
        return part[name].reshape(rows, -1).numpy()

    while not ended or steps < 100:
        steps += 1
        masks = batch.action_masks()
        assert_same(see(state, "observation"), observations)
        assert_same(see(state, "action_mask"), masks)
        actions = np.array([rng.choice(mask.nonzero()[0]) for mask in masks])
        state["action"] = torch.tensor(actions).reshape(env.batch_size)
        step, state = env.step_and_maybe_reset(state)
        last, rewards, over, _, _ = batch.step(actions)
        assert_same(see(step["next"], "observation"), last)
        assert_same(see(step["next"], "action_mask"), batch.action_masks())
        assert_same(see(step["next"], "reward"), rewards[:, None])
        for name in ("done", "terminated"):
            assert_same(see(step["next"], name), over[:, None])
        assert not step["next", "truncated"].any()
        observations = last
        if over.any():
            ended += over.sum()
            observations, _ = batch.reset(options={"reset_mask": over})


def test_some_rows_only() -> None:
    """Rows that are over wait for the others, as they were."""
    env = make(8)
    env.set_seed(1)
    played = env.rollout(1000, break_when_all_done=True, break_when_any_done=False)
    done = played["next", "done"].squeeze(-1)
    assert done[:, -1].all()
    lengths = done.shape[1] - done.sum(1) + 1
    assert len(set(lengths.tolist())) > 1
    for row, length in enumerate(lengths.tolist()):
        assert not done[row, : length - 1].any()
        later = played["next", "observation"][row, length - 1 :]
        assert (later == later[0]).all()
    assert env.rollout(3)["done"].sum() == 0


def test_a_row_that_waits_stays() -> None:
    """One row plays to its end, then the other one plays."""
    env = make(2)
    state = env.reset(seed=1)
    first = state.clone()
    while not state["done"][0]:
        state["_step"] = torch.tensor([[True], [False]])
        state = env.step(first_legal(state))["next"]
        assert (state["observation"][1] == first["observation"][1]).all()
        assert not state["done"][1]
        assert state["reward"][1] == 0
    state["_step"] = torch.tensor([[False], [True]])
    later = env.step(first_legal(state.clone()))["next"]
    assert (later["observation"][0] == state["observation"][0]).all()
    assert (later["observation"][1] != first["observation"][1]).any()
    assert later["done"].flatten().tolist() == [True, False]


def test_seeds() -> None:
    """The same seed begins the same game; it holds for one reset; then rows take the next seeds."""
    env = make(2)
    found = []
    for _ in range(2):
        env.set_seed(2**63 + 5)
        found.append([env.reset()["observation"] for _ in range(2)])
    assert torch.equal(found[0][0], found[1][0])
    assert torch.equal(found[0][1], found[1][1])
    assert not torch.equal(*found[0])
    assert torch.equal(env.reset(seed=2**63 + 5)["observation"], found[0][0])
    single = gym.make(mhing.environment_id("general_mhing"), opponents="random")
    assert np.array_equal(found[0][0][1].numpy(), single.reset(seed=2**63 + 6)[0])


def test_what_is_kept_does_not_change() -> None:
    """Tensors are copies of what the batch overwrites."""
    env = make()
    first = env.reset()
    kept = first.clone()
    env.step(first_legal(first.clone()))
    assert (first == kept).all()


def test_copies_of_single_games() -> None:
    envs = SerialEnv(2, lambda: make(None, illegal_action="raise"))
    envs.set_seed(1)
    played = envs.rollout(100, first_legal, break_when_any_done=False)
    assert played.shape == (2, 100)
    assert played["next", "done"].any()


# ---- All seats ----------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("parallel", [False, True])
def test_every_seat_gets_its_rewards(game: str, parallel: bool) -> None:
    """Those of the last step as well: together they are the game's returns."""
    make_env = module(game).parallel_env if parallel else module(game).env
    table = make_env(**known(game, num_players=3, reward="chips"))
    env = MhingSeatsEnv(table)
    agents = table.possible_agents

    def greedy(tensordict: Any) -> Any:
        action, _ = table.game_state.bot_action("greedy", 0)
        mover = table.game_state.seat
        for seat, agent in enumerate(agents):
            if parallel:
                tensordict["player", "action"][seat] = action if seat == mover else table.wait
            else:
                tensordict[agent, "action"][0] = action if seat == mover else 0
        return tensordict

    env.set_seed(1)
    returns = np.zeros(len(agents))
    while not returns.any():
        seen = env.reset().update(env.full_action_spec.zero())
        played = env.rollout(2000, greedy, auto_reset=False, tensordict=seen)
        rewards = (
            played["next", "player", "reward"].squeeze(-1)
            if parallel
            else torch.cat([played["next", agent, "reward"][..., 0] for agent in agents], -1)
        )
        returns = table.game_state.returns()
        assert rewards.sum(0).tolist() == pytest.approx(returns.tolist())


def test_who_acts() -> None:
    """In turn one agent does, by its mask; the others' masks are all True."""
    env = MhingSeatsEnv(module("general_mhing").env(num_players=3))
    env.set_seed(1)
    played = env.rollout(10)
    acts = torch.stack([played[agent, "mask"] for agent in env.possible_agents]).squeeze(-1)
    assert (acts.sum(0) == 1).all()
    for agent, turns in zip(env.possible_agents, acts, strict=True):
        masks = played[agent, "action_mask"].squeeze(1)
        assert masks.dtype == torch.bool
        assert masks[~turns].all()
        assert not masks[turns].all(1).any()


# ---- Learning -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_example_of_the_page_learns() -> None:
    """Points a round against random: at first, and by the last of 16,384 decisions."""
    earned = means("torchrl.md", total_frames="16_384")
    assert len(earned) == 8
    assert earned[0] < 1.8
    assert np.mean(earned[-3:]) > 2


@pytest.mark.parametrize("deterministic", [True, False])
def test_an_actor_as_opponent_and_in_the_arena(deterministic: bool) -> None:
    torch.manual_seed(1)
    game = mhing.Game("general_mhing")
    net = torch.nn.Linear(game.observation_size, game.num_actions)
    logits = TensorDictModule(lambda seen: net(seen.float()), ["observation"], ["logits"])
    actor = ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
    )
    player = ActorPolicy(actor, deterministic)
    env = make(8)
    env.set_seed(1)
    seen = env.rollout(5, break_when_any_done=False)[:, -1]
    masks = seen["action_mask"].numpy().astype(np.int8)
    drawn = [player.choose_rows(seen["observation"].numpy(), masks) for _ in range(20)]
    assert all(masks[np.arange(8), row].all() for row in drawn)
    best = net(seen["observation"].float()).masked_fill(~seen["action_mask"], -1e9).argmax(1)
    if deterministic:
        assert_same(drawn, [best.numpy()] * 20)
    else:
        assert len({tuple(row) for row in drawn}) > 1
    make(4, opponents=player, illegal_action="raise").rollout(20)
    result = arena.play([player, "random"], "general_mhing", deals=2, seed=1)
    assert [standing.forfeits for standing in result.players] == [0, 0]


def test_opponents_are_changed_and_not_assigned() -> None:
    env = make(opponents="random")
    with pytest.raises(AttributeError, match=r"opponents: they are not assigned; call set_opp"):
        env.opponents = "greedy"
    env.set_opponents("greedy")
    assert env.opponents == env.envs.opponents == "greedy"


def test_mistakes() -> None:
    """Each is refused by a line that says what would be right."""
    mistakes: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: MhingEnv(64), TypeError, "game: int given; expected a game's id"),  # type: ignore[arg-type]
        (lambda: MhingEnv("Mhing-v0"), ValueError, "no game 'Mhing-v0'; there is mhing"),
        (lambda: make(0), ValueError, "num_envs"),
        (lambda: make(n_envs=4), TypeError, "'n_envs'"),
        (lambda: make(seed=1), TypeError, "seed: .*set_seed"),
        (lambda: make(autoreset_mode="disabled"), TypeError, "autoreset_mode: .* anew"),
        (lambda: make(copy=False), TypeError, "copy: .* fresh"),
        (lambda: make(obs_mode="dict"), TypeError, "obs_mode: .* 'action_mask'"),
        (lambda: make(opponents="self"), ValueError, "'self' .*MhingSeatsEnv"),
        (lambda: make(opponents=["self"]), ValueError, "'self' .*MhingSeatsEnv"),
        (lambda: make().step(first_legal(make().reset())), ResetNeeded, "reset"),
        (lambda: ActorPolicy("best.pt"), TypeError, "a str; expected a TensorDictModule"),  # type: ignore[arg-type]
        (lambda: MhingSeatsEnv(make()), TypeError, "env is not of type expected"),
    ]
    for mistake, error, words in mistakes:
        with pytest.raises(error, match=words):
            mistake()


def test_an_illegal_action_ends_the_episode() -> None:
    env = make(2)
    seen = env.reset()
    seen["action"] = (~seen["action_mask"]).byte().argmax(1)
    ended = env.step(seen)["next"]
    assert ended["terminated"].all()
    assert ended["reward"].flatten().tolist() == [-1, -1]
    assert ended["action_mask"].all()
