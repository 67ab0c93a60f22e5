"""Mixwright's core: from a table of media and sales to a budget plan.

    table -> data -> model -> fit -> analysis -> plan -> charts, report

Each stage is a package; a stage imports earlier stages only. NumPy and pandas come
in, labelled xarray goes out, JAX lives between. Nothing here imports streamlit.
"""

import os

__version__ = "0.2.0"

#: What a user types before a command: the wheel brings a program, a clone does not.
PROGRAM = (
    "mixwright"
    if os.path.isfile(os.path.join(os.path.dirname(__file__), "..", "__main__.py"))
    else "python -m core"
)


def quoted(word: object) -> str:
    """A path or a name as it is typed in a command: in quotes where it needs them."""
    import shlex  # not at the top: every process begins here, and may be interrupted
    import subprocess

    text = str(word)
    return subprocess.list2cmdline([text]) if os.name == "nt" else shlex.quote(text)


def to_install(extra: str) -> str:
    """How to get an optional package: one sentence, and one for a machine offline.

    Args:
        extra: Of the wheel's extras, which are the names of requirements files too.
    """
    is_wheel = PROGRAM == "mixwright"
    asked = f"'mixwright[{extra}]'" if is_wheel else f"-r requirements-{extra}.txt"
    return (
        f"Install it: pip install {asked}. Without a network, add --no-index "
        "--find-links FOLDER, a folder that pip download filled elsewhere."
    )


def as_text(name: str) -> str:
    """A name of the system as text, whatever the locale makes of its bytes.

    They are UTF-8 nearly everywhere; where they are not, what cannot be read is shown
    as such. Signs that stand for bytes could be written neither to a file nor a screen.
    """
    return name.encode(errors="surrogateescape").decode(errors="replace")
