"""Analysis: what a bot makes of decisions, of records, and hints at the table."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_policy import write_policy

import mhing
from mhing.analysis import MISTAKE, WORST, Analysis
from mhing.cli import main
from mhing.decision import PROBABILITY, Decision
from mhing.judge import Judge, judges
from mhing.records import Record
from mhing.tui.words import HINTED, hint

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]
JUDGED = [game for game in mhing.games() if any(bot.values for bot in mhing.Game(game).bots)]


def write_record(
    path: Path, game: mhing.Game, seed: int, bots: list[str], by: dict[int, str] | None = None
) -> mhing.State:
    """A record as a server writes it; `by` says who decided a move, by its number from 1."""
    state = game.new_state(seed)
    lines: list[dict[str, Any]] = [
        {
            "format": 1,
            "game": game.id,
            "rules_version": game.describe()["rules_version"],
            "options": game.options,
            "seed": seed,
            "players": [f"{bot} {seat}" for seat, bot in enumerate(bots)],
        }
    ]
    random = seed
    while not state.is_terminal:
        seat = state.seat
        action, random = state.bot_action(bots[seat], random)
        made = (by or {}).get(len(lines), "player")
        text = game.action_text(action)
        lines.append({"seat": seat, "action": action, "text": text, "by": made, "ms": 0})
        state.apply(action)
    numbers = {
        name: value if isinstance(value, int) else value.tolist()
        for name, value in state.info().items()
    }
    lines.append({"returns": state.returns().tolist(), "numbers": numbers})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return state


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """One of four players who differ in strength."""
    path = tmp_path / "record.jsonl"
    write_record(path, mhing.Game("mhing"), 5, ["random", "greedy", "expert", "expert"])
    return Record(path)


# ---- A decision ------------------------------------------------------------------------------


def decisions(game: mhing.Game, count: int) -> Iterator[mhing.State]:
    state, random = game.new_state(7), 7
    for _ in range(count):
        if state.is_terminal:
            return
        yield state
        action, random = state.bot_action("greedy", random)
        state.apply(action)


@pytest.mark.parametrize("game_id", JUDGED)
def test_what_a_decision_says(game_id: str) -> None:
    judged = 0
    for state in decisions(mhing.Game(game_id), 60):
        decision = mhing.analyse(state, "expert")
        assert decision.seat == state.seat
        assert decision.bot == "expert"
        assert decision.choice == state.bot_action("expert", 0)[0]
        assert decision.actions.tolist() == state.legal_actions().tolist()
        assert decision.texts == tuple(map(state.game.action_text, decision.actions.tolist()))
        assert np.array_equal(decision.values, state.values("expert").values, equal_nan=True)
        ranked = decision.ranked()
        assert ranked[0] == decision.choice
        assert sorted(ranked) == decision.actions.tolist()
        if decision.judged:
            judged += 1
            losses = [decision.loss(action) for action in ranked]
            assert losses[0] == 0
            known = [loss for loss in losses if np.isfinite(loss)]
            assert known == sorted(known) == losses[: len(known)]
    assert judged > 10


@pytest.mark.parametrize("game_id", JUDGED)
def test_only_what_the_seat_knows_enters(game_id: str) -> None:
    for number, state in enumerate(decisions(mhing.Game(game_id), 40)):
        one, other = (
            mhing.analyse(s, "expert") for s in (state, state.resample(state.seat, number))
        )
        assert one.choice == other.choice
        assert np.array_equal(one.values, other.values, equal_nan=True)


@pytest.mark.parametrize("game_id", JUDGED)
def test_a_search_judges_by_what_actions_gain_on_its_prior(game_id: str) -> None:
    tried = 0
    for state in decisions(mhing.Game(game_id), 12):
        decision, found = mhing.analyse(state, "search:40"), state.search("40", seed=0)
        assert decision.choice == found.action
        prior = found.values[found.actions == found.prior]
        for action, visits, gain in zip(found.actions, found.visits, found.gains, strict=True):
            tried += visits > 0
            value = decision.value(int(action))
            assert value == prior + gain if visits else np.isnan(value)
        assert decision.loss(decision.choice) == 0 or not decision.judged
    assert tried > 10


def test_a_bot_that_does_not_judge_has_a_choice() -> None:
    state = mhing.Game("mhing").new_state(1)
    decision = mhing.analyse(state, "greedy")
    assert decision.choice == state.bot_action("greedy", 0)[0]
    assert not decision.judged
    assert np.isnan(decision.loss(decision.choice))
    assert decision.ranked()[0] == decision.choice
    assert sorted(decision.ranked()) == decision.actions.tolist()


@pytest.mark.parametrize("game_id", mhing.games())
def test_who_judges_where_nobody_is_named(game_id: str) -> None:
    game = mhing.Game(game_id)
    decision = mhing.analyse(game.new_state(1))
    assert decision.bot == game.default_judge
    judges = [bot.name for bot in game.bots if bot.values] or ["search:100"]
    assert decision.bot == judges[-1]
    assert decision.unit == game.unit
    assert decision.judged


def test_it_is_said_onto_which_meld() -> None:
    """Melds count from the seat to act; what is said of them does not."""
    game, seen = mhing.Game("mexican_rummy", num_players=3, objective=2), set()
    for seed in range(8):
        state = game.new_state(seed)
        while not state.is_terminal:
            decision = mhing.analyse(state, "expert")
            for text, words in zip(decision.texts, decision.meanings, strict=True):
                kind, _, place = text.partition(" ")
                if kind not in ("onto", "low", "high"):
                    assert words == text
                    continue
                ahead, number = map(int, place.split("."))
                seat = (state.seat + ahead) % game.num_seats
                meld = state.to_dict()["melds"][seat][number - 1]
                laid = rf"{meld['kind']} {re.escape(meld['text'])}(?: \(.*\))?"
                owner = f"seat {seat}" if ahead else "yours"
                assert re.fullmatch(f"{re.escape(text)}, {laid} of {owner}", words)
                seen.add((state.seat, ahead))
            state.apply(decision.choice)
    assert len(seen) > 4


def test_bad_calls() -> None:
    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(ValueError, match="no bot 'clever'"):
        mhing.analyse(state, "clever")
    with pytest.raises(TypeError):
        mhing.analyse(state, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="action: 0 is not legal"):
        mhing.analyse(state, "expert").loss(0)
    with pytest.raises(RuntimeError):
        mhing.analyse(state.play_out("greedy", 1), "expert")
    with pytest.raises(AttributeError, match=r"is now mhing\.analyse\(state, bot\)"):
        state.analyse("expert")


# ---- Policies --------------------------------------------------------------------------------


class Rising:
    """Plays the last legal action, and an earlier one with half the probability of the next."""

    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        return int(np.flatnonzero(mask)[-1])

    def probabilities(self, observations: Any, masks: Any) -> Any:
        likely = np.zeros(masks.shape)
        for row, mask in zip(likely, masks, strict=True):
            (legal,) = np.nonzero(mask)
            row[legal] = 2.0 ** np.arange(len(legal))
        return likely / likely.sum(1, keepdims=True)


def last_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(np.flatnonzero(mask)[-1])


def test_a_policy_judges_by_how_likely_it_is() -> None:
    state = mhing.Game("mhing").new_state(1)
    decision = mhing.analyse(state, Rising())
    count = len(decision.actions)
    assert (decision.bot, decision.unit) == ("Rising", PROBABILITY)
    assert decision.probabilities == pytest.approx(2.0 ** np.arange(count) / (2**count - 1))
    assert np.isnan(decision.values).all()
    assert decision.ranked() == decision.actions.tolist()[::-1]
    worst, second, best = (int(decision.actions[place]) for place in (0, -2, -1))
    assert decision.loss(second) == pytest.approx(decision.score(best) / 2)
    assert decision.loss(best) == 0
    assert decision.judged
    assert decision.loss(worst) > decision.loss(second)


def test_a_network_judges_by_the_softmax_of_its_logits(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    game = mhing.Game("mhing")
    bot = f"onnx:{write_policy(tmp_path, game)}"
    state = game.new_state(1)
    decision = mhing.analyse(state, bot)
    logits = decision.actions.astype(float)
    assert decision.bot == bot
    assert decision.choice == decision.actions[-1]
    likely = np.exp(logits - logits[-1])
    assert decision.probabilities == pytest.approx(likely / likely.sum())
    other = mhing.analyse(state.resample(state.seat, 5), bot)
    assert np.array_equal(other.probabilities, decision.probabilities)


def test_what_a_run_has_learned_judges(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    line = "leduc --steps 600 --deals 2 --tune rows=64 --tune horizon=8 --tune hidden=16 --seed 1"
    assert main(["train", *line.split(), "--out", str(tmp_path / "run")]) == 0
    game = mhing.Game("leduc")
    decision = mhing.analyse(game.new_state(1), f"run:{tmp_path / 'run'}")
    assert decision.unit == PROBABILITY
    assert decision.probabilities.sum() == pytest.approx(1)
    assert decision.choice == decision.actions[decision.probabilities.argmax()]


def test_mistakes_of_a_policy_are_what_it_hardly_ever_plays(record: Record) -> None:
    analysis = Analysis(record, Rising())
    assert analysis.unit == PROBABILITY
    wanted = set()
    for one in analysis.played:
        actions = one.decision.actions.tolist()
        halved = len(actions) - 1 - actions.index(one.move.action)
        if 2.0**-halved < MISTAKE:
            wanted.add(one.number)
    found = {one.number for player in analysis.players for one in player.mistakes()}
    assert wanted == found
    assert found
    assert any(len(player.mistakes()) < len(player.losing()) for player in analysis.players)


@pytest.mark.parametrize("bot", ["greedy", last_legal])
def test_who_only_chooses_is_no_judge_of_games(record: Record, bot: Any) -> None:
    assert not mhing.analyse(record.game.new_state(1), bot).judged
    with pytest.raises(ValueError, match=r"has neither values nor .*: expert, net, search:100, "):
        Analysis(record, bot)
    assert all(Judge(record.game, name).judges for name in judges(record.game))


def test_a_policy_that_fails_says_how() -> None:
    def broken(observation: Any, mask: Any, info: Any) -> int:
        raise KeyError("no such card")

    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(ValueError, match="broken fails: KeyError: 'no such card'"):
        mhing.analyse(state, broken)
    with pytest.raises(ValueError, match="fails: ValueError: illegal answer: action 99999"):
        mhing.analyse(state, lambda *_: 99999)


# ---- A record --------------------------------------------------------------------------------


def test_a_record_against_a_plain_computation(record: Record) -> None:
    analysis = Analysis(record, "expert")
    assert analysis.unit == "credits"
    state, expected = record.game.new_state(record.seed), []
    losses: list[list[float]] = [[], [], [], []]
    agreed = [0] * 4
    for number, move in enumerate(record.moves, 1):
        if state.action_mask().sum() > 1:
            expected.append(number)
            judged = state.values("expert")
            loss = judged.values.max() - judged.values[judged.actions == move.action][0]
            if np.isfinite(loss):
                losses[move.seat].append(loss)
            agreed[move.seat] += state.bot_action("expert", 0)[0] == move.action
        state.apply(move.action)
    assert [one.number for one in analysis.played] == expected
    for player in analysis.players:
        assert player.losses == pytest.approx(losses[player.seat])
        assert player.mean_loss == pytest.approx(np.mean(losses[player.seat]))
        assert player.agreed == agreed[player.seat]
        worst = [one.loss for one in player.worst()]
        assert worst == sorted((x for x in losses[player.seat] if x > 0), reverse=True)[:WORST]
    random, greedy, *experts = analysis.players
    assert random.mean_loss > 0
    assert greedy.mean_loss > 0
    for expert in experts:
        assert expert.mean_loss == 0
        assert expert.agreed == expert.decisions
        assert expert.worst() == []
    assert [player.name for player in analysis.players] == record.players


def test_what_the_server_decided_is_nobodys_loss(tmp_path: Path) -> None:
    path, game, bots = tmp_path / "record.jsonl", mhing.Game("mhing"), ["random"] * 4
    write_record(path, game, 5, bots)
    before = Analysis(Record(path), "expert")
    bad = before.players[before.played[0].move.seat].worst()[0]
    for by in ("late", "illegal", "substitute"):
        write_record(path, game, 5, bots, {bad.number: by})
        after = Analysis(Record(path), "expert")
        assert len(after.played) == len(before.played)
        seat = bad.move.seat
        assert after.players[seat].decisions == before.players[seat].decisions - 1
        assert bad.number not in [one.number for one in after.players[seat].worst()]


@pytest.mark.parametrize("game_id", mhing.games())
def test_the_command(game_id: str, tmp_path: Path, capsys: Capture) -> None:
    game, path = mhing.Game(game_id), tmp_path / "record.jsonl"
    write_record(path, game, 3, ["random"] * game.num_seats)
    assert main(["analyse", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    analysis = Analysis(Record(path))
    assert analysis.bot == game.default_judge
    assert out.startswith(f"{game.title}, judged by {analysis.bot}\n")
    assert main(["analyse", str(path), "--show-seed"]) == 0
    printed = capsys.readouterr().out
    assert printed == out.replace(game.title, f"{game.title}, seed 3", 1)
    for player in analysis.players:
        for one in player.worst():
            assert f"move {one.number}, {one.move.text}: lost {one.loss:.3f} " in out
    assert "no loss is known" not in out
    assert main(["analyse", str(path), "--json"]) == 0
    assert "seed" not in json.loads(capsys.readouterr().out)
    assert main(["analyse", str(path), "--json", "--show-seed"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == analysis.to_dict()
    for plain, one in zip(report["decisions"], analysis.played, strict=True):
        assert plain["played"] in plain["values"]
        assert list(plain["values"]) == list(one.decision.texts)
    assert main(["analyse", str(path), "--bot", "search:20"]) == 0
    assert "judged by search:20" in capsys.readouterr().out


def test_bad_input(record: Record, tmp_path: Path, capsys: Capture) -> None:
    lines = Path(record.path).read_text().splitlines(keepends=True)
    broken = tmp_path / "broken.jsonl"
    broken.write_text("".join([*lines[:5], *lines[6:]]))
    for line, words in (
        (
            f"{record.path} --bot clever",
            "--bot: no bot 'clever' for mhing; there is random, greedy",
        ),
        (f"{record.path} --bot greedy", "--bot: greedy has neither values nor probabilities"),
        (f"{record.path} --bot onnx:/none", "--bot: '/none' cannot be loaded: there is no such"),
        (f"{tmp_path}/nothing", "does not exist"),
        (str(broken), "line 6: "),
        (str(tmp_path), "is a folder"),
    ):
        try:
            code = main(["analyse", *line.split()])
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert words in err


# ---- Hints at the table ----------------------------------------------------------------------


def printed(line: str, typed: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> str:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert main(["play", *line.split()]) == 0
    return capsys.readouterr().out


def test_a_hint_on_request(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    out = printed("--seat 0 --seed 1", "h\nhint\nq\n", monkeypatch, capsys)
    state = mhing.Game("mhing").new_state(1)
    while state.seat != 0:
        state.apply(state.bot_action("greedy", 1)[0])
    decision = mhing.analyse(state)
    said = hint(decision)
    assert out.count(said) == 2
    lines = said.splitlines()
    assert lines[0] == f"{decision.bot} would play: {decision.text(decision.choice)}"
    for line, action in zip(lines[2:], decision.ranked(), strict=False):
        assert line.split(maxsplit=1) == [f"{decision.value(action):.2f}", decision.text(action)]
    assert len(lines) == 2 + HINTED
    assert "would play" not in printed("--seat 0 --seed 1", "q\n", monkeypatch, capsys)


def test_a_bot_that_is_refused_judges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one that was trained for other options."""
    game, index = mhing.Game("mhing"), mhing.Game.bot_index
    best = game.default_judge
    assert next(bot for bot in game.bots if bot.name == best).values

    def refuse(self: mhing.Game, name: str) -> int:
        if name == best:
            raise ValueError("trained for something else")
        return index(self, name)

    monkeypatch.setattr(mhing.Game, "bot_index", refuse)
    assert mhing.Game("mhing").default_judge != best


