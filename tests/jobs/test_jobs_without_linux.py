"""A table is read, fitted, planned and shown where Linux's own calls are missing.

Stands for macOS, which nobody has tried: what is taken away here (/proc, cgroups,
prctl, malloc_trim, limits of address space, processor affinity, the priority of a
session, epoll, pipe2 and calls on descriptors) is what it lacks. What only a Mac can
show, such as how its kernel ends processes or how JAX compiles there, stays untried.
"""

import json
import os
import select
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Python runs it first, in every process that the command starts.
WITHOUT_LINUX = """
import ctypes, os, pathlib, resource, select, signal

for home, names in (
    (os, "sched_getaffinity sched_setaffinity pidfd_open memfd_create eventfd pipe2"),
    (os, "posix_fadvise posix_fallocate splice copy_file_range O_TMPFILE"),
    (select, "epoll"),
    (signal, "pidfd_send_signal"),
    (resource, "prlimit"),
):
    for name in names.split():
        if hasattr(home, name):
            delattr(home, name)
read, write = pathlib.Path.read_text, pathlib.Path.write_text
opened, exists, listed = os.open, os.path.exists, os.scandir
setrlimit = resource.setrlimit

def is_linux(path):
    text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
    # Python itself looks for its open descriptors there.
    return text.startswith(("/proc", "/sys/fs")) and "/fd" not in text

def refused(call):
    def asked(path, *args, **kwargs):
        if is_linux(path):
            raise FileNotFoundError(2, "No such file or directory", os.fspath(path))
        return call(path, *args, **kwargs)
    return asked

def limited(limit, sizes):
    if limit == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    setrlimit(limit, sizes)

class Library(ctypes.CDLL):
    def __getattr__(self, name):
        if name in ("prctl", "malloc_trim"):
            raise AttributeError(name)
        return super().__getattr__(name)

pathlib.Path.read_text, pathlib.Path.write_text = refused(read), refused(write)
os.open, os.scandir, resource.setrlimit = refused(opened), refused(listed), limited
os.path.exists = lambda path: not is_linux(path) and exists(path)
ctypes.CDLL = Library
pathlib.Path(os.environ["SEEN"], f"{os.getpid()}").touch()
"""


@pytest.mark.slow
def test_from_a_table_to_a_plan_on_screen(tmp_path, compiled):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LINUX)
    (tmp_path / "seen").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home/cache").symlink_to(compiled)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))),
        "MIXWRIGHT_HOME": str(tmp_path / "home"),
        "SEEN": str(tmp_path / "seen"),
    }

    def core(*arguments: object) -> dict:
        done = subprocess.run(
            [sys.executable, "-m", "core", *map(str, arguments), "--json"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    core("init", ROOT / "assets/examples/demo_national.csv", "--out", "market")
    fit = core("fit", "market", "--chains", 1, "--warmup", 50, "--draws", 50)
    assert fit["peak_rss_bytes"] > 0
    # The command, the reader, the supervisor and the worker: each went without.
    seen = tmp_path / "seen"
    assert len(list(seen.iterdir())) >= 4
    assert core("plan", "market")["channels"]
    before = len(list(seen.iterdir()))
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "core", "app", "--port", str(port), "--no-browser"]
    with open(tmp_path / "said", "w") as said:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=said)
    try:
        assert b"ok" in _answer(f"http://localhost:{port}/_stcore/health", server)
        assert b"<!DOCTYPE html>" in _answer(f"http://localhost:{port}/plan", server)
        assert len(list(seen.iterdir())) > before
    finally:
        server.terminate()
        server.wait(30)


def _answer(address: str, server: subprocess.Popen, seconds: float = 300) -> bytes:
    """What the server answers once it has started."""
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as page:
                return page.read()
        except OSError:
            assert server.poll() is None
            assert time.monotonic() < until
            time.sleep(0.3)


def test_what_is_taken_away_is_gone(tmp_path):
    """The calls that the other test is about are there without it."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LINUX)
    (tmp_path / "seen").mkdir()
    code = """
import ctypes, os, resource, select
from core.jobs import memory, resources
from core.jobs.supervisor import give_way
print(hasattr(select, "epoll"), hasattr(os, "sched_getaffinity"), resources.cores() > 0)
print(hasattr(ctypes.CDLL(None), "prctl"), memory.resident(os.getpid()))
memory.go_first(); memory.give_back(); give_way()
print(memory.peak() > 0, memory.free() == memory.machine())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))),
            "SEEN": str(tmp_path / "seen"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == "False False True False 0 True True".split()
    assert hasattr(select, "epoll") and hasattr(os, "sched_getaffinity")
