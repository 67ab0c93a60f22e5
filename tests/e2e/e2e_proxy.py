"""A proxy that signs people in: it says who they are in a header of every request."""

import contextlib
import socket
import threading
from socketserver import StreamRequestHandler, ThreadingTCPServer

_LONGEST = 65536


class SigningProxy(ThreadingTCPServer):
    """A proxy in front of the app; it speaks to it from an address of its own.

    Every connection carries one request, or one upgrade to a web socket.

    Args:
        port: Of the app, on 127.0.0.1.
        address: From which it speaks to the app; any of 127.0.0.0/8.
        header: In which it names the person.
        name: The person.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int, *, address: str, header: str, name: str):
        super().__init__(("127.0.0.1", 0), _Connection)
        self.app, self.address = ("127.0.0.1", port), (address, 0)
        self.header, self.name = header.encode(), name.encode()

    @property
    def url(self) -> str:
        """Where browsers come to."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        """Answer from now on."""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Answer nobody any more."""
        self.shutdown()
        self.server_close()


class _Connection(StreamRequestHandler):
    """One connection of a browser, and the one to the app that it is handed on to."""

    def handle(self) -> None:
        """Name the person in the request, then copy both ways until the end."""
        head = self._head()
        if not head:
            return
        proxy = self.server
        with socket.create_connection(proxy.app, source_address=proxy.address) as app:
            app.sendall(head)
            back = threading.Thread(
                target=_copy, args=(app, self.connection), daemon=True
            )
            back.start()
            _copy(self.connection, app, self.rfile)
            back.join()

    def _head(self) -> bytes:
        """The head of the request with the person in it, and nobody else."""
        lines = []
        while (line := self.rfile.readline(_LONGEST)) not in (b"\r\n", b""):
            lines.append(line)
        names = [line.partition(b":")[0].lower() for line in lines]
        ours = {self.server.header.lower()}
        if b"upgrade" not in names:
            ours.add(b"connection")
            lines.append(b"Connection: close\r\n")
            names.append(b"")
        kept = [
            line for name, line in zip(names, lines, strict=True) if name not in ours
        ]
        said = self.server.header + b": " + self.server.name + b"\r\n"
        return b"".join([*kept, said, b"\r\n"]) if lines else b""


def _copy(source: socket.socket, to: socket.socket, ahead=None) -> None:
    """Hand on what comes until nothing more does, then say so."""
    read = source.recv if ahead is None else ahead.read1
    with contextlib.suppress(OSError):
        while chunk := read(_LONGEST):
            to.sendall(chunk)
    with contextlib.suppress(OSError):
        to.shutdown(socket.SHUT_WR)
