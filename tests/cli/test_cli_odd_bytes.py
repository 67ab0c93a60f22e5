"""Names whose bytes the locale cannot read: commands go on, and show what they can."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import worlds

ROOT = Path(__file__).resolve().parents[2]
#: A name in Latin-1, and one in UTF-8 where the locale knows ASCII alone.
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0"}
ODD = {"latin-1": (b"Gr\xf6\xdfe", {}), "ascii": ("Größe".encode(), ASCII)}


def command(folder: Path, name: str, *words: str) -> subprocess.CompletedProcess:
    """A process of the command line; % is the odd name, which its home has, too."""
    odd, variables = ODD[name]
    path = f"{ROOT}{os.pathsep}{Path(__file__).parent}"
    where = {b"MIXWRIGHT_HOME": os.fsencode(folder) + b"/home " + odd}
    variables = {**variables, "PYTHONPATH": path}
    arguments = [os.fsencode(word).replace(b"%", odd) for word in words]
    return subprocess.run(
        [sys.executable, "-m", "core", *arguments],
        cwd=folder,
        env={**os.environb, **{k.encode(): v.encode() for k, v in variables.items()}}
        | where,
        capture_output=True,
        timeout=300,
    )


@pytest.mark.parametrize("name", ODD)
def test_a_project_of_such_a_name_is_created_and_checked(tmp_path, name):
    worlds.table().to_csv(tmp_path / "sales.csv", index=False)
    created = command(tmp_path, name, "init", "sales.csv", "--out", "%")
    assert created.returncode == 0, created.stderr
    checked = command(tmp_path, name, "check", "%", "--json")
    assert checked.returncode == 0, checked.stderr
    missing = command(tmp_path, name, "check", "%2")
    assert missing.returncode == 1 and b"Traceback" not in missing.stderr
    assert (b"Grosse2" if name == "ascii" else "Gr��e2".encode()) in missing.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_such_a_project_is_fitted_planned_and_reported(home, tmp_path, name):
    worlds.table().to_csv(tmp_path / "sales.csv", index=False)
    for words in (
        ("init", "sales.csv", "--out", "%"),
        ("fit", "%"),
        ("plan", "%", "--as-fitted", "--save", "%", "--out", "%.json"),
        ("history", "%", "--json"),
        ("report", "%", "--out", "%.html"),
    ):
        done = command(tmp_path, name, *words)
        assert done.returncode == 0, (words, done.stderr)
