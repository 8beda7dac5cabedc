"""Games as the core has them, and what they say and draw of observations."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.binding import (
    MESSAGE,
    check,
    checked_length,
    ffi,
    lib,
    new_message,
    read_text,
    text_of,
)

OVER: int = lib.MH_OVER
BETWEEN_ROUNDS: int = lib.MH_BETWEEN_ROUNDS
NOT_KNOWN: int = lib.MH_NOT_KNOWN
SEAT: int = lib.MH_TURN_SEAT
ROUNDS: int = lib.MH_TURN_ROUNDS
LEGAL: int = lib.MH_TURN_LEGAL

EVENT_TAIL: int = lib.MH_EVENT_TAIL
"""Public events in an observation; an action has fewer."""

SEARCH = "search:"
"""The beginning of the names of bots that search; their settings follow."""

_BYTES = 2048
"""Room for a text of each row; where all need more, they are written twice."""
_FORMS = {"wide": lib.MH_WIDE, "portrait": lib.MH_PORTRAIT, "share": lib.MH_SHARE}
"""The shapes of pictures."""

PART_NUMBERS: dict[str, int] = {
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


def game_ids() -> list[str]:
    """The ids of all games, in the registry's order."""
    return [text_of(lib.mh_game_id(i)) for i in range(lib.mh_game_count())]


def _names(kept: list[Any], names: Iterable[str] | None) -> Any:
    """Names for C, which live as long as `kept` does."""
    if names is None:
        return ffi.NULL
    # A text of C holds no zero bytes; they are shown as other invisible characters are.
    texts = [name.encode(errors="replace").replace(b"\0", b"?") for name in names]
    kept.append([ffi.new(MESSAGE, text) for text in texts])
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
    """The episode's seed, where a picture to be shared shall name it."""
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
    message = new_message()
    size: int = lib.MH_NAME_SIZE
    out = ffi.new(MESSAGE, size * max(1, len(names)))
    check(lib.mh_names(_names(kept, names), len(names), out, message), message)
    return tuple(text_of(out + size * seat) for seat in range(len(names)))


