"""``mhing record`` and the files that it writes, read back by the libraries that people use."""

from __future__ import annotations

import json
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import ROOT
from slow_data import first_legal, in_rows, of_batches

import mhing
from mhing import data
from mhing._support.extras import install
from mhing.cli import main
from mhing.data import parquet as parquet_module
from mhing.data.columns import COLUMNS
from mhing.records import Record, records

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]

NAMES = ["greedy", "random"]


@pytest.fixture(autouse=True, scope="module")
def extra() -> None:
    pytest.importorskip("pyarrow", reason="needs the extra mhing[data]")


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: Any) -> Path:
    path = tmp_path_factory.mktemp("data") / "games.parquet"
    data.write_parquet(path, games())
    return path


@pytest.fixture
def in_bytes(parquet: Path, tmp_path: Path) -> Path:
    """The same as an earlier version wrote it: observations and masks as bytes."""
    import pyarrow
    import pyarrow.parquet as pq

    table = pq.read_table(parquet)
    settings = json.loads(table.schema.metadata[b"mhing"]) | {"lists": False}
    for place, name in enumerate(("observation", "action_mask")):
        rows = [bytes(row) for row in table[name].to_pylist()]
        kind = pyarrow.field(name, pyarrow.binary(len(rows[0])), nullable=False)
        table = table.set_column(place, kind, pyarrow.array(rows, kind.type))
    path = tmp_path / "bytes.parquet"
    pq.write_table(table.replace_schema_metadata({"mhing": json.dumps(settings)}), path)
    return path


def games(**arguments: Any) -> data.Games:
    return data.Games("leduc", NAMES, **{"games": 50, "seed": 7} | arguments)


EXPECTED = of_batches(games())
"""The data that :mod:`test_data` has compared with a slow loop."""


def plain(rows: Any) -> list[dict[str, Any]]:
    """Rows of a library as lists and numbers."""
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


# ---- Parquet in every library -------------------------------------------------------------------


