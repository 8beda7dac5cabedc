"""Scripts by which shells complete commands, options and their values, from the parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mhing
from mhing.cli.manual import commands_of
from mhing.models import shipped_models
from mhing.train.config import packaged

_FILES = ("FILE", "FOLDER", "DIR", "PLACE", "WHERE", "CONFIG", "WHAT")
_PLAYERS = ("BOT", "PLAYER", "WHO", "AGENT")


@dataclass(frozen=True)
class _Argument:
    """An option, or with no names what a command takes without one."""

    names: tuple[str, ...]
    meaning: str
    takes_value: bool
    words: tuple[str, ...]
    """The values, as far as they are known."""
    is_file: bool
    """True if the value is a path."""


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for one of `SHELLS`."""
    own = _arguments(parser)
    commands = {one.name: (one.summary, _arguments(one.parser)) for one in commands_of(parser)}
    return "\n".join(_WRITERS[shell](own, commands)) + "\n"


_Commands = dict[str, tuple[str, list[_Argument]]]


def _arguments(parser: argparse.ArgumentParser) -> list[_Argument]:
    """The arguments of a command, without its commands."""
    return [
        _Argument(
            names=tuple(one.option_strings),
            meaning=" ".join(str(one.help or "").split()),
            takes_value=one.nargs != 0,
            words=_words(one),
            is_file=_kind(one) in _FILES,
        )
        for one in parser._actions
        if not isinstance(one, argparse._SubParsersAction)
    ]


def _kind(action: argparse.Action) -> str:
    """The metavar of one value: ``"BOT"`` of ``"BOT[,BOT...]"``."""
    return str(action.metavar or "").partition("[")[0]


def _words(action: argparse.Action) -> tuple[str, ...]:
    """The values that an argument has, as far as they are known."""
    if action.choices is not None:
        return tuple(action.choices)
    if _kind(action) == "GAME":
        return tuple(mhing.games())
    if _kind(action) == "CONFIG":
        return tuple(one.name for one in packaged())
    if _kind(action) in ("MODEL", "WHAT"):
        return tuple(one.id for one in shipped_models())
    if _kind(action) in _PLAYERS:
        bots = (bot.name for game in mhing.games() for bot in mhing.Game(game).bots)
        return tuple(dict.fromkeys(bots))
    return ()


def _values(arguments: list[_Argument]) -> tuple[list[str], bool]:
    """Words completed where no option stands, and True if files are completed there."""
    free = [one for one in arguments if not one.names]
    return [word for one in free for word in one.words], any(one.is_file for one in free)


# ---- bash ---------------------------------------------------------------------------------------


def _bash(own: list[_Argument], commands: _Commands) -> Iterator[str]:
    yield from (
        "# Completion of mhing in bash.",
        "_mhing() {",
        "    local word=$2 before=$3 command=${COMP_WORDS[1]} words= files=",
        '    if [ "$word" = = ]; then word=; fi',
        '    if [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi',
        '    if [ "$COMP_CWORD" = 1 ] || [ "${command:0:1}" = - ]; then command=; fi',
        '    case "$command $before" in',
    )
    of_each = {"": own} | {name: arguments for name, (_, arguments) in commands.items()}
    for command, arguments in of_each.items():
        for one in arguments:
            if one.names and one.takes_value:
                places = " | ".join(shlex.quote(f"{command} {name}") for name in one.names)
                yield f"    {places}) {_bash_values(one.words, one.is_file)} ;;"
    yield from ("    *)", '        case "$command" in')
    for command, arguments in of_each.items():
        words, has_files = _values(arguments)
        names = [name for one in arguments for name in one.names]
        more = names if command else [*commands, *names]
        yield f"        {shlex.quote(command)}) {_bash_values([*words, *more], has_files)} ;;"
    yield from (
        "        esac",
        "        ;;",
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '    if [ "$files" ]; then',
        "        compopt -o filenames",
        '        COMPREPLY+=($(compgen -f -- "$word"))',
        "    fi",
        "}",
        "complete -F _mhing mhing",
    )


