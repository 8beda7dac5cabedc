"""The list of the models, and what is recorded of each; benchmarks/model_cards.py writes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from itertools import pairwise
from typing import Any

from mhing._lib.nets import NET_FILE, NetMemory, bot_of_bytes, shipped
from mhing._support.spelling import did_you_mean
from mhing.arena.result import Mean
from mhing.game import Game
from mhing.options import Value

LICENCE = "MIT"
"""The licence of every model is the package's."""


@dataclass(frozen=True)
class ModelScore:
    """The result of a model in a tournament."""

    difference: Mean
    """The reward that it earned more than another bot in the same seats of the same deals."""
    than: str
    """The other bot."""
    unit: str
    """The unit of the reward, for a round."""
    field: str
    """The bot in all other seats."""
    note: str
    """The options of the game, where they differ from those of the model; or nothing."""
    deals: int
    date: str
    """The day on which it was played."""
    source: str
    """The file of the repository that holds the result."""

    def __str__(self) -> str:
        return f"{self.difference.signed} {self.unit} more than {self.than}"


@dataclass(frozen=True)
class Model:
    """A net of the package: where it plays, how it was made, and what is known of it."""

    game: str
    """The game's id."""
    name: str
    """The name among the nets of the game."""
    sha256: str
    """The hash of its bytes, in hexadecimal."""
    size: int
    """The size in bytes."""
    options: dict[str, Value]
    """Options of the game that it was trained for, as far as they are not the defaults."""
    command: str
    """The command that made it."""
    scores: list[ModelScore]
    """The first one stands in lists."""
    seed: int
    """The seed of a game in which it has all seats; `actions` are its first decisions there."""
    actions: list[int]

    @property
    def id(self) -> str:
        """The name by which it is called: ``"mhing/credits"``."""
        return f"{self.game}/{self.name}"

    def make_game(self) -> Game:
        """Make the game that it was trained for."""
        return Game(self.game, **self.options)

    def data(self) -> bytes:
        """Return its bytes, as ``net:FILE`` reads them.

        Raises:
            ValueError: no net of this build has the recorded hash.
        """
        for data in shipped(Game(self.game)._handle):
            if sha256(data).hexdigest() == self.sha256:
                return data
        raise ValueError(f"{self.id}: no net of this build has the hash {self.sha256}")

    def layers(self) -> list[tuple[Any, Any]]:
        """Return the weights of each layer, float32 (inputs, outputs), and its biases (outputs,).

        Layers but the last end with ``max(0, x)``; the last one has one output, the value.
        """
        net = NetMemory(Game(self.game)._handle, self.data())
        sizes, numbers, found = net.sizes(), net.weights(), []
        for inputs, outputs in pairwise(sizes):
            weights, biases, numbers = (
                numbers[: inputs * outputs].reshape(inputs, outputs),
                numbers[inputs * outputs : (inputs + 1) * outputs],
                numbers[(inputs + 1) * outputs :],
            )
            found.append((weights, biases))
        return found

    def play(self, count: int) -> list[int]:
        """Return its first `count` decisions in the game of `seed`, in which it has all seats."""
        game = self.make_game()
        bot = bot_of_bytes(game._handle, f"{NET_FILE}{self.id}", self.data())
        state = game.new_state(self.seed)
        played: list[int] = []
        while len(played) < count and not state.is_terminal:
            action, _ = state._bot_action(bot, 0)
            state.apply(action)
            played.append(action)
        return played

    def verify(self) -> None:
        """Compare its bytes with their hash, load it, and compare its decisions with the recorded.

        Raises:
            ValueError: something differs; the message says what.
        """
        for number, (played, recorded) in enumerate(
            zip(self.play(len(self.actions)), self.actions, strict=True)
        ):
            if played != recorded:
                text = self.make_game().action_text
                raise ValueError(
                    f"{self.id}: decision {number} of the game with seed {self.seed} is "
                    f"{text(played)!r}, and {text(recorded)!r} is recorded"
                )


@cache
def shipped_models() -> tuple[Model, ...]:
    """List the models of the package, by game and name."""
    text = resources.files(__package__).joinpath("cards.json").read_text(encoding="utf-8")
    return tuple(
        Model(**one | {"scores": [_score(score) for score in one["scores"]]})
        for one in json.loads(text)
    )


def _score(plain: dict[str, Any]) -> ModelScore:
    return ModelScore(**plain | {"difference": Mean(**plain["difference"])})


def named(name: str) -> Model:
    """Find a model by its id.

    Raises:
        ValueError: there is none of that name.
    """
    known = {one.id: one for one in shipped_models()}
    if name not in known:
        plain = name.removeprefix(NET_FILE)
        of_name = [one.id for one in shipped_models() if one.name == plain]
        meant = f"; did you mean {of_name[0]}?" if of_name else did_you_mean(plain, known)
        advice = meant or "; mhing models lists them"
        raise ValueError(f"no model is called {name!r}{advice}")
    return known[name]
