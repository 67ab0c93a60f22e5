"""Nothing leaves the machine: no process of Mixwright asks for another one."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.pages import worlds
from tests.test_exposure import AsWritten, answer

ROOT = Path(__file__).resolve().parents[1]
#: Loaded by every Python process of the test: notes whoever is called elsewhere.
HOOK = """
    import os, sys

    def _look(event, arguments):
        if event == "socket.connect":
            address = arguments[1]
            host = address[0] if isinstance(address, tuple) else "local"
        elif event == "socket.getaddrinfo":
            host = arguments[0]
        else:
            return
        if host not in (None, "", "local", "localhost", "127.0.0.1", "::1", "0.0.0.0"):
            with open(os.environ["CALLED"], "a") as log:
                log.write(f"{sys.argv[:4]} {event} {host}\\n")

    sys.addaudithook(_look)
"""


@pytest.fixture
def called(tmp_path, monkeypatch):
    """What was called elsewhere, by any process that was started since."""
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(textwrap.dedent(HOOK))
    monkeypatch.setenv("PYTHONPATH", str(hook))
    monkeypatch.setenv("CALLED", str(tmp_path / "called"))
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "home"))
    # As a person starts it: no variable of the test's own keeps Streamlit quiet.
    monkeypatch.delenv("STREAMLIT_BROWSER_GATHER_USAGE_STATS", raising=False)
    log = tmp_path / "called"
    return lambda: log.read_text() if log.exists() else ""


def python(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_hook_sees_a_call(called):
    python(
        """
        import socket
        try:
            socket.getaddrinfo("stranger.invalid", 443)
        except OSError:
            pass
        """
    )
    assert "stranger.invalid" in called()


def test_the_server_calls_nobody(called, tmp_path):
    app = AsWritten(tmp_path / "home")
    app.start()
    try:
        assert answer(app, "/plan")[0] == 200
        assert answer(app, "/ready")[0] == 200
    finally:
        app.stop()
    assert called() == ""


def test_screens_call_nobody(called):
    folder = worlds.project()
    worlds.fit(folder)
    python(
        """
        import sys
        from streamlit.testing.v1 import AppTest
        from streamlit.util import calc_hash
        from pages.ui.navigation import SCREENS
        for screen in SCREENS:
            at = AppTest.from_file("app.py", default_timeout=300)
            at._page_hash = calc_hash(screen.name)
            at.session_state["app.demo_tried"] = True
            at.query_params["project"] = sys.argv[1]
            at.run()
            assert not at.exception, screen.name
        """,
        folder.name,
    )
    assert called() == ""


def test_reading_a_table_calls_nobody(called, tmp_path):
    worlds.table().to_csv(tmp_path / "market.csv", index=False)
    python(
        """
        import sys
        from core.cli.main import main
        sys.exit(main(sys.argv[1:]))
        """,
        "check",
        str(tmp_path / "market.csv"),
    )
    assert called() == ""


def test_streamlit_gathers_no_statistics():
    """Nor asks a web service for the address of this machine."""
    told = python(
        """
        from streamlit import config
        config.get_config_options()
        for name in ("gatherUsageStats", "serverAddress"):
            print(config.get_option(f"browser.{name}"))
        """
    )
    assert told.split() == ["False", "localhost"]
    assert "GATHER_USAGE_STATS=false" in (ROOT / "Dockerfile").read_text()
    assert os.path.exists(ROOT / "docs/privacy.md")
