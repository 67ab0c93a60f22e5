"""Versions of a workspace: a newer one is left alone, an older one backed up first."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import core
import mixwright as mw
from core.cli.main import main
from core.errors import WorkspaceError
from core.jobs.operation.readiness import obstacles
from core.mcp.desk import opened as mcp_opened
from core.project.backup import archive
from core.project.plans.plans import save_plan
from core.project.shelf.lifecycle import rename_project
from core.service.projects import version
from core.store.version import FILE, recorded
from tests.charts import synthetic
from tests.pages import worlds

ROOT = Path(__file__).resolve().parents[2]
NEWER, OLDER = "99.1.0", "0.1.7"
COMMANDS = [
    ("summary", "Test market"),
    ("check", "Test market"),
    ("plan", "Test market", "--save", "Bold"),
    ("fit", "Test market"),
    ("status",),
    ("backup", "all.zip"),
    ("delete", "Test market"),
    ("mcp",),
    ("app", "--no-browser"),
]


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    worlds.fit(worlds.project())
    return tmp_path / "home"


def written_by(home: Path, number: str) -> None:
    (home / FILE).write_text(json.dumps({"version": number}))


def kept(home: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in sorted(home.rglob("*")) if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_a_workspace_says_which_version_writes_it(home):
    assert recorded(home) == core.__version__
    assert version.opened() == ""


def test_commands_refuse_a_newer_workspace_and_touch_nothing(home, capfd):
    written_by(home, NEWER)
    before = kept(home)
    for words in COMMANDS:
        if words[0] in ("mcp", "app"):  # they take their process's place
            done = subprocess.run(
                [sys.executable, "-m", "core", *words],
                cwd=ROOT,
                capture_output=True,
                text=True,
                input="",
            )
            code, said = done.returncode, done.stderr
        else:
            code, said = main(list(words)), capfd.readouterr().err
        assert code == 1, words
        assert f"last written by Mixwright {NEWER}; this is {core.__version__}" in said
        assert "MIXWRIGHT_HOME" in said and "Traceback" not in said
        assert kept(home) == before, words


def test_screens_notebook_and_probe_refuse_it_too(home):
    from streamlit.testing.v1 import AppTest

    written_by(home, NEWER)
    before = kept(home)
    opened = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300).run()
    assert not opened.exception
    shown = " ".join(element.value for element in opened.error)
    assert f"last written by Mixwright {NEWER}" in shown
    for refused in (
        lambda: mw.project("Test market"),
        lambda: mw.result("Test market"),
        lambda: mcp_opened([], [], may_write=False),
        lambda: rename_project("Test market", "Other"),  # a server that was open before
        lambda: save_plan(home / "projects/Test market", synthetic.plan()),
    ):
        with pytest.raises(WorkspaceError, match=f"last written by Mixwright {NEWER}"):
            refused()
    assert any(NEWER in why for why in obstacles())
    assert kept(home) == before


@pytest.mark.parametrize("face", ["command", "notebook", "agents", "app"])
def test_an_older_workspace_is_backed_up_before_its_files_change(home, capfd, face):
    written_by(home, OLDER)
    settings = (home / "projects/Test market/project.toml").read_bytes()
    if face == "command":
        assert main(["summary", "Test market"]) == 0
        said = capfd.readouterr().err
        assert f"last written by Mixwright {OLDER}" in said and ".zip" in said
    elif face == "notebook":
        with pytest.warns(UserWarning, match=f"last written by Mixwright {OLDER}"):
            mw.result("Test market")
    elif face == "agents":
        mcp_opened([], [], may_write=False)
        assert recorded(home) == OLDER and not (home / "backups").exists()
        mcp_opened([], [], may_write=True)
    else:
        from streamlit.testing.v1 import AppTest

        opened = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300).run()
        assert not opened.exception
        assert any(OLDER in toast.value for toast in opened.toast)
    (file,) = (home / "backups").glob("*.zip")
    with zipfile.ZipFile(file) as inside:
        assert inside.read("projects/Test market/project.toml") == settings
        assert not [name for name in inside.namelist() if name.endswith(FILE)]
    assert recorded(home) == core.__version__
    assert version.opened() == "" and len(list((home / "backups").iterdir())) == 1


def test_without_room_for_the_backup_an_older_workspace_stays_as_it_is(home):
    written_by(home, OLDER)
    (home / "backups").write_text("no folder")
    before = kept(home)
    with pytest.raises(WorkspaceError):
        version.opened()
    after = {path: what for path, what in kept(home).items() if ".lock" not in path}
    assert after == before


def test_a_patch_or_a_record_that_is_none_changes_nothing(home):
    minor = core.__version__.rpartition(".")[0]
    for number in (f"{minor}.99", minor, core.__version__, "soon", "", 7):
        (home / FILE).write_text(json.dumps({"version": number}))
        before = kept(home)
        assert version.opened() == "", number
        assert kept(home) == before


def test_two_versions_side_by_side(home, tmp_path, monkeypatch):
    """The newer one takes a workspace over; the older one keeps out of it."""
    this = core.__version__
    with monkeypatch.context() as newer:
        newer.setattr(core, "__version__", NEWER)
        assert f"by Mixwright {this}." in version.opened()
        assert recorded(home) == NEWER
        rename_project("Test market", "Market")
    with pytest.raises(WorkspaceError, match=f"last written by Mixwright {NEWER}"):
        rename_project("Market", "Test market")
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "mine"))
    worlds.project()
    assert (recorded(tmp_path / "mine"), recorded(home)) == (this, NEWER)


def test_a_backup_of_a_newer_version_is_not_restored(home, tmp_path, capfd):
    with pytest.MonkeyPatch.context() as newer:
        newer.setattr(archive, "versions", lambda: {"mixwright": NEWER})
        assert main(["backup", "all.zip"]) == 0
    before = kept(home)
    assert main(["restore", "all.zip", "--project", "Test market", "--as", "New"]) == 1
    assert f"all.zip was written by Mixwright {NEWER}" in capfd.readouterr().err
    assert kept(home) == before
    assert main(["restore", "all.zip", "--check"]) == 0
