"""OpenSpiel: every game and every preset as a Python game of OpenSpiel.

>>> import pyspiel
>>> import mhing.openspiel                                   # registers them
>>> game = pyspiel.load_game("python_mhing(num_players=3,reward=points)")
>>> jmhing = pyspiel.load_game("python_mhing_jmhing")
>>> state = game.new_initial_state()
>>> state.apply_action(5)                                    # the only chance node: a deal
>>> len(state.observation_tensor()), len(state.information_state_string()) > 0
(586, True)

A game's parameters are the options of the game by name, and

- ``deals``: how many deals there are, each as likely as any other. The chance node at the root has
  an outcome for each, so a history says all of what happened. 0: every order of the deck is one,
  which decks of at most 7 cards allow, and have by default.
- ``first_seed``: deal k is ``new_state(seed=first_seed + k)``.

Tensors have the fields of the observation by name, each number divided by the largest that it can
be. Information states are those of :meth:`mhing.State.information_state`, as hexadecimal digits;
they also come as tensors, where those have at most 2**20 numbers.

:class:`BuiltInBot` is a built-in bot for OpenSpiel, :class:`AgentPolicy` an agent of OpenSpiel as a
player here, :class:`mhing.players.openspiel.BotPolicy` a bot.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache, cached_property
from itertools import islice, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mhing
from mhing._lib.arguments import positive, seed64
from mhing._lib.games import EVENT_TAIL
from mhing._support.extras import install

try:
    import pyspiel
    from open_spiel.python.rl_environment import StepType, TimeStep
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"OpenSpiel's games need it: {install('openspiel')} ({error})"
    ) from error

DEALS = 10_000
"""The number of deals of a game with a larger deck by default, see the parameter ``deals``."""

MOST_CARDS = 7
"""The most cards of a deck that can be dealt in each of its orders."""

MOST_NUMBERS = 2**20
"""The most numbers of a tensor with all that a seat remembers."""

ENDLESS = 2**31 - 1
"""The length of an episode that has no bound."""


# ---- What observers show ------------------------------------------------------------------------


class Observer:
    """The observation of a seat, as one tensor and by the names of its pieces.

    ``tensor`` is float32 (size,), and ``dict`` has views of it. With `recall` it is all that the
    seat remembers, and ``tensor`` is None where that would be too long.
    """

    def __init__(self, game: mhing.Game, recall: bool, own: bool = True, public: bool = True):
        self._recall = recall
        self._places, self._highest, pieces = _observed(game, own, public)
        self._looks = _Looks(game) if recall else None
        if self._looks is not None:
            pieces = self._looks.pieces
        size = sum(math.prod(shape) for _, shape in pieces)
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if size <= MOST_NUMBERS:
            rest = self.tensor = np.zeros(size, np.float32)
            for name, shape in pieces:
                self.dict[name] = rest[: math.prod(shape)].reshape(shape)
                rest = rest[math.prod(shape) :]

    def set_from(self, state: MhingState, player: int) -> None:
        """Fill the tensor; before the deal with zeros."""
        if self.tensor is None:
            raise ValueError(f"information state: a tensor has more than {MOST_NUMBERS} numbers")
        if state.table is None:
            self.tensor.fill(0)
        elif self._looks is not None:
            self._looks.write(state.table, player, self.dict)
        else:
            observed = state.table.observation(player)[self._places]
            np.divide(observed, self._highest, out=self.tensor, dtype=np.float32)

    def string_from(self, state: MhingState, player: int) -> str:
        """The same as hexadecimal digits; nothing before the deal."""
        if state.table is None:
            return ""
        if self._recall:
            return state.table.information_state(player).hex()
        return state.table.observation(player)[self._places].tobytes().hex()


_Pieces = list[tuple[str, tuple[int, ...]]]


def _observed(
    game: mhing.Game, own: bool, public: bool
) -> tuple[NDArray[np.intp], NDArray[np.float32], _Pieces]:
    """Places in an observation, the largest numbers there, and names and shapes of the pieces."""
    fields = [field for field in game.observation_fields if (public if field.public else own)]
    index = np.arange(game.observation_size).astype(np.intp)
    places = [
        np.lib.stride_tricks.as_strided(
            index[field.offset :], field.shape, [8 * stride for stride in field.strides]
        ).ravel()
        for field in fields
    ]
    highest = [np.full(math.prod(field.shape), field.high) for field in fields]
    pieces = [(field.name, field.shape) for field in fields]
    return np.concatenate(places), np.concatenate(highest).astype(np.float32), pieces


def observation_bytes(game: mhing.Game, text: str) -> NDArray[np.uint8]:
    """Return the observation that an observation string of OpenSpiel stands for.

    Args:
        game: of the observation.
        text: that of a state after its deal, without recall.

    Raises:
        ValueError: it is none of this game.
    """
    places, _, _ = _observed(game, own=True, public=True)
    observed = np.frombuffer(bytes.fromhex(text), np.uint8)
    if observed.size != places.size:
        raise ValueError(
            f"text: {observed.size} bytes; an observation of {game.id} has {places.size}"
        )
    observation = np.zeros(game.observation_size, np.uint8)
    observation[places] = observed
    return observation


class _Looks:
    """A memory as tensors: as many rows as an episode can bring, zeros where there are none."""

    def __init__(self, game: mhing.Game) -> None:
        decisions = game.bounds.decisions or ENDLESS
        deals = decisions if game.options.get("episode", "round") != "round" else 0
        self._actions = game.num_actions
        self._events = decisions * (EVENT_TAIL - 1)
        self._places, self._public, _ = _observed(game, own=False, public=True)
        _, own, _ = _observed(game, own=True, public=False)
        columns = [field for field in game.observation_fields if field.name.startswith("event_")]
        self._own, self._event = own, np.array([field.high for field in columns], np.float32)
        self.pieces: _Pieces = [
            ("begin", (len(self._places),)),
            ("events", (self._events, len(columns))),
            ("looks", (decisions + deals, 2 + len(own))),
            ("now", (len(own),)),
        ]
        self._look = np.dtype([("events", "<u4"), ("action", "<u2"), ("own", "u1", len(own))])

    def write(
        self, state: mhing.State, player: int, tensors: dict[str, NDArray[np.float32]]
    ) -> None:
        """Fill the tensors of the pieces."""
        begin, events, looks, now = state.recall_parts(player)
        for tensor in tensors.values():
            tensor.fill(0)
        tensors["begin"][:] = np.frombuffer(begin, np.uint8)[self._places] / self._public
        happened = np.frombuffer(events, np.uint8).reshape(-1, 4)
        tensors["events"][: len(happened)] = happened / self._event
        observed = np.frombuffer(looks, self._look)
        rows = tensors["looks"][: len(observed)]
        rows[:, 0] = observed["events"] / self._events
        rows[:, 1] = observed["action"] / self._actions
        rows[:, 2:] = observed["own"] / self._own
        tensors["now"][:] = np.frombuffer(now, np.uint8) / self._own


# ---- Games and states ---------------------------------------------------------------------------


class MhingGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its options settled, as OpenSpiel takes it; `table_game` is the game itself.

    OpenSpiel makes it, of a subclass for each name.
    """

    name: str
    """The name by which OpenSpiel knows it."""
    game_id: str
    """The id by which :func:`mhing.games` lists it."""
    standard: dict[str, Any]
    """The parameters where none are given."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = self.standard | (params or {})
        deals, self._first_seed = parameters.pop("deals"), parameters.pop("first_seed")
        self.table_game = mhing.Game(self.game_id, **parameters)
        self._orders = deals == 0
        if deals < 0:
            raise ValueError(f"deals: {deals} is not from 0 on")
        if self._first_seed < 0:
            raise ValueError(f"first_seed: {self._first_seed} is not from 0 on")
        if self._orders and len(self._deck) > MOST_CARDS:
            raise ValueError(
                f"deals: 0 stands for every order of a deck of at most {MOST_CARDS} cards; "
                f"{self.game_id} has {len(self._deck)}"
            )
        if self._orders:
            deals = math.factorial(len(self._deck))
        self._deals = deals
        bounds = self.table_game.bounds
        info = pyspiel.GameInfo(
            num_distinct_actions=self.table_game.num_actions,
            max_chance_outcomes=deals,
            num_players=self.table_game.num_seats,
            min_utility=bounds.lowest,
            max_utility=bounds.highest,
            utility_sum=bounds.sum,
            max_game_length=min(bounds.decisions or ENDLESS, ENDLESS),
        )
        kind = _game_type(self.name, self.table_game, self.standard)
        super().__init__(kind, info, params or {})

    @property
    def _deck(self) -> list[int]:
        deck: list[int] = self.table_game.describe()["deck"]
        return deck

    @cached_property
    def outcomes(self) -> list[tuple[int, float]]:
        """The deals, and how likely each is."""
        return [(deal, 1 / self._deals) for deal in range(self._deals)]

    def deal(self, outcome: int) -> mhing.State:
        """An outcome of the chance node as a state that remembers.

        Raises:
            ValueError: there is no such outcome.
        """
        if not 0 <= outcome < self._deals:
            raise ValueError(f"deal: {outcome} is not from 0 to {self._deals - 1}")
        if self._orders:
            order = next(islice(permutations(self._deck), outcome, None))
            state = self.table_game.new_state(self._first_seed, deck=order)
        else:
            state = self.table_game.new_state(self._first_seed + outcome)
        state.remember()
        return state

    def new_initial_state(self) -> MhingState:
        """The state before the deal."""
        return MhingState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The deal is the only one."""
        return 1

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> Observer:
        """Return the observer, which fills tensors and strings for OpenSpiel.

        Raises:
            ValueError: there are parameters, or it shall show what all players see by themselves.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise ValueError(f"observer: it has no parameters, but {params} was given")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("observer: it shows what one player sees, not what all do")
        own = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if kind.perfect_recall and not (own and kind.public_info):
            raise ValueError("observer: with perfect recall it shows all that a player knows")
        return Observer(self.table_game, kind.perfect_recall, own, kind.public_info)


class MhingState(pyspiel.State):  # type: ignore[misc]
    """A state of OpenSpiel around one of ours, `table`, which is None before the deal."""

    def __init__(self, game: MhingGame) -> None:
        super().__init__(game)
        self.table: mhing.State | None = None
        self._earned = [0.0] * game.num_players()
        """The seats' rewards before the last action."""

    def current_player(self) -> int:
        """The seat to act, or one of OpenSpiel's names for chance and for the end."""
        if self.table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.table.is_terminal else self.table.seat

    def is_terminal(self) -> bool:
        """Return whether the episode is over."""
        return self.table is not None and self.table.is_terminal

    def _legal_actions(self, player: int) -> list[int]:
        assert self.table is not None
        actions: list[int] = self.table.legal_actions().tolist()
        return actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals."""
        outcomes: list[tuple[int, float]] = self.get_game().outcomes
        return outcomes

    def _apply_action(self, action: int) -> None:
        if self.table is None:
            self.table = self.get_game().deal(action)
        else:
            self._earned = self.table.returns().tolist()
            self.table.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        text: str = self.get_game().table_game.action_text(action)
        return text

    def returns(self) -> list[float]:
        """Return the rewards of each seat since the start."""
        if self.table is None:
            return self._earned
        returns: list[float] = self.table.returns().tolist()
        return returns

    def rewards(self) -> list[float]:
        """Return the rewards of each seat by the last action."""
        return [now - then for now, then in zip(self.returns(), self._earned, strict=True)]

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> MhingState:
        """A state that `player_id` cannot distinguish from this one.

        Its history is still that of this state, though the hidden cards are others.
        """
        fresh: MhingState = self.clone()
        if self.table is not None:
            seed = int(probability_sampler() * 2**53)
            fresh.table = self.table.resample(player_id, seed)
        return fresh

    def hides_state_from_agents(self) -> bool:
        """Return True: Kaggle's arena asks whether it must keep a state's bytes from players."""
        return True

    def to_json(self) -> str:
        """Everything about the state, hidden cards included; ``null`` before the deal."""
        return json.dumps(None if self.table is None else self.table.to_dict())

    def to_observation_struct(self, player: int | None = None) -> ObservationStruct:
        """The view of a player, by the names of the observation's fields.

        Args:
            player: whose; None: the current player's.

        Raises:
            ValueError: the state has not been dealt.
        """
        if self.table is None:
            raise ValueError("to_observation_struct: the state has not been dealt")
        return ObservationStruct(self.table.game.unpack(self.table.observation(player)))

    def __str__(self) -> str:
        return "not dealt yet" if self.table is None else str(self.table)


class ObservationStruct:
    """The view of a player: an attribute for each field of the observation."""

    def __init__(self, fields: dict[str, NDArray[np.uint8]]) -> None:
        vars(self).update(fields)

    def to_json(self) -> str:
        """The fields as lists of numbers."""
        return json.dumps({name: array.tolist() for name, array in vars(self).items()})


def game_of(game: mhing.Game) -> MhingGame:
    """Return a game as OpenSpiel has it."""
    return _loaded(game.id, tuple(game.options.items()))


@cache
def _loaded(game_id: str, options: tuple[tuple[str, Any], ...]) -> MhingGame:
    game: MhingGame = pyspiel.load_game(f"python_{game_id}", dict(options))
    return game


def state_of(table: mhing.State) -> MhingState:
    """Return a state that plays on from one of ours, which begins to remember there.

    Its history has a deal alone, though others led to it.
    """
    state: MhingState = game_of(table.game).new_initial_state()
    state.apply_action(0)
    state.table = table.clone()
    state.table.remember()
    return state


# ---- Players, from here to there and back -------------------------------------------------------


class BuiltInBot(pyspiel.Bot):  # type: ignore[misc]
    """A built-in bot that plays a seat of one of these games in OpenSpiel.

    >>> import pyspiel
    >>> from mhing.openspiel import BuiltInBot
    >>> game = pyspiel.load_game("python_general_mhing")
    >>> state = game.new_initial_state()
    >>> state.apply_action(0)
    >>> BuiltInBot("greedy").step(state) in state.legal_actions()
    True

    Args:
        bot: its name; None: the game's default bot.
        seed: from which it draws; None: fresh entropy.
    """

    def __init__(self, bot: str | None = None, seed: int | None = None) -> None:
        super().__init__()
        self._bot, self._seed = bot, seed64(seed)
        self._random = self._seed

    def step(self, state: MhingState) -> int:
        """Return the bot's action for the seat to act.

        Raises:
            ValueError: there is no such bot.
        """
        assert state.table is not None, "the state has been dealt"
        bot = state.table.game.default_bot if self._bot is None else self._bot
        action, self._random = state.table.bot_action(bot, self._random)
        return action

    def restart_at(self, state: MhingState) -> None:
        """Begin anew: a bot knows no more than the state."""
        self.restart()

    def restart(self) -> None:
        """Draw from the seed again."""
        self._random = self._seed

    def inform_action(self, state: MhingState, player_id: int, action: int) -> None:
        """Nothing is kept of what others do."""


class AgentPolicy:
    """An agent of OpenSpiel as a player here: an opponent, or one in the arena.

    Args:
        agent: such as DQN of ``open_spiel.python.pytorch``, which learned by observations:
            ``rl_environment.Environment(game, observation_type=ObservationType.OBSERVATION)``.
        game: in which it plays.
    """

    def __init__(self, agent: Any, game: mhing.Game) -> None:
        self._agent = agent
        self._places, self._highest, _ = _observed(game, own=True, public=True)
        self._seats = game.num_seats

    def __call__(
        self, observation: NDArray[np.uint8], mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        """An action for the seat of `info`."""
        tensor = (observation[self._places] / self._highest).tolist()
        seat, legal = self._agent.player_id, np.flatnonzero(mask).tolist()
        observations = {
            "info_state": [tensor] * self._seats,
            "legal_actions": [legal] * self._seats,
            "current_player": seat,
            "serialized_state": [],
        }
        step = TimeStep(
            observations=observations, rewards=None, discounts=None, step_type=StepType.MID
        )
        return int(self._agent.step(step, is_evaluation=True).action)


class PlayOutEvaluator:
    """An evaluator for OpenSpiel's searches in Python: play-outs by a built-in bot, in C.

    Args:
        bot: its name; None: the game's default bot.
        count: how many play-outs an evaluation is the mean of.
        seed: of the play-outs; None: fresh entropy.
    """

    def __init__(self, bot: str | None = None, count: int = 1, seed: int | None = None) -> None:
        self._bot = bot
        self._count = positive(count, "count")
        self._seeds = np.random.default_rng(seed)

    def evaluate(self, state: MhingState) -> NDArray[np.float64]:
        """(num_players,) what the seats earn, from this state after its deal."""
        assert state.table is not None, "the state has been dealt"
        bot = state.table.game.default_bot if self._bot is None else self._bot
        seed = int(self._seeds.integers(2**63))
        returns: NDArray[np.float64] = state.table.play_outs(bot, self._count, seed=seed).mean(0)
        return returns

    def prior(self, state: MhingState) -> list[tuple[int, float]]:
        """The legal actions, each with the same chance."""
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


# ---- The registry of OpenSpiel ------------------------------------------------------------------


def _utility(bounds: mhing.game.Bounds) -> Any:
    """Return OpenSpiel's name of a sum."""
    if bounds.sum is None:
        return pyspiel.GameType.Utility.GENERAL_SUM
    zero = bounds.sum == 0
    return pyspiel.GameType.Utility.ZERO_SUM if zero else pyspiel.GameType.Utility.CONSTANT_SUM


