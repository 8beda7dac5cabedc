"""Games and states: the interface for search, tools and tests, the same for every game.

>>> game = Game("mhing", num_players=3)
>>> state = game.new_state(seed=1)
>>> while not state.is_terminal:
...     state.apply(state.legal_actions()[0])
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mhing._lib import nets
from mhing._lib.arguments import int32, seed64, whole
from mhing._lib.games import SEARCH, GameHandle, Viewer, game_ids
from mhing._support import positions
from mhing._support.guide import adapted
from mhing._support.layouts import layout_of, unpacked
from mhing.description import (
    ActionRange,
    BotDescription,
    Bounds,
    Event,
    Feature,
    Field,
    InfoField,
    Preset,
    rows_of,
)
from mhing.findings import Afterstates, Search, Values
from mhing.options import Options, Value
from mhing.state import State
from mhing.words import Part, checked_names, part_numbers, seat_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = [
    "DEFAULT_GAME",
    "ActionRange",
    "Afterstates",
    "BotDescription",
    "Bounds",
    "Event",
    "Feature",
    "Field",
    "Game",
    "InfoField",
    "Preset",
    "Search",
    "State",
    "Value",
    "Values",
]

DEFAULT_GAME = "mhing"
"""The game where none is named."""

SEARCHER = f"{SEARCH}100"
"""A judge for every game, beside the bots that judge."""


def _setting(name: str, value: Any) -> str:
    """One option in the form that the core reads."""
    if isinstance(value, bool | np.bool_):
        value = "on" if value else "off"
    elif not isinstance(value, str):
        value = str(whole(value, f"option {name}"))
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

    def __init__(self, /, id: str = DEFAULT_GAME, **options: Unpack[Options]) -> None:
        if not isinstance(id, str):
            raise TypeError(f"id: {id!r} is no text; the games are {', '.join(game_ids())}")
        self._handle = GameHandle(id, _settings(options))
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
    def rules_version(self) -> int:
        """The version of the rules; a change of what is legal or earned makes another number."""
        version: int = self._table["rules_version"]
        return version

    @property
    def options(self) -> dict[str, Value]:
        """Every option's value by name, in a fresh dict."""
        return {option["name"]: option["value"] for option in self._table["options"]}

    @cached_property
    def has_rounds(self) -> bool:
        """True if an episode is a game of several rounds."""
        return self.options.get("episode") == "game"

    @cached_property
    def bounds(self) -> Bounds:
        """Bounds on the results of an episode.

        >>> Game("mhing", reward="chips").bounds
        Bounds(lowest=-500.0, highest=1500.0, sum=0.0, decisions=456)
        """
        bounds = self._table["bounds"]
        return Bounds(
            lowest=-math.inf if bounds["lowest"] is None else float(bounds["lowest"]),
            highest=math.inf if bounds["highest"] is None else float(bounds["highest"]),
            sum=None if bounds["sum"] is None else float(bounds["sum"]),
            decisions=bounds["decisions"],
        )

    @cached_property
    def observation_fields(self) -> list[Field]:
        """The fields of a seat's observation, in order."""
        return rows_of(Field, self._table["observation"])

    @cached_property
    def omniscient_fields(self) -> list[Field]:
        """The fields of the omniscient observation."""
        return rows_of(Field, self._table["omniscient"])

    @cached_property
    def info_fields(self) -> list[InfoField]:
        """The public numbers of :meth:`State.info`."""
        return rows_of(InfoField, self._table["info"])

    def info_role(self, role: str) -> list[InfoField]:
        """The public numbers of this role, as :class:`InfoField` lists them.

        >>> [number.name for number in Game("mhing").info_role("total")]
        ['credits', 'points']
        """
        return [field for field in self.info_fields if field.role == role]

    @cached_property
    def actions(self) -> list[ActionRange]:
        """The kinds of actions, in the order of their ids."""
        return rows_of(ActionRange, self._table["actions"])

    @cached_property
    def features(self) -> list[Feature]:
        """The numbers of :meth:`State.afterstates`; none where the game has no features."""
        return rows_of(Feature, self._table.get("features", []))

    def feature_places(self, names: Sequence[str]) -> list[int]:
        """The places of the numbers of these features, in :attr:`Afterstates.features`.

        Raises:
            ValueError: there is no feature of a name.
            TypeError: `names` is one text.

        >>> Game("mhing").feature_places(["useful", "expert"])
        [96, 108, 109]
        """
        if isinstance(names, str):
            raise TypeError(f"features: {names!r} is not a list, such as [{names!r}]")
        known = {one.name: range(one.offset, one.offset + one.count) for one in self.features}
        for name in names:
            if name not in known:
                others = f", but {', '.join(known)}" if known else ""
                raise ValueError(f"{self.id} has no feature {name!r}{others}")
        return [place for name in names for place in known[name]]

    @cached_property
    def events(self) -> list[Event]:
        """The kinds of public events."""
        return rows_of(Event, self._table["events"])

    @cached_property
    def presets(self) -> list[Preset]:
        """Rules by name, for the option ``rules``."""
        return rows_of(Preset, self._table["presets"])

    @cached_property
    def bots(self) -> list[BotDescription]:
        """The built-in bots."""
        return rows_of(BotDescription, self._table["bots"])

    @property
    def unit(self) -> str:
        """The unit of rewards, such as "credits": the option `reward`, or else "reward".

        >>> Game("mhing", reward="points").unit
        'points'
        """
        return str(self.options.get("reward", "reward"))

    @property
    def default_bot(self) -> str:
        """The name of the bot that plays where none is named."""
        return str(self._table["default_bot"])

    @cached_property
    def default_judge(self) -> str:
        """The name of the bot that judges where none is named.

        It is the last one of :attr:`bots` that judges actions and plays with these options, or
        else `SEARCHER`.

        >>> Game("mhing").default_judge
        'net'
        """
        for bot in reversed(self.bots):
            if bot.values:
                with suppress(ValueError):  # it may be none for these options
                    self.bot_index(bot.name)
                    return bot.name
        return SEARCHER

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Names for the numbers of the game, such as ``labels["cards"][card_type]``.

        Cards as they are spoken are in ``labels["spoken"]``.

        >>> Game("mhing").labels["spoken"][13]
        'five of circles'
        """
        labels: dict[str, list[str]] = self._table["labels"]
        return labels

    def action_text(self, action: int) -> str:
        """The text of an action, such as ``"discard 5s"``; IndexError for an unknown id."""
        return self._handle.action_text(whole(action, "action"))

    def event_text(self, kind: int, detail: int, extra: int) -> str:
        """Return the detail of a public event, such as ``"5s"`` of a discard, from its numbers.

        Raises:
            ValueError: there can be no such event.
        """
        return self._handle.event_text(kind, detail, extra)

    def words(
        self,
        observations: ArrayLike,
        seats: ArrayLike | None,
        part: Part = "all",
        *,
        number: int | None = None,
        masks: ArrayLike | None = None,
        info: ArrayLike | None = None,
        to_act: ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> list[str]:
        """Return observations in sentences: a text for each, all made by one call into the core.

        They say everything that an observation says, and what is given beside it. In Release builds
        the core writes some 300,000 texts a second.

        Args:
            observations: uint8 (n, observation_size).
            seats: (n,) whose they are, or one seat for all; None: those of spectators.
            part: what is wanted, see :data:`mhing.words.Part`.
            number: with ``"seat"``: which seat; with ``"events"``: how many, the last ones; None:
                all that are in the observation.
            masks: int8 (n, num_actions) 1 for what may be played, all 0 in rows that are not asked:
                the moves are said then.
            info: int64 (n, info_size) public numbers, an array of :attr:`info_fields`: scores, and
                how the last round ended, are said then.
            to_act: (n,) the seat to act, -1 where the episode is over, -2 between rounds, -3 where
                no more is known than the observation says.
            names: of the players, by seat. The player called "you" is the reader. None: the viewer
                is "you", others are "seat 2".

        Raises:
            ValueError: bytes that cannot be an observation of the game; the message names the row.
                Or an argument that has a wrong shape or cannot be.
            TypeError: `number` is not a whole one, or names are no texts.

        >>> game = Game("general_mhing")
        >>> states = [game.new_state(seed) for seed in range(2)]
        >>> for text in game.words([state.observation(1) for state in states], 1, "seat", number=1):
        ...     print(text, end="")
        You have 8 cards: 6s Js Qs 2h Kh 2c 8c 9c. You have just drawn 6s.
        You have 7 cards: 2s 3s 9s 2h 6d Qd 7c.
        """
        observed = np.asarray(observations, np.uint8)
        count = len(observed) if observed.ndim else 0
        rows = {
            "observations": (observed, (count, self.observation_size)),
            "seats": (None if seats is None else np.broadcast_to(seats, count), (count,)),
            "masks": (masks, (count, self.num_actions)),
            "info": (info, (count, self._handle.sizes.info)),
            "to_act": (to_act, (count,)),
        }
        for name, (array, shape) in rows.items():
            if array is not None and np.shape(array) != shape:
                raise ValueError(f"{name}: the shape is {np.shape(array)}, not {shape}")
        return self._handle.words_rows(
            count,
            {name: array for name, (array, _) in rows.items()},
            checked_names(names, self.num_seats),
            *part_numbers(part, number),
        )

    def event_words(
        self,
        seat: int,
        kind: int,
        detail: int,
        extra: int,
        *,
        view: int | None = None,
        names: Sequence[str] | None = None,
    ) -> str:
        """A public event in a sentence, such as "Seat 2 discards 5s.", from its numbers.

        Args:
            seat: whose it is, counted from seat 0.
            kind: its number among :attr:`events`.
            detail: as observations have it.
            extra: likewise.
            view: the seat that reads it; None: a spectator.
            names: as in :meth:`words`.

        Raises:
            ValueError: there can be no such event, or an argument cannot be.

        >>> Game("general_mhing").event_words(1, 4, 5, 0, view=1)
        'You discard 5s.'
        """
        viewer = Viewer(
            seat=seat_of(view, self.num_seats), names=checked_names(names, self.num_seats)
        )
        numbers = {"seat": seat, "kind": kind, "detail": detail, "extra": extra}
        named = {name: int32(number, name) for name, number in numbers.items()}
        return self._handle.event_words(viewer, **named)

    def action_id(self, text: str) -> int:
        """The id of an action's text; ValueError when no action has that text."""
        return self._handle.action_id(text)

    def guide_text(self) -> str:
        """Return a guide for newcomers in Markdown: the game's GUIDE.md as these options have it.

        Raises:
            LookupError: the game was built without one.

        >>> Game("mhing", num_players=3).guide_text().splitlines()[2]
        'For 3 players, each for themselves.'
        """
        return adapted(self._written("guides", "GUIDE.md"), self.options)

    def rules_text(self) -> str:
        """All rules in Markdown: the game's RULES.md, as it was when the package was built.

        Raises:
            LookupError: the game was built without one.

        >>> Game("mhing").rules_text().splitlines()[0]
        '# The rules of Mhing'
        """
        return self._written("rules", "RULES.md")

    def _written(self, folder: str, name: str) -> str:
        """A page that lies in the game's folder as `name`."""
        from importlib.resources import files  # noqa: PLC0415  few read it, and it takes a while

        page = files(__package__) / folder / f"{self.id}.md"
        try:
            return page.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise LookupError(f"{self.id}: the game was built without {name}") from None

    def new_state(self, seed: int | None = None, deck: Iterable[int | str] | None = None) -> State:
        """Start an episode.

        Args:
            seed: 0 to 2**64 - 1, the same cards on every machine; None: fresh entropy.
            deck: cards in the order in which they are dealt and drawn, for the first round: types
                or texts, as for :meth:`card_types`.

        Raises:
            ValueError: the seed is out of range, or the deck is not the game's.
            TypeError: the seed is not a whole number, or a card is neither that nor a text.
        """
        state = State(self)
        state._start(seed64(seed), None if deck is None else self.card_types(deck))
        return state

    def card_types(self, cards: Iterable[int | str]) -> list[int]:
        """Cards by their types, as the core takes decks: texts are those of ``labels["cards"]``.

        ``game.describe()["deck"]`` lists the types of a deck, each as often as it has it. The mark
        by which :meth:`State.to_dict` distinguishes equal cards may be there.

        Raises:
            ValueError: there is no such card.

        >>> Game("mhing").card_types(["1s", "2s", 34])
        [0, 1, 34]
        """
        types = {text: number for number, text in enumerate(self.labels["cards"])}
        numbers: list[int] = []
        for place, card in enumerate(cards):
            if isinstance(card, str) and card.rstrip("'") not in types:
                raise ValueError(
                    f"deck: {card!r} at place {place} is no card; the cards are {', '.join(types)}"
                )
            numbers.append(types[card.rstrip("'")] if isinstance(card, str) else card)
        return numbers

    def from_bytes(self, data: bytes) -> State:
        """The state that :meth:`State.to_bytes` saved, of a game with the same options.

        Raises:
            ValueError: the bytes are not a snapshot of this game with these options, by this
                version.
        """
        state = State(self)
        state._load(data)
        return state

    def state_from_dict(self, data: Mapping[str, Any]) -> State:
        """The state that :meth:`State.to_dict` exported, or one that you made by hand.

        Args:
            data: the keys of :meth:`State.to_dict`; those that the game's RULES.md says so of may
                be left out. The cards are texts, as there.

        Raises:
            ValueError: a key is unknown, is missing, or has a value that cannot be; a key does not
                fit the others; or no play leads to this state.
            TypeError: `data` is no dict of plain data.

        >>> hands = ["2s 3s 4s 9h Th Qd Kd Ac".split(), "5h 6h 7h 2d 3d 9c Tc".split()]
        >>> state = Game("general_mhing").state_from_dict({"hands": hands})
        >>> state.seat, state.game.action_text(state.legal_actions()[0])
        (0, 'sequence 234s')
        """
        known = self.new_state(0).to_dict()
        known |= {"options": self.options}
        state = State(self)
        state._read(positions.to_json(data, known))
        positions.compare(data, state.to_dict())
        return state

    def unpack(self, observation: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """The named fields of observations (..., `observation_size`), as views.

        Of observations whose bytes do not lie side by side they are a copy.

        Seats are relative: 0 is the observer, 1 the next clockwise. A field whose meaning says "low
        byte first" is one number: of four bytes it is ``fields["score"].view("<u4")[..., 0]``.

        Raises:
            ValueError: the array does not hold observations of this game with its options.
        """
        return unpacked(observation, self._observation_layout, self.observation_fields)

    def unpack_omniscient(self, observation: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """The named fields of omniscient observations, as views; seats are absolute."""
        return unpacked(observation, self._omniscient_layout, self.omniscient_fields)

    @cached_property
    def _observation_layout(self) -> np.dtype[np.void]:
        return layout_of(self.observation_size, self.observation_fields)

    @cached_property
    def _omniscient_layout(self) -> np.dtype[np.void]:
        return layout_of(self.omniscient_size, self.omniscient_fields)

    def name_numbers(self, numbers: NDArray[np.int64]) -> dict[str, int | NDArray[np.int64]]:
        """Names the public numbers of an array by `info_fields`."""
        single = numbers.tolist()
        return {
            name: single[place] if type(place) is int else numbers[place]
            for name, place in self._info_places
        }

    def number_array(self, named: Mapping[str, Any]) -> NDArray[np.int64]:
        """The array of the public numbers that have these names: :meth:`name_numbers` undone."""
        numbers = np.zeros(self._handle.sizes.info, np.int64)
        for name, place in self._info_places:
            numbers[place] = named[name]
        return numbers

    def plain_numbers(self, numbers: NDArray[np.int64]) -> dict[str, int | list[int]]:
        """Return the same for messages and records: lists instead of arrays."""
        return {name: numbers[place].tolist() for name, place in self._info_places}

    @cached_property
    def _sprite_names(self) -> list[str]:
        return self._handle.sprite_names()

    @cached_property
    def _info_places(self) -> list[tuple[str, int | slice]]:
        """Places of the info fields: single numbers by their index."""
        return [
            (f.name, f.offset if f.count == 1 else slice(f.offset, f.offset + f.count))
            for f in self.info_fields
        ]

    def parts_text(self, parts: Iterable[int]) -> str:
        """Return the worth of a hand, part by part, in words.

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
        """The number of a built-in bot; ``"net:FILE"`` plays by a net that `mhing train` wrote,
        ``"net:NAME"`` by one of the package, ``"net:FIRST+NAME"`` by one that judges the moves
        that another one chooses.

        Raises:
            ValueError: there is no such bot: it lists the names; or the file is no net for this
                game and its options.
            TypeError: the name is no text.
        """
        if not isinstance(name, str):
            raise TypeError(f"bot: {name!r} is no text")
        bots = self._handle.bots
        if name not in bots:
            find = nets.bot_of_file if name.startswith(nets.NET_FILE) else GameHandle.bot_index
            bots[name] = find(self._handle, name)
        return bots[name]

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

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the game in a line and a table of its options, for a notebook."""
        sizes = f"{self.num_seats} seats, {self.num_actions} actions"
        lines = [
            f"**{self.title}**: {sizes}, observations of {self.observation_size} bytes",
            "",
            "| option | value | default | |",
            "|---|---|---|---|",
            *(
                f"| `{one['name']}` | {one['value']} | {one['default']} | {one['meaning']} |"
                for one in self._table["options"]
            ),
        ]
        return {"text/markdown": "\n".join(lines), "text/plain": repr(self)}

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_game, (self.id, self.options)


def _new_game(game_id: str, options: dict[str, Value]) -> Game:
    return Game(game_id, **options)
