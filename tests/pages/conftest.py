"""Screens under test: the real app, on a workspace of the test's own."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.util import calc_hash

from core.store.locks import hold
from tests.pages import worlds

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture(scope="session", autouse=True)
def _scanned_once():
    """Installed packages are searched for components once, not for every screen."""
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="session", autouse=True)
def _compiled_once():
    """The app's script is compiled once, as in a server, not for every run."""
    with pytest.MonkeyPatch.context() as patch:
        scripts = ScriptCache()
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: scripts)
        yield


@pytest.fixture(scope="session", autouse=True)
def _waits_without_asking():
    """Waiting for a script, its thread is waited for, not asked every millisecond."""
    ask = local_script_runner.require_widgets_deltas

    def wait(runner, timeout: float) -> None:
        runner._script_thread.join(timeout)
        ask(runner, 0 if runner._script_thread.is_alive() else timeout)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="session")
def _place(tmp_path_factory) -> Path:
    """Where every workspace of this process lies, one after another."""
    return tmp_path_factory.mktemp("home") / "workspace"


@pytest.fixture(scope="module", autouse=True)
def _forgotten():
    """What screens worked out is kept for the tests of one module."""
    _forget()


@pytest.fixture
def home(_place, request) -> Iterator[Path]:
    """An empty workspace.

    All have one name, so that the same project, in a copy, is the same to the screens'
    caches, as it is to those of a server: what screens draw is worked out once. A test
    that puts something in the place of the product's functions shares nothing.
    """
    if _place.exists():
        _place.rename(_place.with_name(f"before.{time.monotonic_ns()}"))
    _place.mkdir()
    is_alone = not {"monkeypatch", "cold"}.isdisjoint(request.fixturenames)
    if is_alone:
        _forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(_place))
        yield _place
    if is_alone:
        _forget()


@pytest.fixture
def cold() -> None:
    """For a test that needs screens that have worked out nothing yet; see `home`."""


def _forget() -> None:
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture(scope="session")
def _fitted(tmp_path_factory):
    """A workspace with a fitted project, made once."""
    made = tmp_path_factory.mktemp("fitted")
    before = os.environ.get("MIXWRIGHT_HOME")
    os.environ["MIXWRIGHT_HOME"] = str(made)
    try:
        folder = worlds.project(truth=worlds.synthetic.truth())
        worlds.fit(folder, geos=("North", "South"))
    finally:
        os.environ.pop("MIXWRIGHT_HOME")
        if before is not None:
            os.environ["MIXWRIGHT_HOME"] = before
    return made


@pytest.fixture
def fitted(home, _fitted) -> Path:
    """The folder of a project with a trustworthy fit."""
    shutil.copytree(_fitted / "projects", home / "projects")
    return home / "projects" / worlds.MARKET


@pytest.fixture
def held():
    """Holds the lock of a run, as its supervisor would."""
    handles = []

    def take(run: Path) -> None:
        handle = hold(run / "lock")
        assert handle is not None
        handles.append(handle)

    yield take
    for handle in handles:
        os.close(handle)


@pytest.fixture
def screen(home) -> Callable[..., AppTest]:
    """Opens a screen of the app as a browser would, by its address."""

    def show(name: str, project: str | None = None, *, run: bool = True, **query):
        at = AppTest.from_file(str(APP), default_timeout=300)
        at._page_hash = calc_hash(name)
        at.session_state["app.demo_tried"] = True
        given = {"project": project, **query} if project else query
        for key, value in given.items():
            at.query_params[key] = value
        return at.run() if run else at

    return show
