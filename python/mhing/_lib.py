"""The C core as Python sees it: games and states; :mod:`mhing._rows` has batches.

Classes here own C memory and turn the core's statuses into exceptions. What they offer is thin on
purpose; :mod:`mhing.game` and :mod:`mhing.env` are what people use.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing import _core
from mhing._hold import slices

ffi: Any = _core.ffi
lib: Any = _core.lib

_NULL = ffi.NULL
OVER: int = lib.MH_OVER
BETWEEN_ROUNDS: int = lib.MH_BETWEEN_ROUNDS
NOT_KNOWN: int = lib.MH_NOT_KNOWN
# To look a function up in `lib` takes as long as to call it.
_apply, _apply_only, _seat = lib.mh_state_apply, lib.mh_state_apply_only, lib.mh_state_seat
_mask, _observe = lib.mh_state_mask, lib.mh_state_observe
_MESSAGE = ffi.typeof("char[]")
_WORDS = ffi.typeof("uint64_t[]")
_ERRORS: dict[int, type[Exception]] = {
    lib.MH_ERROR_OVER: RuntimeError,
    lib.MH_ERROR_BETWEEN: RuntimeError,
    lib.MH_ERROR_ORDER: RuntimeError,
    lib.MH_ERROR_MEMORY: MemoryError,
}
_REASONS = {
    lib.MH_ERROR_OVER: "the episode is over: nobody is to act",
    lib.MH_ERROR_BETWEEN: "the state is between rounds: nobody is to act; next_round() deals",
}
"""Of errors that come without the core's own words."""


def _new_message() -> Any:
    return ffi.new(_MESSAGE, lib.MH_MESSAGE_SIZE)


def _text(data: Any) -> str:
    text: str = ffi.string(data).decode()
    return text


def _check(status: int, message: Any = None) -> None:
    """Raise what a status other than MH_OK stands for, with the core's own words."""
    if status < 0:
        # What it quotes may have been cut off within a character.
        words = ffi.string(message).decode(errors="ignore") if message is not None else ""
        words = words or _REASONS.get(status, _text(lib.mh_status_name(status)))
        raise _ERRORS.get(status, ValueError)(words)


_FORMS = {"wide": lib.MH_WIDE, "portrait": lib.MH_PORTRAIT, "share": lib.MH_SHARE}
"""Of pictures."""

PARTS: dict[str, int] = {
    "all": lib.MH_WORDS_ALL,
    "heading": lib.MH_WORDS_HEADING,
    "limits": lib.MH_WORDS_LIMITS,
    "seat": lib.MH_WORDS_SEAT,
    "piles": lib.MH_WORDS_PILES,
    "events": lib.MH_WORDS_EVENTS,
    "result": lib.MH_WORDS_RESULT,
    "status": lib.MH_WORDS_STATUS,
    "moves": lib.MH_WORDS_MOVES,
    "move": lib.MH_WORDS_MOVE,
}
"""Parts of the words that can be asked for."""


def _names(kept: list[Any], names: Iterable[str] | None) -> Any:
    """Names for C, which live as long as `kept` does."""
    if names is None:
        return ffi.NULL
    # What a text of C cannot hold is shown as what cannot be seen is.
    texts = [name.encode(errors="replace").replace(b"\0", b"?") for name in names]
    kept.append([ffi.new(_MESSAGE, text) for text in texts])
    kept.append(ffi.new("char *[]", kept[-1]))
    return kept[-1]


def _array(kept: list[Any], values: Any, kind: str, dtype: Any) -> Any:
    """An array for C, which lives as long as `kept` does."""
    if values is None:
        return ffi.NULL
    kept.append(np.ascontiguousarray(values, dtype))
    return ffi.from_buffer(f"{kind}[]", kept[-1])


