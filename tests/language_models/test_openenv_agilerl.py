"""AgileRL over OpenEnv: a step of GRPO whose rollouts are sessions at a server."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

pytest.importorskip("agilerl", reason="it has a separate environment: run .ci/language_models")

import tiny
from examples import example, run
from openenv_server import serving

from mhing.text import TextEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what it imports
    from agilerl.algorithms.core import base
    from agilerl.llm_envs import RolloutHarness

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries' own

GROUPS, GROUP = 2, 4


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[RolloutHarness]:
    """The rollouts, as they end. Kernels that need a GPU are left out."""
    monkeypatch.setattr(base, "_apply_liger_kernel_to_instance", lambda **_: None)
    ended: list[RolloutHarness] = []
    finished = RolloutHarness.get_episode_data

    def kept(self: RolloutHarness) -> object:
        ended.append(self)
        return finished(self)

    monkeypatch.setattr(RolloutHarness, "get_episode_data", kept)
    return ended


def test_the_example(sessions: list[RolloutHarness], tmp_path: Path) -> None:
    """As many sessions at once as there are rollouts, in groups of the same deal."""
    folder = tmp_path / "tiny"
    tiny.save(folder)
    words = tiny.tokenizer()
    model = tiny.Scripted(tiny.config(words))
    model.script(words, "I'll {}.".format, nonsense=0.1)
    block = example("openenv_agilerl")
    with serving("leduc", GROUPS * GROUP) as address:
        code = block.code.replace("http://localhost:8000", address)
        code = code.replace('"Qwen/Qwen3-0.6B"', repr(str(folder)))
        code = code.replace("model_name=MODEL", "actor_network=model, device='cpu', lr=0.01")
        code = code.replace("group_size=8", f"group_size={GROUP}")
        run(code.replace("max_steps=100_000", "max_steps=1"), model=model)
    assert len(sessions) == GROUPS * GROUP
    assert all(one.done for one in sessions)
    chats = [words.decode(one.full_ids.flatten()) for one in sessions]
    assert len({chat.partition("<|im_start|>assistant")[0] for chat in chats}) == GROUPS
    assert all(TextEnv("leduc").texts.system() in chat for chat in chats)
    assert len({sum(one.turn_rewards) for one in sessions}) > 1
