"""A real browser, a real server over a workspace of its own, and watchful eyes.

Every page that is opened first in a browser's context takes seconds of its renderer, so
the tests of a module that need one person each share the context of that window, and
each finds it as new.
"""

import os

import pytest
from e2e_driver import WINDOW, Browser, watched
from e2e_server import Server
from playwright.sync_api import sync_playwright

from tools.browser import find_chromium

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # No name but the server's address can be looked up, whoever asks.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


def pytest_collection_modifyitems(items):
    here = os.path.dirname(__file__)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def chromium():
    path = find_chromium()
    if path is None:
        reason = "no Chromium was found; install one, or name it in E2E_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory, compiled):
    """A server over an empty workspace, for one module of tests."""
    server = Server(tmp_path_factory.mktemp("e2e") / "home")
    server.make_workspace(compiled)
    with server.running():
        yield server


@pytest.fixture(scope="module")
def _kept(chromium, server):
    """The browsers of a module, by their windows."""
    kept: dict[str, Browser] = {}
    yield kept
    for browser in kept.values():
        browser.context.close()


@pytest.fixture
def window(chromium, server, _kept):
    """Gives a browser with such a window, as new; at the end nothing went wrong in it.

    Options of the context tell one window from another: two of a kind are one.
    """
    given: list[Browser] = []

    def of(**options) -> Browser:
        options = WINDOW | options
        browser = _kept.get(kind := repr(sorted(options.items())))
        if browser is None:
            context = chromium.new_context(**options)
            browser = _kept[kind] = Browser(context, server.url)
        given.append(browser)
        return browser

    yield of
    problems = [problem for browser in given for problem in browser.problems]
    for browser in given:
        browser.forget()
    assert problems == []


@pytest.fixture
def app(window) -> Browser:
    return window()


@pytest.fixture
def browsers(chromium, server):
    """Makes browsers, each a person of its own; at the end nothing went wrong."""
    with watched() as opened:

        def make() -> Browser:
            opened.append(Browser(chromium.new_context(**WINDOW), server.url))
            return opened[-1]

        yield make