@dataclass(frozen=True)
class Viewer:
    """A viewer of a table, and the facts beside its observation: struct mh_viewer."""

    seat: int = -1
    """The seat whose observation it is; -1: a spectator's."""
    to_act: int = NOT_KNOWN
    """The seat to act, or why nobody is, where more is known than the observation says."""
    info: NDArray[np.int64] | None = None
    omniscient: NDArray[np.uint8] | None = None
    mask: NDArray[np.int8] | None = None
    names: Sequence[str] | None = None
    seed: int | None = None
    """Of the episode, where a picture to be shared shall name it."""
    has_log: bool = False
    """True if the viewer has the events elsewhere, so that a picture leaves the last ones out."""

    def struct(self, kept: list[Any]) -> Any:
        """The struct for C, which lives as long as `kept` does."""
        struct = ffi.new("struct mh_viewer *")
        struct.seat, struct.to_act, struct.has_log = self.seat, self.to_act, self.has_log
        struct.info = _array(kept, self.info, "int64_t", np.int64)
        struct.omniscient = _array(kept, self.omniscient, "uint8_t", np.uint8)
        struct.mask = _array(kept, self.mask, "int8_t", np.int8)
        struct.names = _names(kept, self.names)
        if self.seed is not None:
            kept.append(ffi.new("uint64_t *", self.seed))
            struct.seed = kept[-1]
        return struct


def clean_names(names: Sequence[str]) -> tuple[str, ...]:
    """Players' names as words show them; ValueError for more or fewer than a table can have."""
    kept: list[Any] = []
    message = _new_message()
    size: int = lib.MH_NAME_SIZE
    out = ffi.new(_MESSAGE, size * max(1, len(names)))
    _check(lib.mh_names(_names(kept, names), len(names), out, message), message)
    return tuple(_text(out + size * seat) for seat in range(len(names)))


def _read_text(write: Callable[[Any, int], int], size: int = 1 << 14) -> str:
    """The whole text of a core function that writes like snprintf; `size` is often enough."""
    while True:
        buffer = ffi.new(_MESSAGE, size)
        length = write(buffer, size)
        if length < size:
            return _text(buffer)
        size = length + 1


def _length(length: int, message: Any) -> int:
    """The length of a text, or what a status in its place stands for."""
    _check(length, message)
    return length


def whole(value: Any, name: str) -> int:
    """`value` as an int; a bool, a float or anything else that is not a whole number: TypeError."""
    if type(value) is int:
        return value  # as nearly all are: the rest takes as long as a call into C
    if not isinstance(value, bool | np.bool_):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name}: {value!r} is a {type(value).__name__}, not a whole number")


def positive(value: Any, name: str) -> int:
    """`value` as an int that C can count to and that is at least 1."""
    number = whole(value, name)
    if not 1 <= number < 1 << 31:
        raise ValueError(f"{name}: {number} is not from 1 to 2**31 - 1")
    return number


def int32(number: int, name: str) -> int:
    """`number`, which C is going to check, if C can hold it at all; ValueError if not."""
    if not -1 << 31 <= number < 1 << 31:
        raise ValueError(f"{name}: {number} is not from -2**31 to 2**31 - 1")
    return number


def refuse_settled(taker: str, given: Iterable[str], reasons: Mapping[str, str]) -> None:
    """Raise TypeError for an argument that `taker` does not have, with the reason."""
    for name in reasons.keys() & set(given):
        raise TypeError(f"{name}: no argument of {taker}: {reasons[name]}")


def one_of(name: str, value: Any, choices: list[str]) -> None:
    """Raise ValueError unless the argument is one of the texts that it can be."""
    if value not in choices:
        raise ValueError(f"{name}: {value!r} is none of {', '.join(choices)}")


