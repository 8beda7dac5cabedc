"""States as the core has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import deck_bytes
from mhing._lib.binding import check, ffi, lib, max_threads, new_message, read_text
from mhing._lib.games import GameHandle, TurnMemory
from mhing._lib.hold import in_pieces, slices

# To look a function up in `lib` takes as long as to call it, and in `ffi` half as long.
state_act, state_act_only = lib.mh_state_act, lib.mh_state_act_only
state_bot_action = lib.mh_state_bot_action
state_copy, state_observe, state_seat = lib.mh_state_copy, lib.mh_state_observe, lib.mh_state_seat
_new, _view, _move = ffi.new, ffi.from_buffer, ffi.memmove
_BYTES = ffi.typeof("uint8_t[]")
_GENERATOR, _ACTION = ffi.typeof("uint64_t *"), ffi.typeof("int *")


class StateMemory:
    """The bytes of one state, and what C makes of them: the base of :class:`mhing.state.State`.

    The calls that it makes, but for play-outs and searches, keep Python's lock: see
    python/keep_lock.h. Whatever changes the state writes its turn anew. When nobody has the object
    any more, another one gets its memory, cleared or with the bytes of `source`.
    """

    __slots__ = ("_game", "_handle", "_pointer", "_turn")

    def __init__(self, handle: GameHandle, source: Any = None) -> None:
        self._handle = handle
        self._game = handle.pointer
        try:
            turn = handle.free_turns.pop()
        except IndexError:
            turn = TurnMemory(handle.pointer, handle.sizes)
        self._turn, self._pointer = turn, turn.state
        if source is None:
            _move(turn.state, handle.blank, len(handle.blank))
        else:
            state_copy(turn.pointer, source)

    def __del__(self) -> None:
        self._handle.free_turns.append(self._turn)

    def _look(self, status: int = 0, message: Any = None) -> None:
        """Write the turn after a change, or raise what its status stands for."""
        check(status, message)
        lib.mh_state_look(self._turn.pointer)

    def _same_bytes(self, other: StateMemory) -> bool:
        """Return whether both hold the same state of games of the same size."""
        return bytes(ffi.buffer(self._pointer)) == bytes(ffi.buffer(other._pointer))

    def _start(self, seed: int, deck: Iterable[Any] | None = None) -> None:
        """Start an episode, from a given deck if there is one."""
        message = new_message()
        if deck is None:
            status = lib.mh_state_reset(self._game, self._pointer, seed, message)
        else:
            cards = deck_bytes(deck)
            status = lib.mh_state_deal(self._game, self._pointer, seed, cards, len(cards), message)
        self._look(status, message)

    def _follow_seed(self, seed: int) -> None:
        """Deals of rounds to come follow from this seed."""
        message = new_message()
        check(lib.mh_state_set_seed(self._game, self._pointer, seed, message), message)

    def _next_round(self) -> None:
        message = new_message()
        self._look(lib.mh_state_next_round(self._game, self._pointer, message), message)

    def _earned(self) -> list[float] | None:
        """The rewards of the last action, by seat; None where nobody earned anything."""
        turn = self._turn
        return None if turn.reward_bytes == turn.no_rewards else turn.copy_rewards().tolist()

    def _returns(self) -> NDArray[np.float64]:
        """Return each seat's sum of rewards since the start of the episode."""
        returns = np.empty(self._handle.sizes.seats, np.float64)
        check(lib.mh_state_returns(self._game, self._pointer, _view("double[]", returns)))
        return returns

    def _observe(self, seat: int) -> NDArray[np.uint8]:
        """Return all that a seat may know."""
        observation = np.empty(self._handle.sizes.observation, np.uint8)
        check(state_observe(self._game, self._pointer, seat, _view(_BYTES, observation)))
        return observation

    def _watch(self) -> NDArray[np.uint8]:
        """Return the public observation."""
        observation = np.empty(self._handle.sizes.observation, np.uint8)
        target = _view("uint8_t[]", observation)
        check(lib.mh_state_watch(self._game, self._pointer, target))
        return observation

    def _observe_as(self, shown: GameHandle, seat: int) -> NDArray[np.uint8]:
        """Return a seat's observation as a game has it that differs in hints alone."""
        observation = np.empty(shown.sizes.observation, np.uint8)
        target = _view("uint8_t[]", observation)
        check(lib.mh_state_observe_as(self._game, self._pointer, shown.pointer, seat, target))
        return observation

    def _omniscient(self) -> NDArray[np.uint8]:
        """Return the observation of all that is hidden from the seats."""
        observation = np.empty(self._handle.sizes.omniscient, np.uint8)
        target = _view("uint8_t[]", observation)
        check(lib.mh_state_omniscient(self._game, self._pointer, target))
        return observation

    def _numbers(self) -> NDArray[np.int64]:
        """The public numbers, in the order of the table's info fields."""
        numbers = np.empty(self._handle.sizes.info, np.int64)
        check(lib.mh_state_info(self._game, self._pointer, _view("int64_t[]", numbers)))
        return numbers

    def _save(self) -> bytes:
        """A snapshot: a header and the state's bytes."""
        snapshot = _new("uint8_t[]", self._handle.sizes.snapshot)
        check(lib.mh_state_save(self._game, self._pointer, snapshot))
        return bytes(ffi.buffer(snapshot))

    def _load(self, snapshot: bytes) -> None:
        """Restore a snapshot."""
        message = new_message()
        data = _view("uint8_t[]", snapshot)
        status = lib.mh_state_load(self._game, self._pointer, data, len(data), message)
        self._look(status, message)

    def _read(self, text: bytes) -> None:
        """Become the state that :meth:`_json` wrote, or that somebody made by hand."""
        message = new_message()
        data = _view("char[]", text)
        status = lib.mh_state_read(self._game, self._pointer, data, len(data), message)
        self._look(status, message)

    def _json(self) -> str:
        """Everything about the state as JSON text."""
        return read_text(lambda to, size: lib.mh_state_json(self._game, self._pointer, to, size))

    def _text(self) -> str:
        """The words of the state with all cards open."""
        return read_text(lambda to, size: lib.mh_state_text(self._game, self._pointer, to, size))

    def _redeal(self, seat: int | None, seed: int) -> None:
        """Draw anew all that `seat` cannot know, or for None all seats together."""
        pointer, observer = self._pointer, lib.MH_ALL_SEATS if seat is None else seat
        self._look(lib.mh_state_resample(self._game, pointer, observer, seed, pointer))

    def _bot_action(self, bot: int, random: int) -> tuple[int, int]:
        """A bot's choice for the seat to act, and its generator after it."""
        settings = self._handle.searches.get(bot)
        if settings is not None:
            found, _ = self._search(settings, random, 1)
            return found.action, found.random
        generator, action = _new(_GENERATOR, random), _new(_ACTION)
        check(state_bot_action(self._game, self._pointer, bot, generator, action))
        return action[0], generator[0]

    def _values(self, bot: int) -> NDArray[np.float64]:
        """Return a bot's values of the legal actions, in their order; the rest is not set."""
        values, message = np.empty(self._handle.sizes.actions), new_message()
        target = _view("double[]", values)
        check(lib.mh_state_values(self._game, self._pointer, bot, target, message), message)
        return values

    def _afterstates(
        self, every: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float64]]:
        """Return afterstates of the seat to act: actions, features, values that are certain.

        A game without features: ValueError.
        """
        capacity = 64
        while True:
            actions = np.empty(capacity, np.int32)
            features = np.empty((capacity, self._handle.sizes.features), np.float32)
            values = np.empty(capacity)
            count = lib.mh_state_afterstates(
                self._game, self._pointer, every, capacity, _view("int32_t[]", actions),
                _view("float[]", features), _view("double[]", values),
            )  # fmt: skip
            if count == lib.MH_ERROR_GAME:
                raise ValueError(f"{self._handle.id} has no features, see Game.features")
            check(count)
            if count <= capacity:
                return actions[:count], features[:count], values[:count]
            capacity = count

    def _idle_action(self) -> int:
        """Return the action for a seat that does not answer."""
        action = _new("int *")
        check(lib.mh_state_idle_action(self._game, self._pointer, action))
        idle: int = action[0]
        return idle

    def _add_round(self, tally: NDArray[np.int64]) -> None:
        """Add what the round finished last brought to `tally` (seats, sizes.tally)."""
        numbers = _new("int64_t[]", self._handle.sizes.info)
        target = _view("int64_t[]", tally, require_writable=True)
        check(lib.mh_state_add_round(self._game, self._pointer, numbers, target))

    def _events(self, before: StateMemory) -> list[list[int]]:
        """Public events of the one action that led here: [seat + 1, kind, detail, extra]."""
        events = np.empty((lib.MH_EVENT_TAIL, 4), np.uint8)
        target = _view("uint8_t[]", events)
        count = lib.mh_state_events(self._game, before._pointer, self._pointer, target)
        check(count)
        found: list[list[int]] = events[:count].tolist()
        return found

    def _play_out(self, bots: Sequence[int], seed: int) -> None:
        """Play on to the end of the episode, each seat by its bot."""
        self._look(lib.mh_state_play_out(self._game, self._pointer, bots, seed))

    def _play_outs(
        self, bots: Sequence[int], observer: int, count: int, seed: int, threads: int
    ) -> NDArray[np.float64]:
        """Play `count` copies to the end, with seeds from `seed` on; the returns of each by seat.

        It does not hold Python's lock, and works on a copy: the state may change meanwhile.
        """
        returns, message = np.empty((count, self._handle.sizes.seats)), new_message()
        copy = StateMemory(self._handle, self._pointer)
        for begin, end in slices(count, 4 * min(threads, max_threads())):
            seeds = np.arange(begin, end, dtype=np.uint64) + np.uint64(seed)
            c_seeds = _view("uint64_t[]", seeds)
            c_returns = _view("double[]", returns[begin:end])
            status = lib.mh_state_play_outs(
                self._game, copy._pointer, observer, bots, end - begin, c_seeds, threads,
                c_returns, message,
            )  # fmt: skip
            check(status, message)
        return returns

    def _search(
        self, settings: str, random: int, threads: int
    ) -> tuple[Any, dict[str, NDArray[Any]]]:
        """Return a struct mh_search_result, and the numbers of actions in it, by name.

        Numbers are by the places of the legal actions; the rest is not set. It does not hold
        Python's lock, and works on a copy: the state may change meanwhile. Ctrl-C ends it.
        """
        message, sizes = new_message(), self._handle.sizes
        doubles = ("values", "halves", "gains", "gain_halves")
        found = {"visits": np.empty(sizes.actions, np.int64)}
        found |= {name: np.empty(sizes.actions) for name in doubles}
        result, copy = _new("struct mh_search_result *"), StateMemory(self._handle, self._pointer)
        for name, numbers in found.items():
            kind = "double[]" if name in doubles else "int64_t[]"
            setattr(result, name, _view(kind, numbers))
        memory = result.pieces.memory = _new("uint64_t[]", sizes.piece // 8)

        def search_on() -> int:
            left: int = lib.mh_state_search(
                self._game, copy._pointer, settings.encode(), random, threads, result, message
            )
            check(left, message)
            return left

        in_pieces(result.pieces, search_on)
        del memory
        return result, found
