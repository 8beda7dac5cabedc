"""Language models behind endpoints of chat completions: ``chat:MODEL@URL``.

>>> import mhing
>>> name = "chat:my-model@http://127.0.0.1:8080/v1,legal=kinds,tokens=100000"
>>> player = mhing.players.load(name, "mhing")  # nothing is asked yet
>>> player.policy.settings.tokens
100000

Where games are told apart, as in the arena, each is a chat: its first message says the whole table,
later ones what is new. Elsewhere each question is whole.

The key comes from the variable `MHING_CHAT_KEY` alone. It is read for each request and kept
nowhere, and is taken out of all that the endpoint sends, which may be in errors and transcripts.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._support.spelling import did_you_mean
from mhing.game import Game
from mhing.players.asking import CannotPlay, FinalReply, Spent
from mhing.render.view import Event, View
from mhing.text.answers import Move
from mhing.text.texts import Texts
from mhing.words import plural

KEY = "MHING_CHAT_KEY"
"""The variable with the key, which is sent as a bearer token."""

COUNTS = (
    "questions", "requests", "prompt_tokens", "completion_tokens", "retries", "mistakes",
)  # fmt: skip
"""Numbers that a player counts: decisions that it was asked for; requests, with those that failed;
tokens, as far as the endpoint says them; requests that were sent again; replies that were no legal
move, after which it asked again or gave up."""

_NAME = re.compile(r"(?:([^,]+)@)?(https?://[^,@?#\s]+?)/*((?:,\w+=[^,]*)*)")
_CHATS = 1000  # that are remembered; one more, and the one that was asked longest ago is begun anew
_LONGEST = 10_000_000  # bytes of an answer
_NEVER = 501  # not implemented
_BUSY = (408, 409, 425, 429)  # as 500 and above: the same request may succeed later
_ABSENT = (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)
_FIRST, _MOST = 0.5, 30.0  # seconds before the first retry, doubled each time, and before any


class ChatError(RuntimeError):
    """An endpoint gives no reply."""


_ADVICE = {
    401: f"is {KEY} right?",
    403: f"is {KEY} right?",
    404: "are the address, which often ends in /v1, and the model's name right?",
}
"""Questions to the user whose first request has such an answer."""


class _Busy(Exception):
    """A request has failed that may succeed later.

    Attributes:
        seconds: after which the endpoint wants to be asked again.
    """

    def __init__(self, reason: str, seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass(frozen=True)
class ChatSettings:
    """The endpoint, and the terms on which it is asked: in a name, ``NAME=VALUE`` after commas."""

    url: str
    """The address before ``/chat/completions``, such as ``https://HOST/v1``."""
    model: str = ""
    """Its name there; "": the only one that the endpoint lists."""
    legal: str = "all"
    """The form of legal moves, see :class:`mhing.text.Texts`; the next one is as there."""
    rules: str = "guide"
    temperature: float | None = None
    """The temperature of replies; None: the endpoint's default."""
    answer: int | None = None
    """The most tokens of a reply; None: the endpoint's default."""
    tokens: int | None = None
    """The budget of all messages and replies together; None: none. A request that begins within
    it is sent."""
    seconds: float | None = None
    """The budget of time, from the first question on; None: none."""
    timeout: float = 60.0
    """Seconds without a sign of the endpoint, after which a request has failed."""
    retries: int = 5
    """Retries of a request that has failed: 408, 409, 425, 429, 500 and above, no connection, no
    answer in time, or what is no chat completion."""
    mistakes: int = 2
    """Times that a question is asked again, with the reason, because the reply was no move."""
    transcript: str = ""
    """A file to which a line of JSON is added for each question, for its owner alone; "": none."""


_OF_POSITIONS = {
    "legal": "which has --legal",
    "rules": "whose texts have the guide",
    "mistakes": "which has --retries",
}
"""Settings that the suite's positions in words ignore, and what decides these instead."""

_BOUNDS: dict[str, tuple[type[int] | type[float], float]] = {
    "temperature": (float, 0),
    "answer": (int, 1),
    "tokens": (int, 1),
    "seconds": (float, 0.001),
    "timeout": (float, 0.001),
    "retries": (int, 0),
    "mistakes": (int, 0),
}
"""The type of a setting that is a number, and the least value."""