def truth(name: str, value: Any) -> bool:
    """Raise TypeError unless the argument is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name}: {value!r} is neither True nor False")
    return value


def seed64(value: Any) -> int:
    """A seed for the core: `value` from 0 to 2**64 - 1, or fresh entropy for None.

    Negative numbers are those of :func:`signed_seed`.
    """
    if value is None:
        return int.from_bytes(os.urandom(8), "little")
    seed = whole(value, "seed")
    if not -1 << 63 <= seed < 1 << 64:
        raise ValueError(f"seed: {seed} is not from 0 to 2**64 - 1, nor what an info had")
    return seed & ((1 << 64) - 1)


def signed_seed(seed: int) -> int:
    """A seed as infos have it: its 64 bits as int64, so from 2**63 on less 2**64.

    Libraries stack infos to arrays and tensors. Few of them take uint64, and none takes numbers
    beyond 64 bits; this way each seed is kept, and :func:`seed64` takes it back.
    """
    return seed - (seed >> 63 << 64)


def deck_bytes(deck: Iterable[Any]) -> bytes:
    """Card types as the core reads them."""
    cards = [whole(card, "deck") for card in deck]
    for card in cards:
        if not 0 <= card < 256:
            raise ValueError(f"deck: {card} is not a card type")
    return bytes(cards)


EVENT_TAIL: int = lib.MH_EVENT_TAIL
"""Public events in an observation; an action has fewer."""


def game_ids() -> list[str]:
    """The ids of all games, in the registry's order."""
    return [_text(lib.mh_game_id(i)) for i in range(lib.mh_game_count())]


def max_threads() -> int:
    """The most threads that work is shared among, however many are asked for."""
    threads: int = lib.mh_max_threads()
    return threads


class _Scratch:
    """Arrays that C fills, made and bound once, for one user at a time.

    To copy from them takes half as long as to make new arrays and to bind those.
    """

    __slots__ = ("c_mask", "c_observation", "copy_mask", "copy_observation", "find_legal")

    def __init__(self, sizes: Any) -> None:
        observation = np.zeros(sizes.observation, np.uint8)
        mask = np.zeros(sizes.actions, np.int8)
        self.c_observation = ffi.from_buffer("uint8_t[]", observation)
        self.copy_observation: Callable[[], NDArray[np.uint8]] = observation.copy
        self.c_mask = ffi.from_buffer("int8_t[]", mask)
        self.copy_mask: Callable[[], NDArray[np.int8]] = mask.copy
        # NumPy searches bools several times as fast as numbers.
        self.find_legal: Callable[[], tuple[NDArray[np.int64], ...]] = mask.view(np.bool_).nonzero


