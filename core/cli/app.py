"""Servers: `app` serves the screens on a port that is free, `mcp` serves agents.

The server takes this process's place, so that whoever started the command (a shell, a
service manager, make) stops the server by stopping it.
"""

import argparse
import importlib.util
import os
import shutil
import socket
import sys
import webbrowser
from pathlib import Path

from core import to_install
from core.cli.answer import tell
from core.cli.arguments import port_number
from core.cli.parts import Add, takes
from core.errors import WorkspaceError

#: The folder with app.py beside core/: a clone, or the installed package.
_ROOT = Path(__file__).resolve().parents[2]
_PORT = 8501
_TRIED = 50
#: The server, which Ctrl-C stops without a traceback while it is still loading, too.
_SERVER = """\
import sys
try:
    from click import Abort
    from streamlit.web.cli import main
    main(prog_name="streamlit", standalone_mode=False)
except (KeyboardInterrupt, Abort):
    print("Stopped.", file=sys.stderr)
    sys.exit(130)
"""
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


def add_app(add: Add) -> None:
    """The options of `app`."""
    app = add("app", "app:app_command", "open the app in a browser")
    takes(
        app,
        {
            "--port N": f"port of the server ({_PORT}, or the next one that is free)",
            "--address ADDRESS": "address to listen on (localhost: this machine alone)",
            "--host NAME ...": "a name by which browsers may call it, * for any; "
            "repeat for several (localhost)",
            "--no-browser": "do not open a browser window",
        },
        port=port_number,
    )
    app.set_defaults(port=_PORT, address="localhost")


def app_command(options: argparse.Namespace) -> None:
    """Start the server of the screens; does not return.

    Raises:
        WorkspaceError: No port is free, or the address is not one of this machine.
    """
    port = free_port(options.address, options.port)
    if port != options.port:
        tell(f"Port {options.port} is in use; the app opens on {port}.")
    opens = not options.no_browser and can_open_a_browser()
    if not opens and not options.no_browser:
        address = _browsed(options.address)
        tell(f"No browser can be opened here. Open http://{address}:{port} in one.")
    command = [sys.executable, "-P", "-c", _SERVER, "run", str(_ROOT / "app.py")]
    command += ["--server.port", str(port), "--server.address", options.address]
    for name in options.host or _LOCAL_NAMES:
        command += ["--server.allowedHosts", name]
    command += ["--server.headless", "false" if opens else "true"]
    command += ["--server.showEmailPrompt", "false"]
    os.execv(sys.executable, command)


def free_port(address: str, first: int) -> int:
    """The first port from `first` on that nothing listens on.

    Args:
        address: Address to listen on.
        first: The port to try first.

    Raises:
        WorkspaceError: None of the next 50 is free, or the address is not one of this
            machine.
    """
    for port in range(first, min(first + _TRIED, 65536)):
        if is_free(address, port):
            return port
    raise WorkspaceError(
        f"No port from {first} to {first + _TRIED - 1} is free on {address}.",
        hint="Name another one with --port.",
    )


def is_free(address: str, port: int) -> bool:
    """Whether a server could listen there.

    Raises:
        WorkspaceError: The address is not one of this machine.
    """
    try:
        addresses = socket.getaddrinfo(
            address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError, OverflowError) as error:
        raise WorkspaceError(
            f"{address} is not an address of this machine.",
            hint="Use localhost, or 0.0.0.0 for every address.",
            where="--address",
        ) from error
    for family, kind, protocol, _, place in addresses:
        with socket.socket(family, kind, protocol) as listener:
            # As the server does: a port that was just given back is free.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(place)
            except OSError:
                return False
    return True


def can_open_a_browser() -> bool:
    """Whether this session has a screen, and a program that opens a window on it."""
    if sys.platform == "darwin":
        return True
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return shutil.which("xdg-open") is not None
    return True


def _browsed(address: str) -> str:
    """The name by which a browser on this machine calls an address to listen on."""
    if address in ("0.0.0.0", "::", ""):
        return "localhost"
    return f"[{address}]" if ":" in address else address


def add_mcp(add: Add) -> None:
    """The options of `mcp`."""
    mcp = add("mcp", "app:mcp_command", "tools for agents, on standard streams (MCP)")
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
