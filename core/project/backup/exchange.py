"""Exchange: two folders get each other's names in one step.

With two renames there is a moment at which nothing has the name, and a process that is
killed then leaves it so.
"""

import ctypes
import errno
import os
from pathlib import Path

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
#: Of systems and file systems that cannot do it.
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(one: Path, other: Path) -> None:
    """Give two folders of one disk each other's names.

    Where the system cannot do it in one step, by three renames.

    Raises:
        OSError: It cannot be done; both have their names.
    """
    try:
        _in_one_step(one, other)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
        _in_three(one, other)


def _in_one_step(one: Path, other: Path) -> None:
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one), None, str(other))


def _in_three(one: Path, other: Path) -> None:
    between = one.with_name(f"{one.name} between")
    done: list[tuple[Path, Path]] = []
    try:
        for old, new in ((other, between), (one, other), (between, one)):
            os.rename(old, new)
            done.append((old, new))
    except OSError:
        for old, new in reversed(done):
            os.rename(new, old)
        raise