class GameHandle:
    """A game with its options settled, as the core holds it: read-only, shared by its users."""

    __slots__ = ("_box", "free_scratch", "id", "options", "pointer", "sizes")

    def __init__(self, game_id: str, options: str) -> None:
        self.id, self.options = game_id, options
        box, message = ffi.new("struct mh_game **"), _new_message()
        _check(lib.mh_game_new(game_id.encode(), options.encode(), message, box), message)
        self._box = ffi.gc(box, lib.mh_game_free)
        self.pointer = box[0]
        self.sizes = ffi.new("struct mh_sizes *")
        _check(lib.mh_game_sizes(self.pointer, self.sizes))
        self.free_scratch: list[_Scratch] = []
        """Those that nobody uses; to append gives one back."""

    def take_scratch(self) -> _Scratch:
        """A scratch buffer that no other thread has, nor a call that this one interrupts."""
        try:
            return self.free_scratch.pop()
        except IndexError:
            return _Scratch(self.sizes)

    def describe(self) -> str:
        """The game's table as JSON text."""
        return _read_text(lambda buffer, size: lib.mh_game_describe(self.pointer, buffer, size))

    def action_text(self, action: int) -> str:
        """The text of an action's id; IndexError when there is no such action."""
        buffer = ffi.new(_MESSAGE, lib.MH_TEXT_SIZE)
        if not 0 <= action < self.sizes.actions or lib.mh_action_text(self.pointer, action, buffer):
            raise IndexError(f"action: {action} is not from 0 to {self.sizes.actions - 1}")
        return _text(buffer)

    def words(
        self, observation: NDArray[np.uint8], viewer: Viewer, part: int = 0, number: int = 0
    ) -> str:
        """A part of what an observation says, in sentences; ValueError where it is none."""
        kept: list[Any] = []
        data, message = np.ascontiguousarray(observation, np.uint8), _new_message()
        pointer, source = viewer.struct(kept), ffi.from_buffer("uint8_t[]", data)
        return _read_text(
            lambda buffer, size: _length(
                lib.mh_words(
                    self.pointer, source, data.size, pointer, part, number, buffer, size, message
                ),
                message,
            )
        )

    def words_rows(
        self, count: int, arrays: Mapping[str, Any], names: Any, part: int, number: int
    ) -> list[str]:
        """The same part of many observations; ValueError that names the row where one is none.

        `arrays` are those of struct mh_words_rows, None where one is not known.
        """
        kept: list[Any] = []
        rows, message = ffi.new("struct mh_words_rows *"), _new_message()
        rows.count = count
        rows.observations = _array(kept, arrays["observations"], "uint8_t", np.uint8)
        rows.seats = _array(kept, arrays["seats"], "int32_t", np.int32)
        rows.to_act = _array(kept, arrays["to_act"], "int32_t", np.int32)
        rows.info = _array(kept, arrays["info"], "int64_t", np.int64)
        rows.masks = _array(kept, arrays["masks"], "int8_t", np.int8)
        rows.names = _names(kept, names)
        starts, size = ffi.new("int64_t[]", count + 1), 1 + (count << 10)
        while True:
            text = ffi.new(_MESSAGE, size)
            length: int = lib.mh_words_rows(
                self.pointer, rows, part, number, text, size, starts, message
            )
            _check(length, message)
            if length < size:
                break
            size = length + 1
        data = ffi.buffer(text, length)[:]
        return [data[starts[row] : starts[row + 1]].decode() for row in range(count)]

    def event_words(self, viewer: Viewer, seat: int, kind: int, detail: int, extra: int) -> str:
        """A public event in a sentence; ValueError when there can be no such event."""
        kept: list[Any] = []
        message, pointer = _new_message(), viewer.struct(kept)
        return _read_text(
            lambda buffer, size: _length(
                lib.mh_words_event(
                    self.pointer, pointer, seat, kind, detail, extra, buffer, size, message
                ),
                message,
            )
        )

    def picture(self, observation: NDArray[np.uint8], viewer: Viewer, form: str) -> Any:
        """A struct mh_scene of what an observation shows; ValueError where it is none."""
        kept: list[Any] = []
        data, message = np.ascontiguousarray(observation, np.uint8), _new_message()
        pointer, source = viewer.struct(kept), ffi.from_buffer("uint8_t[]", data)
        scene = ffi.new("struct mh_scene *")
        status = lib.mh_picture(
            self.pointer, source, data.size, pointer, _FORMS[form], scene, message
        )
        _check(status, message)
        return scene

    def move_cards(
        self, observation: NDArray[np.uint8], viewer: Viewer, action: int
    ) -> list[tuple[int, int, bool]]:
        """Sprite, card and whether it is held, of the cards of a move; see struct mh_move_card."""
        kept: list[Any] = []
        data, message = np.ascontiguousarray(observation, np.uint8), _new_message()
        pointer, source = viewer.struct(kept), ffi.from_buffer("uint8_t[]", data)
        cards = ffi.new("struct mh_move_card[]", lib.MH_MOVE_CARDS)
        count = lib.mh_move_cards(self.pointer, source, data.size, pointer, action, cards, message)
        _check(count, message)
        return [(one.sprite, one.card, bool(one.is_held)) for one in cards[0:count]]

    def sprite_names(self) -> list[str]:
        """The names of the sprites in its pictures; none, if the core draws none."""
        return [self._sprite_name(sprite) for sprite in range(lib.mh_game_sprites(self.pointer))]

    def _sprite_name(self, sprite: int) -> str:
        buffer = ffi.new(_MESSAGE, lib.MH_TEXT_SIZE)
        _check(lib.mh_game_sprite_text(self.pointer, sprite, buffer))
        return _text(buffer)

    def event_text(self, kind: int, detail: int, extra: int) -> str:
        """Return the detail of a public event; ValueError when there can be no such event."""
        buffer = ffi.new(_MESSAGE, lib.MH_TEXT_SIZE)
        if lib.mh_game_event_text(self.pointer, kind, detail, extra, buffer):
            raise ValueError(f"event: {self.id} has none of kind {kind}, details {detail}, {extra}")
        return _text(buffer)

    def action_id(self, text: str) -> int:
        """The id of an action's text; ValueError when no action has that text."""
        action: int = lib.mh_action_id(self.pointer, text.encode())
        if action < 0:
            example = self.action_text(0)
            raise ValueError(f"action: no action reads {text!r}; one that exists is {example!r}")
        return action

    def bot_index(self, name: str) -> int:
        """The number of a built-in bot; ValueError with the list of names when there is none."""
        message = _new_message()
        bot: int = lib.mh_bot_index(self.pointer, name.encode(), message)
        _check(bot, message)
        return bot

    def bot_name(self, bot: int) -> str:
        """The name by which :meth:`bot_index` found a bot."""
        return _text(lib.mh_bot_name(self.pointer, bot))


