"""Sign-in behind a real proxy of the same host, and who passes for it."""

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.e2e.e2e_server import Server, free_port

CADDY = shutil.which("caddy")
pytestmark = pytest.mark.skipif(
    CADDY is None, reason="no caddy on the PATH: tools/proxy.sh installs it"
)
BOSS = "boss@x.org"
#: As Caddy passes on what its sign-in says, with its usual X-Forwarded headers.
CADDYFILE = """{
    admin off
    auto_https off
}
http://127.0.0.1:PORT {
    reverse_proxy 127.0.0.1:APP {
        header_up X-Email NAME
    }
}
"""
#: What somebody on this machine may write to pass for a proxy.
FORGED = [
    [],
    [("X-Forwarded-For", "10.0.0.4")],
    [("X-Forwarded-For", "10.0.0.4:443")],
    [("X-Forwarded-For", "::ffff:10.0.0.4")],
    [("X-Forwarded-For", "10.0.0.4, 127.0.0.1")],
    [("X-Forwarded-For", "10.0.0.4"), ("X-Forwarded-For", "127.0.0.1")],
    [("X-Forwarded-For", "127.0.0.1"), ("x-forwarded-for", "10.0.0.4")],
    [("X-Forwarded-For", "[::ffff:10.0.0.4]:1"), ("X-Forwarded-For", "")],
    [
        ("X-Forwarded-For", name)
        for name in ("::1", "unknown", "10.0.0.4", "\t10.0.0.4")
    ],
    [("X-Forwarded-For", "127.0.0.1, 10.0.0.4"), ("X-Forwarded-Proto", "https")],
    [("X-Real-IP", "10.0.0.4"), ("Forwarded", "for=10.0.0.4;by=127.0.0.1")],
    [("True-Client-IP", "10.0.0.4"), ("CF-Connecting-IP", "10.0.0.4")],
    [("X-Mixwright-Person", BOSS)],
    [("x-mixwright-person", BOSS), ("X-MIXWRIGHT-PERSON", BOSS)],
    [("X_Mixwright_Person", BOSS), ("X_Email", BOSS)],
    [(name, BOSS) for name in ("Remote-User", "X-Forwarded-User", "X-Forwarded-Email")],
]
#: What a visitor may send through the proxy to pass for somebody else.
THROUGH = [
    [("X-Email", BOSS)],
    [("x-email", BOSS), ("X-EMAIL", BOSS)],
    [("X_Email", BOSS), ("X-Mixwright-Person", BOSS)],
    [("Connection", "Upgrade, X-Email")],
    [(name, BOSS) for name in ("Remote-User", "X-Forwarded-User", "X-Forwarded-Email")],
]
#: Streamlit's own addresses that take or give what belongs to a session.
OF_SESSIONS = [
    ("PUT", "/_stcore/upload_file/no-session/no-file"),
    ("POST", "/_stcore/upload_file/no-session/no-file"),
    ("DELETE", "/_stcore/upload_file/no-session/no-file"),
    ("GET", f"/media/{'0' * 56}.csv"),
    ("GET", "/media/../../access.toml"),
    ("GET", "/media/%2e%2e%2f%2e%2e%2faccess.toml"),
    ("GET", "/app/static/../access.toml"),
    ("GET", "/component/x/%2e%2e/%2e%2e/access.toml"),
]


class Guarded(Server):
    """The app as `streamlit run app.py` starts it, behind sign-in by a proxy."""

    def trust(self, address: str) -> None:
        (self.home / "access.toml").write_text(
            f'sign_in = "proxy"\nadmins = ["{BOSS}"]\n'
            f'[proxy]\nheader = "X-Email"\naddresses = ["{address}"]\n'
        )


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    server = Guarded(tmp_path_factory.mktemp("proxy") / "home")
    server.home.mkdir()
    server.trust("10.0.0.4")
    server.start()
    yield server
    server.stop()


@contextmanager
def caddy(app, folder, name: str):
    """A real proxy in front of the app that says who is signed in; its port."""
    port = free_port()
    text = CADDYFILE.replace("PORT", str(port)).replace("APP", str(app.port))
    (folder / "Caddyfile").write_text(text.replace("NAME", name))
    command = [CADDY, "run", "--config", "Caddyfile", "--adapter", "caddyfile"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=folder, **quiet) as process:
        try:
            answers(port)
            yield port
        finally:
            process.terminate()


