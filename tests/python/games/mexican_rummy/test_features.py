"""The features of Mexican Rummy are those that its table lists."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from playing import DULL
from policies import play
from reference.rummy_expert import Hand, changed
from reference.rummy_features import Seat
from reference.rummy_plan import TYPES

import mhing
from games.mexican_rummy.matches import table

NEAR = 1e-5
"""Features are single-precision numbers."""


def unpacked(game: mhing.Game, features: NDArray[np.float32]) -> dict[str, list[float]]:
    rows = game.features
    return {row.name: features[row.offset : row.offset + row.count].tolist() for row in rows}


def sees(state: mhing.State, seat: int, reward: str) -> tuple[Seat, Hand]:
    seen = state.game.unpack(state.observation(seat))
    turned_up = bool(state.game.options["turned_up"])
    return Seat(seen, reward, turned_up), tuple(map(int, seen["hand"]))


def after_laying(state: mhing.State, action: str, reward: str) -> dict[str, list[float]] | None:
    """The features once greedy has played to its discard; None: it has gone out."""
    seat, after = state.seat, state.clone()
    play(after, action)
    while after.seat == seat:
        number, _ = after.bot_action("greedy", 1)
        action = after.game.action_text(number)
        if action.startswith("discard"):
            break
        after.apply(number)
    player, hand = sees(after, seat, reward)
    if after.seat == seat:
        gone = TYPES.index(action.split()[1])
        hand = changed(hand, -1, gone)
    else:  # of two equal cards one went by itself
        gone = int(player.seen["discards"][player.seen["discards"] > 0][-1]) - 1
    return player.features(hand, "has discarded", gone) if sum(hand) else None


def ways(state: mhing.State, action: str, reward: str) -> list[dict[str, list[float]]]:
    """The position after an action that lays nothing: one for each way to continue."""
    seat, hand = sees(state, state.seat, reward)
    offer = int(seat.seen["offer"]) - 1
    match action.split():
        case ["pass"]:
            return [seat.features(hand, "waits")]
        case ["may", "i"]:
            return [seat.features(changed(hand, offer), "has asked")]
        case ["draw"] | ["refuse"]:
            return [seat.features(hand, "draws")]
        case ["grant"]:
            return [seat.features(hand, "draws", granted=int(seat.seen["asker"]) - 1)]
        case ["take"]:
            kept = changed(hand, offer)
            gone = [card for card in range(52) if kept[card] and card != offer]
            return [seat.features(changed(kept, -1, c), "has discarded", c) for c in gone]
        case ["discard", card]:
            gone_card = TYPES.index(card)
            return [seat.features(changed(hand, -1, gone_card), "has discarded", gone_card)]
    raise AssertionError(action)


def check(got: NDArray[np.float32], wanted: dict[str, list[float]], game: mhing.Game) -> None:
    found = unpacked(game, got)
    assert found.keys() == wanted.keys()
    for name, numbers in wanted.items():
        assert found[name] == pytest.approx(numbers, abs=NEAR), name


@pytest.mark.slow
@pytest.mark.parametrize("objective", range(1, 7))
def test_features_are_what_the_slow_reference_finds(objective: int) -> None:
    reward = ("score", "rank", "win")[objective % 3]
    players = 2 + objective % 4
    game = mhing.Game(
        "mexican_rummy",
        num_players=players,
        objective=objective,
        reward=reward,
        turned_up=objective % 3 > 0,
        swaps=("any", "needed")[objective % 2],
    )
    lays_from, lays_to = game.action_id("set A"), game.action_id("discard As")
    rng, still, laid, seed = Random(objective), 0, 0, 0
    while still < 25 or laid < 6:
        state = game.new_state(seed)
        seed += 1
        while not state.is_terminal:
            legal = state.legal_actions()
            lays = bool(((legal >= lays_from) & (legal < lays_to)).any())
            if rng.random() < (0.4 if lays else 0.02):
                actions, features, values = state.afterstates(every=True)
                action = int(rng.choice(actions))
                at = np.flatnonzero(actions == action)
                text = game.action_text(action)
                if lays_from <= action < lays_to or (text == "take" and len(at) == 1):
                    wanted = after_laying(state, text, reward)
                    assert (wanted is None) == (not np.isnan(values[at[0]]))
                    if wanted:
                        check(features[at[0]], wanted, game)
                    laid += 1
                elif still < 25 and np.isnan(values[at[0]]):
                    wanted_ways = ways(state, text, reward)
                    assert len(at) == len(wanted_ways)
                    pick = rng.randrange(len(at))
                    check(features[at[pick]], wanted_ways[pick], game)
                    still += 1
            number, _ = state.bot_action("greedy", 1)
            state.apply(number if rng.random() < 0.95 else int(rng.choice(legal)))


def test_only_choices_deserve_a_look() -> None:
    """A seat that can lay does so, in greedy's order, and a seat that is down asks for nothing."""
    state = table(["7s 7h 7d Ks Kh Kd 3h 4d 9h Jc", DULL], "2h 2d")
    play(state, "pass")
    assert set(state.afterstates().actions.tolist()) == {
        state.game.action_id("draw"),
        state.game.action_id("take"),
    }
    play(state, "draw")
    lays = state.afterstates()
    assert [state.game.action_text(int(action)) for action in lays.actions] == ["set 7"]
    assert len(state.afterstates(every=True).actions) == len(state.legal_actions())


@pytest.mark.parametrize(("reward", "value"), [("score", 0), ("rank", 2), ("win", 1)])
def test_who_goes_out_knows_what_that_brings(reward: str, value: float) -> None:
    hand = "7s 7h 7d 7c Ks Kh Kd Kc Qh Qd"
    state = table([hand, DULL, DULL], "Qc", objective=4, reward=reward)
    play(state, "pass", "pass", "draw")
    actions, features, values = state.afterstates()
    assert values.tolist() == [value]
    assert not features.any()
    play(state, state.game.action_text(int(actions[0])))
    while not state.is_terminal:
        play(state, state.game.action_text(state.bot_action("greedy", 1)[0]))
    assert state.returns()[0] == value


def test_nobody_asks_in_the_last_round_or_once_down() -> None:
    state = table([DULL, "As Ah Ad 3s 4s 5s 6s 3h 4h 5h"], "2h", up="6h", objective=6)
    assert state.seat == 1
    assert state.afterstates().actions.tolist() == [state.game.action_id("pass")]
    assert len(np.unique(state.afterstates(every=True).actions)) == 2
