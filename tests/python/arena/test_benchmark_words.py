"""The positions of the suite: they are what they were, and answers to them become a score."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pages
import pytest

from mhing import arena
from mhing.arena import words
from mhing.arena.positions import LEVELS, positions, scale
from mhing.arena.suite import SEEDS, TASKS
from mhing.cli import main
from mhing.text import Texts

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]

maker = pages.script("benchmarks/suite", "suite_positions")


def first_listed(text: str, mask: Any, info: Any) -> str:
    return "I'll " + text.rpartition("Moves: ")[2].split(",")[0].split(";")[0].strip(". \n")


# ---- The positions ---------------------------------------------------------------------------


def test_two_hundred_in_even_strata() -> None:
    count = Counter((one.task, one.level) for one in positions())
    assert len(positions()) == 200
    assert set(count.values()) == {10}
    assert len(count) == 5 * LEVELS
    assert len({one.seed for one in positions()}) == 200


def test_no_task_plays_their_deals() -> None:
    for one in positions():
        task = one.where
        assert one.seed >= SEEDS
        assert task.seed + task.deals < one.seed < task.seed + (1 << 32)
    assert {one.task for one in positions()} <= {task.name for task in TASKS}


def test_they_are_decisions_and_harder_from_level_to_level() -> None:
    for one in positions():
        state = one.state()
        assert len(state.legal_actions()) == len(one.regrets) >= maker.FEWEST
        assert min(one.regrets) == 0 < max(one.regrets)
    for task in {one.task for one in positions()}:
        scales = [scale(task, level) for level in range(1, LEVELS + 1)]
        assert scales == sorted(scales, reverse=True)


@pytest.mark.parametrize("number", range(5, 200, 40))
def test_a_position_is_made_again(number: int) -> None:
    """If this fails for a good reason, make all anew, raise the version, and ask all again."""
    one = positions()[number]
    deal = one.seed - one.where.seed - maker.FIRST
    made = maker.drawn(one.where, deal)
    assert made is not None
    assert made.regrets == pytest.approx(one.regrets, abs=2e-4)
    assert replace(made, level=one.level, regrets=one.regrets) == one


# ---- Scores ----------------------------------------------------------------------------------


def test_the_best_moves_score_one_and_random_ones_zero_on_average() -> None:
    best: list[words.Answer] = []
    scores: list[float] = []
    for one in positions():
        best.append(words.Answer(one, "it", "", 0.0, 0, None, 0.0, True))
        scores += [
            fmean(
                words.Answer(one, "it", "", lost, 0, None, 0.0, True).score for lost in one.regrets
            )
        ]
    assert {one.score for one in best} == {1.0}
    assert fmean(scores) == pytest.approx(0)


def test_a_model_is_asked_in_words() -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def model(text: str, mask: Any, info: Any) -> str:
        asked.append((text, info))
        return first_listed(text, mask, info)

    report = words.run(model, tasks=["general_points"])
    assert len(report.answers) == len(asked) == 40
    assert not report.citable
    for answer, (text, info) in zip(report.answers, asked, strict=True):
        state = answer.position.state()
        assert text == state.words(state.seat)
        assert info["system"] == Texts(state.game).system()
        assert info["seat"] == state.seat
        action = state.game.action_id(answer.move or "")
        assert (
            answer.regret == answer.position.regrets[state.legal_actions().tolist().index(action)]
        )
    assert report.score.value == pytest.approx(fmean(one.score for one in report.answers))
    assert report.refused == report.lost == 0
    assert report.latency is not None
    assert report.latency.decisions == 40
    none = words.run(model, tasks=["general_points"], quick=True, legal="none")
    assert none.form == "legal=none history=full seats=names"
    assert "Moves: " not in asked[-1][0]
    assert none.refused == none.lost == 4


def test_bad_replies_are_counted_and_asked_again() -> None:
    refusals: list[str] = []

    def model(text: str, mask: Any, info: Any) -> Any:
        if "refused" in info:
            refusals.append(info["refused"])
            return int(mask.nonzero()[0][0])
        return "Hm."

    again = words.run(model, tasks=["mhing_credits"], quick=True, retries=1)
    assert (again.refused, again.lost) == (4, 0)
    assert all("Reply with one" in one for one in refusals)
    once = words.run(model, tasks=["mhing_credits"], quick=True)
    assert (once.refused, once.lost) == (4, 4)
    assert all(one.regret == max(one.position.regrets) for one in once.answers)
    assert once.score.value < again.score.value
    assert any("no legal move in 4 answers, 4 positions lost" in note for note in once.notes())


def test_who_raises_has_lost_the_position_alone() -> None:
    def model(text: str, mask: Any, info: Any) -> str:
        raise ZeroDivisionError("no answer")

    report = words.run(model, tasks=["general_points"], quick=True, retries=1)
    assert (report.refused, report.lost) == (8, 4)
    assert report.answers[0].reason == "ZeroDivisionError: no answer"
    assert report.stopped is None


def test_who_never_replies_is_asked_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Earlier answers count, and a reply that is no move is a reply."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("models_of_silence.py").write_text(
        "asked = []\n"
        "def silent(text, mask, info):\n"
        "    asked.append(text)\n"
        "    if len(asked) == 7:\n"
        "        return 'Hm.'\n"
        "    raise ConnectionError('refused')\n"
    )
    assert main(["benchmark", "models_of_silence:silent", "--view", "words", "--json"]) == 2
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert len(found["answers"]) == 17
    silent = "models_of_silence:silent has not replied 10 times in a row"
    assert found["stopped"] == f"{silent}: ConnectionError: refused"
    assert printed.err.splitlines()[-1] == f"mhing: {found['stopped']}"


class Counting:
    """Counts tokens."""

    def __init__(self) -> None:
        self.usage = {"prompt_tokens": 1000}

    async def __call__(self, text: str, mask: Any, info: Any) -> str:
        self.usage["prompt_tokens"] += 10
        self.usage["completion_tokens"] = self.usage.get("completion_tokens", 0) + 2
        return first_listed(text, mask, info)


def test_tokens_of_this_run_and_jobs() -> None:
    alone, together = Counting(), Counting()
    one = words.run(alone, quick=True)
    many = words.run(together, quick=True, jobs=4)
    assert one.tokens == many.tokens == {"prompt_tokens": 200, "completion_tokens": 40}
    assert [a.move for a in one.answers] == [a.move for a in many.answers]
    assert len(one.answers) == 20


def test_bots_are_in_their_order() -> None:
    scores = [words.run(bot).score for bot in ("random", "greedy", "expert")]
    assert abs(scores[0].value) < 3 * scores[0].interval
    assert scores[0].value < scores[1].value < scores[2].value <= 1


# ---- Reports and the command -----------------------------------------------------------------


def test_the_schema_takes_reports_and_nothing_wrong() -> None:
    pytest.importorskip("jsonschema")
    from result_schema import WORDS, spoilt, validator

    report = words.run(Counting(), tasks=["general_points"], quick=True).to_dict()
    found = json.loads(json.dumps(report, allow_nan=False))
    validator(WORDS).validate(found)
    for what, wrong in spoilt(found):
        assert not validator(WORDS).is_valid(wrong), what
    for path in sorted((pages.ROOT / "benchmarks/suite/words").glob("*.json")):
        validator(WORDS).validate(json.loads(path.read_text(encoding="utf-8")))
    assert [*validator(WORDS).schema["properties"]] == [*found]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    Path("of_words.py").write_text(
        "def model(text, mask, info):\n    return int(mask.nonzero()[0][0])\n"
    )
    line = ["benchmark", "of_words:model", "--view", "words", "--quick", "--quiet"]
    assert main(line) == 0
    out = capsys.readouterr().out
    assert out.startswith("of_words:model about 20 positions; legal=all history=full seats=names\n")
    assert "level 4" in out
    assert main([*line, "--legal", "none", "--json", "--about", "the first"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert (plain["form"][:10], plain["about"]) == ("legal=none", "the first")


def test_ctrl_c_shows_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(done: int, *_: Any) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(arena.Interrupted) as end:
        words.run("greedy", progress=press)
    report = end.value.result
    assert len(report.answers) == 3
    assert not report.citable
    assert "ended early: 3 of 200 positions" in report.notes()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--ranked"], "--ranked: it is not for --view words"),
        (["--hints"], "--hints: it is not"),
        (["--estimator", "paired"], "--estimator: it is not"),
        (["--log", "log"], "--log: it is not"),
        (["--csv", "a.csv"], "--csv: it is not"),
        (["--tasks", "mhing_six"], "tasks: none of these has positions; mhing_credits, "),
    ],
)
def test_what_the_command_refuses(more: list[str], message: str, capsys: Capture) -> None:
    assert main(["benchmark", "greedy", "--view", "words", "--quiet", *more]) == 2
    assert message in capsys.readouterr().err
    assert main(["benchmark", "greedy", "--legal", "none"]) == 2
    assert "--legal: it is for --view words" in capsys.readouterr().err


def test_programs_are_refused() -> None:
    with pytest.raises(ValueError, match="agent: exec:true plays outside this process"):
        words.run("exec:true", quick=True)
    with pytest.raises(ValueError, match="retries: -1 is not"):
        words.run("greedy", retries=-1)
