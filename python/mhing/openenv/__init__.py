"""OpenEnv: a seat of a game in words, served to trainers of language models.

>>> from mhing.openenv import Client, Reply
>>> with Client("http://localhost:8000").sync() as env:
...     result = env.reset(split="train", index=0)
...     while not result.done:
...         result = env.step(Reply(reply=model(result.observation.text)))

:func:`make_app` is the application; ``uvicorn mhing.openenv.app:app`` serves one by variables of
the environment. Each session has its own table, and as many as the application allows play at once:
GRPO needs one for each rollout of a group.

What a client is told follows from what its seat may know: neither observations nor states have
seeds, and the step count is that of public events.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from mhing._support.extras import install
from mhing.game import DEFAULT_GAME, Game
from mhing.text import TextEnv, Texts, TextTurn

try:
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server import (
        Action,
        Environment,
        Observation,
        State,
        create_fastapi_app,
    )
    from openenv.core.env_server.types import EnvironmentMetadata
    from pydantic import Field
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"OpenEnv is missing: {install('openenv')} ({error})") from error

NAME = "mhing"
"""The environment in the addresses of tasks."""

SESSIONS = 256
"""The number of sessions at once by default."""

SPLITS = {"train": (0, 1_000_000), "test": (1 << 63, 1_000)}
"""The splits by name: the seed of the first task, and the number of tasks."""

PREVIEW = 1_000
"""The most tasks that are listed at once."""


class Reply(Action):
    """A model's reply."""

    reply: str = Field(
        description="A move in words, as in the question", coerce_numbers_to_str=True
    )


class Question(Observation):
    """A question to the seat, or how the episode has ended."""

    text: str = Field(description="The message to the model")
    system: str = Field("", description="The message before the first one: rules, form of replies")
    moves: list[str] = Field([], description="The texts of all legal moves, if the text lists them")
    mistakes: int = Field(0, description="Replies that were no moves, in this episode")
    idled: int = Field(0, description="Moves that were played in its place, in this episode")


class TableEnvironment(Environment):
    """A session of the server.

    Args:
        texts: the form of its texts; a game, or its id, is one in the default form.
        settings: the other arguments of :class:`mhing.text.TextEnv`.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, texts: Texts | Game | str = DEFAULT_GAME, **settings: Any) -> None:
        super().__init__()
        self._env = TextEnv(texts, **settings)
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
    ) -> Question:
        """Deal, and return the first question.

        Args:
            seed: of the deal, the seat and the bots' randomness; None: fresh entropy.
            episode_id: a name for the episode, which the state repeats.
            split: that of a task, with its `index`. A task decides all that a seed does; trainers
                give one beside it, which changes nothing.
            index: see `split`.

        Raises:
            ValueError: there is half a task, or the seed is out of range.
            IndexError: there is no such task.
        """
        if (split is None) != (index is None):
            raise ValueError("reset: a task has a split and an index; give both or neither")
        if split is not None and index is not None:
            seed = _seed(split, index)
        turn = self._env.reset(seed)
        return self._question(turn, episode_id, system=self._env.texts.system())

    def step(self, action: Reply, timeout_s: float | None = None) -> Question:
        """Take a reply, and return the next question, or the end.

        Args:
            action: the reply.
            timeout_s: nothing here takes long.

        Raises:
            RuntimeError: the episode is over, or has not begun.
        """
        return self._question(self._env.step(action.reply), self._state.episode_id)

    @property
    def state(self) -> State:
        """The episode's name, and the number of its public events so far."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """The game and the form of its texts."""
        texts = self._env.texts
        description = f"{texts.game.title} in words, a seat among bots; {texts.name}"
        return EnvironmentMetadata(name=NAME, description=description)

    def _question(self, turn: TextTurn, episode_id: str | None, system: str = "") -> Question:
        self._state = State(episode_id=episode_id, step_count=turn.info["step"])
        return Question(
            text=turn.text,
            system=system,
            # Some trainers show a model the whole observation.
            moves=[*turn.moves] if self._env.texts.legal == "all" else [],
            mistakes=turn.info["mistakes"],
            idled=turn.info["idled"],
            done=turn.is_over,
            reward=turn.reward,
        )

    # ---- Tasks -----------------------------------------------------------------------------------

    def list_splits(self) -> list[dict[str, str]]:
        """The names of the splits; no deal is in two of them."""
        return [{"name": name, "type": name} for name in SPLITS]

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks in a split."""
        return _size(split)

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The first tasks of a split."""
        return self.get_task_range(split, 0, PREVIEW)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a task: its name, and what :meth:`reset` takes.

        Raises:
            IndexError: there is none.
        """
        _seed(split, index)
        return {"id": f"{split}-{index}", "split": split, "index": index}

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """The tasks from `start` to before `stop`, as slices have them."""
        return [self.get_task(split, index) for index in range(_size(split))[start:stop]]


def _size(split: str) -> int:
    if split not in SPLITS:
        raise IndexError(f"split: {split!r} is none of {', '.join(SPLITS)}")
    return SPLITS[split][1]


def _seed(split: str, index: int) -> int:
    """The seed of a task, which nobody outside is told."""
    if not 0 <= index < _size(split):
        raise IndexError(f"index: {index} is not from 0 to {_size(split) - 1}")
    return SPLITS[split][0] + index


def make_app(
    texts: Texts | Game | str = DEFAULT_GAME, *, sessions: int = SESSIONS, **settings: Any
) -> Any:
    """Make the application, for uvicorn and the like.

    Args:
        texts: the form of its texts; a game, or its id, is one in the default form.
        sessions: how many clients may play at once.
        settings: the other arguments of :class:`mhing.text.TextEnv`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: an argument is of the wrong type.
    """
    factory = partial(TableEnvironment, texts, **settings)
    factory()  # wrong arguments are named now, and not to clients
    return create_fastapi_app(factory, Reply, Question, max_concurrent_envs=sessions, env_name=NAME)


class Client(EnvClient):
    """A session at a server, by its address; ``.sync()`` is one without ``async``.

    ``reset`` takes the arguments of :meth:`TableEnvironment.reset`, ``step`` a :class:`Reply`. Both
    return a result whose ``observation`` is a :class:`Question`.
    """

    def _step_payload(self, action: Reply) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump()
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult:
        outcome = {"done": payload["done"], "reward": payload["reward"]}
        return StepResult(Question(**payload["observation"], **outcome), **outcome)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
