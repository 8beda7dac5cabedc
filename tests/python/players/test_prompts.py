"""Prompts for language models, against a slow loop over states, and the files of them."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mhing
from mhing import data
from mhing.cli import main
from mhing.data.prompts import SPLITS, split_of
from mhing.text import Move, Texts

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("mhing", {}, "expert"),
    ("mhing", {"num_players": 2, "episode": "game", "target": 20}, "net"),
    ("general_mhing", {"episode": "game", "target": 4}, "expert"),
    ("mexican_rummy", {}, "expert"),
]


def slowly(games: data.Games, texts: Texts, bot: str) -> Iterator[dict[str, Any]]:
    """The rows of games by their records, asking each state."""
    out = io.StringIO()
    data.write_jsonl(out, games)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    number = -1
    for line in lines:
        if "game" in line:
            number += 1
            state, asked = games.game.new_state(line["seed"]), Counter[int]()
            players, seed = line["players"], line["seed"]
        elif "action" in line:
            seat, legal = state.seat, state.legal_actions()
            judged = state.values(bot).values.tolist()
            known = [value for value in judged if math.isfinite(value)]
            if known:
                best = judged.index(max(known))
                moves = [*map(games.game.action_text, legal.tolist())]
                yield {
                    "prompt": [
                        {"role": "system", "content": texts.system()},
                        {"role": "user", "content": texts.observation(state)},
                    ],
                    "moves": moves,
                    "played": games.game.action_text(line["action"]),
                    "player": players[seat],
                    "split": split_of(seed),
                    "seat": seat,
                    "seed": seed,
                    "game": number,
                    "decision": asked[seat],
                    "values": [one if math.isfinite(one) else None for one in judged],
                    "regrets": [max(known) - one if math.isfinite(one) else None for one in judged],
                    "best": moves[best],
                    "completion": [{"role": "assistant", "content": f"Answer: {moves[best]}"}],
                }
            asked[seat] += 1
            state.apply(line["action"])


@pytest.mark.parametrize(("game_id", "options", "bot"), CASES)
def test_rows_are_what_states_say(game_id: str, options: dict[str, Any], bot: str) -> None:
    game = mhing.Game(game_id, **options)
    games = data.Games(game, ["greedy", "random"], games=2, seed=5, num_threads=2)
    texts = Texts(game, legal="kinds", history="since", rules="none")
    prompts = data.Prompts(games, texts, bot)
    rows = [*prompts.rows()]
    assert rows == [*slowly(games, texts, bot)]
    assert len(rows) > 20
    assert [*rows[0]] == [column.name for column in prompts.columns]


def test_the_completion_is_read_as_the_best_move() -> None:
    texts = Texts("mhing")
    for row in data.Prompts(data.Games(texts.game, games=3), bot="expert").rows():
        legal = [*map(texts.game.action_id, row["moves"])]
        read = texts.read(row["completion"][0]["content"], legal)
        assert isinstance(read, Move)
        assert read.text == row["best"]
        assert row["regrets"][row["moves"].index(row["best"])] == 0
        assert all(regret >= 0 for regret in row["regrets"])


def test_a_search_has_intervals() -> None:
    games = data.Games("general_mhing", "greedy", games=1, seed=3)
    rows = [*data.Prompts(games, bot="search:60").rows()]
    state = games.game.new_state(seed=3)
    found = state.search("60", seed=0)
    row = rows[0]
    assert row["best"] == games.game.action_text(found.action)
    assert len(row["moves"]) == len(row["values"]) == len(row["intervals"])
    base = found.values[found.actions == found.prior][0]
    for place, gain in enumerate(found.gains.tolist()):
        if math.isfinite(gain):
            assert row["values"][place] == base + gain
            assert row["intervals"][place] == found.gain_halves[place]
        else:
            assert row["values"][place] is row["intervals"][place] is row["regrets"][place] is None
    assert None in row["values"]


def test_without_a_judge_there_are_prompts_alone() -> None:
    prompts = data.Prompts(data.Games("leduc", games=5))
    rows = [*prompts.rows()]
    assert [*rows[0]] == [column.name for column in prompts.columns]
    assert "values" not in rows[0]
    assert all(len(row["moves"]) > 1 for row in rows)


# ---- Splits ----------------------------------------------------------------------------------


def test_a_deal_is_in_one_split() -> None:
    """Whatever the game, its options and who plays; about as many as is said."""
    found: dict[int, set[str]] = {}
    for game, players in (("leduc", "random"), ("general_mhing", "greedy")):
        for row in data.Prompts(data.Games(game, players, games=30, seed=7)).rows():
            found.setdefault(row["seed"], set()).add(row["split"])
    assert len(found) == 30
    assert {len(splits) for splits in found.values()} == {1}
    count = Counter(map(split_of, range(10_000)))
    for name, share in SPLITS.items():
        assert count[name] / 10_000 == pytest.approx(share, abs=0.02)


def test_deals_of_the_benchmark_are_for_tests() -> None:
    from mhing.arena.suite import TASKS

    seeds = [task.seed + deal for task in TASKS for deal in range(50)]
    assert {split_of(seed) for seed in seeds} == {"test"}


# ---- Files -----------------------------------------------------------------------------------


def prompts() -> data.Prompts:
    return data.Prompts(data.Games("general_mhing", "greedy", games=40, seed=7), bot="expert")


ROWS = [*prompts().rows()]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_lines_and_their_card(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    done: list[int] = []
    data.write_prompts(path, prompts(), done.append)
    assert lines(path) == ROWS
    assert done[-1] == 40
    card = (tmp_path / "prompts.md").read_text(encoding="utf-8")
    assert card.startswith("# prompts.jsonl\n")
    assert f"{len(ROWS):,} decisions of 40 games of General Mhing" in card
    for split, count in Counter(row["split"] for row in ROWS).items():
        assert f"| {split} | {count:,} |\n" in card
    for column in prompts().columns:
        assert f"| `{column.name}` | {column.meaning} |" in card
    settings = json.loads(card.partition("```json\n")[2].partition("```")[0])
    assert (settings["first_seed"], settings["games"], settings["bot"]) == (7, 40, "expert")
    assert settings["texts"] == Texts("general_mhing").name
    out = io.StringIO()
    data.write_prompts(out, prompts())
    assert out.getvalue() == path.read_text(encoding="utf-8")
    assert len([*tmp_path.iterdir()]) == 2


def test_parquet_has_chats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the form of trainers: lists of messages with a role and a content."""
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("mhing.data.prompts._GROUP", 100)
    path = tmp_path / "prompts.parquet"
    data.write_prompts(path, prompts())
    table = pq.read_table(path)
    assert table.to_pylist() == ROWS
    assert pq.read_metadata(path).num_row_groups == math.ceil(len(ROWS) / 100)
    message = table.schema.field("prompt").type.value_type
    assert [field.name for field in message] == ["role", "content"]
    assert table.schema.field("regrets").metadata[b"meaning"]
    assert {one.name for one in tmp_path.iterdir()} == {"prompts.parquet", "prompts.md"}


