"""The app as a process: its own workspace, a free port, its log in a file."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 300


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One server process over a workspace; can be stopped and started again."""

    #: The demo's own fit would take turns with those of the tests.
    environment = {"MIXWRIGHT_DEMO_FIT": "0", "JAX_DISABLE_MOST_OPTIMIZATIONS": "0"}

    def __init__(self, home: Path):
        self.home = home
        self.port = free_port()
        self.log = home.parent / f"{home.name}-server.log"
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def flags(self) -> dict[str, object]:
        """Options of the server."""
        return {
            "server.port": self.port,
            "server.address": "127.0.0.1",
            "server.headless": "true",
            "server.fileWatcherType": "none",
            "browser.gatherUsageStats": "false",
        }

    def make_workspace(self, compiled: Path) -> None:
        """An empty workspace, but for what was compiled before."""
        self.home.mkdir()
        (self.home / "cache").symlink_to(compiled)

    @contextmanager
    def running(self) -> Iterator["Server"]:
        """The server at work; then it is stopped, and its log shows no error."""
        self.start()
        yield self
        self.stop()
        self.cancel_runs()
        log = self.log_text()
        assert "Traceback" not in log, log

    def start(self) -> None:
        flags = self.flags()
        words = [word for key, value in flags.items() for word in (f"--{key}", value)]
        command = [sys.executable, "-m", "streamlit", "run", "app.py", *map(str, words)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | {"MIXWRIGHT_HOME": str(self.home)} | self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._await_health()

    def _await_health(self) -> None:
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            assert self.process.poll() is None, self.log_text()
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise AssertionError(f"no answer in {START_SECONDS} s\n{self.log_text()}")

    def stop(self) -> None:
        """End the server as a person would: SIGTERM, then patience."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def runs(self, project: str) -> list[Path]:
        """Run directories of a project, oldest first."""
        return sorted((self.home / "projects" / project / "runs").glob("*"))

    def cancel_runs(self) -> None:
        """Ask every run to stop, so that no test leaves one behind."""
        for run in (self.home / "projects").glob("*/runs/*"):
            if not (run / "result").exists():
                (run / "cancel").touch()
