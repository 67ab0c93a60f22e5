"""Portfolio as a file: which fits share a budget, what their outcome is worth, limits.

currency = "EUR"
budget = 20_000_000          # and what a scenario file has: objective, bounds, [find],
                             # [horizon], [channel."Brand A: TV"], [group.Search]

[project."Brand A"]          # a project's name or folder; its newest finished fit
run = "20261123-101500-ab12" # another one of its fits
worth = 35                   # money that one unit of the outcome is worth
rate = 1.08                  # EUR for one unit of the project's currency
bought = {clicks = 1.0}      # share of a mediator's demand that its amounts pay for
min = 1_000_000              # what its channels spend: money, or a share of the budget
max = "60 %"

[kind."booked ahead"]        # channels of a kind, in all projects
max = "40 %"

[shared.TV]                  # spend that serves several projects: paid once
channels = ["New customers: TV", "Repeat: TV"]
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.data.cells.currencies import currency as codes_of
from core.data.demand.names import ALL
from core.errors import PlanError
from core.plan.limits.asked import NAMES
from core.plan.scenario.amounts import finish
from core.plan.scenario.horizon import HorizonRequest, horizon_request
from core.plan.scenario.table import scenario_table
from core.text.languages.language import marked
from core.toml.table import TableReader

#: What a limit on a kind can be of, by the name of the kind.
KIND_NAMES = tuple(ALL)
_LIMITS = ("min", "max", "min_share", "max_share")
_OWN = ("name", "notes", "currency", "horizon", "project", "kind", "shared")
#: What a file may have beside that, in the words of a scenario file.
_OF_SCENARIO = (
    *("budget", "objective", "bounds", "find", "channel", "group"),
    *NAMES,
)
#: What a worth or a rate can be; beyond it stands a slip of the keyboard.
_SMALLEST, _LARGEST = 1e-9, 1e9


@dataclass(frozen=True)
class Member:
    """A project of a portfolio.

    Attributes:
        project: Its name, or its folder.
        run: The fit; empty for the newest finished one.
        worth: Money that one unit of its outcome is worth: in the portfolio's currency
            for a KPI; for revenue the share of it that counts. None where not stated.
        rate: Units of the portfolio's currency for one of the project's; None where
            not stated.
        bought: Share of the demand that is bought and paid for, by mediator.
        limits: Of what its channels spend together, in the words of a group.
    """

    project: str
    run: str = ""
    worth: float | None = None
    rate: float | None = None
    bought: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Portfolio:
    """Projects that share a budget.

    Attributes:
        members: The projects.
        currency: Of all amounts.
        horizon: The periods.
        kinds: Limits on kinds of channels, in the words of a group.
        shared: Channels that are one spend, by the name of that spend.
        scenario: Budget, objective and limits, in the words of a scenario file.
        name: Of the portfolio.
        notes: What is to be known about it.
    """

    members: tuple[Member, ...]
    currency: str
    horizon: HorizonRequest = HorizonRequest()
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scenario: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    notes: str = ""

    def limits(
        self,
        cells: Mapping[str, Iterable[str]],
        kinds: Mapping[str, Collection[str]],
    ) -> dict[str, Any]:
        """The scenario with limits on projects and kinds as groups.

        Args:
            cells: What each project spends on, by the names of the joint curves.
            kinds: Of the channels behind each of them.

        Raises:
            PlanError: No channel is of a kind that has limits, or a group has the name
                of a project or a kind.
        """
        groups = dict(self.scenario.get("group") or {})
        everything = list(dict.fromkeys(name for row in cells.values() for name in row))
        for member in self.members:
            if member.limits:
                channels = list(cells[member.project])
                _add(groups, member.project, channels, member.limits, "project")
        for kind, limits in self.kinds.items():
            channels = [name for name in everything if kind in kinds[name]]
            if not channels:
                raise PlanError(
                    f"No channel of the portfolio is of the kind {kind!r}.",
                    hint="Take the limit out, or make a [group] of the channels.",
                    where=f"kind.{kind}",
                )
            _add(groups, kind, channels, limits, "kind")
        return dict(self.scenario) | ({"group": groups} if groups else {})


def _add(
    groups: dict[str, Any],
    name: str,
    channels: list[str],
    limits: Mapping[str, Any],
    of: str,
) -> None:
    if name in groups:
        raise PlanError(
            f"Group {name} has the name of a project or a kind of channel.",
            hint="Give the group another name.",
            where=f"group.{name}",
        )
    groups[name] = {"channels": channels, **limits, "of": of}


def portfolio_of(text: str) -> Portfolio:
    """The portfolio that a file describes.

    Raises:
        PlanError: It is not understood; `findings` has all that is not.
    """
    table = scenario_table(text, what="portfolio")
    root = TableReader(table, (), [], name=marked("The portfolio"))
    members = tuple(_member(*named) for named in root.named("project").items())
    kinds = root.named("kind")
    portfolio = Portfolio(
        members=members,
        currency=_code(root.text("currency", "") or ""),
        kinds={kind: _limits(row) for kind, row in kinds.items()},
        shared={name: _shared(row) for name, row in root.named("shared").items()},
        scenario={key: value for key, value in table.items() if key not in _OWN},
        name=root.text("name", "") or "",
        notes=root.text("notes", "") or "",
    )
    for kind, row in kinds.items():
        if kind not in KIND_NAMES:
            row.problem(f"{kind} is not a kind of channel.", f"Use {_kinds()}.")
        row.finish()
    if len(members) < 2:
        root.problem(
            marked("The portfolio has fewer than two projects."),
            marked('Name each one: [project."Brand A"].'),
        )
    if not portfolio.currency:
        root.problem("The portfolio lacks currency.", 'Add it: currency = "EUR".')
    for key in (*_OWN, *_OF_SCENARIO):  # the scenario is read later
        root.any(key)
    _refuse_of_one_project(root)
    finish(root, "portfolio")
    horizon = horizon_request(table)
    if horizon.as_fitted:
        raise PlanError(
            "The data of several projects have no periods in common that were fitted.",
            hint="Give periods and start in [horizon] instead of as_fitted.",
            where="horizon",
        )
    return Portfolio(**(vars(portfolio) | {"horizon": horizon}))


def _code(currency: str) -> str:
    """The code of a currency where the text stands for one alone: `eur`, `€`."""
    codes = codes_of(currency.strip())
    return next(iter(codes)) if len(codes) == 1 else currency.strip()


def _kinds() -> str:
    *some, last = (f'"{name}"' for name in KIND_NAMES)
    return f"{', '.join(some)} or {last}"


def _refuse_of_one_project(root: TableReader) -> None:
    """What only a plan of one project can have."""
    if "mediator" in root.table and root.any("mediator") is not None:
        root.problem(
            "The portfolio has [mediator], but a mediator is one project's.",
            "Say it there: bought = {clicks = 1.0} in its [project.…].",
            "mediator",
        )
    if "belief" in root.table and root.any("belief") is not None:
        root.problem(
            "The portfolio has [belief], but a channel without history is in none of "
            "its fits, so no project's part would have its money.",
            "Leave it out, and plan the channel in the plan of one project.",
            "belief",
        )


def _member(project: str, row: TableReader) -> Member:
    worth, rate = row.number("worth"), row.number("rate")
    for key, value in (("worth", worth), ("rate", rate)):
        if value is not None and value <= 0:
            row.problem(f"{key} of {project} is not above 0.", "Correct it.", key)
        elif value is not None and not _SMALLEST <= value <= _LARGEST:
            row.problem(
                f"{key} of {project} is {value:g}, not from {_SMALLEST:g} to "
                f"{_LARGEST:g}.",
                "Correct it.",
                key,
            )
    run, bought = row.text("run", "") or "", _bought(project, row)
    member = Member(project, run, worth, rate, bought, _limits(row))
    row.finish()
    return member


def _bought(project: str, row: TableReader) -> dict[str, float]:
    """Shares of demand that a project buys; which mediators it has is known later."""
    stated = row.any("bought")
    if stated is None:
        return {}
    shares = stated if isinstance(stated, Mapping) else {}
    is_number = [
        isinstance(share, int | float) and not isinstance(share, bool)
        for share in shares.values()
    ]
    if not shares or not all(is_number):
        row.problem(
            f"bought of {project} does not say how much of which mediator is bought.",
            "Name each with a share from 0 to 1: bought = {clicks = 1.0}.",
            "bought",
        )
        return {}
    return {str(name): float(share) for name, share in shares.items()}


def _limits(row: TableReader) -> dict[str, Any]:
    """Limits in the words of a group, which reads them."""
    stated = {key: row.any(key) for key in _LIMITS}
    return {key: value for key, value in stated.items() if value is not None}


def _shared(row: TableReader) -> tuple[str, ...]:
    channels = row.texts("channels")
    if len(set(channels)) < 2:
        row.problem(
            f"{row.title} needs two channels or more.",
            'Name them: channels = ["Brand A: TV", "Brand B: TV"].',
        )
    row.finish()
    return channels