def _game_type(name: str, game: mhing.Game, standard: dict[str, Any]) -> Any:
    """Return OpenSpiel's description of a game by its name, and by its options once given."""
    players = next(o for o in game.describe()["options"] if o["name"] == "num_players")
    size = sum(math.prod(shape) for _, shape in _Looks(game).pieces)
    return pyspiel.GameType(
        short_name=name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=_utility(game.bounds),
        reward_model=pyspiel.GameType.RewardModel.REWARDS,
        max_num_players=players["high"],
        min_num_players=players["low"],
        provides_information_state_string=True,
        provides_information_state_tensor=size <= MOST_NUMBERS,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=standard,
    )


def _register(name: str, game: mhing.Game) -> None:
    deals = 0 if len(game.describe()["deck"]) <= MOST_CARDS else DEALS
    standard = game.options | {"deals": deals, "first_seed": 0}
    # A class: OpenSpiel lets go of it when Python has ended, and objects cannot go any more then.
    facts = {"name": name, "game_id": game.id, "standard": standard}
    kind = type(f"{MhingGame.__name__}_{name}", (MhingGame,), facts)
    globals()[kind.__name__] = kind  # where pickle looks for it
    pyspiel.register_game(_game_type(name, game, standard), kind)


def _guard() -> None:
    """Make OpenSpiel's own IS-MCTS bot refuse our states, since it would end the process.

    In OpenSpiel 2.0 its `step` in C++ gives up Python's lock, and then asks for information states,
    which games in Python cannot give without the lock: a segmentation fault. Nor could it continue
    after that: it cannot call a `resample_from_infostate` in Python. Other bots in C++ that play
    games like these keep the lock.
    """
    step = pyspiel.ISMCTSBot.step

    def guarded(self: Any, state: Any) -> Any:
        if isinstance(state, MhingState):
            raise TypeError(
                "pyspiel.ISMCTSBot cannot search games that are written in Python; "
                "open_spiel.python.algorithms.ismcts.ISMCTSBot can"
            )
        return step(self, state)

    pyspiel.ISMCTSBot.step = guarded


def _register_all() -> None:
    for game_id in mhing.games():
        game = mhing.Game(game_id)
        _register(f"python_{game_id}", game)
        for preset in game.presets:
            variant = mhing.Game(game_id, rules=preset.name)
            _register(f"python_{game_id}_{preset.name}", variant)


_register_all()
_guard()
