"""TRL: a seat of a game as an environment of ``GRPOTrainer``, whose model plays by calls of a tool.

>>> from functools import partial
>>> import mhing.trl
>>> factory = partial(mhing.trl.Environment, "general_mhing", opponents="random", seat=0)
>>> env = factory()  # the trainer does this and the rest, for each rollout
>>> print(env.reset(seed=1).splitlines()[-1])
Moves: discard Js, 5h, 7h, Qh, Td, Jd, 3c, Jc.
>>> print(env.play("discard 3c").splitlines()[0])
You discard 3c.

``factory`` is what ``GRPOTrainer(environment_factory=...)`` takes, with ``rows`` as its dataset.
Nothing of TRL is imported here: the trainer finds an environment's methods by their names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mhing._lib.arguments import seed64, signed_seed, whole
from mhing.game import DEFAULT_GAME, Game
from mhing.text import TextEnv, Texts, TextTurn


def rows(texts: Texts | Game | str, seeds: Iterable[int]) -> list[dict[str, Any]]:
    """The rows of a dataset, such as ``datasets.Dataset.from_list(rows("mhing", range(1000)))``.

    A row has a ``prompt``, which says the rules, and the ``seed`` of an episode.

    Args:
        texts: as in :class:`Environment`, which adds the first question to the prompt.
        seeds: one for each row, 0 to 2**64 - 1. Those from 2**63 on become negative, as datasets
            keep them; :meth:`Environment.reset` takes them so.

    Raises:
        ValueError: a seed is out of range, or there is no such game.
        TypeError: a seed is not a whole number.

    >>> one, other = rows("mhing", [1, 2])
    >>> [message["role"] for message in one["prompt"]], one["seed"]
    (['system', 'user'], 1)
    """
    system = (texts if isinstance(texts, Texts) else Texts(texts)).system(tool="play")
    return [
        {
            "prompt": [{"role": "system", "content": system}, {"role": "user", "content": ""}],
            "seed": signed_seed(seed64(whole(seed, "seed"))),
        }
        for seed in seeds
    ]


class Environment:
    """A seat of a game in a rollout.

    The trainer makes it without arguments; ``functools.partial`` gives it some. Its public
    methods are tools of the model, except :meth:`reset` and :meth:`get_reward`.

    Args:
        texts: the form of its texts; a game, or its id, is one in the default form.
        settings: the other arguments of :class:`mhing.text.TextEnv`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: an argument is of the wrong type.
    """

    def __init__(self, texts: Texts | Game | str = DEFAULT_GAME, **settings: Any) -> None:
        self._env = TextEnv(texts, **settings)
        self._turn: TextTurn | None = None

    def reset(self, seed: int | None = None, **row: Any) -> str:
        """Deal, and return the first question, which the trainer adds to the prompt.

        Args:
            seed: that of the row: the rollouts of a row have the same deal, seat and bots'
                randomness.
            row: its other columns, which change nothing.

        Raises:
            ValueError: the row has no seed, or it is out of range; an opponent has failed.
        """
        if seed is None:
            raise ValueError(
                "seed: the dataset has no such column, without which rollouts of a prompt would "
                "differ in their deals; mhing.trl.rows makes rows that have one"
            )
        self._turn = self._env.reset(seed)
        return self._turn.text

    def play(self, move: str) -> str:
        """Play a move.

        Args:
            move: The move, written as in the question.

        Returns:
            What has happened since, your cards, and the next question.
        """
        if self._asked().is_over:
            raise ValueError("The episode is over: no move can be played.")
        # A model's call may hold anything, as its mistake.
        self._turn = self._env.step(move if isinstance(move, str) else {"move": move})
        return self._turn.text

    def get_reward(self) -> float:
        """Return what the seat has earned in the episode, in the unit of the game's rewards.

        A model that has stopped before the end replies with nothing from then on, which counts as
        mistakes.

        Raises:
            RuntimeError: there was no reset yet.
        """
        while not self._asked().is_over:
            self._turn = self._env.step("")
        return float(self._asked().info["returns"][self._env.seat])

    def _asked(self) -> TextTurn:
        if self._turn is None:
            raise RuntimeError("call reset() first")
        return self._turn