def answers(port: int) -> None:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health"):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the proxy does not answer")


def screen(port: int, headers: list[tuple[str, str]], host: str = "127.0.0.1") -> str:
    """Everything that the first screen of a session says."""
    asked = BackMsg()
    asked.rerun_script.query_string = ""
    with connect(
        f"ws://{host}:{port}/_stcore/stream",
        origin=f"http://{host}:{port}",
        subprotocols=["streamlit"],
        additional_headers=headers,
        max_size=None,
        proxy=None,
    ) as session:
        session.send(asked.SerializeToString())
        said = ""
        while True:
            message = ForwardMsg.FromString(session.recv(60))
            said += str(message)
            is_end = message.WhichOneof("type") == "script_finished"
            if (
                is_end
                and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                return said


def is_in(said: str) -> bool:
    assert ("organisation's proxy" in said.replace("\\'", "'")) != (BOSS in said), said
    return BOSS in said


def test_a_proxy_of_the_same_host_signs_people_in(app, tmp_path):
    app.trust("127.0.0.1")
    with caddy(app, tmp_path, BOSS) as port:
        assert is_in(screen(port, []))
        forged = [("X-Forwarded-For", "9.9.9.9"), ("X-Email", "eve")]
        assert is_in(screen(port, forged))


def test_who_is_not_the_boss_stays_so_behind_the_proxy(app, tmp_path):
    app.trust("127.0.0.1")
    with caddy(app, tmp_path, "eve@x.org") as port:
        for headers in THROUGH:
            said = screen(port, headers)
            assert BOSS not in said, headers
            assert "eve@x.org" in said or "No access" in said, (headers, said)


def test_two_names_of_one_request_are_nobody(app):
    """From a listed address: one of the two was smuggled past the proxy."""
    app.trust("127.0.0.1")
    assert is_in(screen(app.port, [("X-Email", BOSS)]))
    for other in ("eve@x.org", "", BOSS):
        twice = [("X-Email", BOSS), ("x-email", other)]
        assert not is_in(screen(app.port, twice))


@pytest.mark.parametrize(("method", "path"), OF_SESSIONS)
def test_who_has_no_session_reads_and_writes_nothing(app, method, path):
    """Paths as they are: no client tidies them first."""
    app.trust("10.0.0.4")
    with socket.create_connection(("127.0.0.1", app.port), timeout=60) as line:
        head = f"{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{app.port}\r\n"
        line.sendall(f"{head}Content-Length: 2\r\nX-Email: {BOSS}\r\n\r\nhi".encode())
        said = b""
        while part := line.recv(65536):
            said += part
    assert said.split()[1] in (b"400", b"401", b"403", b"404", b"405"), said[:200]
    assert b"sign_in" not in said and BOSS.encode() not in said


def test_a_proxy_at_no_listed_address_signs_nobody_in(app, tmp_path):
    app.trust("10.0.0.4")
    with caddy(app, tmp_path, BOSS) as port:
        assert not is_in(screen(port, [("X-Forwarded-For", "10.0.0.4")]))


@pytest.mark.parametrize("headers", FORGED)
def test_nobody_of_this_machine_passes_for_a_proxy_elsewhere(app, headers):
    app.trust("10.0.0.4")
    assert not is_in(screen(app.port, [*headers, ("X-Email", BOSS)]))


class OfBothFamilies(Guarded):
    """The same at IPv6's addresses, too, where IPv4's are ::ffff:127.0.0.1."""

    def flags(self) -> dict[str, object]:
        return super().flags() | {"server.address": "::"}


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_an_address_is_itself_in_either_family(tmp_path):
    server = OfBothFamilies(tmp_path / "home")
    server.home.mkdir()
    server.trust("10.0.0.4")
    with server.running():
        for listed, by_six, by_four in (
            ("::1", True, False),
            ("127.0.0.1", False, True),
            ("::ffff:127.0.0.1", False, True),
            ("10.0.0.4", False, False),
        ):
            server.trust(listed)
            forged = [("X-Forwarded-For", "10.0.0.4"), ("X-Email", BOSS)]
            assert is_in(screen(server.port, forged, "[::1]")) == by_six, listed
            assert is_in(screen(server.port, forged)) == by_four, listed
