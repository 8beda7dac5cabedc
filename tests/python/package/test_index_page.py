"""Pages of tables: the games of a file with links to their pages, and results of an arena."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from statistics import fmean

import pytest

from mhing import arena
from mhing.cli import main
from mhing.data import Games, write_jsonl
from mhing.records import records
from mhing.web import index
from mhing.words import called

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "games.jsonl", Games("leduc", ["greedy", "random"], games=4, seed=3))
    return tmp_path / "games.jsonl"


def tables(html: str) -> list[list[list[str]]]:
    """The cells of the tables of a page, as text."""
    return [
        [
            [
                unescape(re.sub("<[^>]*>", "", cell))
                for cell in re.findall(r"<t[hd].*?</t[hd]>", row)
            ]
            for row in re.findall(r"<tr>.*?</tr>", table)
        ]
        for table in re.findall(r"<table>.*?</table>", html, re.DOTALL)
    ]


def test_a_file_of_games_becomes_a_folder_of_pages(path: Path, capsys: Capture) -> None:
    folder = path.parent / "site"
    assert main(["replay", str(path), "--html", str(folder)]) == 0
    assert "index.html: 4 games" in capsys.readouterr().err
    assert main(["replay", str(path), "--html", f"{folder}/"]) == 2  # would mix with others' pages
    assert "has something in it; name a new folder" in capsys.readouterr().err
    html = (folder / "index.html").read_text()
    links = re.findall(r'href="([^"]*)"', html)
    assert links == [f"game-{number}.html" for number in range(4)]
    assert sorted(one.name for one in folder.iterdir()) == ["game-0.html", *links[1:], "index.html"]
    for number, link in enumerate(links):
        page = path.parent / f"{number}.html"
        main(["replay", str(path), "--number", str(number), "--html", str(page)])
        assert (folder / link).read_text() == page.read_text()


def test_files_of_games_come_into_one_index(path: Path, capsys: Capture) -> None:
    other = path.parent / "other.jsonl"
    write_jsonl(other, Games("general_mhing", ["greedy", "random"], games=2, seed=3))
    folder = path.parent / "site"
    assert main(["replay", str(path), str(other), "--html", f"{folder}/"]) == 0
    assert "index.html: 6 games" in capsys.readouterr().err
    html = (folder / "index.html").read_text()
    shown = tables(html)
    assert [row[0] for table in (shown[2], shown[5]) for row in table[1:]] == [
        f"game {number}" for number in range(6)
    ]
    assert [row[1] for row in shown[2][1:]] == [path.name] * 4
    assert [row[1] for row in shown[5][1:]] == [other.name] * 2
    assert [table[1][1] for table in (shown[0], shown[3])] == ["4", "2"]  # games of a player
    captions = re.findall("<caption>(.*?)</caption>", html)
    assert [captions[0], captions[3]] == ["Players of Leduc poker", "Players of General Mhing"]
    assert "<h1>Leduc poker, General Mhing: 6 games</h1>" in html
    assert sorted(re.findall(r'href="([^"]*)"', html)) == [
        f"game-{number}.html" for number in range(6)
    ]


def test_the_index_says_who_won(path: Path) -> None:
    games = [*records(path)]
    players, differences, played = tables(index.of_games(games, ["a", "b", "c", "d"]))
    for (_, earned, won), record in zip(played[1:], games, strict=True):
        assert record.end
        returns, names = record.end["returns"], called(record.players)
        shown = [f"{name}: {one:g}" for name, one in zip(names, returns, strict=True)]
        assert earned == ", ".join(shown)
        best = [name for name, one in zip(names, returns, strict=True) if one == max(returns)]
        assert won == (", ".join(best) if len(best) == 1 else "nobody")
    by_name = {
        name: fmean(one.end["returns"][one.players.index(name)] for one in games if one.end)
        for name in ("greedy", "random")
    }
    ranked = sorted(by_name, key=by_name.__getitem__, reverse=True)
    assert players[1:] == [[name, "4", f"{by_name[name]:.3f}"] for name in ranked]
    lead = by_name[ranked[0]] - by_name[ranked[1]]
    assert [row[1:] for row in differences[1:]] == [["", f"{lead:+.3f}"], [f"{-lead:+.3f}", ""]]


def test_games_that_are_not_over_count_for_nobody(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    players, _, played = tables(index.of_games([*records(path)], ["a", "b", "c", "d"]))
    assert [row[1] for row in players[1:]] == ["3", "3"]
    assert played[-1][-1] == "not over"


def test_names_of_strangers_are_text(path: Path) -> None:
    (first, *_) = records(path)
    first.players = ["<script>alert(1)</script>", '"><b>']
    html = index.of_games([first], ['a"b'])
    assert "<script" not in html
    assert "<b>" not in html
    assert 'href="a&quot;b"' in html
    assert "default-src 'none'" in unescape(html)


def test_the_result_of_an_arena(tmp_path: Path) -> None:
    line = ["arena", "greedy", "random", "--game", "leduc", "--deals", "5", "--seed", "1"]
    assert main([*line, "--html", str(tmp_path / "run.html")]) == 0
    result = arena.play(["greedy", "random"], "leduc", deals=5, seed=1)
    html = (tmp_path / "run.html").read_text()
    assert html == index.of_result(result)
    players, differences = tables(html)
    standings = result.standings()
    assert players == [[*standings[0]], *([*row.values()] for row in standings)]
    assert differences[1:] == result.cross_table()
    assert result.heading() in html


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--html", "site/", "--number", "1"], "--number: not with a folder of pages"),
        (["--html", "site/", "--json"], "--json: not with a folder of pages"),
        (["--html", "site/", "--view", "2"], "--view: '2' is not open, all, or a seat"),
        (["--html", "games.jsonl/"], "--html: games.jsonl is the record itself"),
        (["--html", "no.txt/"], "no.txt/: File exists"),
        (["--html", "games.html"], "it holds several games; choose one by --number"),
        (["no.txt", "--html", "a.html"], "no.txt: several files only with --html FOLDER/"),
        (["no.txt", "--html", "site/"], "no.txt"),
    ],
)
def test_mistakes(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(path.parent)
    Path("no.txt").touch()
    try:
        status = main(["replay", "games.jsonl", *arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 2
    assert words in capsys.readouterr().err
    assert sorted(one.name for one in path.parent.iterdir()) == ["games.jsonl", "no.txt"]
