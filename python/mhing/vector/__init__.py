"""Many rows of a card game as a Gymnasium vector environment, the same for every game.

`env` is the environment, and `current` the part of it that reads its rows. What goes in is checked
by `inputs`; what comes out beside observations and rewards is put together by `infos` and, of
episodes that have ended, by `ends`; `afterstates` is for what moves leave. Opponents that are
policies play through `guests`. `settings` has the arguments that adapters hand on.
"""

from __future__ import annotations

from mhing.vector.afterstates import RowAfterstates
from mhing.vector.env import CardGameVectorEnv
from mhing.vector.report import Step

__all__ = ["CardGameVectorEnv", "RowAfterstates", "Step"]
