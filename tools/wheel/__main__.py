"""`mixwright`: opens the app; with arguments, the command line. In the wheel only."""

import sys


def main() -> int:
    """Run one command, or open the app.

    Returns:
        The exit status.
    """
    from core.cli.main import main as command_line

    return command_line(sys.argv[1:] or ["app"])


if __name__ == "__main__":
    sys.exit(main())
