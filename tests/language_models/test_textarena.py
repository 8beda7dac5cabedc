"""TextArena: the environment of the page, whose seats read their own messages alone."""

from __future__ import annotations

import random
from typing import Any

import pytest
from examples import example, run
from model_server import NONSENSE, Model
from streams import Ear, Heard, choice, dealing
from test_streams import of_every_game, same
from twins import Deal

pytest.importorskip("textarena", reason="it has a separate environment: run .ci/language_models")

import textarena

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    """The page's environment, which it plays as well."""
    run(example("textarena").code)


def play(players: int, seed: int, model: Model) -> tuple[list[tuple[int, str]], Any, Any]:
    """The chats of all seats as they are asked, the rewards, and the table."""
    env = textarena.make("Mhing-v0")
    env.reset(num_players=players, seed=seed)
    asked, is_over = [], False
    while not is_over:
        seat, chat = env.get_observation()
        asked.append((seat, chat))
        is_over, _ = env.step(model.reply([{"content": chat}]))
    rewards, _ = env.close()
    return asked, rewards, env.env.table


@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games(players: int) -> None:
    model = Model()
    asked, rewards, table = play(players, 1, model)
    assert table.table.state.is_terminal
    assert NONSENSE in model.said
    returns = table.table.state.returns().tolist()
    assert sorted(rewards, key=rewards.get) == sorted(range(players), key=returns.__getitem__)
    assert all(-1 <= reward <= 1 for reward in rewards.values())
    assert play(players, 1, Model())[0] == asked, "the seed is the deal"
    assert play(players, 2, Model())[0] != asked


def test_seats_read_their_own_messages() -> None:
    asked, _, table = play(4, 3, Model())
    for seat, chat in asked:
        assert f"You are seat {seat}." in chat
        assert not any(f"You are seat {other}." in chat for other in {*range(4)} - {seat})
        assert "I'll " not in chat.partition(table.texts.system())[2], "nobody reads replies"


def through_textarena(deal: Deal, seat: int) -> list[Heard]:
    """The chat of a seat whenever it is asked, and the end; some of its replies are no move."""
    ear, state, heard = Ear(seat), deal.state(), list[Heard]()
    others = {name: value for name, value in deal.game.options.items() if name != "num_players"}
    env = textarena.make("Mhing-v0", game=deal.game.id, **others)
    with dealing(lambda _: state):
        env.reset(num_players=deal.game.num_seats, seed=1)
    is_over, wrong = False, False
    while not is_over:
        asked, chat = env.get_observation()
        action = state.bot_action("greedy", 0)[0]
        if asked == seat:
            heard.append(ear.hears(state, chat))
            wrong = len(chat) % 5 == 0 and not wrong
            action = choice(state.observation(asked), state.action_mask())
        is_over, _ = env.step(NONSENSE if wrong and asked == seat else str(action))
    rewards, _ = env.close()  # the rest, such as everybody's turns, is for who runs the game
    return [*heard, ear.hears(state, str(env.env.state.observations[seat]), rewards)]


@of_every_game
def test_twins_read_the_same(game_id: str, seats: int) -> None:
    same(game_id, seats, through_textarena)


def test_pythons_own_generator_is_left_alone() -> None:
    random.seed(7)
    wanted = random.random()
    random.seed(7)
    textarena.make("Mhing-v0").reset(num_players=4, seed=1)
    assert random.random() == wanted
