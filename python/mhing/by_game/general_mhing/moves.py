"""The cards that moves are about."""

from mhing.render.playing.moves import cards

__all__ = ["cards"]
