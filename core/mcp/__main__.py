"""`python -m core.mcp`: the server that `mixwright mcp` becomes."""

import argparse
import sys
from collections.abc import Sequence

from core import PROGRAM
from core.errors import MMMError


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the client goes.

    Args:
        arguments: Of the command line, without the program; None for this process's.

    Returns:
        The exit status.
    """
    options = parser().parse_args(arguments)
    import anyio

    from core.mcp.desk import opened
    from core.mcp.server import serve

    try:
        desk = opened(options.projects, options.data, may_write=options.write)
    except MMMError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    anyio.run(serve, desk)
    return 0


def parser() -> argparse.ArgumentParser:
    """The options of the server."""
    top = argparse.ArgumentParser(prog=f"{PROGRAM} mcp")
    top.add_argument("projects", metavar="PROJECT", nargs="*")
    top.add_argument("--data", metavar="FOLDER", action="append", default=[])
    top.add_argument("--write", action="store_true")
    return top


if __name__ == "__main__":
    sys.exit(main())
