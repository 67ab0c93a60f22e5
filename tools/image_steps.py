"""Run the Dockerfile's steps without Docker, in a clean folder, and start the app.

python tools/image_steps.py [FOLDER]     FOLDER must be empty; default: a temporary one

Each stage gets a root folder of its own. COPY copies, RUN runs, and absolute paths
of the image point into that root. The command then runs as the image's user (where
this script is run as root), with the image's environment and nothing else, until
its health check passes.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
#: Folders of the image that the steps write to.
IMAGE_PATHS = re.compile(r"(?<![\w./-])/(?=(?:app|data|opt)\b)")


@dataclass
class Stage:
    """One stage of the image: where its files lie and what is set in it."""

    name: str
    root: Path
    folder: str = "/"
    env: dict[str, str] = field(default_factory=dict)
    user: str = "0:0"
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def inside(self, text: str) -> str:
        """The text with the image's absolute paths moved into this stage's root."""
        return IMAGE_PATHS.sub(f"{self.root}/", text)

    def path(self, name: str) -> Path:
        """A path of the image as a path of this machine."""
        return self.root / (Path(self.folder) / name).relative_to("/")

    def environment(self) -> dict[str, str]:
        """The variables of the image, over this machine's PATH."""
        path = f"{self.root.parent}/bin:{os.environ['PATH']}"
        env = {"PATH": path, "LANG": "C.UTF-8"}
        for name, value in self.env.items():
            env[name] = self.inside(value).replace("$PATH", env["PATH"])
        return env


def instructions(text: str) -> list[tuple[str, str]]:
    """Instructions of a Dockerfile: keyword and the rest, continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    pairs = (
        line.strip().split(None, 1) for line in joined.splitlines() if line.strip()
    )
    return [(keyword.upper(), rest) for keyword, rest in pairs]


def copy(stage: Stage, stages: dict[str, Stage], rest: str) -> None:
    """COPY [--from=STAGE] SOURCE... TARGET."""
    words = shlex.split(rest)
    source = None
    if words[0].startswith("--from="):
        source = stages[words.pop(0).removeprefix("--from=")]
    *names, target = words
    for name in names:
        origin = source.path(name) if source else REPOSITORY / name
        if origin.is_dir():
            ignore = None if source else shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(
                origin,
                stage.path(target),
                symlinks=True,
                ignore=ignore,
                dirs_exist_ok=True,
            )
        else:
            stage.path(target).mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, stage.path(target) / origin.name)


def build(text: str, folder: Path, *, is_built: bool = False) -> Stage:
    """Carry out every instruction; returns the last stage.

    Args:
        text: The Dockerfile.
        folder: Where the roots of its stages are.
        is_built: Whether that was done before: files stay as they are.
    """
    stages: dict[str, Stage] = {}
    stage = None
    for keyword, rest in instructions(text):
        if is_built and keyword in ("COPY", "RUN"):
            continue
        print(f"{keyword} {rest}", flush=True)
        if keyword == "FROM":
            name = rest.split(" AS ")[-1].strip() if " AS " in rest else "final"
            stage = stages[name] = Stage(name, folder / name)
            stage.root.mkdir(exist_ok=is_built)
        elif keyword == "WORKDIR":
            stage.folder = rest
            stage.path(".").mkdir(parents=True, exist_ok=True)
        elif keyword == "COPY":
            copy(stage, stages, rest)
        elif keyword == "RUN":
            subprocess.run(
                ["sh", "-ec", stage.inside(rest)],
                cwd=stage.path("."),
                check=True,
                env=stage.environment() | {"HOME": str(folder)},
            )
        elif keyword == "ENV":
            stage.env |= dict(word.split("=", 1) for word in shlex.split(rest))
        elif keyword == "USER":
            stage.user = rest
        elif keyword == "CMD":
            stage.command = json.loads(rest)
        elif keyword == "HEALTHCHECK":
            stage.health = json.loads(rest.split("CMD", 1)[1])
    return stage


def image_user(stage: Stage) -> dict:
    """How to become the image's user; empty where this machine does not let it."""
    user, group = map(int, stage.user.split(":"))
    who = {"user": user, "group": group, "extra_groups": []}
    try:
        subprocess.run([stage.inside("/opt/venv/bin/python"), "-c", ""], **who)
    except PermissionError:  # not root, or Python lies in someone's home
        return {}
    return who


def start(stage: Stage, port: int, seconds: float) -> float:
    """Start the image's command; returns the seconds until it was healthy."""
    env = stage.environment() | {"STREAMLIT_SERVER_PORT": str(port)}
    who = image_user(stage)
    print("starts as", "the image's user" if who else "this user")
    begun = time.monotonic()
    where = {"cwd": stage.path("."), "env": env, **who}
    with subprocess.Popen(stage.command, **where) as server:
        try:
            while time.monotonic() - begun < seconds and server.poll() is None:
                check = subprocess.run(stage.health, capture_output=True, **where)
                if check.returncode == 0:
                    return time.monotonic() - begun
                time.sleep(0.3)
            raise SystemExit(f"not healthy after {seconds:g} s")
        finally:
            server.terminate()


def main() -> None:
    """Build in a clean folder, start, report."""
    given = sys.argv[1] if len(sys.argv) > 1 else None
    folder = Path(given or tempfile.mkdtemp(prefix="mixwright-image-")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    if any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty")
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(sys._base_executable)
    begun = time.monotonic()
    stage = build((REPOSITORY / "Dockerfile").read_text(), folder)
    built = time.monotonic() - begun
    healthy = start(stage, port=8599, seconds=60)
    print(f"built in {built:.0f} s, healthy after {healthy:.1f} s, in {folder}")


if __name__ == "__main__":
    main()
