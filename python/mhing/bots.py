"""The former place of what is in :mod:`mhing.players` now."""

raise ImportError("mhing.bots is now mhing.players, Opponent is Given, resolve is load; see there")
