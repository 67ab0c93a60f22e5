"""`mixwright`: opens the app; with arguments, the command line. In the wheel only."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run one command, or open the app, and end with its exit status."""
    from core.process import collect_little, hide_dask, interruptible, leave

    collect_little()
    hide_dask()
    with interruptible():
        from core.cli.main import main as command_line

        leave(command_line(sys.argv[1:] or ["app"]))


if __name__ == "__main__":
    main()
