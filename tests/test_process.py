"""A process that ends at once."""

import subprocess
import sys

import pytest

_ENDS = "import sys; from core.process import leave; print('said'); leave(3)"


def test_what_was_printed_is_there_after_a_process_has_left():
    done = subprocess.run(
        [sys.executable, "-c", _ENDS], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "said\n", "")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
def test_it_leaves_with_its_status_where_nobody_can_read(closed):
    shell = f'exec "$0" -c "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable, _ENDS], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (3, b"")
