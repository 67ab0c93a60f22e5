"""A process that ends at once."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.process import uninterrupted

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
