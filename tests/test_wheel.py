"""The wheel: what is in it and what it asks for; `make wheel-steps` installs it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from core import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = ("auth", "dask", "duckdb", "mcp", "pdf")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder as `pip install` leaves it: the wheel, unpacked."""
    folder = tmp_path_factory.mktemp("a wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def mixwright(site: Path, desk: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-P", "-m", "mixwright", *arguments],
        cwd=desk,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def pinned(name: str) -> dict[str, str]:
    """What the project chose itself: the first blocks of a requirements file."""
    chosen = re.split(r"# What .* need", (ROOT / name).read_text())[0]
    return dict(re.findall(r"^([\w-]+)==(\S+)", chosen, flags=re.MULTILINE))


def test_one_package_and_nothing_else(installed):
    names = sorted(path.name for path in installed.iterdir())
    assert names == ["mixwright", f"mixwright-{__version__}.dist-info"]
    assert not [path for path in installed.rglob("*") if path.suffix == ".pyc"]
    assert not (installed / "mixwright" / "tests").exists()
    from pages.help.documents import PAGES

    assert all(
        (installed / "mixwright/docs" / path).is_file() for path in PAGES.values()
    )


def test_every_picture_of_a_guide_is_in_it(installed):
    guides = sorted((installed / "mixwright/docs/guides").glob("*.md"))
    assert guides
    for guide in guides:
        for path in re.findall(r"^!\[[^\]]*\]\(([^)]+)\)", guide.read_text(), re.M):
            assert (guide.parent / path).is_file(), (guide.name, path)


def test_commands_run_from_an_empty_folder_and_speak_of_themselves(installed, tmp_path):
    version = mixwright(installed, tmp_path, "--version")
    assert version.stdout.strip() == f"Mixwright {__version__}"
    missing = mixwright(installed, tmp_path, "check", "nothing")
    assert missing.returncode == 1
    assert "mixwright init" in missing.stdout + missing.stderr
    assert "python -m core" not in missing.stdout + missing.stderr
    example = ROOT / "assets/examples/demo_national.csv"
    checked = mixwright(installed, tmp_path, "check", str(example), "--json")
    assert checked.returncode == 0, checked.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_is_named_as_the_wheel_has_it(installed, tmp_path):
    code = "import sys, mixwright, core; sys.stdout.write(core.to_install('pdf'))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pip install 'mixwright[pdf]'" in done.stdout
    assert "Without a network" in done.stdout and "--no-index" in done.stdout


def test_two_versions_side_by_side(installed, tmp_path, monkeypatch):
    """Each runs; what a newer one wrote stays as it is under the older one."""
    newer = tmp_path / "a newer site"
    shutil.copytree(installed, newer)
    said = newer / "mixwright/core/__init__.py"
    said.write_text(said.read_text().replace(f'"{__version__}"', '"99.0.0"'))
    example = str(ROOT / "assets/examples/demo_national.csv")

    def ran(site: Path, *arguments: str) -> subprocess.CompletedProcess:
        return mixwright(site, tmp_path, *arguments)

    def files() -> dict[Path, bytes]:
        found = [path for path in home.rglob("*") if path.is_file()]
        return {path: path.read_bytes() for path in found}

    home = tmp_path / "a shared workspace"
    monkeypatch.setenv("MIXWRIGHT_HOME", str(home))
    market = str(home / "projects/Market")
    (home / "projects").mkdir(parents=True)
    made = ran(installed, "init", example, "--out", market)
    assert made.returncode == 0, made.stderr
    before = (home / "projects/Market/project.toml").read_bytes()
    opened = ran(newer, "check", market)
    assert opened.returncode == 0, opened.stderr
    assert f"last written by Mixwright {__version__}. A backup" in opened.stderr
    (backup,) = (home / "backups").iterdir()
    kept = zipfile.ZipFile(backup)
    (name,) = (n for n in kept.namelist() if n.endswith("Market/project.toml"))
    assert kept.read(name) == before
    held = files()
    refused = ran(installed, "check", market)
    assert refused.returncode == 1 and "Traceback" not in refused.stderr
    assert "99.0.0" in refused.stderr
    assert files() == held  # nothing touched
    assert ran(newer, "check", market).returncode == 0
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "the older one's own"))
    assert ran(installed, "check", example).returncode == 0


def test_agents_find_their_tools_and_skill(installed, tmp_path):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    calls = [("initialize", hello), ("tools/list", {})]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": name, "params": about})
        for n, (name, about) in enumerate(calls)
    ]
    ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    talk = subprocess.Popen(
        [sys.executable, "-P", "-m", "mixwright", "mcp"],
        cwd=tmp_path,
        env=os.environ
        | {"PYTHONPATH": str(installed), "MIXWRIGHT_HOME": str(tmp_path / "home")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with talk:
        talk.stdin.write(f"{lines[0]}\n{ready}\n{lines[1]}\n")
        talk.stdin.flush()
        told = [json.loads(talk.stdout.readline()) for _ in calls]
        talk.stdin.close()
    assert told[0]["result"]["serverInfo"]["version"] == __version__
    assert {"plan", "summary"} <= {each["name"] for each in told[1]["result"]["tools"]}
    assert (installed / "mixwright/assets/skills/mixwright/SKILL.md").is_file()


def test_the_notebook_module_is_the_package(installed, tmp_path):
    code = (
        "import mixwright, core, importlib.util as u;"
        "print(core.__path__[0]);"
        "assert not [n for n in ('pages', 'app', 'tests') if u.find_spec(n)]"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(installed / "mixwright" / "core")


@pytest.mark.parametrize("extra", [None, *EXTRAS])
def test_ranges_hold_the_versions_that_are_tested(extra):
    """And name the same packages as the lock does."""
    if extra is None:
        lock, ranges = pinned("requirements.txt"), PROJECT["dependencies"]
    else:
        lock = pinned(f"requirements-{extra}.txt")
        ranges = PROJECT["optional-dependencies"][extra]
    wanted = {given.name: given.specifier for given in map(Requirement, ranges)}
    assert set(wanted) == set(lock)
    outside = {
        name: version
        for name, version in lock.items()
        if not wanted[name].contains(version, prereleases=True)
    }
    assert not outside
