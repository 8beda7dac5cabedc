"""Replies are read as the moves that they say, and none is guessed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import mhing
from mhing.text import Move, Refusal, Texts

pytestmark = pytest.mark.once

CORPUS = Path(__file__).with_name("replies.txt")


class Said(NamedTuple):
    """A reply, where it was given, and the move that it says."""

    line: int
    game: str
    legal: tuple[str, ...]
    shown: str
    reply: str
    move: str | None


def corpus() -> Iterator[Said]:
    game, legal, shown = "", ("",), ""
    for line, text in enumerate(CORPUS.read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("== "):
            game, moves, shown = text.removeprefix("== ").split(": ", 2)
            legal = tuple(moves.split(", "))
        elif " => " in text:
            reply, _, move = text.rpartition(" => ")
            yield Said(
                line, game, legal, shown, reply.replace("\\n", "\n"), None if move == "-" else move
            )


REPLIES = [*corpus()]
TEXTS = {game: Texts(game) for game in {said.game for said in REPLIES}}


def test_the_corpus_is_large_and_of_all_games() -> None:
    assert len({(said.legal, said.reply) for said in REPLIES}) == len(REPLIES) >= 500
    assert {said.game for said in REPLIES} >= {"mhing", "general_mhing", "mexican_rummy"}


@pytest.mark.parametrize("game", sorted(TEXTS))
def test_replies_are_read_as_they_were_meant(game: str) -> None:
    if game not in mhing.games():
        pytest.skip(f"the core was built without {game}")
    wrong = []
    for said in REPLIES:
        if said.game != game:
            continue
        ids = [mhing.Game(game).action_id(text) for text in said.legal]
        read = TEXTS[game].read(said.reply, ids, said.shown)
        got = read.text if isinstance(read, Move) else None
        if got != said.move:
            why = read.why if isinstance(read, Refusal) else ""
            wrong.append(f"line {said.line}: {said.reply!r} is {said.move}, not {got} {why}")
    assert not wrong, "\n".join(wrong)
