"""A table is read and a model fitted where Linux's own calls are missing.

Stands for macOS, which nobody has tried: what is taken away here (/proc, prctl, limits
of address space, processor affinity, cgroups) is what it lacks.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Python runs it first, in every process that the command starts.
WITHOUT_LINUX = """
import ctypes, os, pathlib, resource

del os.sched_getaffinity
read, setrlimit = pathlib.Path.read_text, resource.setrlimit

def read_text(self, *args, **kwargs):
    if str(self).startswith(("/proc", "/sys/fs")):
        raise FileNotFoundError(self)
    return read(self, *args, **kwargs)

def limited(limit, sizes):
    if limit == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    setrlimit(limit, sizes)

class Library(ctypes.CDLL):
    def __getattr__(self, name):
        if name == "prctl":
            raise AttributeError(name)
        return super().__getattr__(name)

pathlib.Path.read_text, resource.setrlimit = read_text, limited
ctypes.CDLL = Library
pathlib.Path(os.environ["SEEN"], f"{os.getpid()}").touch()
"""


@pytest.mark.slow
def test_check_and_fit(tmp_path, compiled):
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
    assert len(list((tmp_path / "seen").iterdir())) >= 4
