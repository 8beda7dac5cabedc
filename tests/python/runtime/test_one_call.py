"""Two threads, or a call inside another one, never get into the same object; and Ctrl-C gets out.

A call that comes second raises RuntimeError and changes nothing.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import mhing
from mhing._lib import rows, scoring, states
from mhing._lib.hold import Hold, slices

SECONDS = 1.0
THREADS = 4
has_lock = getattr(sys, "_is_gil_enabled", lambda: True)
ILLEGAL = -1  # with illegal_action="random": the game continues, the same in every environment


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def hammer(call: Callable[[], bytes], *, meet: bool = True) -> tuple[Counter[bytes], int]:
    """Makes the call on many threads at once: what it returned, and how often it was refused.

    Where threads must `meet`, a busy machine gets more time until the first refusal.
    """
    returned: list[bytes] = []
    refused: list[str] = []
    odd: list[BaseException] = []
    end = time.monotonic() + SECONDS

    def work() -> None:
        while time.monotonic() < end + (60 if meet and not refused else 0) and not odd:
            try:
                returned.append(call())
            except RuntimeError as error:
                refused.append(str(error))
            except BaseException as error:
                odd.append(error)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not odd
    assert all("give each thread its own" in text for text in refused)
    return Counter(returned), len(refused)


@pytest.mark.slow
def test_one_thread_at_a_time_takes_a_hold() -> None:
    """Calls of environments take too long for two threads to meet between two instructions."""
    hold = Hold("room")
    visitors: list[int] = []

    def visit() -> bytes:
        most = 0
        for _ in range(100):
            try:
                del hold.free
            except AttributeError:
                continue
            visitors.append(most)
            most = max(most, len(visitors))
            visitors.pop()
            hold.free = True
        return bytes([most])

    returned, _ = hammer(visit, meet=False)
    assert max(returned) == b"\1"


def single_step(env: gym.Env[Any, Any]) -> bytes:
    observation, reward, *_, info = env.step(ILLEGAL)
    return bytes(observation) + bytes(info["action_mask"]) + repr(reward).encode()


def rows_step(envs: Any) -> bytes:
    observations, rewards, *_, infos = envs.step(np.full(envs.num_envs, ILLEGAL))
    return b"".join(map(bytes, (observations, infos["action_mask"], infos["seat"], rewards)))


def pass_on(observation: Any, mask: Any, info: Any) -> int:
    return int(mask.argmax())


# A game that does not end during the test.
ENDLESS: dict[str, Any] = {"episode": "game", "target": 10**9}
SINGLE: dict[str, dict[str, Any]] = {
    "greedy": {"opponents": "greedy"},
    "callables": {"opponents": pass_on},
}


@pytest.mark.slow
@pytest.mark.parametrize("keywords", SINGLE.values(), ids=SINGLE)
def test_an_environment_under_many_threads(keywords: dict[str, Any]) -> None:
    def make() -> gym.Env[Any, Any]:
        env = gym.make("Mhing-v0", illegal_action="random", **ENDLESS, **keywords).unwrapped
        env.reset(seed=1)
        return env

    env, other = make(), make()
    returned, refused = hammer(lambda: single_step(env))
    assert refused
    assert returned == Counter(single_step(other) for _ in range(returned.total()))


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_under_many_threads(threads: int) -> None:
    def make() -> Any:
        envs = gym.make_vec(
            "Mhing-v0", num_envs=64, num_threads=threads, illegal_action="random"
        ).unwrapped
        envs.reset(seed=1)
        return envs

    envs, other = make(), make()
    returned, refused = hammer(lambda: rows_step(envs))
    assert refused
    assert returned == Counter(rows_step(other) for _ in range(returned.total()))


def test_every_call_of_rows_is_refused_inside_another() -> None:
    envs = gym.make_vec("Mhing-v0", num_envs=2, render_mode="ansi").unwrapped
    envs.reset(seed=1)
    saved = envs.save(0)
    calls: list[Callable[[], object]] = [
        lambda: envs.reset(seed=2),
        lambda: envs.step(np.zeros(2, int)),
        envs.render,
        envs.sample_actions,
        envs.action_masks,
        envs.observe,
        envs.omniscient,
        lambda: envs.state(0),
        lambda: envs.save(0),
        lambda: envs.load(0, saved),
        lambda: envs.copy_row(0, 1),
        envs.close,
    ]
    hold = envs._batch.hold
    del hold.free
    for call in calls:
        with pytest.raises(RuntimeError, match="in the middle of a call"):
            call()
    hold.free = True
    assert envs.save(0) == saved
    assert not envs.closed


def test_an_opponent_may_look_at_the_environment_that_asks_it_and_no_more() -> None:
    refused = []

    def reenter(observation: Any, mask: Any, info: Any) -> int:
        for call in (lambda: env.step(0), lambda: env.reset(seed=5), env.close):
            with pytest.raises(RuntimeError, match="asking you now"):
                call()
            refused.append(call)
        assert env.state.seat == info["seat"]
        assert env.action_masks().any()
        assert str(env.render())
        looked: list[object] = []

        def look() -> None:
            with pytest.raises(RuntimeError, match="another thread's"):
                looked.append(env.state)

        other = threading.Thread(target=look)
        other.start()
        other.join()
        assert not looked
        return int(mask.argmax())

    env = gym.make("Mhing-v0", opponents=reenter, render_mode="ansi").unwrapped
    other = gym.make("Mhing-v0", opponents=pass_on, render_mode="ansi").unwrapped
    for each in (env, other):
        each.reset(seed=1)
    for _ in range(5):
        action = int(other.legal_actions()[0])
        seen, expected = env.step(action), other.step(action)
        np.testing.assert_array_equal(seen[0], expected[0])
        if seen[2]:
            break
    assert refused


def test_every_call_of_agents_is_refused_inside_another() -> None:
    pytest.importorskip("pettingzoo")
    from mhing import mhing_v0

    env = mhing_v0.raw_env(render_mode="ansi")
    env.reset(seed=1)
    before = env.game_state
    calls: list[Callable[[], object]] = [
        lambda: env.reset(seed=2),
        lambda: env.step(int(before.legal_actions()[0])),
        lambda: env.observe("player_0"),
        env.last,
        env.state,
        env.render,
        lambda: env.game_state,
    ]
    del env._hold.free
    for call in calls:
        with pytest.raises(RuntimeError, match="in the middle of a call"):
            call()
    env._hold.free = True
    assert env.game_state == before
    for call in calls[1:]:
        call()
    assert env.game_state != before


@pytest.mark.slow
def test_agents_under_many_threads() -> None:
    pytest.importorskip("pettingzoo")
    from mhing import mhing_v0

    def make() -> Any:
        env = mhing_v0.parallel_env(episode="game")
        env.reset(seed=1)
        return env

    env, other = make(), make()

    def step(env: Any) -> bytes:
        state = env.game_state
        if state.is_terminal:
            return b""
        waiting = dict.fromkeys(env.agents, env.wait)
        waiting[env.agents[state.seat]] = int(state.legal_actions()[0])
        observations, rewards, *_ = env.step(waiting)
        seen = b"".join(bytes(each["observation"]) for each in observations.values())
        return seen + repr(rewards).encode()

    peeked: list[bytes] = []
    over = threading.Event()

    def peek() -> None:
        while not over.is_set():
            with contextlib.suppress(RuntimeError):
                peeked.append(bytes(env.state()))

    peeker = threading.Thread(target=peek)
    peeker.start()
    returned: list[bytes] = []
    refused: list[str] = []
    end = time.monotonic() + SECONDS
    try:
        while time.monotonic() < end:
            try:
                returned.append(step(env))
            except RuntimeError as error:
                refused.append(str(error))
    finally:
        over.set()
        peeker.join()
    assert all("in the middle of a call" in text for text in refused)
    known = {bytes(other.state())}
    for expected in returned:
        assert step(other) == expected
        known.add(bytes(other.state()))
    assert known.issuperset(peeked)


@pytest.mark.slow
@pytest.mark.skipif(not has_lock(), reason="without the lock a state belongs to one thread")
def test_a_state_is_read_whole_while_it_changes() -> None:
    def look(state: mhing.State) -> tuple[int, int]:
        return hash(state.to_bytes()), hash(bytes(state.legal_actions()))

    state = mhing.Game(**ENDLESS).new_state(1)
    other = state.clone()
    known = {*look(state)}
    seen: list[int] = []
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            seen.extend(look(state))
            state.observation(0), str(state), state.clone()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    end, count = time.monotonic() + SECONDS, 0
    while time.monotonic() < end and not state.is_terminal:
        state.apply(int(state.legal_actions()[0]))
        count += 1
    over.set()
    for reader in readers:
        reader.join()
    for _ in range(count):
        other.apply(int(other.legal_actions()[0]))
        known.update(look(other))
    assert known.issuperset(seen)


@pytest.mark.slow
def test_each_thread_sees_its_own_state() -> None:
    game = mhing.Game()
    states = [game.new_state(seed) for seed in range(THREADS)]

    def look(number: int) -> bytes:
        state = states[number]
        seen = (state.observation(), state.action_mask(), state.legal_actions())
        return bytes([number]) + b"".join(array.tobytes() for array in seen)

    expected = {look(number) for number in range(THREADS)}
    free = list(range(THREADS))

    def look_at_one() -> bytes:
        number = free.pop()
        seen = look(number)
        free.append(number)
        return seen

    returned, refused = hammer(look_at_one, meet=False)
    assert not refused
    assert set(returned) <= expected


def test_the_memory_of_a_state_that_is_no_more_tells_nothing() -> None:
    game = mhing.Game(episode="game")
    state = game.new_state(1)
    snapshot, exported = state.to_bytes(), state.to_dict()

    def looks(one: mhing.State) -> list[bytes]:
        arrays = (one.observation(), one.action_mask(), one.legal_actions(), one.rewards())
        return [array.tobytes() for array in arrays] + [bytes([one.rounds_over])]

    expected = looks(state)
    for make in (
        lambda: game.new_state(1),
        lambda: game.from_bytes(snapshot),
        lambda: game.state_from_dict(exported),
        state.clone,
        lambda: state.resample(state.seat, seed=3),
    ):
        game.new_state(2).play_out("random", seed=5)  # leaves its memory
        assert looks(make()) == expected
    over = state.play_out("random", seed=5)
    assert over.is_terminal
    assert over.legal_actions().size == 0
    assert over.action_mask().all()
    assert over.rounds_over > 0
    begun = state._events(mhing.State(game))
    game.new_state(2).play_out("random", seed=5)
    assert state._events(mhing.State(game)) == begun != []


def test_play_outs_of_a_state_that_another_thread_changes() -> None:
    state = mhing.Game().new_state(1)
    expected = state.play_outs("random", 20000, seed=1)
    found: list[Any] = []
    worker = threading.Thread(
        target=lambda: found.append(state.play_outs("random", 20000, seed=1, num_threads=2))
    )
    worker.start()
    time.sleep(0.05)
    while worker.is_alive() and not state.is_terminal:
        state.apply(int(state.legal_actions()[0]))
    worker.join()
    np.testing.assert_array_equal(found[0], expected)


# ---- Ctrl-C -------------------------------------------------------------------------------------


@pytest.fixture
def interrupts() -> Iterator[Callable[[float], threading.Timer]]:
    """Sends this process what Ctrl-C sends, after so many seconds."""
    timers = []

    def send(seconds: float) -> threading.Timer:
        timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
        timers.append(timer)
        timer.start()
        return timer

    yield send
    for timer in timers:
        timer.cancel()
        timer.join()


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets the end of each part that C is asked for."""
    ends: list[int] = []

    def noted(count: int, first: int) -> Iterator[tuple[int, int]]:
        for begin, end in slices(count, first):
            ends.append(end)
            yield begin, end

    monkeypatch.setattr(states, "slices", noted)
    return ends


