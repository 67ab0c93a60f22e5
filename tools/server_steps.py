"""Try compose.yaml and docs/server.md without Docker: proxy, app, backup, restore.

python tools/server_steps.py [IMAGE_FOLDER]

IMAGE_FOLDER is what `make image-steps` built; without it the image is built first.
The app and the backup run as their services say, as the image's user, with paths of the
image moved into its folder; limits of processor and memory are Docker's and are not
tried. The proxy is tried where `caddy` is on the PATH.
"""

import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import yaml
from image_steps import REPOSITORY, Stage, build, image_user

PORT, TLS_PORT = 8598, 8543
NAME = f"localhost:{TLS_PORT}"
_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def filled_in(text: str, variables: Mapping[str, str]) -> str:
    """A value of compose.yaml with its variables."""

    def value(found: re.Match) -> str:
        name, kind, word = found.groups()
        if name in variables:
            return variables[name]
        if kind == "?":
            raise SystemExit(f"{name} is needed: {word}")
        return word if kind == "-" else ""

    return _VARIABLE.sub(value, text).replace("$$", "$")


def environment(stage: Stage, service: Mapping) -> dict[str, str]:
    """The variables of a service over those of the image."""
    variables = {"MIXWRIGHT_DOMAIN": "localhost"}
    own = {
        name: stage.inside(filled_in(str(value), variables))
        for name, value in service["environment"].items()
    }
    return stage.environment() | own | {"STREAMLIT_SERVER_PORT": str(PORT)}


def fetched(url: str, *, host: str = "") -> tuple[int, str]:
    """Status and text of an address; the proxy's own certificate is not checked."""
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    context = ssl._create_unverified_context()
    try:
        with urllib.request.urlopen(request, timeout=30, context=context) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def must(what: str, holds: bool) -> None:
    """Say whether something holds; end where it does not."""
    print(f"{'ok  ' if holds else 'NOT '} {what}", flush=True)
    if not holds:
        raise SystemExit(1)


@contextmanager
def started(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """A process that ends with the body."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.terminate()


def until(url: str, seconds: float = 90.0) -> None:
    """Wait until an address answers."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        try:
            if fetched(url)[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.3)
    raise SystemExit(f"{url} did not answer in {seconds:g} s")


def try_app() -> None:
    """What docs/server.md says about the app by itself."""
    until(f"http://127.0.0.1:{PORT}/_stcore/health")
    status, text = fetched(f"http://127.0.0.1:{PORT}/ready")
    must("/ready: a fit could start", status == 200 and json.loads(text)["ready"])
    status, text = fetched(f"http://127.0.0.1:{PORT}/metrics", host="app:8501")
    must("/metrics by the name app", status == 200 and text.endswith("# EOF\n"))
    status, _ = fetched(f"http://127.0.0.1:{PORT}/metrics", host="evil.example")
    must("/metrics by a stranger's name is refused", status == 403)


def try_proxy(caddy: str, folder: Path) -> None:
    """TLS, and what stays inside."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "MIXWRIGHT_DOMAIN": NAME,
        "MIXWRIGHT_APP": f"127.0.0.1:{PORT}",
    }
    file = str(REPOSITORY / "Caddyfile")
    with started(
        [caddy, "run", "--config", file, "--adapter", "caddyfile"],
        env=env,
        stderr=subprocess.DEVNULL,
    ):
        until(f"https://{NAME}/_stcore/health")
        status, text = fetched(f"https://{NAME}/plan")
        must("a screen by TLS", status == 200 and "<title>" in text)
        for path in ("/ready", "/metrics", "/_stcore/metrics"):
            must(f"{path} stays inside", fetched(f"https://{NAME}{path}")[0] == 404)
        must("a session by TLS", _opens_session())


def _opens_session() -> bool:
    """Whether the connection that a browser's session needs is opened."""
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Origin": f"https://{NAME}",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": "streamlit",
    }
    lines = [f"GET /_stcore/stream HTTP/1.1\r\nHost: {NAME}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    context = ssl._create_unverified_context()
    import socket

    with (
        socket.create_connection(("localhost", TLS_PORT), timeout=30) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as secure,
    ):
        secure.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return secure.recv(100).split()[1] == b"101"


def try_backup(stage: Stage, service: Mapping, backups: Path, who: dict) -> None:
    """The backup of the service while the app runs, and its restore elsewhere."""
    words = [filled_in(str(word), {}) for word in service["command"]]
    moved = [stage.inside(word.replace("/backups", str(backups))) for word in words]
    where = {"cwd": stage.path("."), "env": environment(stage, service), **who}
    subprocess.run(moved, check=True, **where)
    file = next(backups.glob("mixwright-*.zip"))
    elsewhere = backups / "elsewhere"
    core = [stage.inside("/opt/venv/bin/python"), "-m", "core"]
    where["env"] = where["env"] | {"MIXWRIGHT_HOME": str(elsewhere)}
    subprocess.run([*core, "restore", str(file)], check=True, **where)
    projects = {path.name for path in (elsewhere / "projects").iterdir()}
    must("a backup, restored elsewhere", "Market" in projects)
    done = subprocess.run(
        [*core, "status", "--json"], check=True, capture_output=True, **where
    )
    must("status of what was restored", json.loads(done.stdout)["projects"] == 1)


def main() -> None:
    """Every step, in a clean workspace."""
    built = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    folder = built or Path(tempfile.mkdtemp(prefix="mixwright-server-"))
    folder.chmod(0o755)
    if built is None:
        (folder / "bin").mkdir()
        (folder / "bin" / "python").symlink_to(sys._base_executable)
    text = (REPOSITORY / "Dockerfile").read_text()
    stage = build(text, folder, is_built=built is not None)
    services = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())["services"]
    who = image_user(stage)
    own = Path(tempfile.mkdtemp(prefix="mixwright-backups-"))
    if who:
        os.chown(own, who["user"], who["group"])
    env = environment(stage, services["app"])
    where = {"cwd": stage.path("."), "env": env, **who}
    core = [stage.inside("/opt/venv/bin/python"), "-m", "core"]
    example = str(stage.path("assets/examples/demo_national.csv"))
    home = f"{env['MIXWRIGHT_HOME']}/projects/Market"
    if not Path(home).exists():
        subprocess.run([*core, "init", example, "--out", home], check=True, **where)
    with started(stage.command, **where):
        try_app()
        caddy = shutil.which("caddy")
        if caddy:
            try_proxy(caddy, own)
        else:
            print("--   no caddy on the PATH: the proxy was not tried")
        try_backup(stage, services["backup"], own, who)
    log = Path(env["MIXWRIGHT_LOG"]).read_text().splitlines()
    commands = [json.loads(line)["name"] for line in log if '"command"' in line]
    must("the event log has the backup", "backup" in commands)
    shutil.rmtree(own)


if __name__ == "__main__":
    main()
