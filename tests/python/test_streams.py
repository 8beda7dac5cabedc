"""All that a seat gets through a door, in order: the same in worlds that it cannot tell apart.

`test_every_secret` compares states of twin worlds (see `twins.py`); here whole games are played in
both, through what users play through. A message belongs to what its seat knew when it came: all
public events, and the hands that it had. As long as that is the same in both worlds, the seat must
have got the same messages, and as many of them: a question to somebody else, which only one of the
worlds has, must add nothing and move nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from twins import Deal, twins

import mhing
from mhing import pettingzoo
from mhing.web.play import Play, Wishes

PAIRS = 24
SEATS = {"mhing": 4, "general_mhing": 3, "mexican_rummy": 3}

Known: TypeAlias = str
Stream: TypeAlias = dict[Known, list[Any]]
Door: TypeAlias = Callable[[Deal, int], "Seat"]


class Seat:
    """What one seat gets, by what it knew then; and how many decisions everybody had made."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.stream: Stream = defaultdict(list)
        self.decisions: dict[Known, int] = {}
        self._hands = ""

    def gets(self, state: mhing.State, message: object) -> None:
        """Takes a message that has come in this state."""
        table = state.to_dict()
        hand = json.dumps(sorted(table["hands"][self.seat]))
        if not self._hands.endswith(hand):
            self._hands += hand
        known = json.dumps(table["events"]) + self._hands
        self.stream[known].append(message)
        self.decisions[known] = table["decisions"]


def choice(observation: NDArray[np.uint8], mask: NDArray[np.int8]) -> int:
    """A legal action that follows from what the seat sees."""
    legal = np.flatnonzero(mask)
    return int(legal[int(observation.sum()) % len(legal)])


# ---- The doors ----------------------------------------------------------------------------------


def through_gymnasium(deal: Deal, seat: int) -> Seat:
    """Each step of `gymnasium.make`; the others are bots."""
    got = Seat(seat)
    name = f"mhing:{mhing.environment_id(deal.game.id)}"
    env = gymnasium.make(name, opponents="greedy", **deal.game.options)
    observation, info = env.reset(seed=deal.seed, options={"deck": deal.deck, "seat": seat})
    step: tuple[Any, ...] = observation, 0.0, False, False, info
    while True:
        observation, reward, over, cut, info = step
        told = {name: np.asarray(value).tolist() for name, value in info.items()}
        got.gets(env.unwrapped.state, (observation.tobytes(), reward, over, cut, told))
        if over:
            return got
        step = env.step(choice(observation, info["action_mask"]))


def through_pettingzoo(deal: Deal, seat: int) -> Seat:
    """What an agent gets at its turns; the others are bots."""
    got = Seat(seat)
    env = pettingzoo.env(deal.game.id, **deal.game.options)
    env.reset(seed=deal.seed, options={"deck": deal.deck})
    for agent in env.agent_iter():
        state = env.unwrapped.game_state
        observation, reward, over, cut, info = env.last()
        if agent != f"player_{seat}":
            env.step(None if over else state.bot_action("greedy", 0)[0])
            continue
        told = {name: np.asarray(value).tolist() for name, value in info.items()}
        seen, mask = observation["observation"], observation["action_mask"]
        got.gets(state, (seen.tobytes(), mask.tolist(), reward, over, cut, told))
        env.step(None if over else choice(seen, mask))
    return got


def through_a_page(deal: Deal, seat: int) -> Seat:
    """Each view of a page, and whether one comes by itself after it; the others are bots."""
    got, dealt = Seat(seat), deal.state()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mhing.Game, "new_state", lambda *_: dealt)
        session = Play(deal.game, ["greedy"], Wishes(seat=seat, delay=0))
    while True:
        state = session.table.state
        view = session.view("wide")
        got.gets(state, (view, session.due() is None))
        if view["over"]:
            return got
        if view["asked"]:
            mask = state.action_mask()
            action = choice(state.observation(seat), mask)
            session.do({"do": "play", "number": view["number"], "action": action})
        else:
            session.tick()


# ---- The test -----------------------------------------------------------------------------------


@pytest.mark.parametrize("door", [through_gymnasium, through_pettingzoo, through_a_page])
@pytest.mark.parametrize("game_id", SEATS)
def test_a_seat_gets_the_same_in_twin_worlds(game_id: str, door: Door) -> None:
    game = mhing.Game(game_id, num_players=SEATS[game_id])
    shared = asked_in_one = 0
    for number in range(PAIRS):
        pair = twins(game, number, most=2 if number % 2 else 6)
        seat = sorted(pair.alike)[number % len(pair.alike)]
        one, other = (door(deal, seat) for deal in pair.deals)
        common = [
            known for known, same in zip(one.stream, other.stream, strict=False) if known == same
        ]
        if door is through_a_page:
            common.pop()  # where the worlds part, it waits for the move that is seen next
        for known in common:
            told = [json.dumps(got.stream[known], default=bytes.hex) for got in (one, other)]
            assert told[0] == told[1]
            shared += 1
            asked_in_one += one.decisions[known] != other.decisions[known]
    assert shared > 2 * PAIRS
    assert asked_in_one or game_id != "mhing", "nobody was asked in one world alone"
