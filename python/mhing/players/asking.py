"""Questions to policies: one, or many at once; coroutines are waited for together."""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Coroutine, Iterable
from concurrent.futures import Future
from functools import cache
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import asyncio

One = TypeVar("One")


class FinalReply(str):
    """A player's last reply to a question, after those that were no moves.

    Attributes:
        refused: the replies before it.
    """

    refused: tuple[str, ...]

    def __new__(cls, *replies: str) -> FinalReply:
        """Make it of all replies to the question."""
        last = super().__new__(cls, replies[-1])
        last.refused = replies[:-1]
        return last


def replies(answer: Any) -> tuple[str, ...]:
    """Return all texts of an answer, the last one at the end: none of an answer by number."""
    return (*getattr(answer, "refused", ()), str(answer)) if isinstance(answer, str) else ()


def ask(policy: Any, observation: Any, mask: NDArray[np.int8], seat: int, **info: Any) -> Any:
    """Return a policy's answer for a seat, which :meth:`Player.action` is to check.

    Args:
        policy: it is called with `observation`, a copy of the mask, and the info.
        observation: what its view shows, see :mod:`mhing.players.views`; it may keep it.
        mask: int8 (num_actions,).
        seat: which seat it is.
        info: what else its info holds.
    """
    return answered(_call(policy, observation, mask, seat, **info))


def ask_each(
    policy: Any, questions: Iterable[tuple[Any, NDArray[np.int8], int]]
) -> list[Any | Exception]:
    """Ask a policy several questions as :func:`ask` does, coroutines all at the same time.

    Returns:
        An answer for each, or the exception that it has raised; a callable that is no coroutine is
        not asked any more after the first exception.
    """
    answers: list[Any] = []
    try:
        answers += (_call(policy, *question) for question in questions)
    except Exception as error:
        answers.append(error)
    waiting = [place for place, answer in enumerate(answers) if isawaitable(answer)]
    for place, result in zip(waiting, gathered([answers[at] for at in waiting]), strict=True):
        answers[place] = result
    return answers


def _call(policy: Any, observation: Any, mask: NDArray[np.int8], seat: int, **info: Any) -> Any:
    return policy(observation, mask.copy(), {"action_mask": mask.copy(), "seat": seat, **info})


def ask_rows(policy: Any, observation: Any, masks: NDArray[np.int8]) -> NDArray[Any]:
    """Return the answers of ``choose_rows`` to the question about many rows."""
    return np.asarray(answered(policy.choose_rows(observation, masks.copy())))


def check_shape(actions: NDArray[Any], rows: int) -> None:
    """Raise ValueError unless there is an answer for each row."""
    if actions.shape != (rows,):
        raise ValueError(
            f"choose_rows returned an array {actions.shape}; expected ({rows},), an action for "
            "each row"
        )


# ---- What goes wrong ----------------------------------------------------------------------------


class CannotPlay(ValueError):
    """A player will fail at every question from now on; its text says what to change.

    It ends a tournament or a benchmark at once, where other exceptions cost a game or a question.
    """


class Spent(CannotPlay):
    """A player has used up its budget, which the next task of a benchmark gives it anew."""


LONGEST = 300
"""Characters of a reason."""


def reason(error: BaseException) -> str:
    """Return what the code of a player has raised, in a line."""
    return one_line(f"{type(error).__name__}: {error}")


def one_line(text: str) -> str:
    """Return a reason as short as a line of a report."""
    return " ".join(text.split())[:LONGEST]


# ---- Coroutines ---------------------------------------------------------------------------------


def answered(answer: Any) -> Any:
    """Return an answer; one that a coroutine has yet to give is waited for."""
    if not isawaitable(answer):
        return answer
    (result,) = gathered([answer])
    if isinstance(result, BaseException):
        raise result
    return result


def gathered(answers: list[Awaitable[Any]]) -> list[Any | BaseException]:
    """Wait for answers that are given at the same time; exceptions take the place of theirs.

    They are given in an event loop in a separate thread, the same for all, whether or not the
    caller's thread has a loop: so clients of services can be shared between questions.
    """
    if not answers:
        return []
    import asyncio  # noqa: PLC0415  most players do without

    async def all_of_them() -> list[Any | BaseException]:
        return await asyncio.gather(*answers, return_exceptions=True)

    if threading.current_thread().name == _THREAD:
        raise RuntimeError("a coroutine that plays cannot wait for another one; await it")
    future = begin(all_of_them())
    try:
        return future.result()
    except BaseException:  # such as Ctrl-C
        future.cancel()
        raise


def begin(coroutine: Coroutine[Any, Any, One]) -> Future[One]:
    """Begin a coroutine in that loop."""
    import asyncio  # noqa: PLC0415  as above

    return asyncio.run_coroutine_threadsafe(coroutine, _loop(os.getpid()))


_THREAD = "mhing-players"


@cache
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """The loop of a process, which runs as long as that does."""
    import asyncio  # noqa: PLC0415  as above

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=_THREAD, daemon=True).start()
    return loop
