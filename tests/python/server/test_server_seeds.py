"""A table's deals: nobody can compute them before, and everybody can check them afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from every_game import GAMES_OF_TWO, is_allowed, without_generators
from remote_bots import GREEDY, First, playing, read_records
from server_process import Server

import mhing
from mhing.records import Record
from mhing.remote import Spectator, check_seeds
from mhing.remote.seeds import seed_of
from mhing.table import Table

ROUNDS = "num_players=2 episode=game rounds=2"
GAMES_OF_ROUNDS = [
    game
    for game in GAMES_OF_TWO
    if is_allowed(game, {"num_players": 2, "episode": "game", "rounds": 2})
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path, "--records", str(tmp_path / "records")) as server:
        yield server


def play_two(server: Server, **terms: Any) -> tuple[list[First], list[list[Any]]]:
    """A series of two bots, and all that was shown of it."""
    bots = [First("ann"), First("bob")]
    heard = []
    with (
        mhing.connect(server.endpoint) as connection,
        Spectator(connection, "t") as spectator,
        playing(bots, server.endpoint, **terms),
    ):
        while (message := spectator.listen(20)) is not None:
            heard.append(message)
            if message[0] == "end" and message[2]["over"]:
                break
    return bots, heard


@pytest.mark.parametrize("game", GAMES_OF_ROUNDS)
def test_no_spectator_can_reckon_the_next_deal(server: Server, tmp_path: Path, game: str) -> None:
    """The round that has ended is restored, and the game continues by itself."""
    _, heard = play_two(server, game=game, options=ROUNDS)
    shown = next(message[2] for message in heard if message[0] == "round")
    (record,) = read_records(tmp_path / "records")
    state = record.game.state_from_dict(shown["state"])
    assert shown["numbers"]["rounds_over"] == state.info()["rounds_over"] == 1
    state.next_round()
    dealt = next(after.clone() for _, after in record.replay() if after.rounds_over == 1)
    assert dealt.to_dict()["hands"] != state.to_dict()["hands"]


@pytest.mark.parametrize("game", GAMES_OF_ROUNDS)
def test_a_round_is_shown_as_it_ended_and_then_the_next_deal(
    server: Server, tmp_path: Path, game: str
) -> None:
    _, heard = play_two(server, game=game, options=ROUNDS)
    (record,) = read_records(tmp_path / "records")
    ends = [without_generators(state) for _, state in record.positions() if state.seat < 0]
    places = [place for place, message in enumerate(heard) if message[0] == "round"]
    assert [heard[place][2]["state"] for place in places] == ends
    deal = next(event.id for event in record.game.events if event.name == "deal")
    before, after = (heard[places[0] + step] for step in (-1, 1))
    assert (before[0], after[0]) == ("events", "events")
    assert all(event[1] != deal for event in before[2])
    assert after[2][0][1] == deal


@pytest.mark.parametrize("game", GAMES_OF_ROUNDS)
def test_all_rounds_are_those_that_were_promised(server: Server, tmp_path: Path, game: str) -> None:
    bots, _ = play_two(server, game=game, options=ROUNDS, games=4, duplicate=True)
    ends = [content for kind, content in bots[0].heard if kind == "end"]
    starts = [content for kind, content in bots[1].heard if kind == "start"]
    for start in starts:
        check_seeds(start, ends[-1])
    for number, record in enumerate(read_records(tmp_path / "records")):
        seeds = [record.seed, *(move.seed for move in record.moves if move.seed is not None)]
        assert seeds == [seed_of(ends[-1]["secret"], number // 2, one) for one in range(2)]
        assert [*record.replay()][-1][1].rounds_over == 2  # which verifies its numbers


def test_what_was_not_promised_is_found_out(server: Server) -> None:
    bot = First()
    end = bot.play(server.endpoint, bots=GREEDY, games=2)
    start = bot.heard[0][1]
    check_seeds(start, end)
    seeds, other = end["seeds"], "0" * 64
    wrong = (
        ({"seeds": [seeds[0], seeds[0]]}, "do not follow"),
        ({"seeds": [seeds[0], seeds[1] ^ 1]}, "do not follow"),
        ({"secret": other, "seeds": [seed_of(other, deal) for deal in range(2)]}, "had promised"),
    )
    for change, words in wrong:
        with pytest.raises(ValueError, match=words):
            check_seeds(start, end | change)
    with pytest.raises(ValueError, match="not the end of its series"):
        check_seeds(start, next(content for kind, content in bot.heard if kind == "end"))
    for terms, words in (({"seed": 5}, "gave the seed"), ({"reveal": False}, "not told")):
        bot = First()
        end = bot.play(server.endpoint, bots=GREEDY, **terms)
        assert ("seeds" in end) == ("seed" in terms)
        with pytest.raises(ValueError, match=words):
            check_seeds(bot.heard[0][1], end)


def test_who_gives_a_seed_plays_alone(tmp_path: Path) -> None:
    with Server(tmp_path, open_seeds=False) as server:
        for table in (None, "t"):
            with pytest.raises(RuntimeError, match="seed: who gives it knows the cards of others"):
                First().play(server.endpoint, table=table, bots=GREEDY[:2], seed=2**63 + 5)
        assert First().play(server.endpoint, bots=GREEDY, seed=5)["seeds"] == [5]


def test_a_record_goes_on_with_the_seeds_of_its_rounds(server: Server, tmp_path: Path) -> None:
    """Another table follows it, and takes back what came after the second deal."""
    First().play(server.endpoint, game="general_mhing", options=ROUNDS, bots=["greedy"])
    (record,) = read_records(tmp_path / "records")
    table = Table(record.game, [None, None], record.seed)
    states = [state.clone() for _, state in record.replay()]
    for move, state in zip(record.moves, states, strict=True):
        table.play(move.action, move.seed)
        if table.state.is_between_rounds:
            table.next_round()
        assert table.state == state
    place = next(number for number, state in enumerate(states) if state.rounds_over == 1)
    table.take_back(place + 2)
    assert table.state == states[place + 1]


@pytest.mark.parametrize("seed", [-1, 2**64, "7"])
def test_a_seed_of_a_round_that_cannot_be_is_refused(
    server: Server, tmp_path: Path, seed: object
) -> None:
    First().play(server.endpoint, game="general_mhing", options=ROUNDS, bots=["greedy"])
    (record,) = read_records(tmp_path / "records")
    lines = Path(record.path).read_text().splitlines()
    (place,) = [place for place, line in enumerate(lines) if place and '"seed"' in line]
    lines[place] = json.dumps(json.loads(lines[place]) | {"seed": seed})
    Path(record.path).write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=rf"line {place + 1}: seed"):
        [*Record(record.path).replay()]
