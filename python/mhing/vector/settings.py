"""The arguments that adapters to libraries hand on to a vector environment, for type checkers.

``MhingVecEnv("mhing", num_playerz=3)`` is an error before it runs. A test compares these names with
the arguments of :class:`mhing.vector.CardGameVectorEnv`; `num_envs`, `game` and `opponents` are
arguments of the adapters as well, which settle `autoreset_mode` and `copy`.
"""

from __future__ import annotations

from mhing.batches import Endpoint
from mhing.options import Options


class VectorSettings(Options, total=False):
    """The other arguments, and the options of all games. Some libraries refuse some of them."""

    num_threads: int
    seat: int | None
    illegal_action: str
    obs_mode: str
    render_mode: str | None
    look: str
    seed_info: bool
    endpoint: Endpoint