class StateMemory:
    """The bytes of one state, and what C makes of them: the base of :class:`mhing.state.State`.

    The calls that it makes, but for play-outs and searches, keep Python's lock: see
    python/keep_lock.h.
    """

    __slots__ = ("_game", "_handle", "_pointer")

    def __init__(self, handle: GameHandle, source: Any = None) -> None:
        self._handle = handle
        self._game = handle.pointer
        size = handle.sizes.state
        self._pointer = ffi.new(_WORDS, (size + 7) // 8)
        if source is not None:
            ffi.memmove(self._pointer, source, size)

    def _same_bytes(self, other: StateMemory) -> bool:
        """Return whether both hold the same state of games of the same size."""
        return bytes(ffi.buffer(self._pointer)) == bytes(ffi.buffer(other._pointer))

    def _start(self, seed: int, deck: Iterable[Any] | None = None) -> None:
        """Start an episode, from a given deck if there is one."""
        message = _new_message()
        if deck is None:
            status = lib.mh_state_reset(self._game, self._pointer, seed, message)
        else:
            cards = deck_bytes(deck)
            status = lib.mh_state_deal(self._game, self._pointer, seed, cards, len(cards), message)
        _check(status, message)

    def _follow_seed(self, seed: int) -> None:
        """Deals of rounds to come follow from this seed."""
        message = _new_message()
        _check(lib.mh_state_set_seed(self._game, self._pointer, seed, message), message)

    def _next_round(self) -> None:
        message = _new_message()
        _check(lib.mh_state_next_round(self._game, self._pointer, message), message)

    def _rounds(self) -> int:
        """Rounds finished since the episode began."""
        rounds: int = lib.mh_state_rounds(self._pointer)
        return rounds

    def _rewards(self) -> NDArray[np.float32]:
        """Return the rewards of the last action, by seat."""
        rewards = np.empty(self._handle.sizes.seats, np.float32)
        _check(lib.mh_state_rewards(self._game, self._pointer, ffi.from_buffer("float[]", rewards)))
        return rewards

    def _returns(self) -> NDArray[np.float64]:
        """Return each seat's sum of rewards since the start of the episode."""
        returns = np.empty(self._handle.sizes.seats, np.float64)
        _check(
            lib.mh_state_returns(self._game, self._pointer, ffi.from_buffer("double[]", returns))
        )
        return returns

    def _watch(self) -> NDArray[np.uint8]:
        """Return the public observation."""
        observation = np.empty(self._handle.sizes.observation, np.uint8)
        target = ffi.from_buffer("uint8_t[]", observation)
        _check(lib.mh_state_watch(self._game, self._pointer, target))
        return observation

    def _omniscient(self) -> NDArray[np.uint8]:
        """Return the observation of all that is hidden from the seats."""
        observation = np.empty(self._handle.sizes.omniscient, np.uint8)
        target = ffi.from_buffer("uint8_t[]", observation)
        _check(lib.mh_state_omniscient(self._game, self._pointer, target))
        return observation

    def _numbers(self) -> NDArray[np.int64]:
        """The public numbers, in the order of the table's info fields."""
        numbers = np.empty(self._handle.sizes.info, np.int64)
        _check(lib.mh_state_info(self._game, self._pointer, ffi.from_buffer("int64_t[]", numbers)))
        return numbers

    def _save(self) -> bytes:
        """A snapshot: a header and the state's bytes."""
        snapshot = ffi.new("uint8_t[]", self._handle.sizes.snapshot)
        _check(lib.mh_state_save(self._game, self._pointer, snapshot))
        return bytes(ffi.buffer(snapshot))

    def _load(self, snapshot: bytes) -> None:
        """Restore a snapshot."""
        message = _new_message()
        data = ffi.from_buffer("uint8_t[]", snapshot)
        status = lib.mh_state_load(self._game, self._pointer, data, len(data), message)
        _check(status, message)

    def _read(self, text: bytes) -> None:
        """Become the state that :meth:`_json` wrote, or that somebody made by hand."""
        message = _new_message()
        data = ffi.from_buffer("char[]", text)
        status = lib.mh_state_read(self._game, self._pointer, data, len(data), message)
        _check(status, message)

    def _json(self) -> str:
        """Everything about the state as JSON text."""
        return _read_text(lambda to, size: lib.mh_state_json(self._game, self._pointer, to, size))

    def _text(self) -> str:
        """The words of the state with all cards open."""
        return _read_text(lambda to, size: lib.mh_state_text(self._game, self._pointer, to, size))

    def _redeal(self, seat: int, seed: int) -> None:
        """Draw anew all that `seat` cannot know."""
        pointer = self._pointer
        _check(lib.mh_state_resample(self._game, pointer, seat, seed, pointer))

    def _bot_action(self, bot: int, random: int) -> tuple[int, int]:
        """A bot's choice for the seat to act, and its generator after it."""
        generator, action = ffi.new("uint64_t *", random), ffi.new("int *")
        _check(lib.mh_state_bot_action(self._game, self._pointer, bot, generator, action))
        return action[0], generator[0]

    def _values(self, bot: int) -> NDArray[np.float64]:
        """Return a bot's values of the legal actions, in their order; the rest is not set."""
        values, message = np.empty(self._handle.sizes.actions), _new_message()
        target = ffi.from_buffer("double[]", values)
        _check(lib.mh_state_values(self._game, self._pointer, bot, target, message), message)
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
                self._game, self._pointer, every, capacity, ffi.from_buffer("int32_t[]", actions),
                ffi.from_buffer("float[]", features), ffi.from_buffer("double[]", values),
            )  # fmt: skip
            if count == lib.MH_ERROR_GAME:
                raise ValueError(f"{self._handle.id} has no features, see Game.features")
            _check(count)
            if count <= capacity:
                return actions[:count], features[:count], values[:count]
            capacity = count

    def _idle_action(self) -> int:
        """Return the action for a seat that does not answer."""
        action = ffi.new("int *")
        _check(lib.mh_state_idle_action(self._game, self._pointer, action))
        idle: int = action[0]
        return idle

    def _add_round(self, tally: NDArray[np.int64]) -> None:
        """Add what the round finished last brought to `tally` (seats, sizes.tally)."""
        numbers = ffi.new("int64_t[]", self._handle.sizes.info)
        target = ffi.from_buffer("int64_t[]", tally, require_writable=True)
        _check(lib.mh_state_add_round(self._game, self._pointer, numbers, target))

    def _events(self, before: StateMemory) -> list[list[int]]:
        """Public events of the one action that led here: [seat + 1, kind, detail, extra]."""
        events = np.empty((lib.MH_EVENT_TAIL, 4), np.uint8)
        target = ffi.from_buffer("uint8_t[]", events)
        count = lib.mh_state_events(self._game, before._pointer, self._pointer, target)
        _check(count)
        found: list[list[int]] = events[:count].tolist()
        return found

    def _play_out(self, bots: Sequence[int], seed: int) -> None:
        """Play on to the end of the episode, each seat by its bot."""
        _check(lib.mh_state_play_out(self._game, self._pointer, bots, seed))

    def _play_outs(
        self, bots: Sequence[int], observer: int, count: int, seed: int, threads: int
    ) -> NDArray[np.float64]:
        """Play `count` copies to the end, with seeds from `seed` on; the returns of each by seat.

        It does not hold Python's lock, and works on a copy: the state may change meanwhile.
        """
        returns, message = np.empty((count, self._handle.sizes.seats)), _new_message()
        pointer = StateMemory(self._handle, self._pointer)._pointer
        for begin, end in slices(count, 4 * min(threads, max_threads())):
            seeds = np.arange(begin, end, dtype=np.uint64) + np.uint64(seed)
            c_seeds = ffi.from_buffer("uint64_t[]", seeds)
            c_returns = ffi.from_buffer("double[]", returns[begin:end])
            status = lib.mh_state_play_outs(
                self._game, pointer, observer, bots, end - begin, c_seeds, threads, c_returns,
                message,
            )  # fmt: skip
            _check(status, message)
        return returns

    def _search(
        self, settings: str, seed: int, threads: int
    ) -> tuple[int, int, dict[str, NDArray[Any]]]:
        """Return a search's action, the prior's, and numbers of actions by name.

        Numbers are by the places of the legal actions; the rest is not set. It does not hold
        Python's lock, and works on a copy: the state may change meanwhile.
        """
        message, actions = _new_message(), self._handle.sizes.actions
        doubles = ("values", "halves", "gains", "gain_halves")
        found = {"visits": np.empty(actions, np.int64)} | {n: np.empty(actions) for n in doubles}
        result = ffi.new("struct mh_search_result *")
        for name, numbers in found.items():
            kind = "double[]" if name in doubles else "int64_t[]"
            setattr(result, name, ffi.from_buffer(kind, numbers))
        status = lib.mh_state_search(
            self._game,
            StateMemory(self._handle, self._pointer)._pointer,
            settings.encode(),
            seed,
            threads,
            result,
            message,
        )
        _check(status, message)
        return result.action, result.prior, found


