"""Members of a portfolio: which projects can share a budget, and their file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.items import Item

from core.data.ahead.horizon import is_shorter_than_a_year
from core.errors import MMMError
from core.project.fits.runs import Run, latest_fit
from core.project.settings.project import load_project
from core.project.shelf.lifecycle import truth
from core.service.horizons import data_times
from core.service.places import project_of
from core.store.fit_results import read_fit
from core.store.places import projects_folder
from core.team.gate import may
from core.team.roles import Role


@dataclass(frozen=True)
class Candidate:
    """A project that can share a budget.

    Attributes:
        name: Its name.
        run_id: Its newest finished fit.
        currency: Of its money; empty where nobody said.
        counts: Name of its KPI.
        is_money: Whether the KPI's units have a value.
        mediators: Those that cost money, which its amounts may pay for.
        has_last_year: Whether its data have a year, which plans start from.
        is_simulated: Whether it is a market that was made up, as the demo is.
    """

    name: str
    run_id: str
    currency: str
    counts: str
    is_money: bool
    mediators: tuple[str, ...] = ()
    has_last_year: bool = True
    is_simulated: bool = False


def fitted() -> tuple[Run, ...]:
    """The newest finished fit of each project of the workspace that one may see."""
    folders = [path.parent for path in sorted(projects_folder().glob("*/project.toml"))]
    fits = [latest_fit(each) for each in folders if may(each, Role.VIEWER)]
    return tuple(fit for fit in fits if fit is not None)


def candidates() -> tuple[Candidate, ...]:
    """The projects of the workspace with a finished fit that one may see."""
    results = []
    for fit in fitted():
        try:
            about = read_fit(fit.folder)
            funnels = load_project(fit.folder).funnels
        except MMMError:  # told on the project's own screens
            continue
        results.append(
            Candidate(
                project_of(fit).name,
                fit.run_id,
                about.currency,
                about.kpi_name or "the KPI",
                about.is_money,
                tuple(each.mediator for each in funnels if each.cost),
                not is_shorter_than_a_year(data_times(fit)),
                truth(project_of(fit)) is not None,
            )
        )
    return tuple(results)


def _item(value: Any) -> Item:
    """A value of the file; shares by mediator stand in one line."""
    if not isinstance(value, Mapping):
        return tomlkit.item(value)
    inline = tomlkit.inline_table()
    inline.update(value)
    return inline


def file_of(
    currency: str,
    members: Mapping[str, Mapping[str, Any]],
    scenario: Mapping[str, Any],
    more: str = "",
) -> str:
    """A portfolio file.

    Args:
        currency: Of all amounts.
        members: What the file says of each project: `worth`, `rate`, `min`, `max`,
            `bought`.
        scenario: Budget, bounds, objective; None for what is not said.
        more: Further tables, as they stand in the file.
    """
    document = tomlkit.document()
    document.add("currency", tomlkit.item(currency))
    for key, value in scenario.items():
        if value is not None:
            document.add(key, tomlkit.item(value))
    projects = tomlkit.table(is_super_table=True)
    for name, about in members.items():
        table = tomlkit.table()
        for key, value in about.items():
            if value is not None:
                table.add(key, _item(value))
        projects.add(name, table)
    document.add("project", projects)
    text = tomlkit.dumps(document)
    return f"{text.rstrip()}\n\n{more.strip()}\n" if more.strip() else text
