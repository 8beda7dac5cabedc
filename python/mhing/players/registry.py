"""The kinds of players that have a name, by the beginning of the name.

A name is ``PREFIX:REST``. What makes the player of it is named here as ``"module:function"``, and
imported when such a player is first named: the core of the package needs none of the libraries.
The function takes REST and the :class:`mhing.Game`, and returns a player, as an object that
:func:`mhing.players.wrap` takes, or the number of a built-in bot. It raises ValueError where there
is no such player, and ModuleNotFoundError where an extra is missing.

A name without a prefix is that of a built-in bot. Where nobody has registered the prefix, it is a
module's, and REST says what plays in it.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from mhing._lib.games import SEARCH
from mhing._support.files import digest
from mhing._support.spelling import did_you_mean
from mhing.game import Game


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A kind of players."""

    form: str
    """The form of the names, such as ``"onnx:FILE"``."""
    loader: str
    """The function that makes the player, ``"module:function"``."""
    meaning: str
    """The one who plays, in a few words."""
    holds: str = ""
    """A pattern: where REST is a folder, the files in it that hold what was learned."""
    outside: bool = False
    """True if it is asked over lines or a server, which few places do."""

    @property
    def prefix(self) -> str:
        """The beginning of the names, without the colon."""
        return self.form.partition(":")[0]


CHECKPOINT = "checkpoint.pt"
"""The file in the folder of a run that holds what has been learned."""

_OF_RLLIB = "**/module_state*"
"""The same for networks of RLlib."""

MODULE = PlayerKind("MODULE:NAME", "", "an object of a Python module, such as a function")
"""The kind of names whose prefix nobody has registered."""

ENTRY_POINTS = "mhing.players"
"""The group in which installed packages have their loaders, by prefix."""

_KINDS = {
    kind.prefix: kind
    for kind in (
        PlayerKind("search:BUDGET", "mhing.players.core:search", "a search, such as search:50"),
        PlayerKind(
            "net:FILE",
            "mhing.players.core:net",
            "values that mhing train has fitted; net:NAME, of the package",
        ),
        PlayerKind("onnx:FILE", "mhing.players.onnx:OnnxPolicy", "a network of any library"),
        PlayerKind("sb3:FILE", "mhing.sb3:load", "a MaskablePPO that model.save has written"),
        PlayerKind("torchrl:FILE", "mhing.torchrl:load", "an actor that torch.save has written"),
        PlayerKind(
            "rllib:FOLDER", "mhing.rllib.player:load", "a network that RLlib has saved", _OF_RLLIB
        ),
        PlayerKind(
            "jax:FILE",
            "mhing.players.jax:load",
            "a network that mhing.players.jax.save has written",
        ),
        PlayerKind(
            "openspiel:NAME", "mhing.players.openspiel:load", "a bot registered with OpenSpiel"
        ),
        PlayerKind(
            "run:FOLDER", "mhing.train.run:learned", "what mhing train has learned", CHECKPOINT
        ),
        PlayerKind(
            "chat:MODEL@URL",
            "mhing.players.chat:load",
            "a language model behind an endpoint of chat completions",
        ),
        PlayerKind(
            "exec:COMMAND",
            "mhing.players.outside:program",
            "a program that plays by lines of JSON",
            outside=True,
        ),
        *(
            PlayerKind(
                form, f"mhing.players.outside:{loader}", "bots waiting at a server", outside=True
            )
            for form, loader in (
                ("server:ENDPOINT/NAME", "guest"),
                ("tcp://HOST:PORT/NAME", "tcp"),
                ("ipc://PATH/NAME", "ipc"),
            )
        ),
    )
}
_OF_FILES = {
    ".net": "net:",
    ".onnx": "onnx:",
    ".zip": "sb3:",
    ".pt": "torchrl:",
    ".jax": "jax:",
    ".py": "exec:python ",
    ".sh": "exec:sh ",
}
"""The beginning of the name, by the end of that of a file that was given alone."""

_ELSEWHERE = {
    "past": "reports of a league or a pool call a past self so; name its file, or give the object",
    "league": "mhing train --opponents league plays against the learner's past",
    "self": "it is the learner, among the opponents of a batch or of mhing train",
}
"""Names that mean something in other places, by what is before the colon."""

_IMPORTED = re.compile(r"([^\W\d][\w.]*):([^\W\d][\w.]*)")
_FILE = re.compile(r"(?:.*[/\\])?([^\W\d]\w*)\.py:(.+)", re.DOTALL)


def kinds() -> list[PlayerKind]:
    """The kinds of players that have a prefix, and last `MODULE`."""
    return [*_KINDS.values(), MODULE]


def register(form: str, loader: str, meaning: str = "") -> None:
    """Add a kind of players.

    Packages can do the same without being imported, by an entry point of the group
    ``mhing.players`` with the prefix as its name.

    Args:
        form: of the names, such as ``"mine:FILE"``.
        loader: the function that makes the player, ``"module:function"``, see
            :mod:`mhing.players.registry`.
        meaning: who plays, in a few words.

    Raises:
        ValueError: the prefix is another kind's, or one of the arguments has another form.
    """
    kind = PlayerKind(form, loader, meaning)
    if not re.fullmatch(r"[a-z]\w*:.+", form):
        raise ValueError(f"form: {form!r}; expected a prefix and what follows, as in 'onnx:FILE'")
    if not _IMPORTED.fullmatch(loader):
        raise ValueError(f"loader: {loader!r}; expected 'module:function'")
    if _KINDS.setdefault(kind.prefix, kind) != kind:
        raise ValueError(f"form: {kind.prefix}: is registered already, for {_KINDS[kind.prefix]}")


