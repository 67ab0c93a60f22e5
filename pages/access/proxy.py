"""A trusted proxy names the person: its header counts from named addresses only.

The check is at the edge, on the connection itself, before any other part sees the
request: a header that somebody else sends is taken away.
"""

import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from core.workspace.access.settings import Settings, settings_of
from pages.access.signed_in import HEADER

Scope = MutableMapping[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


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
        scope: Of the request; `client` is the address of the connection itself.
        settings: Header and addresses.
    """
    if settings.sign_in != "proxy" or not scope.get("client"):
        return b""
    try:
        address = ipaddress.ip_address(scope["client"][0])
    except ValueError:
        return b""
    mapped = getattr(address, "ipv4_mapped", None)
    if not any((mapped or address) in network for network in settings.addresses):
        return b""
    wanted = settings.header.lower().encode("latin-1", "replace")
    named = [value for key, value in scope["headers"] if key.lower() == wanted]
    return bytes(named[0]) if len(named) == 1 else b""  # two: one of them was smuggled
