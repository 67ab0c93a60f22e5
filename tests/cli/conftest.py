"""The command line under test, in a workspace of the test's own."""

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from core.cli.main import main
from core.team import identity
from tests.cli import cases, cli_worker
from tests.cli.killed import Killable
from tests.pages import worlds


class Said(NamedTuple):
    """What a command did: exit status, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict:
        """The one JSON object on standard output."""
        return json.loads(self.out)


@pytest.fixture(scope="session")
def made_fits(tmp_path_factory) -> Path:
    """What cli_worker's fits hold, by project; for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = base / "made-fits"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLI_SHELF", str(folder))
        # This process has what makes them at hand; a worker would import it.
        for name in (worlds.MARKET, "Second market", "Third market"):
            cli_worker.kept(name)
    return folder


@pytest.fixture
def home(tmp_path, monkeypatch, keeps_compiled, made_fits) -> Path:
    """An empty workspace; runs are done by cli_worker."""
    here = Path(__file__).parent
    keeps_compiled(tmp_path / "home")
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MIXWRIGHT_TEST_WORKER", "cli_worker")
    monkeypatch.setenv("CLI_BEHAVIOUR", "done")
    monkeypatch.setenv("CLI_SHELF", str(made_fits))
    monkeypatch.setenv("PYTHONPATH", str(here))
    monkeypatch.chdir(tmp_path)
    # A screen that was tested before in this process has people who sign in.
    identity.set_sign_in(None)
    return tmp_path / "home"


@pytest.fixture
def say(home, capfd):
    """Run a command in this process; what it said."""

    def run(*arguments: str) -> Said:
        capfd.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return run


@pytest.fixture
def project(home) -> Path:
    """A project of the workspace."""
    return worlds.project()


@pytest.fixture
def fit(project) -> Path:
    """A finished fit of it, as the contract stores one."""
    return worlds.fit(project)


@pytest.fixture(scope="session")
def killable():
    """Runs commands that are stopped; see `tests.cli.killed`."""
    with Killable() as one:
        yield one


@pytest.fixture(scope="session")
def template(tmp_path_factory, killable, small_fit) -> Path:
    """A folder with a workspace, and with what commands read; to be copied."""
    folder = tmp_path_factory.mktemp("template")
    cases.fill(folder, killable, small_fit)
    return folder
