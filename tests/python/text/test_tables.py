"""Tables in words: play, mistakes, groups, records, and what nobody may learn by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import twins
from every_game import LARGE

import mhing
from mhing.recorder import Recorder
from mhing.records import verified
from mhing.table import PlayerFailed
from mhing.text import TextEnv, Texts, TextTable, TextTurn

pytestmark = pytest.mark.once

Play = Callable[[TextTurn], str]


def by_chance(seed: int) -> Play:
    rng = Random(seed)
    return lambda turn: rng.choice([*turn.moves])


def first(turn: TextTurn) -> str:
    return next(iter(turn.moves))


def finish(at: TextTable | TextEnv, turn: TextTurn, play: Play) -> tuple[TextTurn, list[TextTurn]]:
    turns = [turn]
    while not turns[-1].is_over:
        turns.append(at.step(play(turns[-1])))
    return turns[-1], turns


@pytest.mark.parametrize("game_id", mhing.games())
def test_a_table_is_played_to_its_end_by_words(game_id: str) -> None:
    table = TextTable(game_id)
    last, turns = finish(table, table.reset(seed=3), by_chance(1))
    state = table.game.new_state(3)
    for turn, one in zip(turns[:-1], table.table.played, strict=True):
        assert turn.seat == one.seat == state.seat
        assert turn.refusal is None
        assert turn.moves == table.texts.moves(state.legal_actions())
        state.apply(one.action)
    assert state.is_terminal
    assert np.array_equal(last.info["returns"], state.returns())
    assert last.info["forfeited"] is None
    assert (last.seat, last.text, dict(last.moves)) == (-1, "", {})
    with pytest.raises(RuntimeError, match="call reset"):
        table.step("pass")


@pytest.mark.parametrize("game_id", mhing.games())
def test_rewards_add_up_to_returns(game_id: str) -> None:
    env = TextEnv(game_id, opponents="greedy" if game_id != "leduc" else "random")
    for seed in range(5):
        last, turns = finish(env, env.reset(seed), by_chance(seed))
        total = sum(turn.reward for turn in turns)
        assert total == pytest.approx(last.info["returns"][env.seat])
        assert {turn.seat for turn in turns[:-1]} == {env.seat}
        assert {one.seat for one in env.table.table.played if one.by == "player"} == {env.seat}
        assert last.text


def test_a_chat_hears_every_event_once() -> None:
    for options in ({}, {"episode": "game", "target": 40}):
        game = mhing.Game("general_mhing", **options)
        env = TextEnv(game, seat=1)
        last, turns = finish(env, env.reset(seed=2), by_chance(2))
        chat = "".join(turn.text for turn in turns)
        reader = 1
        for one in env.table._log:
            assert isinstance(one, mhing.table.PublicEvent)
            line = game.event_words(*one.numbers, view=reader)
            assert line + "\n" in chat
        if not options:
            discards = [line for line in chat.splitlines() if " discards " in line]
            played = [one for one in env.table._log if getattr(one, "kind", "") == "discard"]
            assert len(discards) == sum(one.numbers[0] != reader for one in played)
        assert "Nobody won" in last.text or " won" in last.text


def test_without_a_chat_each_message_is_whole() -> None:
    env = TextEnv("mhing", chat=False, seat=0)
    turn = env.reset(seed=1)
    for _ in range(5):
        assert turn.text == env.texts.observation(env.table.table.state)
        turn = env.step(first(turn))


def test_without_a_chat_a_refusal_asks_again_in_whole() -> None:
    for chat in (False, True):
        env = TextEnv("mhing", chat=chat, seat=0, mistakes=3)
        question = env.reset(seed=1)
        for _ in range(3):
            turn = env.step("nonsense")
            assert turn.refusal is not None
            assert turn.text == env.texts.help(turn.refusal) + ("" if chat else question.text)


# ---- Mistakes -----------------------------------------------------------------------------------


def test_a_budget_of_mistakes_then_the_idle_move() -> None:
    env = TextEnv("mhing", seat=0, mistakes=2)
    question = env.reset(seed=1)
    state = env.table.table.state.clone()
    for count in (1, 2):
        turn = env.step("nonsense")
        assert turn.refusal is not None
        assert turn.text == env.texts.help(turn.refusal)
        assert turn.moves == question.moves
        assert turn.info["mistakes"] == count
        assert env.table.table.state == state
    turn = env.step("nonsense")
    assert turn.refusal is None
    assert (turn.info["mistakes"], turn.info["idled"]) == (3, 1)
    played = env.table.table.played
    assert next(one.action for one in played if one.seat == 0) == state.idle_action()
    idle = env.game.action_text(state.idle_action())
    note = f"Your reply was no move; {idle} was played for you.\n"
    assert turn.text.startswith(f"{note}You {idle}")
    turn = env.step("nonsense")
    assert turn.refusal is not None, "the budget is that of a question"
    assert note not in turn.text
    turn = env.step(first(turn))
    assert env.step("nonsense").refusal is not None


def test_the_seat_alone_hears_that_it_was_idle() -> None:
    table = TextTable("leduc", mistakes=0)
    turn, note = table.reset(seed=1), "Your reply was no move; "
    idle = turn.seat
    turn = table.step("blah")
    while not turn.is_over:
        assert (note in turn.text) == (turn.seat == idle and turn.info["step"] == 3)
        turn = table.step("call")
    assert note not in table.closing(idle)
    assert note not in table.closing(1 - idle)
    table.reset(seed=1)
    table.step("raise")
    table.step("call")
    table.step("call")
    assert table.step("blah").is_over, "the last move of the episode is idle"
    assert [note in table.closing(seat) for seat in (idle, 1 - idle)] == [False, True]


@pytest.mark.parametrize("wrong", [None, 1.5, True, ["call"], b"call"])
def test_what_no_player_writes_is_no_mistake(wrong: Any) -> None:
    table = TextTable("leduc", mistakes=0, then="end")
    turn = table.reset(seed=1)
    env = TextEnv("leduc", mistakes=0, then="end")
    env.reset(seed=1)
    for at in (table, env):
        with pytest.raises(TypeError, match=r"^reply: .* is a \w+; expected a text, a call of"):
            at.step(wrong)
    assert table.info(turn.seat)["mistakes"] == env.table.info(env.seat)["mistakes"] == 0
    assert not table.step(np.int64(1)).is_over
    assert not table.step({"action": "call"}).is_over


@pytest.mark.parametrize("mistakes", [0, 3])
def test_or_the_end_with_a_penalty(mistakes: int) -> None:
    env = TextEnv("general_mhing", seat=1, mistakes=mistakes, then="end", penalty=-7)
    turns = [env.reset(seed=1)]
    turns.append(env.step(first(turns[0])))
    while not turns[-1].is_over:
        turns.append(env.step({"no": "text"}))
    assert len(turns) == 3 + mistakes
    last = turns[-1]
    assert last.info["forfeited"] == 1
    assert last.text.endswith("You gave no legal move. The episode is over.\n")
    assert env.table.closing(0).endswith("Seat 1 gave no legal move. The episode is over.\n")
    assert last.info["returns"][1] == -7
    assert sum(turn.reward for turn in turns) == -7
    assert last.info["mistakes"] == mistakes + 1
    with pytest.raises(RuntimeError):
        env.step("draw")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"mistakes": -1}, "mistakes: -1 is below 0"),
        ({"mistakes": 0.5}, "mistakes: "),
        ({"then": "cry"}, "then: 'cry' is none of idle, end"),
        ({"opponents": "nobody"}, "opponents: "),
        ({"opponents": ["greedy"]}, "opponents: 1 given for 3"),
        ({"seat": 4}, "seat: 4 is not from 0 to 3"),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        TextEnv("mhing", **wrong)
    with pytest.raises(ValueError, match="players: 1 given for 4 seats"):
        TextTable("mhing", ["greedy"])
    with pytest.raises(RuntimeError, match="call reset"):
        TextEnv("mhing").step("pass")
    table = TextTable("mhing")
    table.reset(seed=1)
    wrong_words: Any = None
    with pytest.raises(TypeError, match="words: None is a NoneType, not a text"):
        table.say(wrong_words)
    with pytest.raises(ValueError, match="seat: 9 is not from 0 to 3"):
        table.closing(9)
    with pytest.raises(ValueError, match="seed"):
        TextEnv("mhing").reset(seed=2**64)


# ---- Groups and records -------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", LARGE)
def test_a_group_has_the_same_deal_and_the_same_bots(game_id: str) -> None:
    env = TextEnv(game_id, opponents="random")
    for seed in (1, 2**63):
        group = env.group(3, seed)
        ends = []
        for one, turn in group:
            assert turn.text == group[0][1].text
            assert one.seat == group[0][0].seat
            _, turns = finish(one, turn, by_chance(4))
            ends.append([turn.text for turn in turns])
        assert ends[0] == ends[1] == ends[2]
        assert env.group(1, seed)[0][1].text == group[0][1].text
    assert len({env.group(1, seed)[0][1].text for seed in range(8)}) == 8
    assert len({env.group(1, seed)[0][0].seat for seed in range(12)}) > 1
    with pytest.raises(ValueError, match="size"):
        env.group(0)


def test_a_game_in_words_becomes_a_record(tmp_path: Path) -> None:
    env = TextEnv(mhing.Game("general_mhing", episode="game", target=20), seat=0)
    finish(env, env.reset(seed=4), by_chance(4))
    table = env.table.table
    with Recorder(tmp_path / "game.jsonl") as recorder:
        recorder.begin(table.game, table.seed, ["model", "greedy"])
        for one in table.played:
            recorder.move(one.seat, one.action, one.by, one.seed)
        recorder.end(table.state)
    (record,) = verified(tmp_path / "game.jsonl")
    assert [move.action for move in record.moves] == [one.action for one in table.played]


# ---- Secrets ------------------------------------------------------------------------------------


class Log:
    """All that a table sends to each seat, where the replies are given."""

    def __init__(self, deal: twins.Deal, actions: Iterable[int], texts: Texts, chat: bool) -> None:
        table = TextTable(texts, chat=chat)
        turn = table.reset(seed=0)
        table.table.state = deal.state()
        table._heard = [type(one)() for one in table._heard]
        turn = table._next()
        self.sent: dict[int, list[object]] = {seat: [] for seat in range(table.game.num_seats)}
        for action in actions:
            said = (turn.text, dict(turn.moves), turn.reward, dict(turn.info), action)
            self.sent[turn.seat].append(said)
            turn = table.step(action)


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("game_id", LARGE)
def test_twins_are_sent_the_same(game_id: str, chat: bool) -> None:
    """Also where another seat was asked in secret in one of two worlds only."""
    game, compared, differ = mhing.Game(game_id), 0, 0
    texts = Texts(game)
    for seed in range(24):
        pair = twins.twins(game, seed, 12)
        for _ in twins.moments(pair, seed, 60):
            alike = set(pair.alike)
            ones, others = pair.one.path, pair.other.path
        assert not pair.betrayed
        one = Log(pair.deals[0], ones, texts, chat)
        other = Log(pair.deals[1], others, texts, chat)
        differ += len(ones) != len(others)
        for seat in alike:
            assert one.sent[seat] == other.sent[seat], (seed, seat)
            compared += len(one.sent[seat])
    assert compared > 20
    assert differ or game_id != "mhing", "nobody was asked in one world alone"


def test_others_hear_only_what_is_said_to_the_table() -> None:
    table = TextTable("mhing", chat=True)
    turn = table.reset(seed=1)
    secret = "my plan is a secret"
    speaker = turn.seat
    table.say("Good\nluck \x07 to  all")
    heard: dict[int, str] = {}
    for _ in range(30):
        heard[turn.seat] = heard.get(turn.seat, "") + turn.text
        assert secret not in turn.text
        move = [*turn.moves][-1]
        turn = table.step(f"<think>{secret}</think> {secret}: I like it.\nAnswer: {move}")
        if turn.is_over:
            break
    line = f'Seat {speaker} says: "Good luck to all"\n'
    for seat, text in heard.items():
        assert text.count(line) == (seat != speaker), seat
    with pytest.raises(RuntimeError):
        TextTable("mhing").say("hello")


def test_nothing_is_said_in_secret() -> None:
    table = TextTable("mhing")
    turn, secret = table.reset(seed=1), 0
    while not turn.is_over:
        if not table.table.state.is_settled:
            secret += 1
            with pytest.raises(RuntimeError, match="others would hear that this seat is asked"):
                table.say("hello")
        turn = table.step(first(turn))
    assert secret


@pytest.mark.parametrize("failure", ["I hold the king.", KeyError("king")])
def test_a_player_that_fails_shows_nobody_its_cards(failure: str | Exception) -> None:
    """And nobody plays in its place: the episode has ended."""

    def broken(*_: Any) -> str:
        if isinstance(failure, Exception):
            raise failure
        return failure

    env = TextEnv("general_mhing", seat=0, opponents=broken)
    turn = env.reset(seed=1)
    with pytest.raises(PlayerFailed, match=r"^broken, the player in seat \d, fails$") as caught:
        finish(env, turn, first)
    assert "king" in caught.value.whole
    state = env.table.table.state
    assert caught.value.seat == state.seat == 1
    hand = [*env.texts.moves(state.action_mask())]
    assert not any(text in str(caught.value) for text in hand)
    for reply in (hand[0], first(turn)):
        with pytest.raises(RuntimeError, match="call reset"):
            env.step(reply)
    with pytest.raises(RuntimeError, match="call reset"):
        env.table.say("hello")
    assert env.reset(seed=1).text == turn.text