def test_pyarrow_reads_it(parquet: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(parquet)
    assert plain(table.to_pylist()) == EXPECTED
    assert [field.name for field in table.schema] == [column.name for column in COLUMNS]
    for field, column in zip(table.schema, COLUMNS, strict=True):
        assert field.metadata[b"meaning"].decode() == column.meaning
        assert not field.nullable
    sizes = {"observation": games().game.observation_size, "action_mask": games().game.num_actions}
    for name, size in sizes.items():
        kind = table.schema.field(name).type
        assert re.fullmatch(rf"fixed_size_list<.*>\[{size}\]", str(kind))


def test_pandas_reads_it(parquet: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(parquet)
    assert plain(frame.to_dict("records")) == EXPECTED
    assert frame["return"].dtype == np.float32


@pytest.mark.slow
def test_polars_reads_it(parquet: Path) -> None:
    polars = pytest.importorskip("polars")
    assert plain(polars.read_parquet(parquet).to_dicts()) == EXPECTED


@pytest.mark.slow
def test_datasets_reads_it(parquet: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    found = datasets.load_dataset(
        "parquet", data_files=str(parquet), split="train", cache_dir=str(tmp_path)
    )
    assert plain(found) == EXPECTED
    assert plain(found.with_format("numpy")) == EXPECTED  # of bytes it strips zeros at the end


@pytest.mark.parametrize("count", [1, 7, 8, 40_000])
def test_pyarrow_reads_pages_of_every_length(count: int, tmp_path: Path) -> None:
    """The last page of a group is shorter than others, and bytes come in groups of eight."""
    import pyarrow
    import pyarrow.parquet as pq

    from mhing.data.pages import Writer

    draw = np.random.default_rng(count)
    columns = {
        "one": draw.integers(256, size=(count, 1), dtype=np.uint8),
        "many": draw.integers(-128, 128, size=(count, 131), dtype=np.int8),
        "small": draw.integers(-128, 128, size=count, dtype=np.int8),
        "real": draw.normal(size=count).astype(np.float32),
        "large": draw.integers(2**64, size=count, dtype=np.uint64),
    }
    fields = []
    for name, array in columns.items():
        kind = pyarrow.from_numpy_dtype(array.dtype)
        if array.ndim == 2:
            element = pyarrow.field("element", kind, nullable=False)
            kind = pyarrow.list_(element, array.shape[1])
        fields.append(pyarrow.field(name, kind, nullable=False))
    path = tmp_path / "columns.parquet"
    with open(path, "wb") as file:
        writer = Writer(file, pyarrow.schema(fields, {b"key": b"value"}))
        writer.write({name: array[:0] for name, array in columns.items()})
        writer.write(columns)
        writer.write(columns)
        writer.close()
    table = pq.read_table(path)
    assert table.schema.equals(pyarrow.schema(fields))
    for name, array in columns.items():
        found = table[name].combine_chunks()
        numbers = found.flatten() if array.ndim == 2 else found
        assert np.array_equal(np.asarray(numbers), np.tile(array.ravel(), 2))
    metadata = pq.read_metadata(path)
    assert metadata.metadata[b"key"] == b"value"
    assert (metadata.num_rows, metadata.num_row_groups) == (2 * count, 2)
    for place, name in ((2, "small"), (3, "real"), (4, "large")):
        found = metadata.row_group(1).column(place).statistics
        assert (found.min, found.max) == (columns[name].min(), columns[name].max())


def test_a_damaged_column_is_refused(parquet: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    chunk = pq.read_metadata(parquet).row_group(0).column(1)
    content = bytearray(parquet.read_bytes())
    for place in (chunk.dictionary_page_offset, chunk.data_page_offset + 40):
        content[place] ^= 0xFF
        path = tmp_path / f"{place}.parquet"
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match=rf"{place}\.parquet: its column action_mask is damaged"
        ):
            next(data.Parquet(path).batches(["action_mask"]))
        content[place] ^= 0xFF


def test_torch_loads_single_decisions(parquet: Path) -> None:
    torch = pytest.importorskip("torch")
    loader = torch.utils.data.DataLoader(data.Parquet(parquet), batch_size=len(EXPECTED) // 2 + 1)
    first, second = loader
    for name, tensor in first.items():
        both = torch.cat([tensor, second[name]])
        assert both.tolist() == [row[name] for row in EXPECTED]
    assert first["observation"].dtype == torch.uint8
    drawn = torch.utils.data.DataLoader(data.Parquet(parquet), None, shuffle=True)
    orders = sorted((int(row["game"]), int(row["seat"]), int(row["decision"])) for row in drawn)
    assert orders == sorted((row["game"], row["seat"], row["decision"]) for row in EXPECTED)


def test_single_decisions_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More groups than stay in memory; and what a caller does to a row stays there."""
    monkeypatch.setattr(parquet_module, "KEPT", 2)
    data.write_parquet(tmp_path, games(), piece=10)
    recorded = data.Parquet(tmp_path)
    for number in (0, len(EXPECTED) - 1, 3, len(EXPECTED) // 2, 0):
        assert plain([recorded[number]]) == [EXPECTED[number]]
        assert plain([recorded[number - len(EXPECTED)]]) == [EXPECTED[number]]
        recorded[number]["observation"][:] = 99
    assert plain(pickle.loads(pickle.dumps(recorded))) == EXPECTED
    for number in (len(EXPECTED), -len(EXPECTED) - 1):
        with pytest.raises(IndexError, match=f"number: {number} is not from -{len(EXPECTED)} to"):
            recorded[number]
    with pytest.raises(TypeError, match="number: True is a bool"):
        recorded[True]


def test_bytes_of_an_earlier_version(in_bytes: Path) -> None:
    recorded = data.Parquet(in_bytes)
    assert plain(recorded) == EXPECTED
    assert [*in_rows(recorded.batches())] == EXPECTED
    in_bytes.rename(in_bytes.with_name("games-000000.parquet"))
    with pytest.raises(ValueError, match="was begun with lists False, not True"):
        data.write_parquet(in_bytes.parent, games())


def test_our_own_reader(parquet: Path) -> None:
    recorded = data.Parquet(parquet)
    assert recorded.game == games().game
    assert recorded.players == NAMES
    assert len(recorded) == len(EXPECTED)
    (batch,), (same,) = recorded.batches(), games().batches()
    for name, array in batch.items():
        assert array.dtype == same[name].dtype
        assert array.flags.writeable  # as torch.from_numpy wants it
        assert np.array_equal(array, same[name])
    (some,) = recorded.batches(["return", "action"])
    assert {*some} == {"return", "action"}
    with pytest.raises(ValueError, match="'reward_to_go' is none of observation"):
        next(recorded.batches(["reward_to_go"]))


def test_a_file_explains_itself(parquet: Path) -> None:
    settings = data.Parquet(parquet).settings
    game = games().game
    assert settings["game"] == "leduc"
    assert settings["options"] == game.options
    assert settings["players"] == [["greedy", "greedy"], ["random", "random"]]
    assert (settings["seed"], settings["games"]) == (7, 50)
    assert settings["version"] == mhing.__version__
    assert settings["columns"] == {column.name: column.meaning for column in COLUMNS}
    field = settings["observation"][1]
    (batch,) = data.Parquet(parquet).batches(["observation"])
    first, size = field["offset"], int(np.prod(field["shape"]))
    own = game.unpack(batch["observation"])[field["name"]]
    assert np.array_equal(batch["observation"][:, first : first + size], own.reshape(-1, size))


def test_the_page_has_the_columns(parquet: Path) -> None:
    import pyarrow.parquet as pq

    page = (ROOT / "python/docs/pages/tutorials/data.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", page, re.MULTILINE)
    kinds = {field.name: str(field.type) for field in pq.read_schema(parquet)}
    expected = {"float": "float32"}
    assert [(name, meaning) for name, _, meaning in rows] == [(c.name, c.meaning) for c in COLUMNS]
    for name, kind, _ in rows:
        if kind in ("uint8s", "int8s"):
            assert re.fullmatch(rf"fixed_size_list<element: {kind[:-1]} .*", kinds[name])
        else:
            assert kind == expected.get(kinds[name], kinds[name])


# ---- Pieces, kills, and files that exist already ------------------------------------------------


def test_bytes_do_not_depend_on_threads(tmp_path: Path) -> None:
    for threads in (1, 2, 3):
        data.write_parquet(tmp_path / f"{threads}.parquet", games(num_threads=threads))
        data.write_jsonl(tmp_path / f"{threads}.jsonl", games(num_threads=threads))
    for ending in (".parquet", ".jsonl"):
        assert len({path.read_bytes() for path in tmp_path.glob(f"*{ending}")}) == 1


def test_a_folder_is_gone_on_with(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    data.write_parquet(whole, games(), piece=20)
    names = ["games-000000.parquet", "games-000020.parquet", "games-000040.parquet"]
    assert sorted(path.name for path in whole.iterdir()) == names
    assert [*in_rows(data.Parquet(whole).batches())] == EXPECTED

    def stop(done: int) -> None:
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        data.write_parquet(broken, games(), piece=20, progress=stop)
    assert [path.name for path in broken.iterdir()] == names[:1]
    (broken / ".games-000020.parquet.part").write_bytes(b"PAR1 what a kill has left")
    data.write_parquet(broken, games(), piece=20)
    for path in whole.iterdir():
        assert (broken / path.name).read_bytes() == path.read_bytes()
    assert len([*broken.iterdir()]) == 3
    before = {path: path.stat().st_mtime_ns for path in broken.iterdir()}
    data.write_parquet(broken, games(), piece=20)
    assert before == {path: path.stat().st_mtime_ns for path in broken.iterdir()}


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"seed": 8}, "was begun with seed 7, not 8"),
        ({"games": 51}, "was begun with games 50, not 51"),
        ({"piece": 21}, "was begun with piece 20, not 21; take another folder"),
    ],
)
def test_a_folder_of_other_games_is_refused(
    other: dict[str, Any], words: str, tmp_path: Path
) -> None:
    data.write_parquet(tmp_path, games(), piece=20)
    piece = other.pop("piece", 20)
    with pytest.raises(ValueError, match=words):
        data.write_parquet(tmp_path, games(**other), piece=piece)


class Learner:
    def __call__(self, observation: Any, mask: Any, info: dict[str, Any]) -> int:
        return int(mask.argmax())


def test_a_folder_continues_with_the_same_object_only(tmp_path: Path) -> None:
    """As a log of the arena does: nothing else says that the object is the one of then."""
    one, other = Learner(), Learner()
    kept = {"games": 4, "seed": 7}
    data.write_parquet(tmp_path, data.Games("leduc", [one, "greedy"], **kept), piece=2)
    (tmp_path / "games-000002.parquet").unlink()
    with pytest.raises(ValueError, match=r"has games already, and Learner is an object that may"):
        data.write_parquet(tmp_path, data.Games("leduc", [other, "greedy"], **kept), piece=2)
    assert len([*tmp_path.iterdir()]) == 1
    (tmp_path / "games-000000.parquet").unlink()
    one.identity = "step 1"  # type: ignore[attr-defined]
    for _ in range(2):
        data.write_parquet(tmp_path, data.Games("leduc", [one, "greedy"], **kept), piece=2)
    other.identity = "step 2"  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="another player Learner: its name, files or ident"):
        data.write_parquet(tmp_path, data.Games("leduc", [other, "greedy"], **kept), piece=2)


def test_a_folder_of_several_recordings_is_refused(tmp_path: Path) -> None:
    for seed in (1, 2):
        data.write_parquet(tmp_path / f"{seed}.parquet", games(seed=seed, games=2))
    with pytest.raises(ValueError, match=r"2\.parquet has seed 2, and .*1\.parquet has 1"):
        data.Parquet(tmp_path)


def test_what_is_there_stays(tmp_path: Path) -> None:
    for name, write in (("a.parquet", data.write_parquet), ("a.jsonl", data.write_jsonl)):
        path = tmp_path / name
        path.write_text("mine")
        with pytest.raises(FileExistsError):
            write(path, games())
        assert path.read_text() == "mine"
    with pytest.raises(ValueError, match=r"holds a\.jsonl; take a separate folder"):
        data.write_parquet(tmp_path, games())
    with pytest.raises(ValueError, match="is no Parquet file"):
        data.Parquet(tmp_path / "a.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["games.jsonl", "games.parquet", "games/"])
def test_a_kill_loses_nothing_that_was_done(name: str, tmp_path: Path) -> None:
    """Killed in mid-run: what has its name is whole, and lines are those of an undisturbed run."""
    line = ["mhing", "--games", "200000", "--seed", "3", "--out", str(tmp_path / name)]
    command = [sys.executable, "-m", "mhing", "record", *line]
    if name == "games/":
        command += ["--piece", "500"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while not _has_written(tmp_path / name):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    if name == "games.jsonl":
        *whole, _ = [record.end for record in _readable(tmp_path / name)]
        assert None not in whole
    elif name == "games.parquet":
        assert [path.name for path in tmp_path.iterdir()] == [".games.parquet.part"]
    else:
        found = data.Parquet(tmp_path / name)
        expected = data.Games("mhing", games=500, seed=3).batches()
        for batch, same in zip(found.batches(), expected, strict=False):
            assert all(np.array_equal(batch[column], same[column]) for column in batch)


def _has_written(path: Path) -> bool:
    if path.suffix == ".jsonl":
        return path.exists() and path.stat().st_size > 100_000
    if path.suffix == ".parquet":
        return path.with_name(".games.parquet.part").exists()
    return any(path.glob("*.parquet"))


def _readable(path: Path) -> list[Record]:
    """The first games, and the last one."""
    text = path.read_text()
    begun = [found.start() for found in re.finditer(r'^\{"format"', text, re.MULTILINE)]
    path.write_text(text[: begun[20]] + text[begun[-1] :])
    found = [*records(path)]
    moves = [[*record.replay()] for record in found]
    assert all(moves[:-1])  # of the last one there may be the deal alone
    return found


DISK_FULL = """
import resource, signal, sys
from mhing.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
sys.exit(main(["record", "--games", "1000", "--out", sys.argv[1]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["games.jsonl", "games.parquet", "games/"])
def test_a_disk_that_takes_no_more(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", DISK_FULL, str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    *progress, error = done.stderr.splitlines()
    assert error == f"mhing: {tmp_path / name}: File too large"
    assert all(line.startswith("playing: ") for line in progress)
    left = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert left == (["games.jsonl"] if name == "games.jsonl" else [])


# ---- Records ------------------------------------------------------------------------------------


def test_records_replay(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    some = data.Games("mhing", [first_legal, "greedy"], games=5, seed=2**64 - 2)
    data.write_jsonl(path, some)
    found = [*records(path)]
    rows = of_batches(some)
    for number, record in enumerate(found):
        assert record.seed == (2**64 - 2 + number) % 2**64
        assert record.players == some.names(number)
        moves = [move for move, _ in record.replay()]  # which verifies the end
        own = [row for row in rows if row["game"] == number]
        assert [(m.seat, m.action) for m in moves] == [(r["seat"], r["action"]) for r in own]
        kinds = {"first_legal": "player", "greedy": "bot"}
        assert all(move.by == kinds[record.players[move.seat]] for move in moves)
        assert record.end
        assert "returns" in record.end
        assert Record(path, number).moves == record.moves
    assert len(found) == 5


def test_a_record_of_several_is_chosen_by_number(tmp_path: Path, capsys: Capture) -> None:
    path = str(tmp_path / "games.jsonl")
    assert main(["record", "--games", "3", "--seed", "4", "--out", path]) == 0
    for command in ("replay", "analyse"):
        assert main([command, path, "--number", "2", "--json", "--show-seed"]) == 0
        printed = capsys.readouterr().out
        assert json.loads(printed[printed.index("{\n") :])["seed"] == 6
        assert main([command, path]) == 2
        assert "it holds several games; choose one by --number" in capsys.readouterr().err
        assert main([command, path, "--number", "3"]) == 2
        assert "it holds no game 3" in capsys.readouterr().err


def test_a_fault_is_named_by_its_line_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    data.write_jsonl(path, games(games=3))
    lines = path.read_text().splitlines(keepends=True)
    second = [n for n, line in enumerate(lines) if line.startswith('{"format"')][1]
    lines[second + 1] = lines[second + 1].replace('"text":"', '"text":"not ')
    path.write_text("".join(lines))
    with pytest.raises(ValueError, match=rf"line {second + 2}: action \d+ does not read 'not "):
        [*Record(path, 1).replay()]


# ---- Minari -------------------------------------------------------------------------------------


def test_minari_loads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    some = data.Games("mhing", NAMES, games=12, seed=9)
    data.write_minari("mhing/test-v0", some)
    rows = [row for row in of_batches(some) if row["player"] == 0]
    keys = list(dict.fromkeys((row["game"], row["seat"]) for row in rows))
    dataset = minari.load_dataset("mhing/test-v0")
    assert dataset.total_episodes == len(keys) == 24
    assert dataset.total_steps == len(rows)
    found = {(episode.infos["seat"][0], *episode.actions): episode for episode in dataset}
    for game, seat in keys:
        own = [row for row in rows if (row["game"], row["seat"]) == (game, seat)]
        episode = found[(seat, *(row["action"] for row in own))]
        count = len(own)
        assert np.array_equal(episode.observations[:-1], [row["observation"] for row in own])
        assert np.array_equal(episode.rewards, [row["reward"] for row in own])
        assert [*np.flatnonzero(episode.terminations)] == [count - 1]
        assert not episode.truncations.any()
        masks = [row["action_mask"] for row in own] + [[1] * some.game.num_actions]
        assert np.array_equal(episode.infos["action_mask"], masks)
        last = some.game.new_state(9 + game)
        for row in of_batches(some):
            if row["game"] == game:
                last.apply(row["action"])
        assert np.array_equal(episode.observations[-1], last.observation(seat))
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space
    assert env.action_space == dataset.action_space
    assert env.spec.kwargs["opponents"] == ["random", "greedy", "random"]
    with pytest.raises(FileExistsError):
        data.write_minari("mhing/test-v0", some)


def test_minari_takes_callables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    data.write_minari("policies-v3", data.Games("leduc", ["greedy", first_legal], games=4))
    assert minari.load_dataset("policies-v3").total_episodes == 4
    with pytest.raises(ValueError, match="players: 3 do not divide 4 seats"):
        data.write_minari("more-v0", data.Games("mhing", ["greedy"] * 3, games=4))


# ---- The command --------------------------------------------------------------------------------


def test_options_of_the_command(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "games.parquet"
    line = "general_mhing --players 3 --reward win --episode game --option rounds=2 "
    line += f"--bots greedy,random --games 4 --seed 11 --threads 2 --json --out {path}"
    assert main(["record", *line.split()]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["out"], printed["games"]) == (str(path), 4)
    options = {"num_players": 3, "reward": "win", "episode": "game", "rounds": 2}
    same = data.Games("general_mhing", NAMES, games=4, seed=11, **options)
    assert [*in_rows(data.Parquet(path).batches())] == of_batches(same)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--games 3", "the following arguments are required: --out"),
        ("--out games.csv", "--out: 'games.csv': name a file .jsonl or .parquet, a folder/, - for"),
        ("--out .", "take a separate folder"),
        ("--out there.parquet", "--out: 'there.parquet' already exists"),
        ("--out there.jsonl", "--out: 'there.jsonl' already exists"),
        ("--out nowhere/games.parquet", "there is no folder nowhere; make it first"),
        ("--out there.jsonl/games/", "there.jsonl/games/: Not a directory"),
        ("--out games.parquet --piece 7", "--piece: only a folder"),
        ("--out games.parquet --bots nobody", "players: no bot"),
        ("--out games.parquet --bots greedy,", "players: no bot"),
        ("--out games.parquet --players 9", "num_players"),
        ("--out games.parquet --games 0", "'0' is not a whole number from 1"),
        ("chess --out games.parquet", "chess"),
        ("--out minari:", "Malformed dataset ID: ."),
        ("--out minari:mine", "the dataset's name mine has no version; write mine-v0"),
        ("--out minari:no_version?", "Malformed dataset ID: no_version?"),
    ],
)
def test_mistakes(
    line: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    monkeypatch.chdir(tmp_path)
    for name in ("there.parquet", "there.jsonl"):
        Path(name).write_text("mine")
    try:
        status = main(["record", *line.split()])
    except SystemExit as error:
        status = error.code  # type: ignore[assignment]
    assert status == 2
    *_, error = capsys.readouterr().err.splitlines()
    assert words in error
    assert {Path(name).read_text() for name in ("there.parquet", "there.jsonl")} == {"mine"}
    assert not Path("games.parquet").exists()


@pytest.mark.parametrize(
    ("module", "out", "extra"),
    [("pyarrow.parquet", "games.parquet", "data"), ("minari", "minari:a-v0", "minari")],
)
def test_a_missing_library_names_its_extra(
    module: str, out: str, extra: str, tmp_path: Path, monkeypatch: Any, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["record", "--out", out]) == 2
    library = module.partition(".")[0]
    *_, error = capsys.readouterr().err.splitlines()
    assert error == f"mhing: {library} is missing: {install(extra)}"
    assert not [*tmp_path.iterdir()]


def test_a_recording_that_fails_at_once_leaves_no_lines(tmp_path):
    path = tmp_path / "games.jsonl"
    broken = data.Games("general_mhing", [lambda *_: 1 / 0], games=3)
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        data.write_jsonl(path, broken)
    assert not path.exists()
    data.write_jsonl(path, data.Games("general_mhing", ["greedy"], games=3))
