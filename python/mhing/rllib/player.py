"""Networks of RLlib as players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.core.columns import Columns as Names
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule
from ray.rllib.core.rl_module.rl_module import RLModule

from mhing.game import Game
from mhing.players.rows import LogitPolicy

_SAVED = Path("learner_group", "learner", "rl_module")
"""The network in the folder of an algorithm."""


class ModulePolicy(LogitPolicy):
    """Plays as a network of RLlib; given as a player, one is seated so by itself.

    An algorithm's network learns on while it plays.

    Args:
        module: an RLModule on PyTorch, or the Algorithm that trains it. It reads observations, or
            dicts of them and ``action_mask``, as :class:`mhing.rllib.MaskedModule` does.
        deterministic: True: the most likely action; False: one at random.
    """

    def __init__(self, module: RLModule | Algorithm, deterministic: bool = True) -> None:
        self._module = _only(_trained(module) if isinstance(module, Algorithm) else module)
        self.deterministic = deterministic
        space = self._module.observation_space
        self._dict = isinstance(space, gym.spaces.Dict)
        if self._dict and {*space} != {"observation", "action_mask"}:
            raise TypeError(
                f"it reads {', '.join(space)}; expected observation and action_mask, as "
                "mhing.rllib.MaskedModule reads them"
            )
        observed = space["observation"] if self._dict else space
        self.sees = int(np.prod(observed.shape or ()))

    @torch.no_grad()
    def logits(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return the network's logits, (rows, num_actions)."""
        device = next((one.device for one in self._module.parameters()), None)
        observed: Any = torch.as_tensor(observations, device=device)
        if self._dict:
            observed = {
                "observation": observed,
                "action_mask": torch.as_tensor(masks, device=device),
            }
        else:
            observed = observed.float()
        found = self._module.forward_inference({Names.OBS: observed})
        logits: NDArray[np.float32] = found[Names.ACTION_DIST_INPUTS].numpy(force=True)
        return logits


def load(folder: str, game: Game) -> ModulePolicy:
    """Return a network that RLlib has saved, as a player.

    Checkpoints are pickles: to load one is to run code from it.

    Args:
        folder: the one that ``save_to_path`` of an algorithm or of a network has written.
        game: the game that it plays.

    Raises:
        ValueError: it cannot be loaded, or has several networks.
    """
    path = Path(folder).absolute()
    if not path.is_dir():
        raise ValueError(f"{folder!r} cannot be loaded: there is no such folder")
    if (path / _SAVED).is_dir():
        path /= _SAVED
    if not (path / RLModule.CLASS_AND_CTOR_ARGS_FILE_NAME).is_file():
        raise ValueError(
            f"{folder!r} is no checkpoint; name the folder that save_to_path has written, such as "
            "Tune's checkpoint_000000"
        )
    try:
        return ModulePolicy(RLModule.from_checkpoint(path.as_posix()))
    except Exception as error:  # of files, of pickles, and of PyTorch
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(f"{folder!r} cannot be loaded as a network of RLlib: {reason}") from error


def _trained(algorithm: Algorithm) -> RLModule:
    """The network or the networks that an algorithm trains."""
    runner = algorithm.env_runner
    if runner is None:
        raise TypeError("its runners are in other processes; give its RLModule")
    return runner.module


def _only(module: RLModule) -> RLModule:
    """The network of one that may hold several."""
    unwrapped = module.unwrapped()
    if not isinstance(unwrapped, MultiRLModule):
        return module
    names = [*unwrapped.keys()]
    if len(names) != 1:
        raise TypeError(
            f"it has {len(names)} networks, {', '.join(names)}; give one of them, such as "
            f"algorithm.get_module({names[0]!r}), or its subfolder"
            if names
            else "it has none"
        )
    return unwrapped[names[0]]
