"""A step of TRL's GRPOTrainer: a tiny model made here, whose calls of tools a script writes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="TRL has a separate environment: run .ci/language_models")

import tiny
import torch
from datasets import Dataset
from examples import example
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

import mhing.trl
from mhing.text import Texts

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries' own


def trained(folder: Path, game: str, *, nonsense: bool = False, **settings: Any) -> GRPOTrainer:
    """A trainer after a step: two rows, four rollouts of each."""
    torch.manual_seed(1)
    words = tiny.tokenizer(qwen3_chat_template)
    model = tiny.Scripted(tiny.config(words))
    model.script(words, tiny.call, nonsense=0.3 * nonsense)
    texts = Texts(game, rules="none")
    trainer = GRPOTrainer(
        model=model,
        processing_class=words,
        train_dataset=Dataset.from_list(mhing.trl.rows(texts, [5, 6])),
        environment_factory=partial(mhing.trl.Environment, texts, opponents="greedy", **settings),
        args=GRPOConfig(
            output_dir=str(folder), per_device_train_batch_size=8, num_generations=4, max_steps=1,
            max_completion_length=16_384, learning_rate=1e-2, use_cpu=True, report_to="none",
            logging_steps=1, save_strategy="no", beta=0.0, disable_tqdm=True,
        ),
    )  # fmt: skip
    before = {name: one.detach().clone() for name, one in model.named_parameters()}
    trainer.train()
    assert any(not one.equal(before[name]) for name, one in model.named_parameters())
    return trainer


def test_a_step_with_groups_of_the_same_deal(tmp_path: Path) -> None:
    trainer = trained(tmp_path, "leduc")
    envs = [env._env for env in trainer.environments]
    tables = [env.table.table for env in envs]
    assert all(table.state.is_terminal for table in tables)
    assert sorted(table.seed for table in tables) == [5] * 4 + [6] * 4
    assert len({(table.seed, env.seat) for env, table in zip(envs, tables, strict=True)}) == 2
    log = trainer.state.log_history[0]
    earned = [env.table.table.state.returns()[env.seat] for env in envs]
    assert log["rewards/Environment/mean"] == pytest.approx(sum(earned) / 8)
    assert log["reward_std"] > 0
    assert log["tools/failure_frequency"] == 0
    assert all(env._turn.info["mistakes"] == 0 for env in trainer.environments)


def test_mistakes_and_their_price(tmp_path: Path) -> None:
    trainer = trained(tmp_path, "leduc", nonsense=True, mistakes=0, then="end", penalty=-20.0)
    ends = [env._turn.info for env in trainer.environments]
    lost = [info["forfeited"] is not None for info in ends]
    assert {*lost} == {True, False}
    for env, info, is_lost in zip(trainer.environments, ends, lost, strict=True):
        assert (info["returns"][env._env.seat] == -20) == is_lost
    assert any("You gave no legal move." in text for text in trainer.model.questions)


def test_the_schema_of_the_tool() -> None:
    function = get_json_schema(mhing.trl.Environment("leduc").play)["function"]
    assert function["name"] == "play"
    assert function["parameters"]["required"] == ["move"]
    assert function["parameters"]["properties"]["move"]["type"] == "string"


def test_the_example(tmp_path: Path) -> None:
    tiny.save(tmp_path / "tiny", qwen3_chat_template)
    example("trl").check(tmp_path)