class StateView:
    """One state, for callers that read it after every action: arrays made and bound once.

    The state must keep its address in memory; its own methods never move it.
    """

    __slots__ = (
        "_apply", "_bytes", "_mask", "_memory", "_nothing", "_observation", "_observe",
        "_read_mask", "_read_rewards", "_rewards", "_target", "rounds", "seat",
    )  # fmt: skip

    def __init__(self, memory: StateMemory) -> None:
        sizes, game, state = memory._handle.sizes, memory._game, memory._pointer
        self._memory = memory
        self._observation = np.zeros(sizes.observation, np.uint8)
        self._mask = np.zeros(sizes.actions, np.int8)
        self._bytes = bytearray(4 * sizes.seats)
        self._nothing = bytes(self._bytes)
        self._rewards = np.frombuffer(self._bytes, np.float32)
        self._target = ffi.from_buffer("uint8_t[]", self._observation)
        mask, rewards = (
            ffi.from_buffer(kind, array)
            for kind, array in (("int8_t[]", self._mask), ("float[]", self._rewards))
        )
        self._apply = partial(_apply, game, state)
        self._observe = partial(_observe, game, state)
        self._read_mask = partial(_mask, game, state, mask)
        self._read_rewards = partial(lib.mh_state_rewards, game, state, rewards)
        self.seat: Callable[[], int] = partial(_seat, state)
        """The seat to act, -1 when the episode is over."""
        self.rounds: Callable[[], int] = partial(lib.mh_state_rounds, state)
        """Rounds finished since the episode began."""

    def try_apply(self, action: int) -> bool:
        """Play an action of the seat to act; False, and nothing has changed, if it is illegal."""
        try:
            return not self._apply(action, _NULL)  # MH_OK is 0
        except OverflowError:
            return False

    def observe(self, seat: int) -> NDArray[np.uint8]:
        """All that `seat` may know."""
        self._observe(seat, self._target)
        seen: NDArray[np.uint8] = self._observation.copy()
        return seen

    def mask(self) -> NDArray[np.int8]:
        """1 for each legal action; all 1 when the episode is over."""
        self._read_mask()
        mask: NDArray[np.int8] = self._mask.copy()
        return mask

    def rewards(self) -> list[float] | None:
        """The rewards of the last action, by seat; None when nobody earned anything."""
        self._read_rewards()
        return None if self._bytes == self._nothing else self._rewards.tolist()
