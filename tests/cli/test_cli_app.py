"""`app`: the next free port, said; an address that is not this machine's, refused."""

import os
import socket
import subprocess
import webbrowser

import pytest

from core.cli import app
from core.cli.main import main
from core.errors import WorkspaceError

NO = webbrowser.Error("none")


@pytest.fixture
def started(monkeypatch):
    """The server's command, in place of the server."""
    commands = []
    monkeypatch.setattr(app.os, "execv", lambda _, command: commands.append(command))
    return commands


def option(command: list[str], name: str) -> list[str]:
    return [b for a, b in zip(command, command[1:], strict=False) if a == name]


def test_a_port_in_use_is_passed_over_with_a_word(started, capsys):
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        main(["app", "--port", str(port), "--host", "mix.example.com"])
    (chosen,) = option(started[0], "--server.port")
    assert int(chosen) > port
    assert (
        f"Port {port} is in use; the app opens on {chosen}." in capsys.readouterr().err
    )
    assert option(started[0], "--server.allowedHosts") == ["mix.example.com"]


@pytest.mark.parametrize("port", ["-5", "65536", "http"])
def test_what_is_no_port_is_wrong_usage(started, port, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["app", f"--port={port}"])
    assert ended.value.code == 2 and not started
    assert "is not a port such as 8501" in capsys.readouterr().err


def test_no_port_left_and_foreign_addresses_are_refused(monkeypatch):
    monkeypatch.setattr(app, "is_free", lambda address, port: False)
    with pytest.raises(WorkspaceError, match="No port from 8501 to 8550 is free"):
        app.free_port("localhost", 8501)
    monkeypatch.undo()
    with pytest.raises(WorkspaceError, match="not an address of this machine"):
        app.free_port("no such name.invalid", 8501)


@pytest.mark.parametrize("window", [True, False])
def test_a_window_is_opened_where_there_is_a_screen(
    started, monkeypatch, capsys, window
):
    monkeypatch.setattr(app, "can_open_a_browser", lambda: window)
    main(["app", "--port", "0", "--address", "0.0.0.0"])
    said = capsys.readouterr().err
    assert ("Open http://localhost:0 in one." in said) is not window
    main(["app", "--port", "0", "--no-browser"])
    assert "browser" not in capsys.readouterr().err
    headless = [option(command, "--server.headless")[0] for command in started]
    assert headless == ["false" if window else "true", "true"]


def test_a_screen_without_a_browser_opens_no_window(monkeypatch, tmp_path):
    monkeypatch.setattr(app.sys, "platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(app.webbrowser, "get", lambda: (_ for _ in ()).throw(NO))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not app.can_open_a_browser()
    monkeypatch.setattr(app.webbrowser, "get", lambda: None)
    assert app.can_open_a_browser()
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not app.can_open_a_browser()


def test_ctrl_c_while_the_server_loads_leaves_no_traceback(started, tmp_path):
    (tmp_path / "streamlit").mkdir()
    (tmp_path / "streamlit/__init__.py").write_text("raise KeyboardInterrupt")
    main(["app", "--no-browser"])
    [command] = started
    ended = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (130, "Stopped.\n")
