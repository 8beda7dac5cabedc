"""TRL over OpenEnv: a step of GRPO whose rollouts are sessions at a server."""

from __future__ import annotations

import pytest

pytest.importorskip("openenv", reason="it has a separate environment: run .ci/language_models")
pytest.importorskip("trl", reason="it has a separate environment: run .ci/language_models")

import tiny
from examples import example, run
from openenv_server import serving
from trl import GRPOConfig
from trl.chat_template_utils import qwen3_chat_template

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries' own

GROUP = 4


def test_the_example(tmp_path_factory: pytest.TempPathFactory) -> None:
    """As many sessions at once as there are rollouts, in groups of the same deal."""
    words = tiny.tokenizer(qwen3_chat_template)
    model = tiny.Scripted(tiny.config(words))
    model.script(words, tiny.call)

    def settings(folder: str, **page: int) -> GRPOConfig:
        folder = str(tmp_path_factory.mktemp(folder))
        chosen = {"num_generations": GROUP, "per_device_train_batch_size": 2 * GROUP}
        test = {"max_steps": 1, "use_cpu": True, "report_to": "none", "logging_steps": 1}
        return GRPOConfig(folder, **page | chosen | test, learning_rate=1e-2, save_strategy="no")

    block = example("openenv_trl")
    with serving("general_mhing", 2 * GROUP) as address:
        code = block.code.replace("http://localhost:8000", address)
        code = code.replace('"Qwen/Qwen3-0.6B"', "model, processing_class=words")
        code = code.replace("args=GRPOConfig(", "args=settings(")
        trainer = run(code, model=model, words=words, settings=settings)["trainer"]
        seats = trainer.environments
        assert len(seats) == 2 * GROUP
        assert all(seat.is_over for seat in seats)
        log = trainer.state.log_history[0]
        assert log["rewards/Seat/mean"] == pytest.approx(sum(s.earned for s in seats) / len(seats))
        assert log["reward_std"] > 0
        assert (log["tools/call_frequency"] > 0, log["tools/failure_frequency"]) == (True, 0)
        prompts = {question.partition("\n")[0] for question in model.questions[: 2 * GROUP]}
        assert len(prompts) <= 2