@pytest.mark.slow
def test_datasets_reads_both(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    for name, kind in (("a.jsonl", "json"), ("b.parquet", "parquet")):
        data.write_prompts(tmp_path / name, prompts())
        found = datasets.load_dataset(
            kind, data_files=str(tmp_path / name), split="train", cache_dir=str(tmp_path / "cache")
        )
        assert found.to_list() == ROWS
        test = found.filter(lambda row: row["split"] == "test")
        assert 0 < len(test) < len(ROWS)


@pytest.mark.parametrize("name", ["prompts.jsonl", "prompts.parquet"])
def test_ctrl_c_keeps_what_there_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    monkeypatch.setattr("mhing.data.prompts._AT_ONCE", 10)

    done: list[int] = []

    def press(games: int) -> None:
        done.append(games)
        if games >= 20:
            raise KeyboardInterrupt

    path = tmp_path / name
    with pytest.raises(KeyboardInterrupt):
        data.write_prompts(path, prompts(), press)
    assert done[-1] < 40
    expected = [row for row in ROWS if row["game"] < done[-1]]
    if name.endswith("parquet"):
        import pyarrow.parquet as pq

        assert pq.read_table(path).to_pylist() == expected
    else:
        assert lines(path) == expected
    card = path.with_suffix(".md").read_text(encoding="utf-8")
    assert f"{len(expected)} decisions of {done[-1]} games" in card


@pytest.mark.parametrize("name", ["prompts.jsonl", "prompts.parquet"])
def test_ctrl_c_before_anything_leaves_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")

    def pressed(*_: Any) -> Iterator[Any]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(data.Prompts, "_pieces", pressed)
    with pytest.raises(KeyboardInterrupt):
        data.write_prompts(tmp_path / name, prompts())
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("taken", ["prompts.jsonl", "prompts.md"])
def test_nothing_is_written_over(taken: str, tmp_path: Path) -> None:
    (tmp_path / taken).write_text("mine")
    with pytest.raises(FileExistsError, match="already exists"):
        data.write_prompts(tmp_path / "prompts.jsonl", prompts())
    assert [one.read_text() for one in tmp_path.iterdir()] == ["mine"]


# ---- The command and bad arguments -----------------------------------------------------------


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    line = "record general_mhing --as text --bot expert --bots greedy --games 40 --seed 7 --out"
    assert main([*line.split(), "prompts.jsonl"]) == 0
    assert "40 games of general_mhing" in capsys.readouterr().out
    assert lines(Path("prompts.jsonl")) == ROWS
    more = "record leduc --as text --games 1 --legal none --no-guide --out -"
    assert main(more.split()) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    system, asked = (message["content"] for message in row["prompt"])
    assert "Moves:" not in asked
    assert system.startswith("You play ")
    assert [one.name for one in sorted(tmp_path.iterdir())] == ["prompts.jsonl", "prompts.md"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--as text --out folder/", "--out: 'folder/': texts go to a file .jsonl or .parquet"),
        ("--as text --out minari:a/b-v0", "texts go to a file"),
        ("--as text --bot random --out a.jsonl", "bot: random has neither values nor"),
        ("--as text --out taken.jsonl", "'taken.md' already exists, where the card would be"),
        ("--bot expert --out a.jsonl", "--bot: it is for --as text"),
        ("--legal none --out a.jsonl", "--legal: it is for --as text"),
        ("--no-guide --out a.jsonl", "--no-guide: it is for --as text"),
    ],
)
def test_what_the_command_refuses(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("taken.md").write_text("mine")
    assert main(["record", "general_mhing", "--games", "1", *words.split()]) == 2
    assert message in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["taken.md"]


def test_bad_arguments() -> None:
    games = data.Games("general_mhing", games=1)
    with pytest.raises(ValueError, match="texts: they are of"):
        data.Prompts(games, Texts("mhing"))

    class Likely:
        def __call__(self, observation: Any, mask: Any, info: Any) -> int:
            return int(mask.nonzero()[0][0])

        def probabilities(self, observations: Any, masks: Any) -> Any:
            return masks / masks.sum(1, keepdims=True)

    with pytest.raises(ValueError, match=r"bot: Likely has no values .* expert, net, search:"):
        data.Prompts(games, bot=Likely())
