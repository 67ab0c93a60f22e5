"""Endpoints: /ready and /metrics, for who keeps the server, beside Streamlit's own.

They answer by names that the app may be called by, as its sessions do, and have no
data of anybody. A proxy should keep them to itself (docs/server.md).
"""

import threading
import time

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from core.errors import WorkspaceError
from core.service.workspace.server import Overview, obstacles, openmetrics, overview

_OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
#: Seconds for which an overview is good: it looks at every run of the workspace.
_GOOD_FOR = 5.0
_LOCK = threading.Lock()
_overviews: list[Overview] = []


def routes() -> list[Route]:
    """The endpoints, as Streamlit's app takes them."""
    return [Route("/ready", _ready), Route("/metrics", _metrics)]


def _ready(request: Request) -> Response:
    """200 if a fit could start, 503 if not, with why."""
    if not is_host_allowed(request.headers.get("host")):
        return _refused()
    why = obstacles()
    return JSONResponse(
        {"ready": not why, "obstacles": why}, status_code=503 if why else 200
    )


def _metrics(request: Request) -> Response:
    if not is_host_allowed(request.headers.get("host")):
        return _refused()
    try:
        return Response(openmetrics(_overview()), media_type=_OPENMETRICS)
    except WorkspaceError as error:
        return PlainTextResponse(error.message, status_code=503)


def _refused() -> Response:
    return PlainTextResponse(
        "This name is not among server.allowedHosts.", status_code=403
    )


def _overview() -> Overview:
    with _LOCK:  # one look at a time, whoever asks
        if not _overviews or not 0 <= time.time() - _overviews[0].time < _GOOD_FOR:
            _overviews[:] = [overview()]
        return _overviews[0]