def find(text: str, game: Game, argument: str, also: str = "") -> Any:
    """Return the player of a name: a built-in bot's number, or an object that plays.

    Args:
        text: the name.
        game: the game that it plays.
        argument: what errors call the argument.
        also: names that the caller takes beside these, each with a comma.

    Raises:
        ValueError: no such player, or a file or a module that cannot be used.
        ModuleNotFoundError: an extra is missing.
    """
    prefix, colon, rest = text.partition(":")
    kind = _kind(prefix) if colon else None
    try:
        if kind and not rest and kind.form.endswith(("FILE", "FOLDER")):
            raise ValueError(f"{text} names nothing; write {kind.form}: {kind.meaning}")
        if kind:
            return imported(kind.loader)(rest, game)
        if found := _FILE.fullmatch(text):
            raise ValueError(
                f"{text!r} names a file; name the module, from its folder or with that in "
                f"PYTHONPATH: '{found[1]}:{found[2]}'"
            )
        if _IMPORTED.fullmatch(text):
            named = imported(text)
            if isinstance(named, int):  # built-in bots have numbers, but are named
                raise ValueError(f"{text} is {named!r}, and no object that plays")
            return named
        return _built_in(text, game, also)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{argument}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from error


def check_built_in(argument: str, name: str) -> None:
    """Refuse a name that would load a file, or run code, of this machine.

    Raises:
        ValueError: it is none of a built-in bot.
    """
    if ":" in name.removeprefix(SEARCH):
        raise ValueError(f"{argument}: {name!r} is on this machine; name a built-in bot")


def imported(name: str) -> Any:
    """Return the object that ``"module:name"`` names.

    Raises:
        ModuleNotFoundError: an extra is missing that a module of this package needs.
        ValueError: it cannot be imported.
    """
    module, _, path = name.partition(":")
    found: Any = None
    try:
        found = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever its code raises
        meant = ""
        if isinstance(error, ModuleNotFoundError):
            if module.startswith("mhing."):
                raise
            if error.name == module:
                meant = did_you_mean(module, _KINDS, f":{path}")
        elif isinstance(error, AttributeError) and found is not None:
            meant = did_you_mean(part, dir(found))
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(f"{name} cannot be imported: {reason}{meant}") from error
    return found


def identity(given: Any) -> tuple[str, bool]:
    """Return a player's mark in a log, and whether it tells the player from all others.

    The mark of a text is the text, with digests of the files that it names; that of a function of a
    module, its name with the digest of the module. That of another object is its type, and says
    whose it is only with an attribute `identity`, a text.
    """
    if isinstance(given, str):
        return " ".join([given, *(f"sha256:{digest(path)}" for path in _files(given))]), True
    kind = given if hasattr(given, "__qualname__") else type(given)
    name = f"{kind.__module__}:{kind.__qualname__}"
    own = getattr(given, "identity", None)
    if isinstance(own, str):
        return f"{name} {own}", True
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if kind is given and "<" not in name and file and os.path.isfile(file):  # no closure
        return f"{name} sha256:{digest(Path(file))}", True
    return name, False


def _built_in(name: str, game: Game, also: str) -> int:
    """The number of a bot of the core; where there is none of that name, the error lists all."""
    try:
        return game.bot_index(name)
    except ValueError as error:
        if not str(error).startswith("no bot "):  # but one that cannot play with the options
            raise
        forms = ", ".join(repr(kind.form) for kind in kinds() if kind.form not in str(error))
        prefix, colon, rest = name.partition(":")
        if prefix in _ELSEWHERE:
            raise ValueError(f"{name!r} is no player here: {_ELSEWHERE[prefix]}") from None
        if colon:
            meant = did_you_mean(prefix, _KINDS, f":{rest}")
        elif kind := _KINDS.get(name):
            meant = f"; write {kind.form}: {kind.meaning}"
        elif form := _OF_FILES.get(Path(name).suffix):
            meant = f"; did you mean {form}{name}?"
        else:
            meant = did_you_mean(name, (bot.name for bot in game.bots))
        raise ValueError(f"{error}; or {also}{forms}, or an object that plays{meant}") from None


def _kind(prefix: str) -> PlayerKind | None:
    """The kind of that prefix, of this package, or of one that is installed."""
    if prefix not in _KINDS and prefix in (found := _entries()):
        register(f"{prefix}:...", found[prefix])
    return _KINDS.get(prefix)


@cache
def _entries() -> dict[str, str]:
    """The loaders of installed packages."""
    return {entry.name: entry.value for entry in entry_points(group=ENTRY_POINTS)}


def _files(text: str) -> Iterator[Path]:
    """The files that a name names: one, those of a folder, words of a command, a module's."""
    prefix, colon, rest = text.partition(":")
    kind = _KINDS.get(prefix)
    if kind is None:
        rest = (colon and getattr(sys.modules.get(prefix), "__file__", None)) or ""
    words = [rest]
    with suppress(ValueError):  # quotes that do not close
        words += shlex.split(rest)
    for word in dict.fromkeys(filter(None, words)):
        if os.path.isfile(word):  # a Path raises for words that are too long for a name
            yield Path(word)
        elif kind and kind.holds and os.path.isdir(word):
            yield from sorted(Path(word).glob(kind.holds))
