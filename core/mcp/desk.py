"""The desk: what an agent may see and change, whichever tool it uses."""

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import AccessError, MMMError, WorkspaceError
from core.mcp.answers import Judged, NoVerdictError
from core.service import fits, places
from core.service.projects import shelf, version

_LOGGER = logging.getLogger("mixwright")

#: How an agent's user lets it change something.
REMEDY = "Ask your user to start the server with --write: mcp --write."


@dataclass(frozen=True)
class Desk:
    """What an agent may see and change.

    Attributes:
        projects: Folders of the only projects it may use, by name; empty for all of
            the workspace.
        folders: Folders whose files it may name.
        may_write: Whether it may change anything.
    """

    projects: dict[str, Path] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    may_write: bool = False

    def project(self, name: str) -> Path:
        """The folder of a project, by its name alone.

        Raises:
            AccessError: The user has no access to it.
            WorkspaceError: There is none of that name, or it is not one of those that
                the server was started for.
        """
        if not self.projects:
            return places.project_folder(str(shelf.named(name)))
        if name not in self.projects:
            raise WorkspaceError(
                f"{name!r} is none of the projects of this server.",
                hint=f"Projects: {', '.join(self.projects)}.",
                where=name,
            )
        return places.project_folder(str(self.projects[name]))

    def listed(self) -> list[dict[str, Any]]:
        """The projects, each with its state, newest fit, verdict and what is next."""
        if not self.projects:
            return shelf.listed()
        return [shelf.about(self.project(name)) for name in self.projects]

    def run(self, project: str, run_id: str) -> Path:
        """The folder of a run of a project; its newest finished fit if none is named.

        Raises:
            WorkspaceError: There is none.
        """
        folder = self.project(project)
        if run_id:
            return shelf.run_folder(folder, run_id)
        return places.run_folder(str(folder))

    def run_or_project(self, project: str, run_id: str) -> Path:
        """The folder of a run of a project; the project's own if none is named.

        Raises:
            WorkspaceError: There is none.
        """
        folder = self.project(project)
        return shelf.run_folder(folder, run_id) if run_id else folder

    def fit(self, project: str, run_id: str):
        """A finished fit of a project; its newest where none is named.

        Raises:
            WorkspaceError: There is none, or it has no result.
        """
        return places.finished_fit(str(self.run(project, run_id)))

    def file(self, name: str) -> Path:
        """A file in one of the folders of data.

        Raises:
            WorkspaceError: There is none, or it lies elsewhere.
        """
        for folder in self.folders:
            path = _inside(folder, name)
            if path is not None:
                return path
        folders = ", ".join(map(str, self.folders))
        raise WorkspaceError(
            f"There is no file {name!r} in the folders of data.",
            hint=f"Name a file in {folders}; the server's option --data adds a folder.",
            where=name,
        )

    def permit(self, what: str) -> None:
        """Refuse a change where the server is read-only.

        Raises:
            AccessError: It is.
        """
        if not self.may_write:
            raise AccessError(f"This server is read-only: no {what}.", hint=REMEDY)

    def permit_new(self, name: str) -> None:
        """Refuse a new project where the server is for some alone.

        Raises:
            AccessError: It is.
        """
        if self.projects:
            raise AccessError(
                f"This server is for {', '.join(self.projects)} alone: no {name!r}.",
                hint="Ask your user to start one without naming projects.",
            )


def _inside(folder: Path, name: str) -> Path | None:
    """The file of that name in a folder, links followed; None where it is elsewhere."""
    try:
        path = (folder / places.typed_path(name)).resolve()
        is_there = path.is_relative_to(folder.resolve()) and os.path.isfile(path)
    except (OSError, ValueError, RuntimeError):
        return None
    return path if is_there else None


def opened(names: list[str], folders: list[str], *, may_write: bool) -> Desk:
    """The desk that a server was started with.

    Args:
        names: Projects, as people name them; none for all of the workspace.
        folders: Folders whose files may be named; none for those of the workspace.
        may_write: Whether anything may be changed.

    Raises:
        WorkspaceError: There is no such project or folder, two projects have the same
            name, or a newer version wrote the workspace.
    """
    version.refuse_newer()
    if may_write and (notice := version.opened()):
        _LOGGER.warning(notice)
    projects: dict[str, Path] = {}
    for folder in map(places.project_folder, names):
        if folder.name in projects:
            raise WorkspaceError(
                f"Two projects are called {folder.name}.", hint="Name one of them."
            )
        projects[folder.name] = folder
    chosen = [places.typed_path(name) for name in folders]
    for folder in chosen:
        if not folder.is_dir():
            raise WorkspaceError(f"There is no folder {folder}.", where="--data")
    return Desk(projects, tuple(chosen) or tuple(places.data_folders()), may_write)


def judged(fit: Any) -> Judged:
    """What numbers of a fit come with.

    Raises:
        NoVerdictError: It has no verdict, so none of its numbers are given.
    """
    try:
        record = fits.record(fit)
    except MMMError as error:
        raise NoVerdictError(fit.run_id) from error
    diagnostics = record.diagnostics
    if not diagnostics.verdict:
        raise NoVerdictError(fit.run_id)
    return Judged(diagnostics.verdict, diagnostics.reasons, record.units, fit.run_id)
