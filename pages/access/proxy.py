"""A trusted proxy names the person: its header counts from named addresses only.

The check is at the edge, on the connection itself, before any other part sees the
request: a header that somebody else sends is taken away.

uvicorn believes X-Forwarded-For of a process of the same machine and writes that
address over the connection's. It has settled this when it imports app.py, whatever the
environment says by then, so the connection's own address is noted before uvicorn
rewrites it; where it was not noted, no proxy is trusted.
"""

import ipaddress
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn.config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from core.service.projects.access import Settings, settings_of
from pages.access.signed_in import HEADER

Scope = MutableMapping[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]

_LOGGER = logging.getLogger("mixwright")
#: Key of a scope: the address of the connection itself.
CONNECTION = "mixwright.connection"


class NotedConnection(ProxyHeadersMiddleware):
    """uvicorn's middleware, which first notes who is connected."""

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer one request."""
        scope[CONNECTION] = scope.get("client")
        await super().__call__(scope, receive, send)


def note_connections() -> None:
    """Have the server note connections, while it loads the app.

    uvicorn puts its middleware around an app after it has imported it.
    """
    uvicorn.config.ProxyHeadersMiddleware = NotedConnection


class TrustedProxy:
    """ASGI middleware that hands on whom a trusted proxy names, and nobody else.

    Args:
        app: What answers the request.
    """

    def __init__(self, app: Application):
        self.app = app

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] in ("http", "websocket"):
            ours = HEADER.lower().encode()
            headers = [pair for pair in scope["headers"] if pair[0].lower() != ours]
            name = named_by(scope, settings_of())
            if name:
                headers.append((ours, name))
            scope = {**scope, "headers": headers}
        await self.app(scope, receive, send)


def named_by(scope: Scope, settings: Settings) -> bytes:
    """The person that a trusted proxy names; empty where none does.

    Args:
        scope: Of the request, with the address of the connection under `CONNECTION`.
        settings: Header and addresses.
    """
    if settings.sign_in != "proxy":
        return b""
    if CONNECTION not in scope:
        _LOGGER.error("This server hides who is connected: no proxy can sign in.")
        return b""
    if not scope[CONNECTION]:  # a socket file has no address
        return b""
    try:
        address = ipaddress.ip_address(scope[CONNECTION][0])
    except ValueError:
        return b""
    mapped = getattr(address, "ipv4_mapped", None)
    if not any((mapped or address) in network for network in settings.addresses):
        return b""
    header = settings.header.lower().encode("latin-1", "replace")
    named = [value for key, value in scope["headers"] if key.lower() == header]
    return bytes(named[0]) if len(named) == 1 else b""  # two: one of them was smuggled