def test_who_gives_hints(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    out = printed("--seat 0 --seed 1 --hint greedy", "h\nq\n", monkeypatch, capsys)
    assert re.search(r"greedy would play: discard \w+\n", out)
    assert "expects" not in out
    for line, words in (
        ("play --seat 0 --hint clever", "--hint: no bot 'clever' for mhing; there is"),
        ("play --hint greedy", "--hint greedy: hints are for who plays; take a seat by --seat"),
    ):
        assert main(line.split()) == 2
        assert words in capsys.readouterr().err


def made(bot: str, choice: int, scores: list[float], unit: str) -> Decision:
    """A decision between a, b, c ..."""
    actions, known, unknown = np.arange(len(scores)), np.array(scores), np.full(len(scores), np.nan)
    both = (unknown, known) if unit == PROBABILITY else (known, unknown)
    texts = tuple("abcdefghi"[: len(scores)])
    return Decision(0, bot, choice, actions, texts, texts, *both, unit)


def test_a_hint_leaves_out_what_is_not_judged() -> None:
    decision = made("bot", 2, [np.nan, 0.5, 0.75], "points")
    assert hint(decision).splitlines() == [
        "bot would play: c",
        "It expects to the end of the round (points):",
        "    0.75  c",
        "    0.50  b",
    ]
    assert decision.ranked() == [2, 1, 0]
    assert decision.loss(1) == 0.25
    assert np.isnan(decision.loss(0))
    noisy = made("search:60", 1, [0.25, 0.5, 0.75], "chips")
    assert [noisy.loss(action) for action in range(3)] == [0.25, 0.0, 0.0]
    assert noisy.ranked() == [1, 2, 0]
    assert hint(noisy).splitlines() == [
        "search:60 would play: b",
        "It expects to the end of the round (chips):",
        "    0.75  c",
        "    0.50  b",
        "    0.25  a",
        "A move that looks better than that one may do so by chance.",
    ]
    last = made("search:60", 0, [n / 10 for n in range(9)], "win")
    assert [line.split()[-1] for line in hint(last).splitlines()[2:-1]] == list("ihga")
    assert hint(made("net", 1, [0.25, 0.75], PROBABILITY)).splitlines() == [
        "net would play: b",
        "How likely it plays them:",
        "     75%  b",
        "     25%  a",
    ]
