"""Install the wheel into an empty environment and use it as a stranger would.

python tools/wheel_steps.py WHEEL [FOLDER]     FOLDER: empty; default: a new one

The environment lies on a path with a space, its packages cannot be written to, and
commands run from an empty folder. From a table to a plan and a report, then the app.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


class Stranger:
    """An empty environment with the wheel, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        """Make the environment.

        Args:
            folder: An empty folder.
        """
        self.bin = folder / "an environment" / "bin"
        self.desk = folder / "an empty folder"
        self.desk.mkdir(parents=True)
        kept = {"PATH", "LANG", "HOME", "TMPDIR"}
        names = {name for name in os.environ if name.startswith(("PIP_", "UV_"))}
        self.environment = {
            name: os.environ[name] for name in (kept | names) & set(os.environ)
        }
        self.environment["MIXWRIGHT_HOME"] = str(folder / "a workspace")

    def install(self, wheel: Path) -> None:
        """Install the wheel with the versions that are tested."""
        environment = self.bin.parent
        uv = shutil.which("uv") or shutil.which(
            "uv", path=str(Path(sys.executable).parent)
        )
        python = self.bin / "python"
        if uv:
            run(uv, "venv", "-q", "--python", sys.executable, environment)
            install = [uv, "pip", "install", "-q", "--python", python]
        else:
            run(sys.executable, "-m", "venv", environment)
            install = [python, "-m", "pip", "install", "-q"]
        run(*install, "-c", REPOSITORY / "requirements.txt", wheel)
        site = next(environment.glob("lib/python*/site-packages"))
        own = {path.name for path in site.iterdir() if "mixwright" in path.name}
        assert len(own) == 2, own  # the package and what is said of it
        assert not any((site / name).exists() for name in ("core", "pages", "app.py"))
        for path in [site / "mixwright", *(site / "mixwright").rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)

    def mixwright(self, *arguments: object, code: int = 0) -> str:
        """What a command prints."""
        done = subprocess.run(
            [self.bin / "mixwright", *map(str, arguments)],
            cwd=self.desk,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == code, (
            arguments,
            done.returncode,
            done.stderr[-3000:],
        )
        assert "python -m core" not in done.stdout + done.stderr
        return done.stdout

    def commands(self) -> None:
        """From a table to a plan and a report."""
        print(self.mixwright("--version").strip())
        example = next((REPOSITORY / "assets/examples").glob("*.csv"))
        shutil.copy(example, self.desk / "sales.csv")
        self.mixwright("check", "nothing.csv", code=1)
        self.mixwright("check", "sales.csv")
        self.mixwright("mcp", code=1)  # an extra, which is not installed
        self.mixwright("init", "sales.csv", "--out", "market")
        settings = ("--chains", 2, "--warmup", 100, "--draws", 100)
        fit = json.loads(self.mixwright("fit", "market", *settings, "--json"))
        assert Path(fit["run"]).is_dir()
        plan = json.loads(self.mixwright("plan", "market", "--json"))
        assert {channel["name"] for channel in plan["channels"]}
        for name in ("report.html", "report.xlsx", "report.pptx"):
            self.mixwright("report", "market", "--out", name)
            assert (self.desk / name).stat().st_size > 10_000
        code = "import mixwright as mw; print(mw.result('market').table().index.size)"
        printed = subprocess.run(
            [self.bin / "python", "-c", code],
            cwd=self.desk,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert int(printed.stdout) == len(plan["channels"]), printed.stdout

    def opened(self) -> None:
        """The app answers, on the next port where its own is taken."""
        with socket.create_server(("localhost", 0)) as taken:
            port = taken.getsockname()[1]
            server = subprocess.Popen(
                [self.bin / "mixwright", "app", "--port", str(port), "--no-browser"],
                cwd=self.desk,
                env=self.environment,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                line = server.stderr.readline()
                assert f"{port} is in use" in line, line
                chosen = int(line.split()[-1].rstrip("."))
                answer(f"http://localhost:{chosen}/_stcore/health", b"ok")
                answer(f"http://localhost:{chosen}/plan", b"<!DOCTYPE html>")
            finally:
                server.terminate()
                server.wait(30)


def run(*command: object) -> None:
    """A command that must succeed."""
    subprocess.run([str(part) for part in command], check=True)


def answer(address: str, wanted: bytes, seconds: float = 60) -> None:
    """Ask until the server has started."""
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5) as page:
                assert wanted in page.read(), address
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


def main() -> None:
    """Run every step."""
    wheel = Path(sys.argv[1]).resolve()
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    stranger = Stranger(folder.resolve())
    try:
        stranger.install(wheel)
        stranger.commands()
        stranger.opened()
    finally:
        if len(sys.argv) <= 2:
            shutil.rmtree(folder, ignore_errors=True)
    print("wheel: every step passed")


if __name__ == "__main__":
    main()
