"""Reading: the open project, its table, runs and results, each read once per change.

Caches are keyed by where a thing is and the hash of what it is, never by its content,
and hold what is never changed by whoever gets it.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import ConflictError, MMMError, WorkspaceError
from core.service import fits, runs
from core.service.projects import settings as projects
from core.service.projects.access import Role, denial, log_refusal
from core.service.projects.settings import Conflict, Project, last_save
from core.service.projects.shelf import project_folder
from core.service.records.columns import Finding
from core.service.records.fit import AllDiagnostics, FitRecord, FitReport
from core.service.records.model import PriorCheck
from core.text.languages.language import say
from core.text.languages.locale import STANDARD
from pages.ui import state
from pages.ui.reader import tongue
from pages.ui.reader.once import once

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from core.service.records.model import Market


_Kind = TypeVar("_Kind")


@dataclass(frozen=True)
class Opened:
    """The open project as it is on disk.

    Attributes:
        name: Its name in the workspace.
        folder: Where it is.
        project: What project.toml says.
        sha: Hash of project.toml.
        data_sha: Hash of the data file; empty where that is missing.
    """

    name: str
    folder: Path
    project: Project
    sha: str
    data_sha: str

    @property
    def has_data(self) -> bool:
        """Whether the data file is there."""
        return bool(self.data_sha)


def opened() -> Opened | None:
    """The open project, None if none is open.

    Raises:
        WorkspaceError: There is no such project, or its file is damaged.
        SpecError: Its file holds something impossible.
    """
    name = state.project_name()
    return None if name is None else open_folder(name)


def chosen_locale() -> str:
    """How to write what a script draws: as the project that the address names has it.

    Asked once, before anything is drawn, as the session costs five times a number.
    """
    try:
        here = opened()
    except MMMError:
        return STANDARD
    return STANDARD if here is None else here.project.locale


def locale() -> str:
    """How to write where no script began: in a fragment that is drawn again.

    A download runs in a thread that has no session, and says itself how to write.
    """
    last = state.seen() if get_script_run_ctx(suppress_warning=True) else None
    return STANDARD if last is None else last[1].locale


def open_folder(name: str) -> Opened:
    """A project of the workspace by name.

    Raises:
        WorkspaceError: There is no such project, or its file is damaged.
        SpecError: Its file holds something impossible.
    """
    folder = _allowed(name)
    if not folder.is_dir():
        raise WorkspaceError(
            say("There is no project {name}.", name=name),
            hint=say("It may have been renamed or deleted; choose one from the list."),
            where=name,
        )
    sha = projects.project_sha256(folder)
    project = _project(folder, sha)
    try:
        data_sha = runs.data_sha256(projects.data_file(folder, project))
    except WorkspaceError:
        data_sha = ""
    return Opened(name, folder, project, sha, data_sha)


def _allowed(name: str) -> Path:
    """The folder of a project that this person may see."""
    try:
        folder = project_folder(name)
    except WorkspaceError as error:
        _log_once("project opened", None, name, error)
        raise
    denied = denial(folder, Role.VIEWER)
    if denied is not None:
        _log_once("project opened", folder, "", denied)
        raise denied
    return folder


def _log_once(action: str, project: Path | None, subject: str, error: MMMError) -> None:
    """Log what the address asks for in vain: once, not at every look."""
    key = f"refused.{project}.{subject}"
    if not state.draft_of_app(key):
        state.keep_of_app(key, True)
        log_refusal(action, project, subject, type(error).__name__)


@once(lambda folder, sha: (folder, sha), most=64, english=False)
def _project(folder: Path, sha: str) -> Project:
    return projects.load_project(folder)


def save(here: Opened, changed: Project) -> None:
    """Save an edit of the open project, unless it was changed meanwhile.

    Where it was, nothing is saved: the edit is kept, the script begins anew, and the
    question which of the two it shall be stands above the screen.

    Raises:
        WorkspaceError: It cannot be written.
    """
    try:
        sha = projects.save_project(here.folder, changed, base_sha=here.sha)
    except ConflictError:
        ask_which(here, changed)
        st.rerun()
    state.see(sha, changed)


def ask_which(here: Opened, changed: Project) -> None:
    """Keep an edit that another has overtaken, for the question above the screen."""
    theirs = open_folder(here.name)
    who, when = last_save(here.folder)
    conflict = Conflict(here.project, theirs.project, changed, who, when)
    if conflict.my_changes:
        state.keep_conflict(conflict)
    state.turn_to(theirs.sha, theirs.project)


@once(
    lambda here: (projects.data_file(here.folder, here.project), here.data_sha),
    most=4,
    english=False,
)
def table(here: Opened) -> "pd.DataFrame":
    """The project's table. Never change it.

    Raises:
        MMMError: It is missing or cannot be read.
    """
    from core.service.tables import kept

    return kept(here.folder, here.project)


@once(
    lambda here: (here.folder, here.sha, here.data_sha),
    most=32,
    wait=tongue.Later("Checking the data"),
)
def findings(here: Opened) -> tuple[Finding, ...]:
    """What the check of the project's data found.

    Raises:
        MMMError: The data are missing or cannot be read.
    """
    from core.service.tables import checked

    project = here.project
    own = project.own_table(table(here))
    return checked(own, project.mapping, project.spec)


# --- runs and their results ------------------------------------------------------


def result_sha(run: Path) -> str:
    """Hash of a run's manifest: the key of everything read from its result."""
    try:
        content = (run / "result" / "manifest.json").read_bytes()
    except OSError:
        return ""
    return hashlib.sha256(content).hexdigest()


