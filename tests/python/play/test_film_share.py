"""The end of an episode: which cards earn what, and the picture that may be shown to anybody."""

from __future__ import annotations

import json
import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import golden_scenes
import numpy as np
import pytest
from pictures import check_faces, check_scene, sprites, texts
from PIL import Image
from reference.mhing_paid import paid_for
from rounds import recorded, replay

import mhing
from mhing import Game, render
from mhing.records import Record
from mhing.render.png import to_png
from mhing.render.scene import Scene

pytestmark = pytest.mark.once

PAIR = "pair of 2s, 5s or 8s"

# The worth of a part for a single group each time.
WORTH = {
    "double sequence": 1,
    "double triplet": 1,
    "honour triplet": 1,
    "broken royal run": 1,
    PAIR: 1,
    "identical double sequence": 3,
    "royal run": 3,
    "three dragons": 8,
}


BEST = [
    ["sequences only", 1],
    ["identical double sequence", 18],
    ["one suit only", 8],
    ["all high / all low", 5],
    ["pair of 2s, 5s or 8s", 1],
    ["flower", 8],
]
"""The credits of the best hand of all."""


def ended(game: Game, seed: int = 1) -> mhing.State:
    """A round that greedy bots, or what the game has instead, have played."""
    return game.new_state(seed).play_out(game.default_bot, seed)


def declared_hands(wanted: int) -> list[dict[str, Any]]:
    """The ends of rounds of Mhing that somebody has won."""
    game = Game("mhing", rules="jmhing")
    results = (ended(game, seed).to_dict()["result"] for seed in range(4 * wanted))
    return [result for result in results if result["parts"]][:wanted]


# ---- Which cards earn what ----------------------------------------------------------------------


HANDS = (
    "123s123p123m456s55s",
    "111s111p111mEEE22m",
    "RRRGGGPPPEEE88p",
    "RRRGGGEEESSS88p",
    "123789s123789p55m",
    "123s123s456s789s99s",
    "345s345s345s345sJJ",
    "123s456s789s123p99m",
    "456s123s789s777pEE",
)


@pytest.mark.parametrize("hand", HANDS)
def test_parts_are_paid_for_as_many_groups_as_they_count(hand: str) -> None:
    score = mhing.score_hand(hand, complete=True)
    check_paid(dict(score.parts), score.arrangement)


def test_parts_of_played_hands_are_paid_for_as_many_groups_as_they_count() -> None:
    counted: Counter[str] = Counter()
    for result in declared_hands(300):
        counted.update(check_paid(dict(result["parts"]), result["arrangement"]))
    assert {"double sequence", "honour triplet", "pair of 2s, 5s or 8s"} <= set(counted)


def check_paid(parts: dict[str, int], arrangement: list[str]) -> list[str]:
    """Compares with the core's numbers; returns the parts that are for single groups."""
    for name, worth in WORTH.items():
        if name in parts or name != PAIR:  # of a pair that earns nothing nobody asks
            assert len(paid_for(name, arrangement)) == parts.get(name, 0) // worth, name
    assert not any(paid_for(name, arrangement) for name in parts if name not in WORTH)
    return [name for name in parts if name in WORTH]


def test_letters_lead_from_credits_to_groups() -> None:
    state = ended(Game("mhing"), 1)
    result = state.to_dict()["result"]
    picture = render.share(state)
    written = [text.text for text in texts(picture)]
    assert [text for text in written if text in ("A", "B", "AB", "C")] == ["A", "B", "AB"]
    assert written[written.index("double sequence") + 1] == "AB"
    melds = state.to_dict()["melds"][result["winner"]]
    assert [text for text in written if text.startswith("from ")] == [
        f"from seat {meld['from']}" for meld in melds
    ]
    shown = [sprite.card for sprite in sprites(picture)]
    laid = [card for meld in melds for card in meld["cards"]]
    assert shown[: len(laid)] == laid


def test_the_cards_of_a_score_are_those_of_its_arrangement() -> None:
    score = mhing.score_hand("345s345s345s345sJJ", flowers=2)
    assert score
    picture = Scene(score._picture(), Game("mhing")._handle)
    check_scene(picture)
    check_faces(picture)
    assert len(sprites(picture)) == 14
    for name, number in score.parts:
        assert {name, str(number)} <= {text.text for text in texts(picture)}


# ---- The picture to be shared -------------------------------------------------------------------


@pytest.fixture(params=mhing.games())
def game(request: pytest.FixtureRequest) -> Game:
    return Game(request.param)


def test_it_shows_who_has_won_and_everybody_by_name(game: Game) -> None:
    state = ended(game)
    names = ["ann", "bob", "<cy>", "dan", "eve", "flo"][: game.num_seats]
    picture = render.share(state, names, seed=1)
    check_scene(picture)
    check_faces(picture)
    assert (picture.w, picture.h) == (1200, 630)
    written = [text.text for text in texts(picture)]
    assert {*names, game.title, "seed 1"} <= set(written)
    winner = state.info()["winner"]
    result = f"{names[winner]} " if winner >= 0 else ("Nobody ", "No seat ")
    assert any(text.startswith(result) for text in written)
    assert not any("Seat" in text for text in written)
    root = ElementTree.fromstring(picture.to_svg())
    assert names[-1] in "".join(root.itertext())


