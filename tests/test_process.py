"""A process that ends at once."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata

import pytest

from core.process import packages_named, uninterrupted

_ENDS = "import sys; from core.process import leave; print('said'); leave(3)"


def test_what_was_printed_is_there_after_a_process_has_left():
    done = subprocess.run(
        [sys.executable, "-c", _ENDS], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "said\n", "")


_INTERRUPTED = """
import runpy, sys
class Finder:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
runpy.run_module("core", run_name="__main__")
"""


@pytest.mark.parametrize("at", ["core.process", "core.cli.main", "core.errors"])
def test_ctrl_c_while_modules_are_imported_leaves_no_trace(at):
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, at],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
def test_it_leaves_with_its_status_where_nobody_can_read(closed):
    shell = f'exec "$0" -c "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable, _ENDS], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (3, b"")


def test_ctrl_c_waits_for_the_end_of_what_a_library_does():
    went_on = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            went_on.append(True)
        assert went_on
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    with ThreadPoolExecutor(1) as pool:  # no thread but the first may set a handler
        assert pool.submit(_in_a_thread).result() == "went on"


def _in_a_thread():
    with uninterrupted():
        return "went on"


def test_only_packages_with_the_word_in_their_name_are_read(tmp_path, monkeypatch):
    for name in ("jax_rocm9_plugin", "another"):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {name}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with packages_named("rocm"):
        few = [one.metadata["Name"] for one in metadata.distributions()]
    every = {one.metadata["Name"] for one in metadata.distributions()}
    assert few == ["jax_rocm9_plugin"]
    assert {"another", "jax_rocm9_plugin"} < every


_LOOKS = """
import sys
from importlib import metadata
read = []
def of(self, own=metadata.Distribution.metadata.fget):
    # Others ask for the version of a package by its name.
    read.append(sys._getframe(1).f_globals["__name__"].startswith("jax."))
    return own(self)
metadata.Distribution.metadata = property(of)
from core.jobs import worker
worker.imported(worker.FIT)
print(sum(read), "jax" in sys.modules)
"""


def test_a_worker_reads_no_description_of_a_package_that_is_not_for_rocm():
    done = subprocess.run(
        [sys.executable, "-c", _LOOKS], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["0", "True"], done.stderr
