"""Tables in words for language models: the messages to them, and a reader of their replies.

Data and interface:

- :class:`Texts`, made once for a game: position -> text. ``observation`` is the whole of what a
  seat sees, ``observations`` that of thousands of rows at once, ``since`` the next message of a
  chat, ``system`` the rules and the form of answers, ``schema`` a JSON schema of the legal moves.
  All sentences are the core's, made from one seat's observation.
- ``Texts.read``: reply -> :class:`Move`, or a :class:`Refusal` that says why;
  ``Texts.help`` is what to send back then.
- :class:`TextTable`, on ``mhing.table.Table``: ``reset(seed)`` and ``step(reply)`` return a
  :class:`TextTurn`, the question to the seat to act. :class:`TextEnv` is one seat of it, the others
  played by bots; ``group`` makes several of the same seed.

Nothing that a seat is sent follows from what it cannot know: neither its texts, nor the numbers in
its infos, which count public events and its own replies.

>>> import mhing.text
>>> env = mhing.text.TextEnv("general_mhing", opponents="random", seat=0)
>>> turn = env.reset(seed=1)
>>> print(turn.text.splitlines()[-1])
Moves: discard Js, 5h, 7h, Qh, Td, Jd, 3c, Jc.
>>> env.step("I keep my jacks, so I'll discard the 3c.").refusal is None
True
"""

from __future__ import annotations

from mhing.text.answers import Move, Refusal
from mhing.text.env import TextEnv
from mhing.text.tables import TextTable, TextTurn
from mhing.text.texts import Texts

__all__ = ["Move", "Refusal", "TextEnv", "TextTable", "TextTurn", "Texts"]
