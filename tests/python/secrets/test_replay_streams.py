"""Files of one seat, made from records of twin worlds: the same, to the byte.

The records end where the worlds part for this seat, so that a page or a moving picture is all that
it knew until then.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from streams import Ear, choice, dealing
from test_streams import PAIRS, pairs
from twins import Deal

import mhing
from mhing import render
from mhing.cli import main
from mhing.recorder import Recorder

pytestmark = pytest.mark.once

Actions = list[tuple[int, int]]
SMALL = "--width", "64"


def play(deal: Deal, seat: int) -> Iterator[tuple[tuple[str, int], int, int]]:
    """The seat's knowledge before each action, the seat to act, and the action; others are bots.

    It knows what it has heard, and how often it has acted: it may hear nothing after a pass.
    """
    ear, state, acted = Ear(seat), deal.state(), 0
    while not state.is_terminal:
        if state.seat == seat:
            action = choice(state.observation(), state.action_mask())
        else:
            action = state.bot_action("greedy", 0)[0]
        yield (ear.hears(state).known, acted), state.seat, action
        acted += state.seat == seat
        state.apply(action)


def before_they_part(deals: tuple[Deal, Deal], seat: int) -> tuple[Actions, Actions]:
    """The actions in both worlds up to there, with their seats."""
    streams = (groupby(play(deal, seat), lambda at: at[0]) for deal in deals)
    ours, theirs = Actions(), Actions()
    for (known, one), (same, other) in zip(*streams, strict=False):
        if known != same:
            break
        ours += [(seat, action) for _, seat, action in one]
        theirs += [(seat, action) for _, seat, action in other]
    return ours[:-1], theirs[:-1]


def made(folder: Path, deal: Deal, actions: Actions, option: str, name: str, *more: str) -> bytes:
    """The file that `mhing replay` writes of a record."""
    folder.mkdir(exist_ok=True)
    record, file = folder / "record.jsonl", folder / name
    for former in (record, file):
        former.unlink(missing_ok=True)
    with Recorder(record) as recorder:
        recorder.begin(deal.game, deal.seed, [f"player {n}" for n in range(deal.game.num_seats)])
        for seat, action in actions:
            recorder.move(seat, action)
    dealt = deal.state()
    with dealing(lambda _: dealt.clone()):
        main(["replay", str(record), option, str(file), *more])
    return file.read_bytes()


@pytest.mark.parametrize(("game_id", "seats"), PAIRS)
def test_a_page_of_one_seat(game_id: str, seats: int, tmp_path: Path) -> None:
    asked_in_one = 0
    for deals, seat in pairs(game_id, seats):
        worlds = before_they_part(deals, seat)
        asked_in_one += len(worlds[0]) != len(worlds[1])
        more = "--view", str(seat), "--bot", "expert"
        one, other = (
            made(tmp_path / name, deal, actions, "--html", "page.html", *more)
            for name, deal, actions in zip(("one", "other"), deals, worlds, strict=True)
        )
        assert one == other
    assert asked_in_one or game_id != "mhing"


@pytest.mark.parametrize(("game_id", "seats"), [("mhing", 3), ("mexican_rummy", 4)])
def test_a_moving_picture_of_one_seat(game_id: str, seats: int, tmp_path: Path) -> None:
    deals, seat = next(pairs(game_id, seats))
    one, other = (
        made(tmp_path / name, deal, actions, "--gif", "film.gif", "--view", str(seat), *SMALL)
        for name, deal, actions in zip(
            ("one", "other"), deals, before_they_part(deals, seat), strict=True
        )
    )
    assert one == other


@pytest.mark.parametrize("game_id", mhing.games())
def test_how_it_ended_shows_no_hidden_card(game_id: str) -> None:
    game = mhing.Game(game_id)
    for seed in range(6):
        ended = game.new_state(seed).play_out("greedy", seed)
        shown = render.share(ended).to_svg()
        for seat in range(game.num_seats):
            assert render.share(ended.resample(seat, seed)).to_svg() == shown