def _bash_values(words: list[str] | tuple[str, ...], has_files: bool) -> str:
    return f"words={shlex.quote(' '.join(words))}" + " files=1" * has_files


# ---- zsh ----------------------------------------------------------------------------------------


def _zsh(own: list[_Argument], commands: _Commands) -> Iterator[str]:
    yield from ("#compdef mhing", "# Completion of mhing in zsh.", "_mhing() {", "    local state")
    yield "    local -a commands=("
    yield from (
        f"        {shlex.quote(_colons(name) + ':' + summary)}"
        for name, (summary, _) in commands.items()
    )
    yield "    )"
    yield "    _arguments -C \\"
    yield from (f"        {shlex.quote(spec)} \\" for spec in _zsh_specs(own))
    yield "        '1:command:->command' '*::argument:->argument'"
    yield "    case $state in"
    yield "    command) _describe command commands ;;"
    yield "    argument)"
    yield "        case $words[1] in"
    for name, (_, arguments) in commands.items():
        yield f"        {name})"
        yield "            _arguments \\"
        yield from (f"                {shlex.quote(spec)} \\" for spec in _zsh_specs(arguments))
        words, has_files = _values(arguments)
        yield f"                {shlex.quote('*:' + _zsh_values(words, has_files))} ;;"
    yield from ("        esac", "        ;;", "    esac", "}")
    yield 'if [ "$funcstack[1]" = _mhing ]; then _mhing "$@"; else compdef _mhing mhing; fi'


def _zsh_specs(arguments: list[_Argument]) -> Iterator[str]:
    """The options, for _arguments."""
    for one in arguments:
        meaning = one.meaning.replace("[", "\\[").replace("]", "\\]")
        for name in one.names:
            after = f"=:{_zsh_values(one.words, one.is_file)}" if one.takes_value else ""
            is_long = after and name.startswith("--")
            yield f"*{name}{'=' * bool(is_long)}[{meaning}]{after.removeprefix('=')}"


def _zsh_values(words: list[str] | tuple[str, ...], has_files: bool) -> str:
    known = f"({' '.join(words)})"
    if has_files and words:
        both = _colons(f'"words:word:{known}" "files:file:_files"')
        return f"value:{{_alternative {both}}}"
    return "value:_files" if has_files else f"value:{known if words else ' '}"


def _colons(text: str) -> str:
    return text.replace(":", "\\:")


# ---- fish ---------------------------------------------------------------------------------------


def _fish(own: list[_Argument], commands: _Commands) -> Iterator[str]:
    yield "# Completion of mhing in fish."
    yield "complete -c mhing -f"
    for name, (summary, _) in commands.items():
        yield _fish_line("__fish_use_subcommand", "-a", name, "-d", summary)
    of_each = {"__fish_use_subcommand": own}
    for name, (_, arguments) in commands.items():
        of_each[f"__fish_seen_subcommand_from {name}"] = arguments
    for condition, arguments in of_each.items():
        for one in arguments:
            if one.names:
                yield _fish_line(condition, *_fish_names(one), "-d", one.meaning, *_fish_value(one))
        words, has_files = _values(arguments)
        if words or has_files:
            files = ["-F"] if has_files else []
            yield _fish_line(condition, *files, *(["-a", " ".join(words)] if words else []))


def _fish_line(condition: str, *words: str) -> str:
    return " ".join(["complete -c mhing -n", *map(_fish_quoted, (condition, *words))])


def _fish_quoted(word: str) -> str:
    if word.replace("-", "").replace("_", "").isalnum():
        return word
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _fish_names(one: _Argument) -> Iterator[str]:
    for name in one.names:
        yield from ("-l", name[2:]) if name.startswith("--") else ("-s", name[1:])


def _fish_value(one: _Argument) -> list[str]:
    if not one.takes_value:
        return []
    offered = ["-a", " ".join(one.words)] if one.words else []
    return [*(["-r", "-F"] if one.is_file else ["-x"]), *offered]


_WRITERS: dict[str, Callable[[list[_Argument], _Commands], Iterator[str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}

SHELLS = tuple(_WRITERS)
