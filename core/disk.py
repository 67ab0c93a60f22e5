"""Disk: whether an error is that of one that is full, and where temporary files go.

Standard library only: the supervisor uses it.
"""

import errno
import os
import tempfile

#: Error numbers of a disk, quota or file size that is used up.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error, or one behind it, is that of a disk that is used up."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in FULL:
            return True
        if "No space left on device" in str(error):  # as libraries pass it on
            return True
        error = error.__cause__ or error.__context__
    return False


def temporary_folder() -> str:
    """Where temporary files go, or would if it had room for a few bytes."""
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:
        return os.environ.get("TMPDIR") or "/tmp"
