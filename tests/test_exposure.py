"""Who can reach the app: this machine alone, by names that are its own."""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.e2e.e2e_server import Server, free_port
from tools.image_steps import instructions

ROOT = Path(__file__).resolve().parents[1]


class AsWritten(Server):
    """The app as `streamlit run app.py` starts it: config.toml alone decides."""

    def flags(self) -> dict[str, object]:
        return {"server.port": self.port}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    app = AsWritten(tmp_path_factory.mktemp("exposure") / "home")
    app.start()
    yield app
    app.stop()


def handshake(port: int, host: str, origin: str) -> int:
    """Status of a browser's attempt to open the connection that a session needs."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        f"Origin: {origin}",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: streamlit",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = connection.recv(4096).decode(errors="replace")
    return int(answer.split()[1])


def listening(port: int) -> set[str]:
    """Addresses on which a port of this machine is open, as /proc writes them."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            if state == "0A" and int(address.rpartition(":")[2], 16) == port:
                found.add(address.rpartition(":")[0])
    return found


LOCAL = {"0100007F", "00000000000000000000000001000000"}


def test_listens_on_this_machine_only(server):
    assert listening(server.port)
    assert listening(server.port) <= LOCAL


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_own_names_open_a_session(server, host):
    name = f"{host}:{server.port}"
    assert handshake(server.port, name, f"http://{name}") == 101


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "10.0.0.9"])
def test_a_name_that_was_rebound_opens_none(server, host):
    name = f"{host}:{server.port}"
    assert handshake(server.port, name, f"http://{name}") == 403


def test_another_site_opens_none(server):
    name = f"localhost:{server.port}"
    assert handshake(server.port, name, "null") == 403


def test_the_health_check_needs_no_name(server):
    url = f"http://127.0.0.1:{server.port}/_stcore/health"
    with urllib.request.urlopen(url, timeout=60) as answer:
        assert answer.status == 200


def answer(server, path: str, host: str = "localhost") -> tuple[int, str, str]:
    """Status, content type and text of an endpoint."""
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}")
    request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            kind = found.headers.get("Content-Type", "")
            return found.status, kind, found.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, "", error.read().decode()


def test_ready_says_that_a_fit_could_start(server):
    status, _, text = answer(server, "/ready")
    assert (status, json.loads(text)) == (200, {"ready": True, "obstacles": []})


def test_ready_says_why_a_fit_could_not(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_MEMORY_LIMIT", "1M")
    app = AsWritten(tmp_path / "home")
    app.start()
    try:
        status, _, text = answer(app, "/ready")
    finally:
        app.stop()
    assert status == 503
    assert "1 MB of memory" in json.loads(text)["obstacles"][0]


def test_metrics_beside_streamlits_own(server):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    status, kind, text = answer(server, "/metrics")
    assert status == 200
    assert kind.startswith("application/openmetrics-text")
    names = {family.name for family in text_string_to_metric_families(text)}
    assert "mixwright_queue_waiting" in names
    assert answer(server, "/_stcore/metrics")[0] == 200


@pytest.mark.parametrize("path", ["/ready", "/metrics"])
def test_endpoints_answer_to_own_names_only(server, path):
    assert answer(server, path, "evil.example")[0] == 403


def test_screens_are_still_there(server):
    status, kind, _ = answer(server, "/plan")
    assert (status, kind.split(";")[0]) == (200, "text/html")


def test_make_run_hands_on_address_and_hosts():
    def words(*given: str) -> str:
        command = ["make", "-n", "-o", "setup", "run", f"PORT={free_port()}", *given]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert "--address localhost" in words()
    assert "--host 'localhost'" in words()
    opened = words("ADDRESS=0.0.0.0", "HOSTS=mix.example.com 10.1.2.3")
    assert "--address 0.0.0.0" in opened
    names = re.findall(r"--host '([^']*)'", opened)
    assert names == ["mix.example.com", "10.1.2.3"]


def test_the_container_is_open_inside_and_keeps_the_names():
    """It must listen for its port to be published; the names stay config.toml's."""
    steps = instructions((ROOT / "Dockerfile").read_text())
    environment = " ".join(rest for name, rest in steps if name == "ENV")
    assert "STREAMLIT_SERVER_ADDRESS=0.0.0.0" in environment
    assert "ALLOWED_HOSTS" not in environment


def test_a_variable_adds_names(tmp_path):
    """What the README says about containers and proxies."""
    code = (
        "from streamlit import config\n"
        "from streamlit.web import cli\n"
        "import json, sys\n"
        "cli._main_run = lambda *a, flag_options=None, **k: print(json.dumps("
        "flag_options.get('server_allowedHosts')))\n"
        "cli.main(['run', 'app.py'], standalone_mode=False)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ
        | {"STREAMLIT_SERVER_ALLOWED_HOSTS": "mix.example.com localhost"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == ["mix.example.com", "localhost"]
