"""A state of a game: one position, to look at, to play on, and to search from.

>>> import mhing
>>> state = mhing.Game("mhing").new_state(seed=1)
>>> state.apply(state.legal_actions()[0])
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import positive, seed64, whole
from mhing._lib.binding import NULL, check, lib, new_message
from mhing._lib.games import BETWEEN_ROUNDS, LEGAL, OVER, ROUNDS, SEARCH, SEAT
from mhing._lib.scenes import mime_bundle
from mhing._lib.states import StateMemory, state_act, state_act_only, state_seat
from mhing._support.recall import Recall
from mhing._support.seats import bots_of, known_seat, observer_of, view_of
from mhing.findings import Afterstates, Search, Values
from mhing.sheet import Sheet
from mhing.words import Part, part_numbers

if TYPE_CHECKING:
    from mhing.game import Game

Results = Mapping[int, "dict[str, int | NDArray[np.int64]]"]
"""The public numbers after rounds, by how many rounds were over then; it is never changed."""

_NO_RESULTS: Results = {}


class State(StateMemory):
    """One state of a game, hidden cards and generators included: plain bytes, cheap to clone.

    Made by :meth:`Game.new_state` and :meth:`Game.from_bytes`. Seats are absolute, 0 to
    ``game.num_seats - 1``. Two states are equal when their games and all their bytes are.
    """

    # Methods called at each decision look a function up before they call it: to call an attribute
    # that is no method of its class takes a tenth longer.

    __slots__ = ("_recall", "_results", "game")

    def __init__(
        self,
        game: Game,
        source: Any = None,
        recall: Recall | None = None,
        results: Results = _NO_RESULTS,
    ) -> None:
        """Copy the bytes at `source`, or take bytes that :class:`Game` will fill."""
        StateMemory.__init__(self, game._handle, source)  # super() slows copies by a seventh
        self.game = game
        self._recall = recall
        self._results = results

    @property
    def seat(self) -> int:
        """The seat to act; -1 when the episode is over, -2 between rounds."""
        seat: int = state_seat(self._pointer)
        return seat

    @property
    def is_terminal(self) -> bool:
        """True when the episode is over."""
        over: bool = state_seat(self._pointer) == OVER
        return over

    @property
    def is_between_rounds(self) -> bool:
        """True when a round is over and the next one not dealt, see :meth:`apply`.

        Nobody is to act, and the cards lie as the round left them.
        """
        between: bool = state_seat(self._pointer) == BETWEEN_ROUNDS
        return between

    @property
    def is_settled(self) -> bool:
        """True when all may be told where the game stands.

        It is False where a seat is asked because of its cards, say for a claim: seats that are not
        asked must not notice that. Show others the last state that was settled.
        """
        return bool(lib.mh_state_is_settled(self._game, self._pointer))

    @property
    def rounds_over(self) -> int:
        """The number of rounds that are over; the public numbers change only with it."""
        rounds: int = self._turn.numbers[ROUNDS]
        return rounds

    def action_mask(self) -> NDArray[np.int8]:
        """(num_actions,) 1 for each legal action; all 1 where nobody is to act."""
        copy = self._turn.copy_mask
        return copy()

    def legal_actions(self) -> NDArray[np.int64]:
        """The ids of the legal actions, ascending; none where nobody is to act."""
        turn = self._turn
        try:
            # No other thread can play between these look-ups and the copy.
            return turn.copy_legal[turn.numbers[LEGAL]]()
        except KeyError as missing:
            (count,) = missing.args
            turn.copy_legal[count] = turn.legal[:count].copy
            return self.legal_actions()

    def apply(self, action: int, deal: bool = True) -> None:
        """Play one action of the seat to act.

        Args:
            action: its id.
            deal: where the action ends a round that is not the episode's last, deal the next one.
                With False the state then is between rounds until :meth:`next_round`.

        Raises:
            ValueError: the action is not legal; the state is as it was.
            RuntimeError: nobody is to act.
            TypeError: the action is not a whole number (bools are not).

        >>> import mhing
        >>> state = mhing.Game("general_mhing", episode="game").new_state(seed=1)
        >>> while not state.is_between_rounds:
        ...     state.apply(state.bot_action("greedy", random=1)[0], deal=False)
        >>> state.rounds_over, state.legal_actions().size
        (1, 0)
        >>> state.next_round()
        >>> state.seat
        1
        """
        number = action if type(action) is int else whole(action, "action")
        before = None if self._recall is None else State(self.game, self._pointer)
        act, turn = state_act if deal else state_act_only, self._turn.pointer
        try:
            status = act(turn, number, NULL)
        except OverflowError:
            status = -1
        if status < 0:
            if not 0 <= number < self.game.num_actions:
                raise ValueError(f"action: {number} is not from 0 to {self.game.num_actions - 1}")
            message = new_message()
            status = act(turn, number, message)
            check(status, message)
        if status and self.game.has_rounds:  # a round is over
            self._note_round()
        if before is not None and self._recall is not None:
            self._recall.acted(before, number, self)

    def next_round(self, seed: int | None = None) -> None:
        """Deal the next round of a state between rounds.

        Args:
            seed: from which this deal and later ones follow, see :meth:`set_seed`; None: from what
                was before.

        Raises:
            RuntimeError: the state is not between rounds.
            ValueError: the seed is out of range.
        """
        if seed is not None and self.is_between_rounds:
            self.set_seed(seed)
        before = None if self._recall is None else State(self.game, self._pointer)
        self._next_round()
        if self._recall is not None and before is not None:
            self._recall.dealt(before, self)

    def set_seed(self, seed: int) -> None:
        """Set the seed from which the next deals follow; the round on the table stays as it is.

        Tables on a server give each round a separate seed, see :class:`mhing.records.RecordedMove`.

        Raises:
            ValueError: the seed is out of range.
        """
        self._follow_seed(seed64(seed))

    def _note_round(self) -> None:
        """Keep the public numbers of the round finished last, for :meth:`sheet`."""
        over = self.rounds_over
        if over and over not in self._results:
            self._results = {**self._results, over: self.info()}

    def rewards(self) -> NDArray[np.float32]:
        """(num_seats,) the rewards of the last action, in the unit of the option `reward`."""
        copy = self._turn.copy_rewards
        return copy()

    def returns(self) -> NDArray[np.float64]:
        """(num_seats,) the sum of each seat's rewards since the start of the episode."""
        return self._returns()

    def observation(self, seat: int | None = None) -> NDArray[np.uint8]:
        """(observation_size,) all that a seat may know, and nothing else.

        That it stands like this tells a seat that is not to act more, unless it :attr:`is_settled`.

        Args:
            seat: the observer; None: the seat to act.

        Raises:
            IndexError: there is no such seat.
            RuntimeError: nobody is to act and `seat` is None.
        """
        turn = self._turn
        if seat is None and turn.numbers[SEAT] >= 0:
            copy = turn.copy_observation
            return copy()
        return self._observe(observer_of(self, seat))

    def remember(self) -> None:
        """Keep from now on what each seat sees, for :meth:`information_state`.

        Copies keep it too, and pickles; snapshots (:meth:`to_bytes`) do not. Each action then
        takes a few microseconds more.

        Raises:
            RuntimeError: the state remembers already.
        """
        if self._recall is not None:
            raise RuntimeError("remember: the state remembers already")
        self._recall = Recall(self)

    def information_state(self, seat: int | None = None) -> bytes:
        """All that a seat has seen and done since :meth:`remember`: perfect recall.

        That is what everybody saw at first; all public events since; what only the seat could see
        when a round was dealt and whenever it acted, and what it did; and what only it sees now.
        It is the same for two ways of play exactly if these are. Nothing shows how often others
        acted in secret.

        After :meth:`resample` the observer has the same information state as before. What others
        had seen by themselves is forgotten, since in the new world it was something else.

        Args:
            seat: whose; None: the seat to act.

        Returns:
            Bytes, to compare and to use as a key. They grow with the episode.

        Raises:
            IndexError: there is no such seat.
            RuntimeError: the state does not remember, or nobody is to act and `seat` is None.

        >>> import mhing
        >>> state = mhing.Game("mhing").new_state(seed=1)
        >>> state.remember()
        >>> state.resample(2, seed=5).information_state(2) == state.information_state(2)
        True
        """
        parts = self.recall_parts(seat)
        return b"".join(len(part).to_bytes(4, "little") + part for part in parts)

    def recall_parts(self, seat: int | None = None) -> tuple[bytes, bytes, bytes, bytes]:
        """The parts of an :meth:`information_state`, for those who write it in another form.

        Returns:
            The public observation at first; public events, four bytes each: seat plus one, kind
            and two details; looks; what only the seat sees now. A look is the number of events by
            then (4 bytes, little-endian), the action plus one (2 bytes; 0: a deal), and what only
            the seat saw. Seats are absolute in the first two.

        Raises:
            IndexError: there is no such seat.
            RuntimeError: the state does not remember, or nobody is to act and `seat` is None.
        """
        if self._recall is None:
            raise RuntimeError("information_state: call remember() where the episode begins")
        return self._recall.of(self, observer_of(self, seat))

    def public_observation(self) -> NDArray[np.uint8]:
        """(observation_size,) the observation of a spectator: fields that are not public are 0.

        Seats are absolute: seat 0 comes first.
        """
        return self._watch()

    def omniscient(self) -> NDArray[np.uint8]:
        """The hidden information, for centralised critics; see `omniscient_fields`."""
        return self._omniscient()

    def info(self) -> dict[str, int | NDArray[np.int64]]:
        """The public numbers by name; see ``game.info_fields``."""
        return self.game.name_numbers(self._numbers())

    def clone(self) -> State:
        """An independent copy."""
        recall = None if self._recall is None else self._recall.copy()
        return State(self.game, self._pointer, recall, self._results)

    def sheet(self) -> Sheet:
        """The score sheet: what each round of the episode was worth, and how the seats stood.

        Copies and pickles know all rounds that were played, move by move, since
        :meth:`Game.new_state`. Snapshots (:meth:`to_bytes`), :meth:`Game.state_from_dict` and
        :meth:`play_out` know the round finished last alone.

        >>> import mhing
        >>> state = mhing.Game("general_mhing", episode="game").new_state(seed=1)
        >>> state.sheet().rounds
        ()
        """
        self._note_round()
        return Sheet.of(self.game, self._results)

    def to_bytes(self) -> bytes:
        """A snapshot for :meth:`Game.from_bytes`."""
        return self._save()

    def to_dict(self) -> dict[str, Any]:
        """Everything about the state as plain data, hidden cards included; seats are absolute."""
        everything: dict[str, Any] = json.loads(self._json())
        return everything

    def resample(self, seat: int | None, seed: int | None = None) -> State:
        """A fresh state that deals all cards anew that `seat` cannot know.

        The result is consistent with everything that the seat knows. In Mhing, hands of others are
        as near to complete as the turns that they have had make them, if played as greedy plays.

        Args:
            seat: whose knowledge stays; None: that of all seats together. Then all hands stay, and
                only the order of hidden piles and coming deals are drawn anew.
            seed: 0 to 2**64 - 1; None: fresh entropy.

        Raises:
            IndexError: there is no such seat.
            ValueError: the seed is out of range.
        """
        fresh = self.clone()
        fresh._redeal(None if seat is None else known_seat(self.game, seat), seed64(seed))
        if fresh._recall is not None and seat is not None:
            fresh._recall.keep(seat)
        return fresh

    def bot_action(self, bot: str, random: int) -> tuple[int, int]:
        """The action that a built-in bot would play, and its generator afterwards.

        Args:
            bot: the bot's name, also ``"search:BUDGET"``, ``"net:NAME"``, ``"net:FILE"`` or
                ``"net:FIRST+NAME"``: see :meth:`mhing.Game.bot_index`. Other players, such as
                ``"run:FOLDER"``, are asked by :meth:`mhing.players.Player.choose`.
            random: the bot's generator; start with any number from 0 to 2**64 - 1.

        Raises:
            ValueError: there is no such bot, or the file is no net for the game.
            RuntimeError: nobody is to act.
        """
        return self._bot_action(self.game.bot_index(bot), seed64(random))

    def values(self, bot: str) -> Values:
        """Return a bot's expectation of each legal action, for the seat to act.

        A value is what the seat will earn from there to the end of the round, in the unit of the
        option `reward`. The bot plays an action of the largest value. Where it follows a rule
        instead of judging, or plays for something else than the reward, values are NaN.

        Args:
            bot: the name of a bot whose :attr:`mhing.game.BotDescription.values` is true.

        Raises:
            ValueError: there is no such bot, or it does not judge.
            RuntimeError: nobody is to act.

        >>> import mhing
        >>> judged = mhing.Game("mhing").new_state(seed=1).values("expert")
        >>> judged.actions.shape == judged.values.shape
        True
        """
        values = self._values(self.game.bot_index(bot))
        actions = self.legal_actions()
        return Values(actions, values[: len(actions)])

    def afterstates(self, every: bool = False) -> Afterstates:
        """Return the positions left after moves of the seat to act, as numbers for a net to judge.

        Args:
            every: after each legal action, not only those worth considering.

        Raises:
            ValueError: the game has no features.
            RuntimeError: nobody is to act.

        >>> import mhing
        >>> mhing.Game("mhing").new_state(seed=1).afterstates(every=True).features.shape
        (11, 154)
        """
        return Afterstates(*self._afterstates(every))

    @property
    def analyse(self) -> NoReturn:
        """The old name of :func:`mhing.analyse`; the error says so."""
        raise AttributeError("state.analyse(bot) is now mhing.analyse(state, bot)")

    def idle_action(self) -> int:
        """The action for a seat that does not answer: it does as little as the rules allow.

        Raises:
            RuntimeError: nobody is to act.
        """
        return self._idle_action()

    def play_out(self, bots: str | Sequence[str], seed: int | None = None) -> State:
        """A copy played to the end of the episode by built-in bots; it remembers nothing.

        Args:
            bots: the name of the bot that plays every seat, or one name for each seat.
            seed: of the bots, 0 to 2**64 - 1; None: fresh entropy.

        Raises:
            ValueError: no such bot, not one for each seat, or a seed out of range.

        >>> import mhing
        >>> state = mhing.Game("mhing").new_state(seed=1)
        >>> state.play_out(["greedy", "random", "random", "random"], seed=1).is_terminal
        True
        """
        finished = State(self.game, self._pointer)
        finished._play_out(bots_of(self.game, bots), seed64(seed))
        return finished

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

        >>> import mhing
        >>> state = mhing.Game("mhing").new_state(seed=1)
        >>> state.play_outs("greedy", 1000, observer=state.seat, seed=1).mean(axis=0).shape
        (4,)
        """
        first = seed64(seed)
        return self._play_outs(
            bots_of(self.game, bots),
            -1 if observer is None else known_seat(self.game, observer),
            positive(count, "count"),
            first,
            positive(num_threads, "num_threads"),
        )

    def search(
        self, settings: str = "200", seed: int | None = None, num_threads: int = 1
    ) -> Search:
        """Search for the seat to act, as the bot ``search:SETTINGS`` does.

        It tries actions in the same worlds, each drawn as :meth:`resample` draws it for that seat,
        so it uses nothing that the seat does not know. A forced decision costs nothing.

        Args:
            settings: how many play-outs at most, as ``"200"``, or for how long, as ``"10ms"``; then
                further settings, such as ``"200,prior=greedy,errors=1.5"``: see the tutorial. The
                bot's name, ``"search:200"``, says the same.
            seed: 0 to 2**64 - 1; with a number of play-outs the result follows from it. None: fresh
                entropy.
            num_threads: how many threads share the work, 1 or more; at most as many as the
                machine has processors (or 4) do. With a number of play-outs, the result does not
                depend on it.

        Raises:
            ValueError: the settings cannot be read, or a number is out of range.
            TypeError: the settings are no text, or a number is not whole.
            RuntimeError: nobody is to act.

        >>> import mhing
        >>> found = mhing.Game("mhing").new_state(seed=1).search("60", seed=1)
        >>> found.action in found.actions
        True
        """
        if not isinstance(settings, str):
            raise TypeError(f"settings: {settings!r} is no text, such as '200' or '10ms'")
        threads = positive(num_threads, "num_threads")
        settings = settings.removeprefix(SEARCH)
        result, found = self._search(settings, seed64(seed), threads)
        actions = self.legal_actions()
        numbers = {name: array[: len(actions)] for name, array in found.items()}
        return Search(action=result.action, prior=result.prior, actions=actions, **numbers)

    def words(
        self,
        view: int | None = None,
        part: Part = "all",
        *,
        number: int | None = None,
        names: Sequence[str] | None = None,
    ) -> str:
        """Return what a seat sees of the table, in sentences: for people, and for language models.

        They say everything that the observation of the seat says, how the last round ended and, if
        the seat is to act, what it may play.

        Args:
            view: the seat that reads it; None: somebody who sees all cards.
            part: what is wanted, see :data:`mhing.words.Part`.
            number: with ``"seat"``: which seat; with ``"events"``: how many, the last ones; None:
                all that an observation has.
            names: of the players, by seat. The player called "you" is the reader. None: the viewer
                is "you", others are "seat 2".

        Raises:
            ValueError: there is no such seat or part, or not one name for each seat.
            TypeError: `number` is not a whole one, or names are no texts.

        >>> import mhing
        >>> print(mhing.Game("mexican_rummy").new_state(seed=1).words(2, "moves"), end="")
        Moves: may i; pass.
        """
        return self._handle.words(*view_of(self, view, names), *part_numbers(part, number))

    def __str__(self) -> str:
        return self._text()

    def __repr__(self) -> str:
        return f"<State of {self.game!r}, seat {self.seat} to act>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the table, all cards open, for a notebook."""
        picture = self._handle.picture(*view_of(self, None, None), "wide")
        return mime_bundle(picture, self._handle, repr(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self._same_bytes(other)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: object) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.game, self.to_bytes(), self._recall, self._results)


def _restored(game: Game, snapshot: bytes, recall: Recall | None, results: Results) -> State:
    """The state of a pickle."""
    state = game.from_bytes(snapshot)
    return State(game, state._pointer, recall, results)
