"""Commands that write, on copies of one workspace, and what others say of it then.

python -m tests.cli.cases [VERB …]     every fault at every write; takes minutes
"""

import json
import re
import shutil
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from core.experiments.kept import as_kept
from core.project.backup.take import take_backup
from core.project.lift_tests.lift_tests import keep_lift_test
from core.project.plans.plans import save_plan
from tests import small_fit
from tests.cli.killed import Ended, Killable
from tests.pages import worlds
from tests.plan.records import record

MARKET = worlds.MARKET
#: What differs from one run of a command to the next.
_VARIES = re.compile(
    r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.+Z]*|[0-9a-f]{64}"
)
#: Names that no listing shows, and that the next write, or prune, sweeps.
_HIDDEN = re.compile(r"\..+\.tmp|pruned .+")
TEST = {"name": "Next", "channels": ["TV"], "kind": "dark", "multiple": 0.0}
TEST |= {"geos": [], "start": "2024-01-01", "end": "2024-01-28"}
LIFT = "channel,start,end,spend multiple,incremental revenue,se\n"
LIFT += "TV,2023-05-01,2023-05-28,0,100000,20000\n"
AT = f"@home/projects/{MARKET}"
NOTES = "core.project.history.annotations"
PLANS = "core.project.plans.plans"
SHELF = "core.project.shelf.lifecycle"

#: Commands by a name: cheap ones, each with what it writes outside the workspace.
VERBS = {
    "init": ["init", "next.csv", "--out", "Other"],
    "init in a folder": ["init", "next.csv", "--out", "made/market"],
    "update": ["update", MARKET, "next.csv"],
    "delete": ["delete", MARKET],
    "prune": ["prune", MARKET, "--keep", "1"],
    "plan saved": ["plan", MARKET, "--as-fitted", "--save", "Third"],
    "plan in files": [
        *("plan", MARKET, "--as-fitted"),
        *("--out", "p.xlsx", "--out", "p.csv", "--out", "p.json", "--out", "p.toml"),
    ],
    "plan proposed": ["approval", MARKET, "First", "--propose", "--text", "Please"],
    "plan of record": ["approval", MARKET, "Second", "--record"],
    "plan renamed": ["call", PLANS, "rename_plan", AT, "FIRST", "Renamed", "-"],
    "plan deleted": ["call", PLANS, "delete_plan", AT, "FIRST"],
    "page": ["report", MARKET, "--out", "r.html"],
    "workbook": ["report", MARKET, "--out", "r.xlsx"],
    "slides": ["report", MARKET, "--out", "r.pptx"],
    "paper": ["report", MARKET, "--out", "r.pdf"],
    "draws": ["report", "FITTED", "--out", "r.nc"],
    "forecast": ["forecast", "FITTED", "--periods", "4", "--out", "f.csv"],
    "result added": ["tests", "add", MARKET, "lift.csv"],
    "brief": ["tests", "brief", MARKET, "Next", "--out", "b.csv", "--out", "b.html"],
    "members": ["members", MARKET, "--set", "ann@example.com=planner"],
    "promises": ["history", MARKET, "--promises"],
    "backup": ["backup", "all.zip"],
    "restore": ["restore", "before.zip", "--yes"],
    "restore as": ["restore", "before.zip", "--as", "Again"],
    "project renamed": ["call", SHELF, "rename_project", MARKET, "Renamed"],
    "project copied": ["call", SHELF, "duplicate_project", MARKET, "Copy"],
    "note": ["call", NOTES, "annotate", AT, "2022-01-03", "Strike"],
}


def fill(folder: Path, killable: Killable, fitted: Path) -> None:
    """Put a workspace into a folder, and what commands read.

    Args:
        folder: An empty one.
        killable: Runs commands.
        fitted: A workspace whose fit has draws; see `small_fit.shared`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(folder / "home"))
        project = worlds.project()
        for _ in range(2):
            fit = worlds.fit(project)
        for name in ("First", "Second"):
            save_plan(project, record(name=name, run_id=fit.name))
        keep_lift_test(project, as_kept(TEST))
        take_backup(folder / "before.zip")
        worlds.table(160).to_csv(folder / "next.csv", index=False)
    (folder / "lift.csv").write_text(LIFT)
    small_fit.copied(fitted, folder / "fitted")
    (folder / "made").mkdir()
    # Who looks at promises keeps them: that is done.
    assert killable.run([["history", MARKET, "--promises"]], folder).code == 0


class Case:
    """A workspace of its own, one command in it, and what others say of it."""

    def __init__(self, killable: Killable, template: Path, folder: Path, verb: str):
        self._killable, self.folder = killable, folder
        self.n_logged = 0
        shutil.copytree(template, folder, symlinks=True)
        self.words = self.words_of(verb)
        if verb == "promises":
            shutil.rmtree(folder / "home" / "projects" / MARKET / "promises")

    def words_of(self, verb: str) -> list[str]:
        """The command line of a verb here."""
        home, fitted = self.folder / "home", self.folder / "fitted"
        ids = sorted(path.stem for path in home.rglob("plans/2*.json"))
        [run] = fitted.glob("projects/*/runs/*")
        places = {"FIRST": ids[0], "FITTED": str(run)}
        return [places.get(word, word) for word in VERBS[verb]]

    def run(self, fault: str = "", at: int = 0) -> Ended:
        """The command; see `Killable.run`."""
        return self._killable.run([self.words], self.folder, fault, at=at)

    def state(self) -> list[str]:
        """What commands say of every project, and names of what lies beside them."""
        home = self.folder / "home"
        places = (home / "projects", self.folder / "made", home / "trash", self.folder)
        shown = sorted(
            path
            for place in places
            if place.is_dir()
            for path in place.iterdir()
            if not path.name.startswith(".") and not self._is_hidden(path)
        )
        projects = [path for path in shown if path.parent != home / "trash"]
        projects = [path for path in projects if (path / "project.toml").exists()]
        # Several files are each replaced as a whole, one after another.
        outs = {
            self.folder / out for out in self.words if self.words.count("--out") > 1
        }
        shown = [path for path in shown if path not in outs]
        commands = [
            [*words, str(path), "--json"]
            for path in projects
            for words in (["check"], ["history"], ["tests", "list"])
        ]
        asked = [["audit", "--json"], ["status"], *commands]
        read = self._killable.run(asked, self.folder)
        assert read.code == 0, read.err
        said, at = [], read.out.find("{")
        while at >= 0:
            answer, end = json.JSONDecoder().raw_decode(read.out, at)
            # What is in no line of the log yet was begun, and may not be done.
            answer.pop("events", None)
            said.append(answer)
            at = read.out.find("{", end)
        self.n_logged = len(said.pop(0)["entries"])
        lines = [*(str(path) for path in shown), *map(json.dumps, said)]
        return [_VARIES.sub("~", line).replace(str(self.folder), "") for line in lines]

    def broken(self) -> list[Path]:
        """Files that have a name and are not whole."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        shown = (path for path in files if not self._is_hidden(path))
        return [path for path in shown if not is_whole(path)]

    def left(self) -> list[Path]:
        """What is there and no listing shows."""
        return [path for path in self.folder.rglob("*") if self._is_hidden(path)]

    def _is_hidden(self, path: Path) -> bool:
        inside = path.relative_to(self.folder).parts
        return any(_HIDDEN.fullmatch(part) for part in inside)