def load(name: str, game: Game) -> ChatPlayer:
    """Return the player of ``MODEL@URL,SETTING=VALUE...``; nothing is asked yet.

    Raises:
        ValueError: it is none, or a setting has a value that it cannot have.
    """
    found = _NAME.fullmatch(name)
    if not found:  # what was given may hold a key
        raise ValueError(
            "chat: that is no endpoint; write chat:MODEL@https://HOST/v1, then settings such as "
            f",tokens=100000; the key belongs into {KEY}"
        )
    model, url, settings = found.groups()
    given: dict[str, Any] = {}
    for setting in settings.split(",")[1:]:
        key, _, value = setting.partition("=")
        given[key] = _value(key, value)
    return ChatPlayer(game, ChatSettings(url, model or "", **given))


def _value(name: str, text: str) -> Any:
    names = [one.name for one in fields(ChatSettings) if one.name not in ("url", "model")]
    if name not in names:
        raise ValueError(f"chat: there is no setting {name}{did_you_mean(name, names)}")
    if name not in _BOUNDS:
        return text
    kind, least = _BOUNDS[name]
    try:
        value = kind(text)
    except ValueError:
        value = least - 1
    if not least <= value < float("inf"):
        what = "a whole number" if kind is int else "a number"
        raise ValueError(f"chat: {name}={text} is not {what} from {least:g} up")
    return value


Message = dict[str, str]
"""``role`` and ``content``."""


@dataclass
class _Chat:
    """The messages with a seat in a game so far."""

    messages: list[Message]
    tail: Sequence[Event]
    """The last events that they say."""
    help: str = ""
    """The answer to the last reply, if that was no move."""