def test_an_interrupt_ends_play_outs(
    interrupts: Callable[[float], threading.Timer], parts: list[int]
) -> None:
    state = mhing.Game().new_state(1)
    before = state.to_bytes()
    interrupts(0.3)
    with pytest.raises(KeyboardInterrupt):
        state.play_outs("greedy", 1_000_000, seed=1)
    assert 0 < parts[-1] < 1_000_000
    assert state.to_bytes() == before
    assert state.play_outs("random", 3, seed=1).shape == (3, 4)


@pytest.mark.parametrize("work", [mhing.score_hands, mhing.distances])
def test_an_interrupt_ends_work_on_many_hands(
    interrupts: Callable[[float], threading.Timer],
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Any], Any],
) -> None:
    """It comes at the end of the first part, however fast that is; there is no second one then."""
    begins: list[int] = []

    def interrupted(count: int, first: int) -> Iterator[tuple[int, int]]:
        for begin, end in slices(count, first):
            if begins:
                interrupts(0).join()
            begins.append(begin)
            yield begin, end

    monkeypatch.setattr(scoring, "slices", interrupted)
    with pytest.raises(KeyboardInterrupt):
        work(np.repeat(mhing.hands_array(["123s456p789m113sJJ"]), 10_000))
    assert begins == [0]


