"""Commands that are killed, interrupted or find a full disk, at any of their writes.

A command is forked from a process that has its libraries loaded, so that one takes a
tenth of a second. Everything that it does to files is counted (opened for writing,
renamed, linked, removed, made, synced), and at the one asked for the fault is done:

    killed        SIGKILL before it: nothing is tidied, what waits in memory is lost
    killed after  the same as soon as the file is open that is written to
    interrupted   Ctrl-C
    full          there is no room for it, nor for anything after it

    with Killable() as killable:
        done = killable.run([["update", "North", "new.csv"]], folder)
        killable.run([["update", "North", "new.csv"]], folder, "killed", at=3)
"""

import contextlib
import errno
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests import warm_reader

ROOT = Path(__file__).resolve().parents[2]
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
#: What takes no room.
_FREES = ("remove", "rmdir", "rename")
#: Of audit events: where the path stands among their arguments.
_EVENTS = {
    "os.rename": 0,
    "os.remove": 0,
    "os.mkdir": 0,
    "os.rmdir": 0,
    "os.link": 1,
    "os.symlink": 1,
}


class Ended(NamedTuple):
    """How a command ended.

    Attributes:
        code: Exit status; -9 where it was killed.
        out: Standard output.
        err: Standard error.
        writes: What it did to files, in order; as far as it came.
    """

    code: int
    out: str
    err: str
    writes: list[str]


class Killable:
    """The process that commands are forked from."""

    def __enter__(self) -> "Killable":
        self._folder = tempfile.TemporaryDirectory(prefix="killed-")
        single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.cli.killed", self._folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | single | {"PYTHONPATH": str(ROOT)},
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()

    def run(
        self,
        commands: Sequence[Sequence[str]],
        folder: Path,
        fault: str = "",
        *,
        at: int = 0,
    ) -> Ended:
        """Run commands one after another, in one process.

        Args:
            commands: Each the words of a command line; or `call`, a function's module
                and name, and its arguments: texts, and paths after an @.
            folder: Where they run; their workspace is `home` there, and what is written
                outside the folder is not counted.
            fault: See above; none to let them end.
            at: The write at which it is done, from 1.
        """
        words = [[str(word) for word in each] for each in commands]
        order = {"words": words, "folder": str(folder), "fault": fault, "at": at}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        place = Path(self._folder.name)
        out, err, writes = (
            (place / name).read_text(errors="replace")
            for name in ("out", "err", "writes")
        )
        return Ended(code, out, err, writes.splitlines())


def serve(place: Path) -> None:
    """Run one command after another, until whoever began this is gone."""
    from core.cli import main as _  # noqa: F401
    from core.data.files import ahead, isolated

    nursery = warm_reader.Nursery()
    nursery.begin()
    isolated.started = nursery.started
    ahead.Ahead.prepare = lambda self: None
    os.environ.setdefault("MIXWRIGHT_WARM_WORKER", "off")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        order = json.loads(line)
        for name in ("out", "err", "writes", "modules"):
            (place / name).write_text("")
        process = os.fork()
        if process == 0:
            _be_command(order, place)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        for name in (place / "modules").read_text().split():
            if name not in sys.modules:
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
        answers.write(f"{code}\n")
        answers.flush()
    nursery.end()


def _be_command(order: dict[str, Any], place: Path) -> None:
    """Be `python -m core WORDS`; never returns."""
    code = 1
    try:
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(place / name, os.O_WRONLY), stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        folder = Path(order["folder"])
        os.chdir(folder)
        os.environ["MIXWRIGHT_HOME"] = str(folder / "home")
        # The streams of Python were made for those of the parent.
        sys.stdout, sys.stderr = (os.fdopen(stream, "w") for stream in (1, 2))
        log = os.open(place / "writes", os.O_WRONLY | os.O_APPEND)
        _Counter(folder, log, order["fault"], order["at"]).watch()
        code = max(map(_code_of, order["words"]))
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        (place / "modules").write_text("\n".join(sys.modules))
        os._exit(code)


def _code_of(words: list[str]) -> int:
    """The exit status of one command, or of a call of the service."""
    from core.cli.main import main
    from core.errors import MMMError

    if words[0] != "call":
        return main(words)
    module, name, *rest = words[1:]
    arguments = [Path(word[1:]) if word[0] == "@" else word for word in rest]
    try:
        getattr(importlib.import_module(module), name)(*arguments)
    except MMMError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


class _Counter:
    """Counts what this process does to files, and does the fault in time."""

    def __init__(self, folder: Path, log: int, fault: str, at: int):
        self._folder = os.path.realpath(folder)
        self._log, self._fault, self._at, self._n = log, fault, at, 0

    def watch(self) -> None:
        """Count from now on."""
        os.fsync = lambda handle: self._count("fsync", _place_of(handle))
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & _WRITES and self._is_inside(path):
                self._count("open", path, flags)
        elif event in _EVENTS:
            path = arguments[_EVENTS[event]]
            if isinstance(arguments[-1], int) and arguments[-1] >= 0:  # of a folder
                path = os.path.join(_place_of(arguments[-1]), os.fsdecode(path))
            if self._is_inside(path):
                self._count(event.removeprefix("os."), path)
        elif event == "ctypes.dlsym" and arguments[-1] == "renameat2":
            self._count("rename", "renameat2")

    def _is_inside(self, path: Any) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        full = os.path.abspath(os.fsdecode(path))
        return full.startswith(self._folder) and f"{os.sep}cache{os.sep}" not in full

    def _count(self, what: str, path: Any, flags: int = 0) -> None:
        """Note one, and do the fault if this is the one."""
        self._n += 1
        line = f"{what} {os.fsdecode(path)}".replace(self._folder, "")
        os.write(self._log, os.fsencode(f"{line}\n"))
        if self._fault == "full" and self._n >= self._at and what not in _FREES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fsdecode(path))
        if self._n != self._at:
            return
        if self._fault == "killed after" and flags:
            self._at = 0  # opening it is not to be heard again
            os.open(path, flags, 0o600)
        if self._fault.startswith("killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        if self._fault == "interrupted":
            os.kill(os.getpid(), signal.SIGINT)


def _place_of(handle: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return str(handle)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
