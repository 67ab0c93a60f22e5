"""`mcp`: the server for agents, which takes this process's place."""

import argparse
import importlib.util
import os
import sys

from core import to_install
from core.cli.parts import Add, takes
from core.errors import WorkspaceError


def add_mcp(add: Add) -> None:
    """The options of `mcp`."""
    mcp = add("mcp", "mcp:mcp_command", "tools for agents, on standard streams (MCP)")
    mcp.add_argument(
        "projects",
        metavar="PROJECT",
        nargs="*",
        help="the only projects that may be used (all of the workspace)",
    )
    takes(
        mcp,
        {
            "--data FOLDER ...": "a folder whose files may be named; may be repeated "
            "(MIXWRIGHT_DATA, or data in the workspace)",
            "--write": "let agents change what you may change; without it nothing is "
            "changed",
        },
    )


def mcp_command(options: argparse.Namespace) -> None:
    """Become the server; does not return.

    Raises:
        WorkspaceError: The package that it needs is not installed.
    """
    if importlib.util.find_spec("mcp") is None:
        raise WorkspaceError(
            "The package mcp is not installed.", hint=to_install("mcp")
        )
    from core.service.runs import python_path

    command = [sys.executable, "-P", "-m", "core.mcp"]
    command += [f"--data={folder}" for folder in options.data]
    command += ["--write"] if options.write else []
    environment = os.environ | {"PYTHONPATH": python_path()}
    os.execve(sys.executable, [*command, "--", *options.projects], environment)
