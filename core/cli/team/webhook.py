"""Webhook: one JSON message after a refresh, signed, and never waited for long.

The body is what `refresh --json` prints. Where MIXWRIGHT_WEBHOOK_SECRET is set, the
header X-Mixwright-Signature is `sha256=` and the HMAC of the body under it.
"""

import hashlib
import hmac
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from core.cli.answer import as_json
from core.errors import SpecError

SECRET = "MIXWRIGHT_WEBHOOK_SECRET"
SIGNATURE = "X-Mixwright-Signature"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A message goes to the address that was named, or nowhere."""

    def redirect_request(self, *args: Any, **keywords: Any) -> None:
        return None


def address(text: str) -> str:
    """An address that a message can be sent to.

    Raises:
        SpecError: It is none.
    """
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_one = is_one and parts.port != 0 and text.isprintable() and " " not in text
    except ValueError:  # brackets or a port that are none
        is_one = False
    if not is_one:
        raise SpecError(
            f"{text} is not the address of a webhook.",
            hint="Write one such as https://example.com/hooks/mixwright.",
            where="--webhook",
        )
    return text


def notified(url: str, message: Mapping[str, Any], timeout: float) -> str:
    """Send a message; what came of it, in one sentence.

    Nothing raises, and after `timeout` nobody waits: the refresh is done.

    Args:
        url: Where to.
        message: The answer of the refresh.
        timeout: Seconds for everything together.
    """
    body = as_json(dict(message)).encode()
    outcome: list[str] = []
    thread = threading.Thread(
        target=lambda: outcome.append(_sent(url, body, timeout)), daemon=True
    )
    thread.start()
    thread.join(timeout)
    host = urlsplit(url).hostname
    told_so = outcome[0] if outcome else f"no answer within {timeout:g} s"
    return f"Webhook {host}: {told_so}."


def signature(body: bytes, secret: str) -> str:
    """The header's value for a body."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return f"sha256={digest}"


def _sent(url: str, body: bytes, timeout: float) -> str:
    headers = {"Content-Type": "application/json", "User-Agent": "Mixwright"}
    secret = os.environ.get(SECRET)
    if secret:
        headers[SIGNATURE] = signature(body, secret)
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    try:
        with urllib.request.build_opener(_NoRedirect).open(
            request, timeout=timeout
        ) as answer:
            return f"answered {answer.status}"
    except urllib.error.HTTPError as error:
        return f"answered {error.code}"
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error or type(error).__name__
        return f"could not be reached ({reason})"