class TurnMemory:
    """The memory of a state, and of what C writes of it before each move: made and bound once.

    To copy from arrays takes half as long as to make new ones and to bind those.
    """

    __slots__ = (
        "copy_legal", "copy_mask", "copy_observation", "copy_rewards", "legal", "no_rewards",
        "numbers", "pointer", "reward_bytes", "state",
    )  # fmt: skip

    def __init__(self, game: Any, sizes: Any) -> None:
        numbers = np.zeros(lib.MH_TURN_NUMBERS, np.int32)
        self.reward_bytes = bytearray(4 * sizes.seats)
        self.no_rewards = bytes(self.reward_bytes)
        rewards = np.frombuffer(self.reward_bytes, np.float32)
        legal, mask = np.zeros(sizes.actions, np.int64), np.zeros(sizes.actions, np.int8)
        observation = np.zeros(sizes.observation, np.uint8)
        self.state = ffi.new("uint64_t[]", (sizes.state + 7) // 8)
        self.pointer = ffi.new("struct mh_turn *")
        self.pointer.game, self.pointer.state = game, self.state
        self.pointer.numbers = ffi.from_buffer("int32_t[]", numbers)
        self.pointer.rewards = ffi.from_buffer("float[]", rewards)
        self.pointer.legal = ffi.from_buffer("int64_t[]", legal)
        self.pointer.mask = ffi.from_buffer("int8_t[]", mask)
        self.pointer.observation = ffi.from_buffer("uint8_t[]", observation)
        self.numbers = numbers.data
        """The seat to act at SEAT, rounds finished at ROUNDS, and how many actions are legal at
        LEGAL."""
        self.copy_rewards: Callable[[], NDArray[np.float32]] = rewards.copy
        self.copy_mask: Callable[[], NDArray[np.int8]] = mask.copy
        self.legal = legal
        self.copy_legal: dict[int, Callable[[], NDArray[np.int64]]] = {}
        """Copies so many legal actions; made for each number that has come."""
        self.copy_observation: Callable[[], NDArray[np.uint8]] = observation.copy


class GameHandle:
    """A game with its options settled, as the core holds it: read-only, shared by its users."""

    __slots__ = (
        "_box", "blank", "bots", "free_turns", "id", "options", "pointer", "searches", "sizes",
    )  # fmt: skip

    def __init__(self, game_id: str, options: str) -> None:
        self.id, self.options = game_id, options
        box, message = ffi.new("struct mh_game **"), new_message()
        check(lib.mh_game_new(game_id.encode(), options.encode(), message, box), message)
        self._box = ffi.gc(box, lib.mh_game_free)
        self.pointer = box[0]
        self.sizes = ffi.new("struct mh_sizes *")
        check(lib.mh_game_sizes(self.pointer, self.sizes))
        self.blank = bytes(self.sizes.state)
        """A state before its first deal."""
        self.searches: dict[int, str] = {}
        """The settings of bots that search, by their numbers."""
        self.bots: dict[str, int] = {}
        """The numbers of bots that were asked for, by their names."""
        self.free_turns: deque[TurnMemory] = deque(maxlen=64)
        """The memory of dropped states, for new ones; it keeps at most `maxlen`."""

    def describe(self) -> str:
        """The game's table as JSON text."""
        return read_text(lambda buffer, size: lib.mh_game_describe(self.pointer, buffer, size))

    def action_text(self, action: int) -> str:
        """The text of an action's id; IndexError when there is no such action."""
        buffer = ffi.new(MESSAGE, lib.MH_TEXT_SIZE)
        if not 0 <= action < self.sizes.actions or lib.mh_action_text(self.pointer, action, buffer):
            raise IndexError(f"action: {action} is not from 0 to {self.sizes.actions - 1}")
        return text_of(buffer)

    def words(
        self, observation: NDArray[np.uint8], viewer: Viewer, part: int = 0, number: int = 0
    ) -> str:
        """A part of what an observation says, in sentences; ValueError where it is none."""
        kept: list[Any] = []
        data, message = np.ascontiguousarray(observation, np.uint8), new_message()
        pointer, source = viewer.struct(kept), ffi.from_buffer("uint8_t[]", data)
        return read_text(
            lambda buffer, size: checked_length(
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
        rows, message = ffi.new("struct mh_words_rows *"), new_message()
        rows.count = count
        rows.observations = _array(kept, arrays["observations"], "uint8_t", np.uint8)
        rows.seats = _array(kept, arrays["seats"], "int32_t", np.int32)
        rows.to_act = _array(kept, arrays["to_act"], "int32_t", np.int32)
        rows.info = _array(kept, arrays["info"], "int64_t", np.int64)
        rows.masks = _array(kept, arrays["masks"], "int8_t", np.int8)
        rows.names = _names(kept, names)
        starts, size = ffi.new("int64_t[]", count + 1), 1 + count * _BYTES
        while True:
            text = ffi.new(MESSAGE, size)
            length: int = lib.mh_words_rows(
                self.pointer, rows, part, number, text, size, starts, message
            )
            check(length, message)
            if length < size:
                break
            size = length + 1
        data = ffi.buffer(text, length)[:]
        return [data[starts[row] : starts[row + 1]].decode() for row in range(count)]

    def event_words(self, viewer: Viewer, seat: int, kind: int, detail: int, extra: int) -> str:
        """A public event in a sentence; ValueError when there can be no such event."""
        kept: list[Any] = []
        message, pointer = new_message(), viewer.struct(kept)
        return read_text(
            lambda buffer, size: checked_length(
                lib.mh_words_event(
                    self.pointer, pointer, seat, kind, detail, extra, buffer, size, message
                ),
                message,
            )
        )

    def picture(self, observation: NDArray[np.uint8], viewer: Viewer, form: str) -> Any:
        """A struct mh_scene of what an observation shows; ValueError where it is none."""
        kept: list[Any] = []
        data, message = np.ascontiguousarray(observation, np.uint8), new_message()
        pointer, source = viewer.struct(kept), ffi.from_buffer("uint8_t[]", data)
        scene = ffi.new("struct mh_scene *")
        status = lib.mh_picture(
            self.pointer, source, data.size, pointer, _FORMS[form], scene, message
        )
        check(status, message)
        return scene

    def move_cards(
        self, observation: NDArray[np.uint8], viewer: Viewer, action: int
    ) -> list[tuple[int, int, bool]]:
        """Sprite, card and whether it is held, of the cards of a move; see struct mh_move_card."""
        kept: list[Any] = []
        data, message = np.ascontiguousarray(observation, np.uint8), new_message()
        pointer, source = viewer.struct(kept), ffi.from_buffer("uint8_t[]", data)
        cards = ffi.new("struct mh_move_card[]", lib.MH_MOVE_CARDS)
        count = lib.mh_move_cards(self.pointer, source, data.size, pointer, action, cards, message)
        check(count, message)
        return [(one.sprite, one.card, bool(one.is_held)) for one in cards[0:count]]

    def sprite_names(self) -> list[str]:
        """The names of the sprites in its pictures; none, if the core draws none."""
        return [self._sprite_name(sprite) for sprite in range(lib.mh_game_sprites(self.pointer))]

    def _sprite_name(self, sprite: int) -> str:
        buffer = ffi.new(MESSAGE, lib.MH_TEXT_SIZE)
        check(lib.mh_game_sprite_text(self.pointer, sprite, buffer))
        return text_of(buffer)

    def event_text(self, kind: int, detail: int, extra: int) -> str:
        """Return the detail of a public event; ValueError when there can be no such event."""
        buffer = ffi.new(MESSAGE, lib.MH_TEXT_SIZE)
        if lib.mh_game_event_text(self.pointer, kind, detail, extra, buffer):
            raise ValueError(f"event: {self.id} has none of kind {kind}, details {detail}, {extra}")
        return text_of(buffer)

    def action_id(self, text: str) -> int:
        """The id of an action's text; ValueError when no action has that text."""
        action: int = lib.mh_action_id(self.pointer, text.encode())
        if action < 0:
            example = self.action_text(0)
            raise ValueError(f"action: no action reads {text!r}; one that exists is {example!r}")
        return action

    def bot_index(self, name: str) -> int:
        """The number of a built-in bot; ValueError with the list of names when there is none."""
        message = new_message()
        bot: int = lib.mh_bot_index(self.pointer, name.encode(), message)
        check(bot, message)
        if name.startswith(SEARCH):
            self.searches[bot] = name.removeprefix(SEARCH)
        return bot

    def bot_name(self, bot: int) -> str:
        """The name by which :meth:`bot_index` found a bot."""
        return text_of(lib.mh_bot_name(self.pointer, bot))