def test_slices_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    state = mhing.Game().new_state(1)
    hands = mhing.hands_array(["567s567s678s789s99s", "567s567s678s789s9s9p"] * 500)
    first = 2**64 - 300  # seeds wrap around to 0

    def results() -> list[Any]:
        return [
            state.play_outs("random", 1000, observer=0, seed=first, num_threads=2),
            mhing.distances(hands),
            *mhing.score_hands(hands),
        ]

    expected = results()
    for step in (1, 7, 1000):
        for module in (states, scoring):
            monkeypatch.setattr(
                module,
                "slices",
                lambda count, _, step=step: (
                    (begin, min(begin + step, count)) for begin in range(0, count, step)
                ),
            )
        for found, known in zip(results(), expected, strict=True):
            np.testing.assert_array_equal(found, known)
    hands[700]["count"][0] = 99
    with pytest.raises(ValueError, match="row 700 is"):
        mhing.distances(hands)
    one = state.resample(0, first + 5).play_out("random", first + 5).returns()
    np.testing.assert_array_equal(expected[0][5], one)


@pytest.mark.parametrize(("count", "first"), [(1, 4), (1000, 4), (5, 5), (100_000, 1000)])
def test_slices_cover_all(count: int, first: int) -> None:
    parts = list(slices(count, first))
    assert [begin for begin, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[0] == (0, min(first, count))
    assert parts[-1][1] == count


def make_long(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(rows, "_LONG", 64)
    envs = gym.make_vec("Mhing-v0", num_envs=64, illegal_action="random").unwrapped
    envs.reset(seed=1)
    return envs


def test_an_interrupt_does_not_wait_for_a_step_of_many_rows(
    interrupts: Callable[[float], threading.Timer], monkeypatch: pytest.MonkeyPatch
) -> None:
    envs, other = make_long(monkeypatch), make_long(monkeypatch)
    begun, advance = threading.Event(), threading.Event()
    batch: Any = envs._batch
    shown_in = batch._shown_in

    def wait_and_step(*given: Any) -> Callable[[], int]:
        call = shown_in(*given)

        def made() -> int:
            begun.set()
            assert advance.wait(60)
            return int(call())

        return made

    actions = np.full(envs.num_envs, ILLEGAL)
    batch._shown_in = wait_and_step
    interrupts(0.2)
    with pytest.raises(KeyboardInterrupt):
        envs.step(actions)
    assert begun.is_set()
    batch._shown_in = shown_in
    threading.Timer(0.2, advance.set).start()
    other.step(actions)
    seen, expected = envs.observe()[0], other.observe()[0]  # waits for the rest of the step
    np.testing.assert_array_equal(seen, expected)
    assert rows_step(envs) == rows_step(other)


def test_a_step_of_many_rows_on_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    envs, other = make_long(monkeypatch), make_long(monkeypatch)
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(rows_step(envs)))
    thread.start()
    thread.join()
    assert found == [rows_step(other)]


def test_exceptions_from_signals_leave_nothing_held() -> None:
    """Wherever between two instructions they come."""
    envs = gym.make_vec("Mhing-v0", num_envs=2, illegal_action="random").unwrapped
    env = gym.make("Mhing-v0", illegal_action="random").unwrapped
    env.reset(seed=1)
    envs.reset(seed=1)

    class Alarm(Exception):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    actions = np.full(2, ILLEGAL)

    def play() -> None:  # apart, as 3.14 catches nothing at the end of an `if` that ends a loop
        for _ in range(2000):  # until it rings
            envs.step(actions)
            envs.observe()
            if env.step(ILLEGAL)[2]:
                env.reset()

    handler = signal.signal(signal.SIGALRM, ring)
    gc.disable()  # in what is called back by it an exception would be ignored
    rang = 0
    try:
        for microseconds in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-4 + microseconds * 1e-6)
                play()
            except Alarm:
                rang += 1
            except gym.error.ResetNeeded:  # it came after the last step of an episode
                signal.setitimer(signal.ITIMER_REAL, 0)
            env.reset()
            envs.reset()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        gc.enable()
    assert rang > 200
