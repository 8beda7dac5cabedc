"""Access to the application: it needs the address with the token, by a name that it has.

A browser sends requests for every page that it shows, also for hostile ones. So beside the secret
there are two checks. ``Host``: a foreign name that was made to lead to this machine is refused.
``Origin``: what was sent from another page is refused.

The token of the address is exchanged for a cookie at once, and the browser is sent on to the plain
address, so that the token does not stay in the history.

Each browser has its own cookie, by which the application knows whose a session is. A browser
that has one already keeps it, so it finds its games again after a restart, but the cookie opens
nothing before the browser has shown the token of this command, or of one before it whose browsers
are known (:mod:`mhing.web.welcomed`). Cookies are shared by all ports of a machine, and so is this
one by all commands there: what could plant one could read it as well.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mhing.web.welcomed import Welcomed

COOKIE = "mhing"
BROWSER = "mhing.browser"
"""The key of a request's scope under which the application finds the browser's name."""

_VALUE = re.compile(r"[\w-]{22}", re.ASCII)  # 128 bits
_YEAR = 365 * 24 * 3600  # seconds

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"  # no text becomes elements
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"cache-control", b"no-cache"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class Guard:
    """Lets through what comes from the application's own pages.

    Args:
        app: what is guarded.
        hosts: the names by which it may be addressed, without ports.
        home: the page to which the address with the token leads.
        welcomed: the browsers that have shown the token, of this command or of one before it.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        home: str = "/",
        welcomed: Welcomed | None = None,
    ) -> None:
        self.app, self.hosts = app, frozenset(host.lower() for host in hosts)
        self.home = home
        self.token = secrets.token_urlsafe(24)
        self._browsers = Welcomed() if welcomed is None else welcomed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if self._has_token(scope, headers):  # with the cookie as well: the token leaves the address
            await self._welcome(headers)(scope, receive, _with_headers(send))
        elif refusal is None:
            known = {**scope, BROWSER: browser_of(_shown(headers))}
            await self.app(known, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            await PlainTextResponse(f"{refusal}\n", 403)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        """Return why a request is not answered; None: it is."""
        if not self._is_known(headers.get("host", "")):
            return "This address is not served: the command's --allowed-host names others"
        origin = headers.get("origin")
        if origin is None:
            is_foreign = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        else:
            is_foreign = urlsplit(origin).netloc.lower() != headers["host"].lower()
        if is_foreign:
            return "This was sent from another page"
        if browser_of(_shown(headers)) not in self._browsers:
            return "Open the address that the command has printed, with its token"
        return None

    def _is_known(self, host: str) -> bool:
        try:
            return (urlsplit(f"//{host}").hostname or "") in self.hosts
        except ValueError:
            return False

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return (
            scope["type"] == "http"
            and scope["path"] == "/"
            and scope["method"] == "GET"
            and self._is_known(headers.get("host", ""))
            and secrets.compare_digest(given.encode(), self.token.encode())
        )

    def _welcome(self, headers: Headers) -> RedirectResponse:
        shown = _shown(headers)
        cookie = shown if _VALUE.fullmatch(shown) else secrets.token_urlsafe(16)
        self._browsers.add(browser_of(cookie))
        response = RedirectResponse(self.home, 303)
        response.set_cookie(
            COOKIE, cookie, max_age=_YEAR, httponly=True, samesite="strict", path="/"
        )
        return response


def browser_of(cookie: str) -> str:
    """The name of the browser that has a cookie: nobody can tell the cookie from it."""
    return sha256(cookie.encode()).hexdigest()[:32]


def _shown(headers: Headers) -> str:
    """Return the browser's cookie."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        found = None
    return "" if found is None else found.value


def _with_headers(send: Send) -> Send:
    """Add to every answer what keeps a page to itself."""

    async def send_with(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_HEADERS]  # type: ignore[misc]
        await send(message)

    return send_with  # type: ignore[return-value]
