"""Places: where the workspace is, what names are allowed, and that no path leaves it.

    MIXWRIGHT_HOME/  projects/<project>/  trash/  queue/  cache/jax/  data/  backups/

Names come from addresses, forms and files, so they are checked here against strict
patterns, and a path is followed through its links before it is believed. Standard
library only: the supervisor uses it.
"""

import os
import re
import secrets
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

from core.errors import WorkspaceError

#: Signs beside letters and digits that a project's name may hold. None means anything
#: to a shell's glob, Markdown, an address once it is quoted, or a file system.
_SIGNS = frozenset(" _.-&'+,()")
#: Most letters and most bytes of a name: the trash puts 25 more into the folder's.
_LONGEST, _MOST_BYTES = 64, 200
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}", re.ASCII)


def home() -> Path:
    """The workspace: MIXWRIGHT_HOME, or ~/.mixwright. It need not exist yet.

    Raises:
        WorkspaceError: It is in the home of nobody, as in a container whose user has
            no home.
    """
    path = typed_path(os.environ.get("MIXWRIGHT_HOME") or "~/.mixwright")
    if path.parts[:1] and path.parts[0].startswith("~"):
        raise WorkspaceError(
            f"There is no home folder for the workspace {path}.",
            hint="Set MIXWRIGHT_HOME to a folder.",
            where="MIXWRIGHT_HOME",
        )
    return path.resolve()


def typed_path(text: str | Path) -> Path:
    """A path as somebody types it: `~` is a home, and stays where there is none.

    An empty HOME is none: the user's own counts, and never the root of the disk.
    """
    path = Path(text)
    if path.parts[:1] == ("~",) and os.environ.get("HOME") == "":
        folder = _home_of_user()
        return Path(folder, *path.parts[1:]) if folder else path
    return Path(os.path.expanduser(path))


def _home_of_user() -> str:
    """What the system says is the user's home; empty where it knows none."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):
        return ""


def data_folders() -> list[Path]:
    """The folders whose files a query of the app may read: MIXWRIGHT_DATA, or data."""
    named = os.environ.get("MIXWRIGHT_DATA", "").split(os.pathsep)
    folders = [typed_path(name).resolve() for name in named if name]
    return folders or [home() / "data"]


def projects_folder() -> Path:
    """The folder of all projects."""
    return home() / "projects"


def trash_folder() -> Path:
    """Where deleted projects and runs go."""
    return home() / "trash"


def queue_folder() -> Path:
    """Where runs wait for their turn."""
    return home() / "queue"


def compilation_cache() -> Path:
    """JAX's persistent compilation cache."""
    return home() / "cache" / "jax"


def new_id() -> str:
    """An identifier for a run or plan: UTC time and eight random hex digits."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


def may_name_project(name: str) -> bool:
    """Whether the name may be a project's, and so a folder's.

    Letters and digits of any script, as a keyboard writes them: those that only look
    like others (full width, ligatures) may not, nor what is not seen.
    """
    if not 0 < len(name) <= _LONGEST or ".." in name or name[-1] in ". ":
        return False
    kinds = [unicodedata.category(sign) for sign in name]
    if kinds[0][0] != "L" and kinds[0] != "Nd":
        return False
    composed = unicodedata.normalize("NFC", name)
    return (
        composed == unicodedata.normalize("NFKC", name)
        and len(name.encode("utf-8", "replace")) <= _MOST_BYTES
        and all(
            kind[0] in "LM" or kind == "Nd" or sign in _SIGNS
            for sign, kind in zip(name, kinds, strict=True)
        )
    )


def check_project_name(name: str) -> str:
    """The name, if it may name a project.

    Raises:
        WorkspaceError: It may not.
    """
    if not may_name_project(name):
        raise WorkspaceError(
            f"{name!r} cannot name a project.",
            hint="Use up to 64 letters, digits, spaces and . - _ & ' + , ( ); begin "
            "with a letter or digit, and do not end with a dot or space.",
            where=name,
        )
    return name


def is_id(name: str) -> bool:
    """Whether the name is shaped like a run or plan identifier."""
    return bool(_ID.fullmatch(name))


def check_id(name: str, what: str = "run") -> str:
    """The identifier, if it is shaped like one.

    Raises:
        WorkspaceError: It is not.
    """
    if not is_id(name):
        raise WorkspaceError(
            f"{name!r} is not the name of a {what}.",
            hint="It looks like 20250131-093000-0a1b2c3d.",
            where=name,
        )
    return name


def confined(path: Path, folder: Path) -> Path:
    """The path, if it stays inside the folder once every link is followed.

    Raises:
        WorkspaceError: It leads elsewhere.
    """
    try:
        inside = path.resolve()
        is_inside = inside.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # a NUL, or links in a ring
        raise WorkspaceError(
            f"{path.name[:80]!r} in {folder} leads nowhere.",
            hint="Put the file itself there, not a link to it.",
            where=str(folder),
        ) from error
    if not is_inside:
        raise WorkspaceError(
            f"{path.name} leads out of {folder}.",
            hint="Put the file itself there, not a link to it.",
            where=str(path),
        )
    return inside


def project_folder(name: str) -> Path:
    """The folder of a project of the workspace, which need not exist.

    One that does not gets its name in composed letters, whatever wrote it: two ways of
    writing the same letters are one name.

    Raises:
        WorkspaceError: The name is not allowed or leads out of the workspace.
    """
    folder = projects_folder()
    path = folder / check_project_name(name)
    if not os.path.lexists(path):
        path = folder / unicodedata.normalize("NFC", name)
    return confined(path, folder)


def run_folder(project: Path, run_id: str) -> Path:
    """The folder of a run of a project.

    Raises:
        WorkspaceError: The name is not a run's, leads elsewhere, or there is no
            such run.
    """
    folder = confined(project / "runs" / check_id(run_id), project)
    if not os.path.isdir(folder):
        raise WorkspaceError(
            f"There is no run {run_id} in {project.name}.",
            hint="It may have been deleted; choose one from the list of runs.",
            where=run_id,
        )
    return folder
