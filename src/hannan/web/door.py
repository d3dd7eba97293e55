"""The outermost layer of the server: it checks every request, and adds the security headers to every answer.

It checks the headers Host and Origin, the token and the size of the body before any other code sees a request. It also
serves the files of the page, so that the browser shows them while the interface is still being imported.
"""

from __future__ import annotations

import gzip
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import cached_property
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

API = "/api/v1"
LARGEST = 1 << 20
"""The largest body of a request, in bytes."""
TOKEN_HEADER = "x-hannan-token"
CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src "
    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
"""The content types of the files that are served, by suffix."""
UNBUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>hannan</title><p>The page is not built. In a clone of the "
    "repository, run: npm --prefix src/hannan/web/page run build"
)
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@\s]+)(?::(\d+))?")


class Door:
    """An ASGI application around the interface."""

    def __init__(
        self, inner: Callable[[], Application], *, host: str, port: int, token: str, notebook: bool = False
    ) -> None:
        """`inner` waits for the interface and returns it. `notebook` lets pages of this machine frame the page."""
        self._inner, self.host, self.port, self._token = inner, host, port, token
        ancestors = "'self' http://localhost:* http://127.0.0.1:*" if notebook else "'none'"
        self._headers = {**HEADERS, "content-security-policy": POLICY.format(ancestors=ancestors)}
        self.cookie = f"hannan_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it to the interface."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":  # web sockets are not served
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        answer = _Answer(send, self._headers)
        if not self._is_ours(headers.get("host", "")):
            await answer.refuse(403, "Forbidden", "the header Host names another address than that of this server")
            return
        origin = headers.get("origin")
        if origin is not None and not self._is_origin(origin):
            await answer.refuse(403, "Forbidden", "the header Origin names another address than that of this server")
            return
        if scope["path"] != API and not scope["path"].startswith(f"{API}/"):
            await self._page(scope, headers, answer)
            return
        by_header = self._is_token(headers.get(TOKEN_HEADER))
        if not by_header and not self._is_token(self._in_cookie(headers.get("cookie", ""))):
            await answer.refuse(401, "Token", "the token is missing or wrong: open the address that the server printed")
            return
        if scope["method"] in CHANGING and origin is None and not by_header:
            await answer.refuse(403, "Forbidden", f"the request needs the header Origin or {TOKEN_HEADER}")
            return
        body = await _body(headers, receive)
        if body is None:
            await answer.refuse(413, "TooLarge", f"the body has more than {LARGEST:,} bytes")
            return
        await self._inner_answer(scope, body, receive, answer)

    async def _inner_answer(self, scope: Scope, body: bytes, receive: Receive, answer: _Answer) -> None:
        import anyio.to_thread

        inner = await anyio.to_thread.run_sync(self._inner)
        told = False

        async def again() -> Message:
            nonlocal told
            if told:
                return await receive()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        await inner(scope, again, answer.send)

    def _is_token(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), self._token.encode())

    def _in_cookie(self, text: str) -> str | None:
        try:
            found = SimpleCookie(text).get(self.cookie)
        except CookieError:
            return None
        return None if found is None else found.value

    def _is_ours(self, host: str) -> bool:
        """Return whether a Host is an address of this server. A foreign name is refused even if it leads here."""
        parts = _HOST.fullmatch(host)
        if parts is None or int(parts[2] or 80) != self.port:
            return False
        name = parts[1].strip("[]").lower()
        if name in self._names:
            return True
        return not self._loopback and _is_number(name)  # a name server cannot rebind an IP address

    def _is_origin(self, origin: str) -> bool:
        scheme, separator, host = origin.partition("://")
        return bool(separator) and scheme in ("http", "https") and self._is_ours(host)

    @cached_property
    def _loopback(self) -> bool:
        return is_loopback(self.host)

    @cached_property
    def _names(self) -> frozenset[str]:
        from socket import gethostname

        own = {self.host.strip("[]").lower()}
        return frozenset(own | ({"localhost", "127.0.0.1", "::1"} if self._loopback else {gethostname().lower()}))

    async def _page(self, scope: Scope, headers: Mapping[str, str], answer: _Answer) -> None:
        """Serve a file of the page; set the cookie if the address carries the right token."""
        if scope["method"] not in ("GET", "HEAD"):
            await answer.refuse(405, "Method", f"{scope['path']} takes only GET and HEAD")
            return
        path = scope["path"].lstrip("/") or "index.html"
        found = page_files().get(path)
        if found is None and path == "index.html":
            found = TYPES[".html"], UNBUILT.encode(), gzip.compress(UNBUILT.encode())
        if found is None:
            await answer.refuse(404, "NotFound", f"{scope['path'][:100]} does not exist")
            return
        kind, raw, packed = found
        zipped = "gzip" in headers.get("accept-encoding", "")
        more = {"content-type": kind, "vary": "accept-encoding"}
        more |= {"cache-control": "no-cache", "etag": f'"{sha256(raw).hexdigest()[:32]}"'}
        if zipped:
            more["content-encoding"] = "gzip"
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [None])[0]
        if self._is_token(given):
            more["set-cookie"] = f"{self.cookie}={given}; HttpOnly; SameSite=Strict; Path=/"
        if headers.get("if-none-match") == more["etag"]:
            await answer.give(304, more, b"")
            return
        await answer.give(200, more, b"" if scope["method"] == "HEAD" else packed if zipped else raw)


class _Answer:
    """An answer with the security headers."""

    def __init__(self, send: Send, headers: Mapping[str, str]) -> None:
        self._send, self._headers = send, headers

    async def send(self, message: Message) -> None:
        """Pass on a message of the interface, with the security headers added."""
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message.get("headers", []) if name.lower() != b"server"]
            own = {**self._headers, "cache-control": "no-store"}
            message = {**message, "headers": kept + _encoded(own)}
        await self._send(message)

    async def give(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Answer at once."""
        listed = _encoded({**self._headers, **headers, "content-length": str(len(body))})
        await self._send({"type": "http.response.start", "status": status, "headers": listed})
        await self._send({"type": "http.response.body", "body": body})

    async def refuse(self, status: int, kind: str, sentence: str) -> None:
        """Answer with an error."""
        body = json.dumps({"error": sentence, "kind": kind}).encode()
        await self.give(status, {"content-type": "application/json", "cache-control": "no-store"}, body)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    return host == "localhost" or (_is_number(host) and ip_address(host.strip("[]")).is_loopback)


def _is_number(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes | None:
    """Read the body; None if it is too large."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST:
        return None
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += message.get("body", b"")
        if len(body) > LARGEST:
            return None
        if not message.get("more_body", False):
            return body


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await send({"type": "lifespan.shutdown.complete"})
            return


_PAGE: dict[str, tuple[str, bytes, bytes]] = {}


def page_files() -> Mapping[str, tuple[str, bytes, bytes]]:
    """Return the files of the built page by path: the type, the bytes, and the bytes compressed."""
    if not _PAGE:
        _gather(files("hannan.web") / "static", "")
    return _PAGE


def _gather(folder: Any, prefix: str) -> None:
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        if entry.is_dir():
            _gather(entry, f"{prefix}{entry.name}/")
            continue
        kind = TYPES.get(entry.name[entry.name.rfind(".") :])
        if kind is not None:
            raw = entry.read_bytes()
            _PAGE[f"{prefix}{entry.name}"] = kind, raw, gzip.compress(raw, 9)