@once(lambda run, name: (run, name, result_sha(run)), most=128, english=False)
def result_json(run: Path, name: str) -> Any:
    """A JSON file of a run's result. Never change it.

    Raises:
        WorkspaceError: There is none, or it is damaged.
    """
    return runs.read_json(run, name)


def diagnostics(run: Path) -> AllDiagnostics:
    """The verdict on a finished fit, with the figures behind it.

    Raises:
        WorkspaceError: There is no result, or it is damaged.
    """
    return _part(run, "diagnostics", AllDiagnostics)


def report(run: Path) -> FitReport:
    """What a finished fit says of its making.

    Raises:
        WorkspaceError: There is no result, or it is damaged.
    """
    return _part(run, "fit", FitReport)


def prior_check(run: Path) -> PriorCheck:
    """What the priors of a check imply.

    Raises:
        WorkspaceError: There is no result, or it is damaged.
    """
    return _part(run, "prior", PriorCheck)


def _part(run: Path, name: str, kind: type[_Kind]) -> _Kind:
    return fits.part_of_result(result_json(run, name), kind, name)


@once(lambda run: (run, result_sha(run)), most=128)
def fit(run: Path) -> FitRecord:
    """What a finished fit says.

    Raises:
        WorkspaceError: There is no result, or it is damaged.
    """
    return fits.read_fit(run)


@once(lambda run, name: (run, name, result_sha(run)), most=24, english=False)
def result_dataset(run: Path, name: str) -> "xr.Dataset":
    """A dataset of a run's result. Never change it.

    Raises:
        WorkspaceError: There is none, or it is damaged.
    """
    return runs.open_dataset(run, name)


def verdict(run: Path) -> str:
    """The verdict of a finished fit; empty where it cannot be read."""
    try:
        return diagnostics(run).verdict
    except MMMError:
        return ""


@once(lambda here, run: (run, here.folder, here.sha, here.data_sha), most=256)
def out_of_date(here: Opened, run: Path) -> tuple[str, ...]:
    """Why a run no longer answers for the open project: empty if it does."""
    return tuple(runs.out_of_date(run, here.folder, here.project))


def shown_fit(here: Opened) -> runs.Run | None:
    """The fit that results are shown of: the one in the address, else the newest.

    Raises:
        WorkspaceError: The address names a run that there is not.
    """
    run_id = state.run_id()
    if run_id is None:
        return runs.latest_fit(here.folder)
    try:
        return runs.open_run(runs.run_folder(here.folder, run_id))
    except WorkspaceError as error:
        _log_once("run opened", here.folder, run_id, error)
        raise


@once(
    lambda here: (here.data_sha, here.project.mapping, here.project.currency), most=16
)
def market(here: Opened) -> "Market":
    """The market of the open project, before it is modelled.

    Raises:
        MMMError: Its table cannot be read.
    """
    from core.service.records.model import market as market_of

    project = here.project
    return market_of(table(here), project.mapping, project.currency)
