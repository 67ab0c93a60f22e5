"""An agent's client, on the workspace of a test of its own."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from core.mcp.desk import opened
from core.mcp.server import server_of
from tests.cli.conftest import (  # noqa: F401
    fit,
    home,
    made_fits,
    project,
    say,
)

ROOT = Path(__file__).resolve().parents[2]


def in_a_loop(session: Callable):
    """What `session` returns, from a loop in a thread of its own.

    The thread of the tests may hold a loop: a browser's driver keeps one running.
    """
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(anyio.run, session).result()


@asynccontextmanager
async def over_stdio(*options: str):
    """A client of `python -m core mcp`, in a process of its own."""
    # Kernels of linear algebra differ in the last digit: both sides have the same.
    kept = ("MIXWRIGHT_", "CLI_", "PYTHONPATH", "XLA_", "PATH", "HOME", "JAX_")
    kept += ("OPENBLAS_", "OMP_")
    environment = {key: os.environ[key] for key in os.environ if key.startswith(kept)}
    command = ["-m", "core", "mcp", *options]
    started = StdioServerParameters(
        command=sys.executable, args=command, env=environment, cwd=ROOT
    )
    async with Client(started) as client:
        yield client


@pytest.fixture
def data(tmp_path, monkeypatch) -> Path:
    """The folder whose files an agent may name."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("MIXWRIGHT_DATA", str(folder))
    return folder


@pytest.fixture
def agent(home, data):  # noqa: F811
    """Calls tools of a server in this process, one session for each list of calls."""

    def talk(calls, *, may_write: bool = False, projects=(), folders=()):
        desk = opened(list(projects), list(folders), may_write=may_write)

        async def session():
            async with Client(server_of(desk)) as client:
                return [await client.call_tool(*call) for call in calls]

        return in_a_loop(session)

    return talk


@pytest.fixture
def call(agent) -> Callable:
    """One call of a tool."""

    def one(name, may_write=False, **arguments):
        return agent([(name, arguments)], may_write=may_write)[0]

    return one
