"""A step of TRL's GRPOTrainer: a tiny model made here, whose calls of tools a script writes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("trl", reason="TRL has a separate environment: run .ci/language_models")

import tiny
import torch
from datasets import Dataset
from examples import example
from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer

import mhing.trl
from mhing.text import Texts

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries' own


class Scripted(Qwen3ForCausalLM):
    """A network of random weights that says what a script says: a move by chance, or nonsense."""

    def script(self, words: PreTrainedTokenizerFast, nonsense: bool) -> None:
        self.words, self.rng, self.nonsense = words, Random(1), nonsense
        self.questions: list[str] = []

    def generate(self, input_ids: torch.Tensor, **_: Any) -> torch.Tensor:
        said = [self.reply(self.words.decode(row)) for row in input_ids]
        tokens = self.words(said, padding=True, padding_side="right", return_tensors="pt")
        return torch.cat([input_ids, tokens["input_ids"]], dim=1)

    def reply(self, chat: str) -> str:
        question = chat.rpartition("<|im_start|>user\n")[2]
        self.questions.append(question)
        if "Moves: " not in question:
            return f"That was it.{tiny.END}"
        kinds = question.partition("Moves: ")[2].partition(".\n")[0].split("; ")
        kind, *cards = self.rng.choice(kinds).split(", ")
        first, _, card = kind.rpartition(" ")
        move = f"{first} {self.rng.choice([card, *cards])}".strip()
        if self.nonsense and self.rng.random() < 0.3:
            move = "the best one"
        call = json.dumps({"name": "play", "arguments": {"move": move}})
        return f"<tool_call>\n{call}\n</tool_call>{tiny.END}"


def trained(folder: Path, game: str, *, nonsense: bool = False, **settings: Any) -> GRPOTrainer:
    """A trainer after a step: two rows, four rollouts of each."""
    torch.manual_seed(1)
    words = tiny.tokenizer()
    model = Scripted(tiny.config(words))
    model.script(words, nonsense)
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
    tiny.save(tmp_path / "tiny")
    example("trl").check(tmp_path)
