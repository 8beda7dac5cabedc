"""The part that the environments of all libraries share: keywords, pictures, a warning."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any

from gymnasium import logger

from mhing._lib.games import game_ids
from mhing._support.spelling import did_you_mean
from mhing.game import Game, State
from mhing.options import Options

if TYPE_CHECKING:
    from mhing.players.lineups import Opponents
    from mhing.vector import CardGameVectorEnv

OBS_MODES = ("flat", "dict")
INFOS = ("changes", "even")


class Forfeits:
    """Warns once when episode after episode ends by an illegal action: nobody looks at the mask."""

    __slots__ = ("_in_a_row",)

    MANY = 5
    """The number of such episodes in a row that is no accident."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def see(self, ended: int, forfeited: int) -> None:
        """Count episodes that have ended, and those of them that illegal actions did end."""
        if self._in_a_row < self.MANY:
            self._in_a_row = self._in_a_row + forfeited if forfeited == ended else 0
            if self._in_a_row >= self.MANY:
                logger.warn(
                    f"{self._in_a_row} episodes in a row have ended by an illegal action, with "
                    "reward -1: choose among the legal actions, which info['action_mask'] and "
                    "action_masks() mark (with Stable-Baselines3: MaskablePPO and evaluate_policy "
                    "of sb3_contrib, and predict(..., action_masks=...))"
                )


class HasOpponents:
    """The opponents of an environment of another library, which are those of its batch."""

    envs: CardGameVectorEnv

    @property
    def opponents(self) -> Opponents:
        """The players of the other seats as they were given; :meth:`set_opponents` changes them."""
        return self.envs.opponents

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        self.envs.opponents = opponents

    def set_opponents(self, opponents: Opponents) -> None:
        """Seat others as :meth:`mhing.vector.CardGameVectorEnv.set_opponents` does."""
        self.envs.set_opponents(opponents)


def draw(state: State, seat: int, mode: str, look: str) -> Any:
    """The table as `seat` sees it: a picture under ``"rgb_array"`` and ``"svg"``, else words."""
    if mode not in ("rgb_array", "svg"):
        return state.words(seat)
    from mhing import render  # noqa: PLC0415  fonts and pictures, only when asked for

    picture = render.rgb_array if mode == "rgb_array" else render.svg
    return picture(state, view=seat, look=look)


def make_game(game: str, options: Options, user: Callable[..., Any]) -> Game:
    """The game of an environment or a function, which has taken its own keywords out of `options`.

    Raises:
        TypeError: neither has that keyword. The words begin as Python's own, for which libraries
            look; the nearest keyword follows, then all.
    """
    try:
        return Game(game, **options)
    except (TypeError, ValueError):
        if game not in game_ids():
            raise
        of_game = sorted({*Game(game).options, "rules"})
        unknown = next((name for name in options if name not in of_game), None)
        if unknown is None:
            raise
        own = [name for name in signature(user).parameters if name != "options"]
        meant = did_you_mean(unknown, own + of_game)
        raise TypeError(
            f"{user.__name__}() got an unexpected keyword argument {unknown!r}{meant or '.'} "
            f"Its own are {', '.join(own)}; the options of {game} are {', '.join(of_game)}"
        ) from None
