"""Secrets: connection strings from the environment or from Streamlit's secrets."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from core.errors import SchemaError

#: Where Streamlit looks for its secrets, the nearest first.
_PLACES = (Path(".streamlit/secrets.toml"), Path("~/.streamlit/secrets.toml"))
#: Parts of a connection string that nobody should see: passwords, and user:password.
_HIDDEN = re.compile(
    r"(?i)(password|passwd|pwd|pass)\s*=\s*('[^']*'|\"[^\"]*\"|[^\s;&]+)"
    r"|(?<=://)[^@/\s]+(?=@)"
)


def secret(name: str, database: str) -> str:
    """The value of a secret.

    Args:
        name: Of an environment variable, or of a key in Streamlit's secrets, with
            dots between its tables: `connections.shop.url`.
        database: Whose it is, for messages.

    Raises:
        SchemaError: There is none.
    """
    if os.environ.get(name):
        return os.environ[name]
    for place in _PLACES:
        value = _in_file(Path(os.path.expanduser(place)), name)
        if value:
            return value
    raise SchemaError(
        f"Database {database} cannot be reached: there is no secret {name}.",
        hint=f"Set the environment variable {name} to its connection string, or add "
        f"{name} to .streamlit/secrets.toml.",
        where=f"database {database}",
    )


def _in_file(path: Path, name: str) -> str:
    try:
        value: Any = tomllib.loads(path.read_text())
    except (OSError, ValueError):
        return ""
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def hidden(message: str, values: list[str]) -> str:
    """A message without secrets, and without passwords in whatever they became."""
    for value in values:
        message = message.replace(value, "…")
        if "=" not in value and "://" not in value:  # another secret than a connection
            for word in filter(lambda word: len(word) > 2, value.split()):
                message = message.replace(word, "…")
        for part in _HIDDEN.finditer(value):
            password = part.group(2) or part.group()
            for piece in {password, password.strip("'\""), password.partition(":")[2]}:
                message = message.replace(piece, "…") if len(piece) > 2 else message
    return _HIDDEN.sub("…", message)
