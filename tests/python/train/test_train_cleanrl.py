"""PPO in one file, in CleanRL's manner, as its page has it."""

from __future__ import annotations

import numpy as np
import pytest
from learning import means
from small_runs import one_thread  # noqa: F401


@pytest.mark.slow
def test_the_file_of_the_page_learns() -> None:
    """Points a round against random: at first, and by the last of 16,384 decisions."""
    earned = means("cleanrl.md", total_timesteps="16_384")
    assert len(earned) == 8
    assert earned[0] < 1.8
    assert np.mean(earned[-3:]) > 1.9