def is_whole(path: Path) -> bool:
    """Whether a file has its end."""
    if path.suffix in (".xlsx", ".pptx", ".zip"):
        return zipfile.ZipFile(path).testzip() is None
    if path.suffix == ".json":
        return json.loads(path.read_text()) is not None
    if path.suffix == ".jsonl":
        return all(json.loads(line) for line in path.read_text().splitlines())
    if path.suffix == ".toml":
        return bool(tomllib.loads(path.read_text()))
    if path.suffix == ".parquet":
        return pq.ParquetFile(path).metadata.num_rows > 0
    if path.suffix == ".html":
        return path.read_text().rstrip().endswith("</html>")
    return path.suffix in ("", ".lock") or path.stat().st_size > 0


class Bench:
    """Cases of one verb, each with a fault, against how it goes without one."""

    def __init__(self, killable: Killable, template: Path, place: Path, verb: str):
        self._of = (killable, template)
        self._place, self.verb, self._n = place, verb, 0
        case = self._case()
        self._old, self._n_logged = case.state(), case.n_logged
        case = self._case()
        done = case.run()
        assert done.code == 0, done.err
        self._new, self.writes = case.state(), done.writes
        assert not case.broken() and not case.left(), (case.broken(), case.left())
        self._is_logged = case.n_logged > self._n_logged

    def _case(self) -> Case:
        self._n += 1
        return Case(*self._of, self._place / f"{self.verb} {self._n}", self.verb)

    def check(self, fault: str, at: int) -> None:
        """Do a fault at a write, look, and do the command again."""
        case, where = self._case(), (self.verb, fault, at, self.writes[at - 1])
        ended = case.run(fault, at)
        assert "Traceback" not in ended.err, (where, ended.err)
        if fault == "full":
            # What takes no room is done; what remains is a line in the log.
            assert ended.code in (0, 1), (where, ended.err)
            assert ended.code == 0 or "disk is full" in ended.err, (where, ended.err)
        else:
            code = 130 if fault == "interrupted" else -9
            assert ended.code == code, (where, ended.err)
        assert not case.broken(), (where, case.broken())
        state = case.state()
        assert state in (self._old, self._new), (where, state, self._old, self._new)
        if state != self._old and self._is_logged and fault != "full":
            assert case.n_logged > self._n_logged, where
        is_tidying = self.writes[at - 1].startswith(("remove ", "rmdir "))
        if not fault.startswith("killed") and not is_tidying:
            assert not case.left(), (where, case.left())
        again = case.run()
        assert "Traceback" not in again.err, (where, again.err)
        if state == self._old != self._new:
            assert again.code == 0, (where, again.err)
            assert case.state() == self._new, where
        else:
            assert again.code in (0, 1), (where, again.err)
        assert again.code or not case.left(), (where, case.left())
        shutil.rmtree(case.folder)

    def faults(self) -> list[tuple[str, int]]:
        """Every fault at every write at which it can be done."""
        return [
            (fault, at)
            for at, write in enumerate(self.writes, 1)
            for fault in ("killed", "killed after", "interrupted", "full")
            if fault != "killed after" or write.startswith("open ")
        ]


def main(verbs: list[str]) -> None:
    """Do every fault at every write of some verbs, or of all."""
    with tempfile.TemporaryDirectory() as name, Killable() as killable:
        template = Path(name) / "template"
        template.mkdir()
        fill(template, killable, small_fit.shared(Path(name)))
        for verb in verbs or VERBS:
            bench = Bench(killable, template, Path(name), verb)
            failed = []
            for fault, at in bench.faults():
                try:
                    bench.check(fault, at)
                except AssertionError as error:
                    failed.append(f"  {fault} at {at}: {error}"[:2000])
            print(f"{verb}: {len(bench.faults())} faults, {len(failed)} not survived")
            print("\n".join(failed), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
