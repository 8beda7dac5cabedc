"""Gymnasium's wrappers, as the page python/docs/pages/libraries/gymnasium.md has them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import gymnasium as gym
import numpy as np
import pages
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

PAGE = (pages.WRITTEN / "libraries/gymnasium.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (\w+) \|$", PAGE, re.MULTILINE)
MODES = ("next_step", "same_step", "disabled")
ARGUMENTS = {"DtypeObservation": (np.float32,), "ClipReward": (-1, 1)}


def make(mode: str) -> gym.vector.VectorEnv:
    return gym.make_vec("mhing:Leduc-v0", num_envs=2, opponents="random", autoreset_mode=mode)


def wrap(name: str, mode: str) -> gym.vector.VectorWrapper:
    return getattr(wrappers.vector, name)(make(mode), *ARGUMENTS.get(name, ()))


def play(wrapped: gym.vector.VectorWrapper) -> int:
    """Thirty steps; how many episodes have ended."""
    wrapped.reset(seed=1)
    batch, ended = wrapped.unwrapped, 0
    for _ in range(30):
        _, _, over, _, _ = wrapped.step(batch.sample_actions())
        ended += over.sum()
        if batch.autoreset_mode is AutoresetMode.DISABLED and over.any():
            wrapped.reset(options={"reset_mask": over})
    return int(ended)


def test_the_page_has_a_table() -> None:
    assert len(ROWS) == 7


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_vector_wrappers(row: tuple[str, ...]) -> None:
    name, *answers = row
    for mode, answer in zip(MODES, answers, strict=True):
        if answer == "works":
            assert play(wrap(name, mode)) > 0
        else:
            with pytest.raises((ValueError, AssertionError)):  # in Gymnasium 1.2 the latter
                wrap(name, mode)


def test_rescaled_observations() -> None:
    """As they are, they stay uint8 and become 0; as floats they fill 0 to 1."""
    env = gym.make("mhing:Mhing-v0", opponents="random")
    zeros, _ = wrappers.RescaleObservation(env, np.float32(0), np.float32(1)).reset(seed=1)
    assert not zeros.any()
    floats = wrappers.DtypeObservation(env, np.float32)
    scaled, _ = wrappers.RescaleObservation(floats, np.float32(0), np.float32(1)).reset(seed=1)
    assert 0 < scaled.max() <= 1
    assert len(set(scaled.tolist())) > 2


def test_no_episode_of_the_batch_is_cut_short() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_episode_steps'"):
        gym.make_vec("mhing:Mhing-v0", num_envs=2, max_episode_steps=10)


class Clip:
    """Stands in for moviepy's, which brings a hundred megabytes: it keeps what it should write."""

    made: ClassVar[list[Clip]] = []

    def __init__(self, frames: list[NDArray[np.uint8]], fps: int) -> None:
        self.frames, self.fps, self.path = frames, fps, ""
        self.made.append(self)

    def write_videofile(self, path: str, **_: object) -> None:
        self.path = path

    def close(self) -> None:
        """Like the real one."""


def test_an_episode_becomes_a_video(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip")
    for name in names:
        module = ModuleType(name)
        module.ImageSequenceClip = Clip  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    env = gym.make("mhing:GeneralMhing-v0", render_mode="rgb_array")
    recorded = wrappers.RecordVideo(
        env, str(tmp_path / "videos"), episode_trigger=lambda number: True
    )
    _, info = recorded.reset(seed=1)
    steps, over = 0, False
    while not over:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, over, _, info = recorded.step(action)
        steps += 1
    recorded.close()
    (clip,) = Clip.made
    assert clip.fps == env.metadata["render_fps"] == 4
    assert len(clip.frames) == steps + 1
    assert {(frame.shape, frame.dtype.name) for frame in clip.frames} == {((720, 960, 3), "uint8")}
    assert len({frame.tobytes() for frame in clip.frames}) == steps + 1
    assert clip.path.endswith("rl-video-episode-0.mp4")
    Clip.made.clear()