class ChatPlayer:
    """A language model that plays, see :data:`mhing.players.Policy`; in several threads at once.

    Args:
        game: the game that it plays.
        settings: whom it asks, and how.

    Raises:
        ValueError: there is no such form of texts, or the transcript cannot be written.
    """

    sees = "position"

    def __init__(self, game: Game, settings: ChatSettings) -> None:
        self.settings, self.name = settings, settings.model or settings.url
        self._texts = Texts(game, legal=settings.legal, rules=settings.rules)
        self._system = {"role": "system", "content": self._texts.system()}
        self._chats: OrderedDict[tuple[int, int], _Chat] = OrderedDict()
        self.usage = dict.fromkeys(COUNTS, 0)
        """Its costs so far: `COUNTS` by name."""
        self._begun: float | None = None
        self._has_answered = False  # until then, what will not pass is a wrong setting
        self._model = settings.model
        self._lock = Lock()
        self._note("")

    def __call__(self, at: View | str, mask: NDArray[np.int8], info: Mapping[str, Any]) -> str:
        """Return the reply that chooses a move, or the last one if none does.

        A text is answered by the first reply, as the positions of the suite want it:
        ``info["system"]`` is the message before it.

        Raises:
            CannotPlay: the endpoint refuses the first request, a setting is not for texts, or a
                budget is spent.
            ChatError: the endpoint gives no reply.
        """
        begun = time.monotonic()
        with self._lock:
            self._begun = self._begun or begun
        self._count(questions=1)
        if isinstance(at, str):
            self._check_for_texts()
            messages = [
                {"role": "system", "content": info["system"]},
                {"role": "user", "content": info.get("refused", "") + at},
            ]
            with self._noted(begun, info, messages, 0) as noted:
                text = noted["answer"] = self._reply(messages)
                messages.append({"role": "assistant", "content": text})
            return text
        place = (info["game"], info["seat"]) if "game" in info else None
        chat, first = self._chat(place, at, info)
        replies: list[str] = []
        with self._noted(begun, info, chat.messages, first) as noted:
            for left in range(self.settings.mistakes, -1, -1):
                reply = self._reply(chat.messages)
                replies.append(reply)
                chat.messages.append({"role": "assistant", "content": reply})
                read = self._texts.read(reply, mask, self._texts.status(at))
                if isinstance(read, Move):
                    break
                self._count(mistakes=1)
                chat.help = self._texts.help(read)
                if left:
                    chat.messages.append({"role": "user", "content": chat.help})
            noted["answer"] = read.action if isinstance(read, Move) else reply
        if place is not None:
            with self._lock:
                self._chats[place] = chat
                while len(self._chats) > _CHATS:
                    self._chats.popitem(last=False)
        return FinalReply(*replies)

    @property
    def clock(self) -> float:
        """The longest that an answer may take: with all retries and mistakes, in seconds."""
        settings = self.settings
        request = (settings.retries + 1) * settings.timeout + settings.retries * _MOST
        return (settings.mistakes + 1) * request

    def _check_for_texts(self) -> None:
        """Raise CannotPlay where a setting would be ignored: the suite's positions are texts."""
        for name, instead in _OF_POSITIONS.items():
            if getattr(self.settings, name) != getattr(ChatSettings, name):
                raise CannotPlay(f"chat: {name}= is not for --view words, {instead}")

    def _chat(
        self, place: tuple[int, int] | None, at: View, info: Mapping[str, Any]
    ) -> tuple[_Chat, int]:
        """The chat with the question as its last message, and the place of the first new one."""
        with self._lock:
            chat = None if place is None else self._chats.pop(place, None)
        events = None if chat is None else fresh(chat.tail, at.tail)
        if chat is None or events is None:
            chat, text = _Chat([self._system], ()), self._texts.observation(at)
            first = 0
        else:
            numbers = [(seat - 1, kind, detail, extra) for seat, kind, detail, extra in events]
            text, first = self._texts.since(at, numbers), len(chat.messages)
        if "refused" in info:
            text = chat.help + text
        chat.messages.append({"role": "user", "content": text})
        chat.tail = at.tail
        return chat, first

    # ---- The endpoint ----------------------------------------------------------------------------

    def _reply(self, messages: Sequence[Message]) -> str:
        settings = self.settings
        if not self._model:
            self._model = self._only_model()
        body: dict[str, Any] = {"model": self._model, "messages": messages}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.answer is not None:
            body["max_tokens"] = settings.answer
        answer = self._request("/chat/completions", body)
        self._has_answered = True
        reply = _said(answer["choices"][0]["message"])
        used = answer.get("usage") or {}
        if settings.tokens is not None and not used:
            raise CannotPlay(f"{settings.url} counts no tokens, so tokens= cannot be kept")
        self._count(
            prompt_tokens=int(used.get("prompt_tokens", 0)),
            completion_tokens=int(used.get("completion_tokens", 0)),
        )
        return reply

    def _only_model(self) -> str:
        names = [one["id"] for one in self._request("/models", None)["data"]]
        if len(names) != 1:
            listed = ", ".join(names[:5]) or "none"
            raise CannotPlay(f"{self.settings.url}: name a model, chat:MODEL@URL; it has {listed}")
        return str(names[0])

    def _request(self, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return an answer; the same request is sent again where that may help."""
        pause = _FIRST
        for left in range(self.settings.retries, -1, -1):
            self._check_budgets()
            self._count(requests=1)
            try:
                return self._sent(path, body)
            except _Busy as busy:
                longest = _MOST * max(self.settings.retries, 1)
                if busy.seconds > longest:  # as where a quota is spent
                    wait = f"it wants to be asked again in {busy.seconds:,.0f} seconds"
                    raise CannotPlay(f"{self.settings.url}: {busy}; {wait}") from None
                if not left:
                    times = plural(self.settings.retries + 1, "time")
                    raise ChatError(f"{self.settings.url}: {busy}, asked {times}") from None
                self._count(retries=1)
                time.sleep(max(min(busy.seconds, _MOST), pause * random.uniform(0.5, 1.0)))
                pause = min(2 * pause, _MOST)
        raise AssertionError

    def _check_budgets(self) -> None:
        tokens, seconds = self.settings.tokens, self.settings.seconds
        spent = self.usage["prompt_tokens"] + self.usage["completion_tokens"]
        if tokens is not None and spent >= tokens:
            raise Spent(f"the budget of {plural(tokens, 'token')} is spent")
        if seconds is not None and time.monotonic() - (self._begun or 0.0) >= seconds:
            raise Spent(f"the budget of {seconds:g} seconds is spent")

    def _sent(self, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the answer to a request that is sent once."""
        key = os.environ.get(KEY, "").strip()
        if not key.isascii() or not key.isprintable():
            raise CannotPlay(f"{KEY}: it has characters that no header can hold")
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.settings.url}{path}", data, headers)
        try:
            with _OPENER.open(request, timeout=self.settings.timeout) as answer:
                text = _text(key, answer.read(_LONGEST))
        except urllib.error.HTTPError as error:
            with error:
                text = " ".join(_text(key, error.read(_LONGEST)).split())[:200]
            reason = f"{error.code}: {text or error.reason}"
            if error.code in _BUSY or (error.code >= 500 and error.code != _NEVER):
                raise _Busy(reason, _seconds(error.headers.get("Retry-After", ""))) from None
            advice = _ADVICE.get(error.code, "" if body else "name a model, chat:MODEL@URL")
            raise self._refused(reason, advice) from None
        except (OSError, http.client.HTTPException) as error:  # URLError and TimeoutError too
            cause = getattr(error, "reason", error)
            why = str(cause) or type(error).__name__
            if isinstance(cause, _ABSENT) and not self._has_answered:
                raise self._refused(_without(key, why), "does it serve there?") from None
            raise _Busy(f"no answer: {_without(key, why)}") from None
        try:
            plain = json.dumps(json.loads(text), ensure_ascii=False)  # the key may be in escapes
            answered = json.loads(_text(json.dumps(key)[1:-1], plain.encode()))
            return _checked(answered, "choices" if body else "data")
        except (ValueError, TypeError, LookupError, AttributeError):
            raise _Busy(f"no chat completion: {text[:80]!r}") from None

    def _refused(self, reason: str, advice: str) -> Exception:
        """The error of a request that will not pass: at the first one the settings are wrong."""
        if self._has_answered:
            return ChatError(f"{self.settings.url}: {reason}")
        return CannotPlay(f"{self.settings.url}: {reason}{advice and '; '}{advice}")

    # ---- Notes -----------------------------------------------------------------------------------

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, number in more.items():
                self.usage[name] += number

    @contextmanager
    def _noted(
        self, begun: float, info: Mapping[str, Any], messages: Sequence[Message], first: int
    ) -> Iterator[dict[str, Any]]:
        """Around a question: its new messages and its answer, or error, go to the transcript."""
        noted: dict[str, Any] = {"game": info.get("game"), "seat": info["seat"], "answer": None}
        try:
            yield noted
        except (ChatError, CannotPlay) as error:
            noted["error"] = str(error)
            raise
        finally:
            seconds = round(time.monotonic() - begun, 3)
            self._note(noted | {"messages": messages[first:], "seconds": seconds})

    def _note(self, line: Mapping[str, Any] | str) -> None:
        """Add a line to the transcript; "" only makes the file."""
        if not self.settings.transcript:
            return
        text = f"{json.dumps(line)}\n" if line else ""
        try:
            number = os.open(
                self.settings.transcript, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
            )
            with self._lock, open(number, "a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            reason = f"transcript: {self.settings.transcript}: {error.strerror}"
            raise ValueError(reason) from error


def fresh(before: Sequence[Event], now: Sequence[Event]) -> Sequence[Event] | None:
    """The events of a tail that came after an earlier one of the same game; None: too many.

    >>> fresh([(1, 0, 0, 0)], [(1, 0, 0, 0), (2, 0, 0, 0)])
    [(2, 0, 0, 0)]
    """
    for kept in range(len(now), 0, -1):
        if [*before[-kept:]] == [*now[:kept]]:
            return now[kept:]
    return None if before else now


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no other address, which would be sent the key."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse a redirection, by None: it is an error."""


_OPENER = urllib.request.build_opener(_Stay)


def _text(key: str, data: bytes) -> str:
    """The text that an endpoint has sent, without the key, which may be in it."""
    return _without(key, data.decode("utf-8", "replace"))


def _without(key: str, text: str) -> str:
    return text.replace(key, "***") if key else text


def _seconds(text: str) -> float:
    """The time after which to ask again; 0: not said in seconds."""
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d+)?", text.strip()) else 0.0


def _checked(answer: Any, key: str) -> dict[str, Any]:
    """An answer that has what was asked for; any error where it has not."""
    if key == "choices":
        _said(answer["choices"][0]["message"])
        {**(answer.get("usage") or {})}
    else:
        _ = [one["id"] + "" for one in answer["data"]]
    found: dict[str, Any] = answer
    return found


def _said(message: Mapping[str, Any]) -> str:
    """The text of a message, or the tools that it calls, as JSON, which is read as well.

    Nobody offers tools, but models and endpoints that were made for them may answer so.
    """
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part["type"] == "text")
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    if calls:
        return json.dumps(calls[0] if len(calls) == 1 else calls)
    return content + ""
