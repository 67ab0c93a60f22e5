"""Readers of files, forked from one process that has its libraries loaded.

A reader that starts with Python and pandas takes 0.7 s of processor time, a forked one
10 ms, and the tests read a thousand files. What is forked does what
`python -m core.data.files.reader` does, under its limits, in a process of its own; how
a reader is started, bounded and ended is tested on real ones (fixture `own_readers`).
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Nursery:
    """The process that readers are forked from; begun when the first one is wanted."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None
        self._beginning = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="nursery-")
        self._address = str(Path(self._folder.name) / "socket")

    def started(self, folder: Path) -> "Reader":
        """A reader at work on the request in a folder."""
        with self._beginning:
            if self._process is None:
                self.begin()
        channel = socket.socket(socket.AF_UNIX)
        channel.connect(self._address)
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        wanted = {"folder": str(folder), "cwd": os.getcwd(), "env": environment}
        channel.sendall(json.dumps(dict(wanted)).encode() + b"\n")
        return Reader(channel, int(_line(channel)))

    def end(self) -> None:
        """End the process, and with it what it has forked."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
        self._folder.cleanup()

    def begin(self) -> None:
        """Begin the process."""
        single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.warm_reader", self._address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | single | {"PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        assert self._process.stdout.readline() == b"ready\n"


class Reader(subprocess.Popen):
    """A forked reader, waited for and ended as one that was started."""

    def __init__(self, channel: socket.socket, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._channel = channel

    def wait(self, timeout: float | None = None) -> int:
        """How it ended.

        Raises:
            TimeoutExpired: It is still at work.
        """
        if self.returncode is None:
            if not select.select([self._channel], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("reader", timeout)
            self.returncode = int(_line(self._channel))
            self._channel.close()
        return self.returncode

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)


def _line(channel: socket.socket) -> bytes:
    """Up to the end of a line; no byte of the next."""
    read = b""
    while not read.endswith(b"\n"):
        byte = channel.recv(1)
        assert byte, "the process that readers are forked from has ended"
        read += byte
    return read


def serve(address: str) -> None:
    """Fork a reader for everyone who calls, until whoever began this is gone."""
    # Slow to import: what a fork spares.
    import openpyxl  # noqa: F401
    import pandas  # noqa: F401

    from core.data.files import load, reader  # noqa: F401

    # Who waits for a reader is forked, too, and nobody waits for that one.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        print("ready", flush=True)
        # Standard input ends with the process that began this. A signal at the end of
        # the parent would come with the end of its thread, such as a screen's script.
        while door in select.select([door, sys.stdin], [], [])[0]:
            channel, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _keep(channel)
            channel.close()


def _keep(channel: socket.socket) -> None:
    """Fork the reader, say which process it is, and how it ended; never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    wanted = json.loads(_line(channel))
    reader = os.fork()
    if reader == 0:
        channel.close()
        _read(wanted)
    with contextlib.suppress(BrokenPipeError):
        channel.sendall(b"%d\n" % reader)
        _, status = os.waitpid(reader, 0)
        channel.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _read(wanted: dict) -> None:
    """Be `python -m core.data.files.reader FOLDER`; never returns."""
    from core.data.files import reader

    code = 1
    try:
        os.setsid()
        folder = Path(wanted["folder"])
        log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(log, stream)
        os.chdir(wanted["cwd"])
        os.environ.clear()
        os.environ.update(wanted["env"])
        request = json.loads((folder / "request.json").read_bytes())
        request["parent"] = os.getppid()
        (folder / "request.json").write_text(json.dumps(request))
        code = reader.main([str(folder)])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