def test_it_holds_what_everybody_may_know_and_nothing_else(game: Game) -> None:
    for seed in range(6):
        state = ended(game, seed)
        wanted = render.share(state)
        for seat in range(game.num_seats):
            assert render.share(state.resample(seat, seed=5)) == wanted


def test_options_that_are_not_the_default_ones_are_named() -> None:
    game = Game("mhing", num_players=3, lay_down=True)
    written = [text.text for text in texts(render.share(ended(game)))]
    assert "num_players 3, lay_down on" in written


def test_a_whole_game_is_won_by_its_winner_and_shows_its_last_round() -> None:
    game = Game("mhing", episode="game", rounds=2)
    state = ended(game, 3)
    written = " ".join(text.text for text in texts(render.share(state)))
    assert re.search(r"The game is over\. Seat \d wins it with \d+ points?\.", written)
    assert " has won this round" in written


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("game_id", ["mhing", "general_mhing", "mexican_rummy"])
def test_every_ending_has_room(game_id: str, seats: int) -> None:
    names = ["a name that is much too long for its place"] * seats
    most = Game(game_id).describe()["options"][0]["high"]
    game = Game(game_id, num_players=min(seats, most), episode="game", rounds=2)
    for seed in range(25):
        state = game.new_state(seed).play_out("expert", seed)
        picture = render.share(state, names[: game.num_seats], seed=(1 << 64) - 1)
        check_scene(picture)
        check_faces(picture)


def test_single_cards_have_room() -> None:
    for seed in range(300):
        state = Game("mhing", num_players=3).new_state(seed).play_out("greedy", seed)
        if state.to_dict()["result"]["shape"] == "nothing connects":
            break
    picture = render.share(state)
    check_scene(picture)
    assert len(sprites(picture)) == 14
    assert len({use.y for use in sprites(picture)}) == 1


def test_a_wash_has_no_cards() -> None:
    picture = render.share(golden_scenes.state_of("mhing/wash", -1))
    assert not sprites(picture)
    assert any("Nobody has won this round" in text.text for text in texts(picture))


def test_mistakes_are_named(game: Game) -> None:
    state = game.new_state(1)
    with pytest.raises(ValueError, match="the episode is not over"):
        render.share(state)
    with pytest.raises(ValueError, match=f"names: 1 of them, but the game has {game.num_seats}"):
        render.share(ended(game), ["ann"])


def test_a_view_has_them() -> None:
    game = Game("mexican_rummy")
    state = ended(game)
    view = render.View(game, state.observation(0), seat=0, numbers=state.info(), is_over=True)
    names = ["ann", "bob", "cy", "dan"][: game.num_seats]
    assert render.share(view, names) == render.share(state, names)


def test_a_picture_is_the_same_at_any_size() -> None:
    picture = render.share(ended(Game("general_mhing")))
    small, large = picture.to_rgb(), picture.to_rgb(2)
    assert large.shape == (1260, 2400, 3)
    halved = large.reshape(630, 2, 1200, 2, 3).mean((1, 3))
    assert (np.abs(halved - small).max(axis=2) > 64).mean() < 0.01


# ---- Files --------------------------------------------------------------------------------------


def test_png_holds_the_pixels() -> None:
    pixels = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    with Image.open(BytesIO(to_png(pixels))) as file:
        file.load()
        assert file.format == "PNG"
        assert np.array_equal(np.asarray(file), pixels)


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    """A recorded round in the working folder."""
    monkeypatch.chdir(tmp_path)
    return recorded(tmp_path, "general_mhing")


def test_the_command_writes_it(record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    assert not replay("--share", "end.svg")
    assert not replay("--share", "end.PNG")
    assert capsys.readouterr().err.startswith("end.svg: ")
    *_, (_, state) = record.replay()
    wanted = render.share(state, record.players)
    assert Path("end.svg").read_text() == wanted.to_svg()
    assert "seed" not in Path("end.svg").read_text(), "it would deal the others' cards again"
    with Image.open("end.PNG") as file:
        assert np.array_equal(np.asarray(file), wanted.to_rgb())
    assert not replay("--share", "seed.svg", "--show-seed")
    assert f"seed {record.seed}" in Path("seed.svg").read_text()
    assert set(record.players) == {"greedy", "random"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--share", "a.jpg"], "--share: a.jpg: end its name in .svg or .png"),
        (["--share", "a.png", "--view", "1"], "--view: only with --html or --gif"),
        (["--html", "a.html", "--show-seed"], "--show-seed: pages and moving pictures never have"),
        (["--share", "a.png", "--step"], "--step: not with --share"),
        (["--share", "."], "'.' is a folder; name a file"),
        (["--share", "no/a.png"], "'no/a.png': there is no folder no; make it first"),
    ],
)
@pytest.mark.usefixtures("record")
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    assert replay(*arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.usefixtures("record")
def test_a_game_that_was_broken_off_has_no_end_to_show(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Path("game.jsonl").read_text().splitlines()
    Path("game.jsonl").write_text("\n".join(lines[:5]) + "\n")
    assert json.loads(lines[4])
    assert replay("--share", "a.png") == 2
    assert "the episode is not over" in capsys.readouterr().err
    assert not Path("a.png").exists()
