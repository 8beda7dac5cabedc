"""Colours of pictures: palettes and suits, wherever a picture is made."""

from __future__ import annotations

from io import BytesIO
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import gymnasium as gym
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from rounds import recorded, replay

import mhing
from mhing import render
from mhing.env import CardGameEnv
from mhing.records import Record
from mhing.render.palette import CARDS, PALETTES, SAFE_SUITS
from mhing.render.scene import Box, Drawing
from mhing.vector import CardGameVectorEnv
from mhing.web.film import films
from mhing.web.gif import gif

pytestmark = pytest.mark.once


def rgb(color: str) -> list[int]:
    return [*bytes.fromhex(color[1:])]


def ground_of(look: str) -> list[int]:
    """The colour of the corner of a table."""
    return rgb(PALETTES[look.removesuffix("-safe")]["felt"])


def has(pixels: NDArray[np.uint8], color: str) -> bool:
    return bool((pixels == rgb(color)).all(axis=-1).any())


@pytest.fixture(scope="module")
def state() -> mhing.State:
    return mhing.Game("mexican_rummy").new_state(1)


def test_pixels_have_the_colours_of_the_look(state: mhing.State) -> None:
    painted = {look: render.rgb_array(state, look=look) for look in render.LOOKS}
    assert len({pixels.tobytes() for pixels in painted.values()}) == 6
    for look, pixels in painted.items():
        assert pixels[0, 0].tolist() == ground_of(look)
        assert has(pixels, PALETTES[look.removesuffix("-safe")]["panel"])
        assert has(pixels, CARDS["paper"])
        for suit, safe in SAFE_SUITS.items():
            is_safe = look.endswith("-safe")
            assert (has(pixels, safe), has(pixels, CARDS[suit])) == (is_safe, not is_safe), suit
    assert np.array_equal(painted["felt"], render.rgb_array(state))


def test_a_document_is_painted_so_by_its_style_sheet(state: mhing.State) -> None:
    """Its elements stay the same; a browser takes what the style sheet says."""
    plain = render.svg(state)
    for look in render.LOOKS:
        svg = render.svg(state, look=look)
        styles = ElementTree.fromstring(svg).findall("{http://www.w3.org/2000/svg}style")
        if look == "felt":
            assert (svg, styles) == (plain, [])
            continue
        (style,) = styles
        wanted = PALETTES[look.removesuffix("-safe")] | (SAFE_SUITS if "-safe" in look else {})
        changed = {
            name: color
            for name, color in wanted.items()
            if color != (PALETTES["felt"] | CARDS)[name]
        }
        assert style.text == "".join(
            f".{kind}-{name}{{{kind}:{color}}}"
            for name, color in changed.items()
            for kind in ("fill", "stroke")
        )
        assert svg.replace(f"<style>{style.text}</style>\n", "") == plain


def test_environments_paint_so() -> None:
    for look in ("felt", "dark-safe"):
        env = CardGameEnv("general_mhing", render_mode="rgb_array", look=look)
        env.reset(seed=3)
        wanted = render.rgb_array(env.state, view=env.state.seat, look=look)
        assert np.array_equal(env.render(), wanted)
        rows = CardGameVectorEnv(1, game="general_mhing", render_mode="svg", look=look)
        rows.reset(seed=3)
        assert rows.render()[0] == render.svg(env.state, view=env.state.seat, look=look)
        made = gym.make("mhing:GeneralMhing-v0", render_mode="rgb_array", look=look)
        made.reset(seed=3)
        assert np.array_equal(made.render(), wanted)


def test_agents_environments_paint_so() -> None:
    pettingzoo = pytest.importorskip("mhing.pettingzoo")
    env = pettingzoo.env("general_mhing", render_mode="rgb_array", look="light")
    env.reset(seed=3)
    assert env.render()[0, 0].tolist() == ground_of("light")
    env = mhing.general_mhing_v0.parallel_env(render_mode="rgb_array", look="dark")
    env.reset(seed=3)
    assert env.render()[0, 0].tolist() == ground_of("dark")


def test_what_is_no_look_is_refused(state: mhing.State) -> None:
    for function in (render.svg, render.rgb_array):
        with pytest.raises(ValueError, match="look: choose from felt, light, dark, felt-safe"):
            function(state, look="red")
    for make in (CardGameEnv, CardGameVectorEnv):
        with pytest.raises(ValueError, match="look: 'red' is none of felt, light, dark"):
            make(look="red")


