"""A webhook's address is one before anything is done; what goes wrong is a sentence."""

import socket
import threading

import pytest

from core.cli.main import parser
from core.cli.team.refreshing import address, notified
from core.errors import SpecError


@pytest.mark.parametrize(
    "text",
    ["http://[::1", "http://host:abc/", "http://host:99999/", "http://h/a b", "x"],
)
def test_what_is_no_address_is_refused(text):
    with pytest.raises(SpecError, match="not the address of a webhook"):
        address(text)


@pytest.mark.parametrize("wait", ["nan", "inf", "-1", "0", "soon"])
def test_a_wait_that_is_none_is_wrong_usage(wait):
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(["refresh", "Market", f"--webhook-timeout={wait}"])
    assert ended.value.code == 2


def test_an_answer_that_is_no_http_is_said():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"220 mail.example.com ESMTP\r\n")

        threading.Thread(target=answer, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert "could not be reached (220 mail" in notified(url, {}, 60.0)
