"""Tables in few lines: their width, what is in them, what is not, and names in sentences."""

from __future__ import annotations

from functools import partial

import pytest
from pictures import lines_of, states, uncolored

import mhing
from mhing import Game, State, render
from mhing.words import called

pytestmark = pytest.mark.once

GAMES = ["mhing", "general_mhing", "mexican_rummy"]


def of_game(game: str, players: int) -> Game:
    """The game with so many players, and with as many different rounds as it has."""
    most = 3 if game == "general_mhing" else players
    rounds = {"objective": 0} if game == "mexican_rummy" else {}
    return Game(game, num_players=min(players, most), **rounds)


def names_of(game: Game) -> tuple[str, ...]:
    return called(["you", *["greedy"] * (game.num_seats - 1)])


def all_of(state: State, view: int | None, **form: object) -> str:
    """A board as one text."""
    return lines_of(render.board(state, view, names_of(state.game), **form))  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("game", GAMES)
def test_a_board_fits_a_small_terminal(game: str, players: int) -> None:
    """At 80x24: 78 columns, and some lines are left for the moves."""
    tallest = 0
    for state in states(of_game(game, players), seeds=3, every=7, mistakes=9):
        for symbols in (False, True):
            board = render.board(
                state, 0, names_of(state.game), columns=78, color=True, symbols=symbols
            )
            assert max(map(len, uncolored(lines_of(board)).splitlines())) <= 78
        tallest = max(tallest, len(board.lines))
    assert tallest <= 2 * players + 10


@pytest.mark.parametrize("game", GAMES)
def test_symbols_and_colours_change_no_card(game: str) -> None:
    """With symbols taken for letters again, and without colours, it is the plain board."""
    letters = str.maketrans("‖●#♠♥♦♣", "spmshdc", "→↓←↑◆◇★")
    for state in states(of_game(game, 3), seeds=2, every=5, mistakes=9):
        plain = all_of(state, None, columns=10_000)
        painted = all_of(state, None, columns=10_000, color=True, symbols=True)
        assert uncolored(painted).translate(letters) == plain
        assert "\x1b" in painted


@pytest.mark.parametrize("game", mhing.games())
def test_a_board_shows_what_its_viewer_knows(game: str) -> None:
    for state in states(Game(game), seeds=2, every=5, mistakes=9):
        if state.is_terminal:
            continue
        for view in range(state.game.num_seats):
            other = state.resample(view, 5)
            assert all_of(other, view) == all_of(state, view)
            assert (other == state) or all_of(other, None) != all_of(state, None)


@pytest.mark.parametrize("game", GAMES)
def test_moves_in_symbols_differ_as_in_letters(game: str) -> None:
    state = Game(game).new_state(1)
    moves = [*map(state.game.action_text, range(state.game.num_actions))]
    shown = [render.spelled(state, move, symbols=True) for move in moves]
    assert len({*shown}) == len(moves)
    assert sum(a != b for a, b in zip(moves, shown, strict=True)) > 100
    colors = [render.spelled(state, move, color=True) for move in moves]
    assert [*map(uncolored, colors)] == moves


def test_confusable_letters_become_symbols_that_differ() -> None:
    state = Game("mhing").new_state(1)
    spelled = [render.spelled(state, card, symbols=True) for card in ("1p", "P", "1s", "S")]
    assert spelled == ["1●", "P◇", "1‖", "S↓"]
    assert render.spelled(state, "Seat 1 declares MHING", symbols=True) == "Seat 1 declares MHING"


def test_names_differ_and_are_short() -> None:
    assert called(["a", "b", "a"]) == ("a 0", "b", "a 2")
    long = called(["run:/home/ann/very/long", "run:/home/ann/very/other", "x\x1b[31m"])
    assert long == ("run:/home/a... 0", "run:/home/a... 1", "x?[31m")


@pytest.mark.parametrize("game", mhing.games())
def test_a_board_says_what_the_words_say(game: str) -> None:
    """Every word of every part, in its order; where lines end is the board's affair."""
    for state in states(Game(game), seeds=2, every=7, mistakes=9):
        for view in (None, 0):
            names = names_of(state.game)
            board = render.board(state, view, names, columns=60)
            say = partial(state.words, view, names=names)
            seats = sorted(
                range(state.game.num_seats), key=lambda seat, view=view: (seat == view, seat)
            )
            *others, last = (say("seat", number=seat) for seat in seats)
            for shown, said in (
                ([board.heading], [say("heading")]),
                (board.notes, [say("limits")]),
                (board.lines, [*others, say("piles"), last]),
                ([board.status], [say("status")]),
                (board.result, [say("result")]),
            ):
                assert " ".join(shown).split() == " ".join(said).split()
