"""PPO's configuration, as card games want it."""

from __future__ import annotations

from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from mhing import environment_id
from mhing._lib.arguments import refuse_settled
from mhing.game import DEFAULT_GAME
from mhing.players.seating import has_self
from mhing.rllib.columns import ColumnLearner
from mhing.rllib.module import MaskedModule
from mhing.rllib.runner import ColumnRunner
from mhing.rllib.seats import CardGameMultiAgentEnv
from mhing.vector import CardGameVectorEnv

_ELSEWHERE = {
    "obs_mode": "MaskedModule wants 'dict'",
    "autoreset_mode": "runners want each their own",
    "copy": "what is played is kept",
    "look": "nothing is drawn",
    "render_mode": "nothing is drawn",
}
"""Arguments that do not exist here, and the reason."""

SEAT = "seat"
"""The network of all seats, where every seat is an agent."""


def ppo_config(
    game: str = DEFAULT_GAME, num_envs: int = 64, *, columns: bool = True, **settings: Any
) -> PPOConfig:
    """PPO for one seat of a game, over the native batch.

    The result is RLlib's own configuration, to be used as any other:
    ``ppo_config(...).training(lr=1e-3).env_runners(num_env_runners=2).build_algo()``.

    Args:
        game: the game's id.
        num_envs: how many rows each runner plays.
        columns: True: :class:`mhing.rllib.ColumnRunner` plays. False: RLlib's own runner, which is
            slower, and for which all of RLlib is made: its connectors, its callbacks, several
            learners.
        settings: all others of :class:`mhing.vector.CardGameVectorEnv`, such as `opponents`,
            `num_threads`, and the options of the game; but not `obs_mode`, `autoreset_mode`, `copy`
            and `render_mode`. ``"self"`` among the opponents only with `columns`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """
    refuse_settled("ppo_config", settings, _ELSEWHERE)
    if not columns and has_self(settings.get("opponents")):
        raise ValueError(
            "opponents: with 'self' several seats act in a row, which RLlib's runner takes for "
            "one; leave out columns=False, or take multi_agent_config"
        )
    settings["obs_mode"] = "dict"
    CardGameVectorEnv(num_envs, game=game, **settings).close()  # so mistakes are found here
    config = _masked().env_runners(
        num_envs_per_env_runner=num_envs, gym_env_vectorize_mode="vector_entry_point"
    )
    if columns:
        settings["autoreset_mode"] = "same_step"
        config.env_runners(env_runner_cls=ColumnRunner)
        config.learners(
            learner_class=ColumnLearner, add_default_connectors_to_learner_pipeline=False
        )
    return config.environment(f"mhing:{environment_id(game)}", env_config=settings)


def multi_agent_config(game: str = DEFAULT_GAME, **options: Any) -> PPOConfig:
    """PPO by self-play: every seat is an agent, and one network plays them all.

    Args:
        game: the game's id.
        options: those of :class:`mhing.rllib.CardGameMultiAgentEnv`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """
    settings = {"game": game, **options}
    CardGameMultiAgentEnv(settings)  # so mistakes are found here
    return (
        _masked()
        .environment(CardGameMultiAgentEnv, env_config=settings)
        .multi_agent(policies={SEAT}, policy_mapping_fn=lambda *_, **__: SEAT)
    )


def _masked() -> PPOConfig:
    """A config whose network plays legal actions only, of which RLlib's check knows nothing."""
    return (
        PPOConfig()
        .environment(disable_env_checking=True)
        .env_runners(num_env_runners=0)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
    )
