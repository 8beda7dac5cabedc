"""The referee of Mhing under the game's own name, where the tests of all games look for it."""

from __future__ import annotations

from typing import Any

from reference.referee import Referee, card_names

__all__ = ["card_names", "legal_actions"]


def legal_actions(table: dict[str, Any]) -> set[str]:
    """The texts of all that the seat to act may do."""
    return Referee(table).legal_actions()
