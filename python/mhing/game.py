"""Games and states: the interface for search, tools and tests, the same for every game.

>>> game = Game("mhing", num_players=3)
>>> state = game.new_state(seed=1)
>>> while not state.is_terminal:
...     state.apply(state.legal_actions()[0])
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from mhing import _lib, _nets
from mhing.decision import Decision

DEFAULT_GAME = "mhing"
"""The game where none is named."""

_SEARCH = "search:"  # what the name of such a bot begins with; its settings follow

Value = bool | int | str
"""The value of an option: on or off, a whole number, or one of its choices."""


@dataclass(frozen=True, slots=True)
class Field:
    """A named part of an observation: `shape` numbers of 0 to `high`, `strides` bytes apart.

    `public`: everybody may know it, not only the observer. `per_seat`: its first axis is that of
    the seats.
    """

    name: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    high: int
    public: bool
    per_seat: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class InfoField:
    """Public numbers that need more than a byte: `count` int64 from `offset` on.

    `per_seat`: one for each seat.

    `role`: what it is in every game that has one, else None. ``"rounds"``: rounds finished since
    the episode began; ``"winner"``: the seat that won the last one, or -1; ``"total"``: what that
    round brought, for each seat or for the winner, to be added up.
    """

    name: str
    offset: int
    count: int
    per_seat: bool
    role: str | None
    meaning: str


@dataclass(frozen=True, slots=True)
class ActionRange:
    """Actions of one kind: the ids `first` to `first + count - 1`."""

    name: str
    first: int
    count: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Feature:
    """Numbers of an afterstate: `count` from `offset` on, see :meth:`State.afterstates`."""

    name: str
    offset: int
    count: int
    meaning: str


class Afterstates(NamedTuple):
    """What is left after moves, before anything new is drawn or shown."""

    actions: NDArray[np.int32]
    """(n,) those of equal ids in a row: one for each way in which the seat may go on by itself."""
    features: NDArray[np.float32]
    """(n, features) what a net judges, see :attr:`Game.features`; 0 where the value is certain."""
    values: NDArray[np.float64]
    """(n,) what the seat will earn by the action where that is certain, else NaN."""


@dataclass(frozen=True, slots=True)
class Event:
    """A kind of public event, with the number it has in observations."""

    name: str
    id: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of rules by name: options that it sets, as text."""

    name: str
    settings: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A built-in bot."""

    name: str
    meaning: str
    values: bool
    """Whether it judges actions, for :meth:`State.values`."""


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """What a search has found out about each legal action.

    Half widths are of intervals that hold the truth in 95 of 100 cases. Actions that were not
    tried have no visits, and NaN elsewhere.
    """

    action: int
    """The action to play."""
    prior: int
    """What the prior bot would play; left only for what is better beyond doubt."""
    actions: NDArray[np.int64]
    """(n,) the legal actions, in ascending order."""
    visits: NDArray[np.int64]
    """(n,) play-outs that began with the action."""
    values: NDArray[np.float64]
    """(n,) what the seat to act will earn to the end of the round, the mean of the play-outs."""
    halves: NDArray[np.float64]
    """(n,) half width of its interval."""
    gains: NDArray[np.float64]
    """(n,) by how much that is more than with the prior's action, in the same worlds."""
    gain_halves: NDArray[np.float64]
    """(n,) half width of its interval."""


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """What a bot expects of each legal action."""

    actions: NDArray[np.int64]
    """(n,) the legal actions, in ascending order."""
    values: NDArray[np.float64]
    """(n,) what the seat to act will earn to the end of the round; NaN where it does not judge."""


_Row = TypeVar("_Row", Field, InfoField, ActionRange, Feature, Event, Preset, Bot)


def _rows(kind: type[_Row], table: list[dict[str, Any]]) -> list[_Row]:
    names = [field.name for field in fields(kind)]
    return [kind(**{name: _frozen(row[name]) for name in names}) for row in table]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _setting(name: str, value: Any) -> str:
    """One option in the form that the core reads."""
    if isinstance(value, bool | np.bool_):
        value = "on" if value else "off"
    elif not isinstance(value, str):
        value = str(_lib.whole(value, f"option {name}"))
    if not value or not value.isprintable() or set(value) & set(" ="):
        raise ValueError(f"option {name}: {value!r} is not one word")
    return f"{name}={value}"