# ---- Recorded games -----------------------------------------------------------------------------


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    """A recorded round in the working folder."""
    monkeypatch.chdir(tmp_path)
    return recorded(tmp_path, "general_mhing")


def test_moving_pictures_are_painted_so(record: Record) -> None:
    (film,) = films(record, [None])
    film.frames = film.frames[:2]
    corners = []
    for look in ("felt", "light", "dark"):
        with Image.open(BytesIO(gif(film, look=look))) as file:
            corner = np.asarray(file.convert("RGB"))[0, 0].astype(int)
        assert np.abs(corner - ground_of(look)).max() < 12, look
        corners.append(corner)
    assert all(np.abs(one - other).max() > 20 for one, other in combinations(corners, 2))


def test_the_command_paints_so(record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    assert not replay("--share", "end.png", "--look", "light-safe")
    assert not replay("--share", "end.svg", "--look", "dark")
    *_, (_, state) = record.replay()
    wanted = render.share(state, record.players)
    with Image.open("end.png") as file:
        assert np.array_equal(np.asarray(file), wanted.to_rgb(look="light-safe"))
    assert Path("end.svg").read_text() == wanted.to_svg("dark") != wanted.to_svg()
    assert not replay("--gif", "dark.gif", "--look", "dark", "--width", "64")
    (film,) = films(record, [None])
    assert Path("dark.gif").read_bytes() == gif(film, width=64, look="dark")
    assert replay("--html", "game.html", "--look", "dark") == 2
    assert "--look: only with --gif or --share" in capsys.readouterr().err


# ---- Pictures by others -------------------------------------------------------------------------


def test_what_is_drawn_elsewhere_is_painted_alike() -> None:
    drawing = Drawing(20, 10, "panel", "two <boxes>", mhing.Game("mhing"))
    drawing.rect(Box(0, 0, 10, 10), "green")
    drawing.rect(Box(10, 0, 10, 10), "ink", opacity=0.5)
    drawing.text(1, 9, "\u00e9", 8, "gold")
    drawing.card("mhing-5s", 30, 0, card="5s", zone="result")
    scene = drawing.scene()
    assert (scene.w, scene.h, scene.title) == (20, 10, "two <boxes>")
    pixels = scene.to_rgb(look="dark-safe")
    assert pixels[0, 0].tolist() == rgb(SAFE_SUITS["green"])
    half = (np.array(rgb(PALETTES["dark"]["panel"])) + rgb(CARDS["ink"])) / 2
    assert np.abs(pixels[0, 15] - half).max() <= 1
    *_, text, card = scene.rows()
    assert text == [2, 1, 9, 8, "gold", "\u00e9", None]
    assert card == [3, 30, 0, 1, "mhing-5s", "result", "5s", None]
    assert 'data-card="5s" data-zone="result" data-key="result..5s.0"' in scene.to_svg()
    assert [sprite.name for sprite in scene.sprites()] == ["mhing-5s"]
    assert scene == drawing.scene()
    drawing.rect(Box(0, 0, 1, 1), "red")
    assert scene != drawing.scene()
    assert len(scene.rows()) == 5


def test_a_picture_without_room_for_more_is_refused() -> None:
    drawing = Drawing(20, 10, "felt", "")
    for _ in range(2048):
        drawing.rect(Box(0, 0, 1, 1), "red")
    assert len(drawing.scene().rows()) == 2049
    drawing.rect(Box(0, 0, 1, 1), "red")
    with pytest.raises(ValueError, match="picture: it has more than 2,048 shapes and 16,384 bytes"):
        drawing.scene()
    with pytest.raises(ValueError, match="color: 'pink' is none of felt, panel"):
        drawing.rect(Box(0, 0, 1, 1), "pink")


def test_sizes_that_cannot_be_painted_are_refused(state: mhing.State) -> None:
    scene = render.scene(state)
    assert scene.to_rgb(0.01).shape == (7, 10, 3)
    for scale in (0, -1, 1e-4, 100, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"scale: .* sides of .* from 1 to 16384"):
            scene.to_rgb(scale)
