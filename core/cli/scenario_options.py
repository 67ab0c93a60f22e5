"""Options of a plan: the wish that flags make, and the scenario file beside them."""

import argparse
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError

#: Limits of channels, as multiples of current spend, where none are given.
DEFAULT_BOUNDS = (0.7, 1.3)


def by_flags(options: argparse.Namespace) -> dict[str, Any]:
    """The wish of flags alone; see `core.plan.scenario.Wish`."""
    return {
        "budget": options.budget,
        "bounds": options.bounds or DEFAULT_BOUNDS,
        "channel_bounds": dict(options.limit),
        "money": dict(options.limit_money),
        "locked": dict(options.lock),
        "scaled": options.scaled,
        "objective": options.objective or "mean",
        "within_seen": options.within_seen,
    }


def before_file(options: argparse.Namespace) -> dict[str, Any]:
    """What flags say that goes before a scenario file."""
    given = {"budget": options.budget, "objective": options.objective}
    given = {key: value for key, value in given.items() if value is not None}
    if "budget" in given:
        given["find"] = None
    if options.within_seen:
        given["within_seen"] = True
    return given


def file_text(options: argparse.Namespace) -> str:
    """The scenario file.

    Raises:
        WorkspaceError: It cannot be read, or flags contradict it.
    """
    mixed = [
        flag
        for flag, given in (
            ("--bounds", options.bounds),
            ("--limit", options.limit),
            ("--limit-money", options.limit_money),
            ("--lock", options.lock),
            ("--scaled", options.scaled),
        )
        if given
    ]
    if mixed:
        raise WorkspaceError(
            f"{mixed[0]} is given beside --scenario.",
            hint="Limits are in the scenario file; change them there.",
            where=options.scenario,
        )
    path = Path(options.scenario).expanduser()
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkspaceError(
            f"The scenario {path} cannot be read.",
            hint="Give the path of a TOML file; docs/planning.md has an example.",
            where=str(path),
        ) from error


def out_path(name: str | None, kinds: tuple[str, ...]) -> Path | None:
    """Where a plan is to be written.

    Args:
        name: As given; None for nowhere.
        kinds: Endings that it can have.

    Raises:
        WorkspaceError: It has another ending, or its folder is not there.
    """
    if name is None:
        return None
    path = Path(name).expanduser()
    if path.suffix.lower() not in kinds:
        *some, last = kinds
        raise WorkspaceError(
            f"{path.name} is of no kind that a plan can be.",
            hint=f"End the name in {', '.join(some)} or {last}.",
            where=str(path),
        )
    if not path.resolve().parent.is_dir():
        raise WorkspaceError(
            f"There is no folder {path.resolve().parent}.", where=str(path)
        )
    return path