def _settings(options: Mapping[str, Any]) -> str:
    """Options as the core's text; `rules` may be a preset or a dict of options over one."""
    settings = []
    for name, value in options.items():
        if name == "rules" and isinstance(value, Mapping):
            inner = {"rules" if key == "preset" else key: word for key, word in value.items()}
            settings += [_setting(key, word) for key, word in inner.items() if word is not None]
        elif value is not None:
            settings.append(_setting(name, value))
    return " ".join(settings)


def _unpack(
    array: NDArray[np.uint8], size: int, table: list[Field]
) -> dict[str, NDArray[np.uint8]]:
    if not isinstance(array, np.ndarray) or array.dtype != np.uint8 or array.shape[-1:] != (size,):
        seen = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else repr(array)
        raise ValueError(
            f"observation: {seen} does not fit this game and its options; "
            f"expected a uint8 array (..., {size})"
        )
    step, lead = array.strides[-1], array.shape[:-1]
    return {
        field.name: as_strided(
            array[..., field.offset :],
            lead + field.shape,
            array.strides[:-1] + tuple(step * stride for stride in field.strides),
        )
        for field in table
    }


class Game:
    """A game with fixed options; read-only, so it can be shared freely.

    Args:
        id: one of :func:`mhing.games`.
        options: any option of the game by name (``game.describe()`` lists them; None leaves one
            at its default), and ``rules``: a preset's name, or a dict of options that may include
            ``"preset"``.

    Raises:
        ValueError: no such game, option, preset or value, or a forbidden combination of values.
        TypeError: an option is not a str, bool or whole number.

    >>> Game("mhing", num_players=2, rules={"preset": "jmhing", "seven_pairs": True})
    Game('mhing', num_players=2, lay_down=True, seven_pairs=True)
    """

    def __init__(self, /, id: str = DEFAULT_GAME, **options: Any) -> None:
        if not isinstance(id, str):
            raise TypeError(f"id: {id!r} is no text; the games are {', '.join(_lib.game_ids())}")
        self._handle = _lib.GameHandle(id, _settings(options))
        self._table: dict[str, Any] = json.loads(self._handle.describe())
        self.id: str = self._table["id"]
        self.title: str = self._table["title"]
        sizes = self._handle.sizes
        self.num_seats: int = sizes.seats
        self.num_actions: int = sizes.actions
        self.observation_size: int = sizes.observation
        self.omniscient_size: int = sizes.omniscient

    def describe(self) -> dict[str, Any]:
        """Everything about the game and its options, as plain data."""
        table: dict[str, Any] = json.loads(self._handle.describe())
        return table

    @property
    def options(self) -> dict[str, Value]:
        """Every option's value by name, in a fresh dict."""
        return {option["name"]: option["value"] for option in self._table["options"]}

    @cached_property
    def observation_fields(self) -> list[Field]:
        """The fields of a seat's observation, in order."""
        return _rows(Field, self._table["observation"])

    @cached_property
    def omniscient_fields(self) -> list[Field]:
        """The fields of the omniscient observation."""
        return _rows(Field, self._table["omniscient"])

    @cached_property
    def info_fields(self) -> list[InfoField]:
        """The public numbers of :meth:`State.info`."""
        return _rows(InfoField, self._table["info"])

    def info_role(self, role: str) -> list[InfoField]:
        """The public numbers of this role, as :class:`InfoField` lists them.

        >>> [number.name for number in Game("mhing").info_role("total")]
        ['credits', 'points']
        """
        return [field for field in self.info_fields if field.role == role]

    @cached_property
    def actions(self) -> list[ActionRange]:
        """The kinds of actions, in the order of their ids."""
        return _rows(ActionRange, self._table["actions"])

    @cached_property
    def features(self) -> list[Feature]:
        """The numbers of :meth:`State.afterstates`; none where the game has no features."""
        return _rows(Feature, self._table.get("features", []))

    @cached_property
    def events(self) -> list[Event]:
        """The kinds of public events."""
        return _rows(Event, self._table["events"])

    @cached_property
    def presets(self) -> list[Preset]:
        """Rules by name, for the option ``rules``."""
        return _rows(Preset, self._table["presets"])

    @cached_property
    def bots(self) -> list[Bot]:
        """The built-in bots."""
        return _rows(Bot, self._table["bots"])

    @property
    def default_bot(self) -> str:
        """The name of the bot that plays where none is named."""
        return str(self._table["default_bot"])

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Names for the numbers of the game, such as ``labels["cards"][card_type]``."""
        labels: dict[str, list[str]] = self._table["labels"]
        return labels

    def action_text(self, action: int) -> str:
        """The text of an action, such as ``"discard 5s"``; IndexError for an unknown id."""
        return self._handle.action_text(_lib.whole(action, "action"))

    def action_id(self, text: str) -> int:
        """The id of an action's text; ValueError when no action has that text."""
        return self._handle.action_id(text)

    def new_state(self, seed: int | None = None, deck: Iterable[int] | None = None) -> State:
        """Starts an episode.

        Args:
            seed: 0 to 2**64 - 1, the same cards on every machine; None: fresh entropy.
            deck: card types in the order in which they are dealt and drawn, for the first round.
                ``game.describe()["deck"]`` lists them, each as often as the deck has it.

        Raises:
            ValueError: the seed is out of range, or the deck is not the game's.
            TypeError: the seed or a card is not a whole number.
        """
        memory = _lib.StateMemory(self._handle)
        memory.start(_lib.seed64(seed), deck)
        return State(self, memory)

    def from_bytes(self, data: bytes) -> State:
        """The state that :meth:`State.to_bytes` saved, of a game with the same options.

        Raises:
            ValueError: the bytes are not a snapshot of this game with these options, by this
                version.
        """
        memory = _lib.StateMemory(self._handle)
        memory.load(data)
        return State(self, memory)

    def unpack(self, observation: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """The named fields of observations (..., `observation_size`), as views.

        Seats are relative: 0 is the observer, 1 the next clockwise.

        Raises:
            ValueError: the array does not hold observations of this game with its options.
        """
        return _unpack(observation, self.observation_size, self.observation_fields)

    def unpack_omniscient(self, observation: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """The named fields of omniscient observations, as views; seats are absolute."""
        return _unpack(observation, self.omniscient_size, self.omniscient_fields)

    def name_numbers(self, numbers: NDArray[np.int64]) -> dict[str, int | NDArray[np.int64]]:
        """Names the public numbers of an array by `info_fields`."""
        single = numbers.tolist()
        return {
            name: single[place] if isinstance(place, int) else numbers[place]
            for name, place in self._info_places
        }

    @cached_property
    def _info_places(self) -> list[tuple[str, int | slice]]:
        """Where each info field is: single numbers by their index."""
        return [
            (f.name, f.offset if f.count == 1 else slice(f.offset, f.offset + f.count))
            for f in self.info_fields
        ]

    def parts_text(self, parts: Iterable[int]) -> str:
        """What a hand was worth, part by part, in words.

        Args:
            parts: the public numbers of this name, one for each of ``labels["parts"]``.

        Raises:
            ValueError: the game counts no parts, or has others.

        >>> import mhing
        >>> mhing.Game("mhing").parts_text([0, 2] + [0] * 17)
        'double sequence 2'
        """
        names, numbers = self.labels.get("parts", []), list(parts)
        if not names or len(numbers) != len(names):
            raise ValueError(f"parts: {len(numbers)} numbers; {self.id} has {len(names)} parts")
        return "; ".join(
            f"{name} {number}" for name, number in zip(names, numbers, strict=True) if number
        )

    def bot_index(self, name: str) -> int:
        """The number of a built-in bot; ``"net:FILE"`` plays by a net that `mhing train` wrote.

        Raises:
            ValueError: there is no such bot: it lists the names; or the file is no net for this
                game and its options.
            TypeError: the name is no text.
        """
        if not isinstance(name, str):
            raise TypeError(f"bot: {name!r} is no text")
        if name.startswith(_nets.FILE):
            return _nets.bot_of_file(self._handle, name)
        return self._handle.bot_index(name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.id == other.id and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.id, *self.options.items()))

    def __repr__(self) -> str:
        changed = [
            f", {option['name']}={option['value']!r}"
            for option in self._table["options"]
            if option["value"] != option["default"]
        ]
        return f"Game({self.id!r}{''.join(changed)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_game, (self.id, self.options)


def _new_game(game_id: str, options: dict[str, Value]) -> Game:
    return Game(game_id, **options)


class State:
    """One state of a game, hidden cards and generators included: plain bytes, cheap to clone.

    Made by :meth:`Game.new_state` and :meth:`Game.from_bytes`. Seats are absolute, 0 to
    ``game.num_seats - 1``. Two states are equal when their games and all their bytes are.
    """

    __slots__ = ("_memory", "game")

    def __init__(self, game: Game, memory: _lib.StateMemory) -> None:
        self.game = game
        self._memory = memory

    @property
    def seat(self) -> int:
        """The seat to act, -1 when the episode is over."""
        return self._memory.seat()

    @property
    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        return self._memory.seat() < 0

    @property
    def rounds_over(self) -> int:
        """How many rounds of the episode are over; the public numbers change only with it."""
        return self._memory.rounds()

    def action_mask(self) -> NDArray[np.int8]:
        """(num_actions,) 1 for each legal action; all 1 when the episode is over."""
        return self._memory.mask()

    def legal_actions(self) -> NDArray[np.int64]:
        """The ids of the legal actions, ascending; none when the episode is over."""
        if self.is_terminal:
            return np.empty(0, np.int64)
        return np.flatnonzero(self._memory.mask())

    def apply(self, action: int) -> None:
        """Plays one action of the seat to act.

        Raises:
            ValueError: the action is not legal; the state is as it was.
            RuntimeError: the episode is over.
            TypeError: the action is not a whole number (bools are not).
        """
        self._memory.apply(self._action(action))

    def _action(self, action: int) -> int:
        number = _lib.whole(action, "action")
        if not 0 <= number < self.game.num_actions:
            raise ValueError(f"action: {number} is not from 0 to {self.game.num_actions - 1}")
        return number

    def _seat(self, seat: int) -> int:
        number = _lib.whole(seat, "seat")
        if not 0 <= number < self.game.num_seats:
            raise IndexError(f"seat: {number} is not from 0 to {self.game.num_seats - 1}")
        return number

    def rewards(self) -> NDArray[np.float32]:
        """(num_seats,) the rewards of the last action, in the unit of the option `reward`."""
        return self._memory.rewards()

    def returns(self) -> NDArray[np.float64]:
        """(num_seats,) the sum of each seat's rewards since the start of the episode."""
        return self._memory.returns()

    def observation(self, seat: int | None = None) -> NDArray[np.uint8]:
        """(observation_size,) all that a seat may know, and nothing else.

        Args:
            seat: the observer; None: the seat to act.

        Raises:
            IndexError: there is no such seat.
            RuntimeError: the episode is over and `seat` is None.
        """
        if seat is None:
            seat = self.seat
            if seat < 0:
                raise RuntimeError("seat: the episode is over, nobody is to act; name the observer")
        return self._memory.observe(self._seat(seat))

    def public_observation(self) -> NDArray[np.uint8]:
        """(observation_size,) the observation of a spectator: fields that are not public are 0.

        Seats are absolute: seat 0 comes first.
        """
        return self._memory.watch()

    def omniscient(self) -> NDArray[np.uint8]:
        """The hidden information, for centralised critics; see `omniscient_fields`."""
        return self._memory.omniscient()

    def info(self) -> dict[str, int | NDArray[np.int64]]:
        """The public numbers by name; see ``game.info_fields``."""
        return self.game.name_numbers(self._memory.info())

    def clone(self) -> State:
        """An independent copy."""
        return State(self.game, self._memory.clone())

    def to_bytes(self) -> bytes:
        """A snapshot for :meth:`Game.from_bytes`."""
        return self._memory.save()

    def to_dict(self) -> dict[str, Any]:
        """Everything about the state as plain data, hidden cards included; seats are absolute."""
        everything: dict[str, Any] = json.loads(self._memory.json())
        return everything

    def resample(self, seat: int, seed: int | None = None) -> State:
        """A fresh state that deals all cards anew that `seat` cannot know.

        The result is consistent with everything that the seat knows.

        Raises:
            IndexError: there is no such seat.
            ValueError: the seed is out of range.
        """
        fresh = self.clone()
        fresh._memory.resample(self._seat(seat), _lib.seed64(seed))
        return fresh

    def bot_action(self, bot: str, random: int) -> tuple[int, int]:
        """The action that a built-in bot would play, and its generator afterwards.

        Args:
            bot: the bot's name.
            random: the bot's generator; start with any number from 0 to 2**64 - 1.

        Raises:
            ValueError: there is no such bot.
            RuntimeError: the episode is over.
        """
        return self._memory.bot_action(self.game.bot_index(bot), _lib.seed64(random))

    def values(self, bot: str) -> Values:
        """What a bot expects of each legal action, for the seat to act.

        A value is what the seat will earn from there to the end of the round, in the unit of the
        option `reward`. The bot plays an action of the largest value. Where it follows a rule in
        place of judging, or plays for something else than the reward, values are NaN.

        Args:
            bot: the name of a bot whose :attr:`Bot.values` is true.

        Raises:
            ValueError: there is no such bot, or it does not judge.
            RuntimeError: the episode is over.

        >>> judged = Game("mhing").new_state(seed=1).values("expert")
        >>> judged.actions.shape == judged.values.shape
        True
        """
        values = self._memory.values(self.game.bot_index(bot))
        actions = self.legal_actions()
        return Values(actions, values[: len(actions)])

    def afterstates(self, every: bool = False) -> Afterstates:
        """What is left after the moves of the seat to act, as numbers for a net to judge.

        Args:
            every: after each legal action, not only those that deserve a look.

        Raises:
            ValueError: the game has no features.
            RuntimeError: the episode is over.

        >>> Game("mhing").new_state(seed=1).afterstates(every=True).features.shape
        (11, 154)
        """
        return Afterstates(*self._memory.afterstates(every))

    def analyse(self, bot: str) -> Decision:
        """What a bot makes of the decision of the seat to act: its choice, and its values.

        It goes by what that seat knows, as bots do. Values of ``search:BUDGET`` are what the prior
        bot's action is worth and what others gain on it in the same worlds. A bot that does not
        judge actions has a choice, and all of its values are NaN. One that draws by lot draws
        always the same here.

        Raises:
            ValueError: there is no such bot.
            RuntimeError: the episode is over.

        >>> decision = Game("mhing").new_state(seed=1).analyse("expert")
        >>> decision.loss(decision.choice)
        0.0
        """
        self.game.bot_index(bot)
        actions = self.legal_actions()
        texts = tuple(map(self.game.action_text, actions.tolist()))
        if bot.startswith(_SEARCH):
            found = self.search(bot.removeprefix(_SEARCH), seed=0)
            gained = found.values[actions == found.prior] + found.gains
            return Decision(self.seat, bot, found.action, actions, texts, gained)
        choice, _ = self.bot_action(bot, 0)
        try:
            values = self.values(bot).values
        except ValueError:  # the bot is there, so it is one that does not judge
            values = np.full(len(actions), np.nan)
        return Decision(self.seat, bot, choice, actions, texts, values)

    def idle_action(self) -> int:
        """The action for a seat that does not answer: it does as little as the rules allow.

        Raises:
            RuntimeError: the episode is over.
        """
        return self._memory.idle_action()

    def play_out(self, bots: str | Sequence[str], seed: int | None = None) -> State:
        """A copy played to the end of the episode by built-in bots.

        Args:
            bots: the name of the bot that plays every seat, or one name for each seat.
            seed: of the bots, 0 to 2**64 - 1; None: fresh entropy.

        Raises:
            ValueError: no such bot, not one for each seat, or a seed out of range.

        >>> state = Game("mhing").new_state(seed=1)
        >>> state.play_out(["greedy", "random", "random", "random"], seed=1).is_terminal
        True
        """
        finished = self.clone()
        finished._memory.play_out(self._bots(bots), _lib.seed64(seed))
        return finished

    def _bots(self, bots: str | Sequence[str]) -> list[int]:
        """The numbers of the bots that play the seats."""
        seats = self.game.num_seats
        if isinstance(bots, str) or not isinstance(bots, Sequence):
            return [self.game.bot_index(bots)] * seats
        if len(bots) != seats:
            raise ValueError(
                f"bots: {len(bots)} given for {seats} seats; give one name, or {seats}"
            )
        return [self.game.bot_index(bot) for bot in bots]

    def play_outs(
        self,
        bots: str | Sequence[str],
        count: int,
        observer: int | None = None,
        seed: int | None = None,
        num_threads: int = 1,
    ) -> NDArray[np.float64]:
        """The returns of `count` copies that built-in bots play to the end.

        Row k is ``resample(observer, seed + k).play_out(bots, seed + k).returns()``, or the same
        without resampling if there is no observer; after 2**64 - 1 seeds continue from 0. The
        number of threads changes the time only.

        Args:
            bots: the name of the bot that plays every seat, or one name for each seat.
            count: how many copies, 1 or more.
            observer: the seat that searches; each copy deals anew what it cannot know. None: every
                copy has the cards of this state, hidden ones included.
            seed: 0 to 2**64 - 1; None: fresh entropy.
            num_threads: how many threads share the work, 1 or more; at most as many as the
                machine has processors (or 4) do.

        Returns:
            (count, num_seats) each seat's rewards since the start of the episode.

        Raises:
            ValueError: no such bot, not one for each seat, or a number is out of range.
            IndexError: there is no such seat.
            TypeError: a number is not whole.

        >>> state = Game("mhing").new_state(seed=1)
        >>> state.play_outs("greedy", 1000, observer=state.seat, seed=1).mean(axis=0).shape
        (4,)
        """
        first = _lib.seed64(seed)
        return self._memory.play_outs(
            self._bots(bots),
            -1 if observer is None else self._seat(observer),
            _lib.positive(count, "count"),
            first,
            _lib.positive(num_threads, "num_threads"),
        )

    def search(
        self, settings: str = "200", seed: int | None = None, num_threads: int = 1
    ) -> Search:
        """Searches for the seat to act, as the bot ``search:SETTINGS`` does.

        It tries actions in the same worlds, each drawn as :meth:`resample` draws it for that seat,
        so it uses nothing that the seat does not know. A forced decision costs nothing.

        Args:
            settings: a number of play-outs, such as ``"200"``, or a time, such as ``"10ms"``; then
                further settings, such as ``"200,prior=greedy,errors=1.5"``: see the tutorial.
            seed: 0 to 2**64 - 1; with a number of play-outs the result follows from it. None: fresh
                entropy.
            num_threads: how many threads share the work, 1 or more; at most as many as the
                machine has processors (or 4) do. With a number of play-outs, the result does not
                depend on it.

        Raises:
            ValueError: the settings cannot be read, or a number is out of range.
            TypeError: the settings are no text, or a number is not whole.
            RuntimeError: the episode is over.

        >>> found = Game("mhing").new_state(seed=1).search("60", seed=1)
        >>> found.action in found.actions
        True
        """
        if not isinstance(settings, str):
            raise TypeError(f"settings: {settings!r} is no text, such as '200' or '10ms'")
        threads = _lib.positive(num_threads, "num_threads")
        found = self._memory.search(settings, _lib.seed64(seed), threads)
        actions = self.legal_actions()
        count = len(actions)
        return Search(
            action=found.action,
            prior=found.prior,
            actions=actions,
            visits=found.visits[:count],
            values=found.values[:count],
            halves=found.halves[:count],
            gains=found.gains[:count],
            gain_halves=found.gain_halves[:count],
        )

    def __str__(self) -> str:
        return self._memory.text()

    def __repr__(self) -> str:
        return f"<State of {self.game!r}, seat {self.seat} to act>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self._memory.same_bytes(other._memory)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: object) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return self.game.from_bytes, (self.to_bytes(),)
