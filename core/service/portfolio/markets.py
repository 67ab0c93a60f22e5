"""Markets of a portfolio: the finished fits of several projects, in one currency."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.data.ahead.horizon import MOST_YEARS, plan_horizon
from core.data.cells.currencies import currency as codes_of
from core.data.periods import periods
from core.errors import MMMError, PlanError, WorkspaceError
from core.plan.money.elsewhere import check_bought
from core.plan.portfolio.joined import Joined, in_money, joined
from core.plan.portfolio.portfolio import Member, Portfolio, portfolio_of
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.horizon import HorizonRequest
from core.project.fits.runs import Run
from core.service.fits import verdict_of
from core.service.horizons import curves, data_times
from core.service.places import finished_fit, project_folder
from core.service.runs import SILENT, Watch
from core.store.atomic import write_new
from core.store.fit_results import read_fit
from core.store.places import check_id
from core.store.stored import read_regular

#: A file that is larger is something else.
_LARGEST = 1_000_000
#: From the best to the worst; a fit without a verdict is doubtful.
_VERDICTS = ("trustworthy", "doubtful", "failed")


@dataclass(frozen=True)
class Markets:
    """The fits of a portfolio, ready to be planned.

    Attributes:
        portfolio: Its members by the names of their folders.
        fits: By project.
        joined: Their curves.
        verdict: The worst one.
    """

    portfolio: Portfolio
    fits: Mapping[str, Run]
    joined: Joined
    verdict: str


def load(path: Path) -> Portfolio:
    """The portfolio of a file.

    Raises:
        PlanError: It is not understood.
        WorkspaceError: It cannot be read.
    """
    try:
        return portfolio_of(read_regular(path, most=_LARGEST).decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise WorkspaceError(
            f"{path} cannot be read.",
            hint="Name a text file such as portfolio.toml.",
            where=str(path),
        ) from error


def markets(portfolio: Portfolio, watch: Watch = SILENT) -> Markets:
    """The curves of all fits, for the same periods, in one currency.

    Args:
        portfolio: Which fits, and what their outcome is worth.
        watch: Told how runs go on that work curves out.

    Raises:
        AccessError: The one who acts may not see a project.
        PlanError: Periods, currencies or outcomes do not go together, or a mediator
            that is to be bought costs nothing.
        SamplingError: A run that was needed failed or was stopped.
        WorkspaceError: A project has no finished fit.
    """
    portfolio = _by_folder(portfolio)
    fits, times, stored = {}, {}, {}
    for member in portfolio.members:
        with _named(member.project):
            fits[member.project] = fit = finished_fit(member.run)
            times[member.project] = data_times(fit)
    ask = _common_periods(portfolio.horizon, times)
    for name, fit in fits.items():
        with _named(name):
            stored[name] = curves(fit, ask, watch)
    for member in portfolio.members:
        with _named(member.project):
            paid = [each.mediator for each in stored[member.project].paid]
            check_bought(paid, member.bought)
    of_members = {
        member.project: _in_money(member, stored[member.project], fits, portfolio)
        for member in portfolio.members
    }
    rates = {member.project: member.rate or 1.0 for member in portfolio.members}
    bought = {member.project: member.bought for member in portfolio.members}
    verdicts = [verdict_of(fit) or "doubtful" for fit in fits.values()]
    return Markets(
        portfolio,
        fits,
        joined(of_members, rates, portfolio.shared, bought=bought),
        max(verdicts, key=_VERDICTS.index),
    )


@contextlib.contextmanager
def _named(project: str) -> Iterator[None]:
    """Name the project in what is refused of it: there are several."""
    try:
        yield
    except MMMError as error:
        if project not in error.message:
            error.message = f"Project {project}: {error.message}"
        raise


def write_draft(path: Path, names: Sequence[str], currency: str = "") -> None:
    """Write a portfolio file of projects, to be edited: what it cannot know is asked.

    Args:
        path: The file, which must not exist yet.
        names: Projects.
        currency: Of the portfolio; the first project's where not given.

    Raises:
        AccessError: The one who acts may not see a project.
        PlanError: It is one project.
        WorkspaceError: A project has no finished fit, or the file cannot be written.
    """
    fits = {folder.name: finished_fit(str(folder)) for folder in _folders(names)}
    abouts = {name: read_fit(fit.folder) for name, fit in fits.items()}
    if len(fits) < 2:
        raise PlanError(
            "A portfolio has two projects or more.",
            hint="Name each of them.",
            where="portfolio",
        )
    currency = currency or next(
        (about.currency for about in abouts.values() if about.currency), "EUR"
    )
    lines = [
        "# What every project spends together; see docs/planning.md, Portfolios.",
        f"currency = {_quoted(currency)}",
        "# budget = 20_000_000   # without it: what these periods cost a year earlier",
        "",
    ]
    for name, about in abouts.items():
        lines.append(f"[project.{_quoted(name)}]")
        if not about.is_money:
            kpi = about.kpi_name or "the KPI"
            comment = _comment(f"# what one unit of {kpi} is worth, {currency}")
            lines.append(f"worth = 0   {comment}")
        own = about.currency
        if not _is_same(own, currency):
            comment = _comment(f"# {currency} for one {own or 'unit of money'}")
            lines.append(f"rate = 0    {comment}")
        lines.append("")
    write_new(path, "\n".join(lines).encode())


def _comment(text: str) -> str:
    """A text that ends no comment: on one line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _is_same(currency: str, other: str) -> bool:
    """Whether two texts are one currency: `EUR` and `€`."""
    codes = codes_of(currency.strip())
    return currency == other or bool(codes) and codes == codes_of(other.strip())


def _quoted(text: str) -> str:
    import tomlkit

    return tomlkit.item(text).as_string()


def _folders(names: Sequence[str]) -> list[Path]:
    """The folders of projects, each once.

    Raises:
        PlanError: Two of them have one name.
    """
    folders = [project_folder(name) for name in names]
    for i, folder in enumerate(folders):
        if folder.name in [other.name for other in folders[:i]]:
            raise PlanError(
                f"Project {folder.name} is named twice.",
                hint="Name every project once; two of one name need other folders.",
                where=f"project.{folder.name}",
            )
    return folders


def _by_folder(portfolio: Portfolio) -> Portfolio:
    """The same with members named as their folders are, and the folder in `run`."""
    folders = _folders([member.project for member in portfolio.members])
    members = tuple(
        replace(member, project=folder.name, run=str(_run(folder, member.run)))
        for member, folder in zip(portfolio.members, folders, strict=True)
    )
    return replace(portfolio, members=members)


def _run(folder: Path, name: str) -> Path:
    """The folder of a project's fit; the project's for its newest one.

    Raises:
        WorkspaceError: It is not a name that a fit can have.
    """
    with _named(folder.name):
        return folder / "runs" / check_id(name, "fit") if name else folder


def _common_periods(
    horizon: HorizonRequest, times: Mapping[str, Any]
) -> HorizonRequest:
    """Periods that every fit can be planned for, the first that all lie behind.

    Raises:
        PlanError: Periods of the projects differ in length, or a horizon is none, or
            begins too long after the data of one of them.
    """
    lengths = {name: periods(each).frequency for name, each in times.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise PlanError(
            f"The projects' periods differ: {listed}.",
            hint="Fit them on periods of one length: sum the finer ones up.",
            where="horizon",
        )
    ahead = {}
    for name, each in times.items():
        with _named(name):
            ahead[name] = plan_horizon(each, horizon.periods, horizon.start)
    start = horizon.start or max(each.start for each in ahead.values())
    n = horizon.periods or min(each.n for each in ahead.values())
    for name, each in times.items():
        try:
            plan_horizon(each, n, start)
        except PlanError as error:
            raise PlanError(
                f"The data of {name} end with the period that begins on {each[-1]}: "
                f"{n} periods from {start} would end more than {MOST_YEARS} years "
                "later.",
                hint=f"Refresh {name} with newer data, or plan fewer periods.",
                where=f"project.{name}",
            ) from error
    return HorizonRequest(n, start, value=horizon.value)


def _in_money(
    member: Member,
    stored: ResponseCurves,
    fits: Mapping[str, Run],
    portfolio: Portfolio,
) -> ResponseCurves:
    """Curves of a project in the portfolio's currency.

    Raises:
        PlanError: The rate or the worth is missing, or cannot be.
    """
    name, currency = member.project, portfolio.currency
    is_same = _is_same(stored.currency, currency)
    if not is_same and member.rate is None:
        of = f"in {stored.currency}" if stored.currency else "without a currency"
        own = stored.currency or "its money"
        raise PlanError(
            f"Project {name} is {of}, the portfolio in {currency}.",
            hint=f"Say what one unit of {own} is in {currency}: rate = … in "
            f"[project.{_quoted(name)}].",
            where=f"project.{name}",
        )
    if is_same and member.rate not in (None, 1.0):
        raise PlanError(
            f"Project {name} is in {currency} like the portfolio, but has the rate "
            f"{member.rate:g}.",
            hint="Take rate out.",
            where=f"project.{name}",
        )
    rate = member.rate or 1.0
    is_money = stored.outcome_unit == "revenue"
    if member.worth is None and not is_money:
        kpi = read_fit(fits[name].folder).kpi_name or "the KPI"
        raise PlanError(
            f"Project {name} counts {kpi}, which has no value in money.",
            hint=f"Say what one is worth in {currency}: worth = … in "
            f"[project.{_quoted(name)}].",
            where=f"project.{name}",
        )
    worth = (1.0 if member.worth is None else member.worth) * (rate if is_money else 1)
    return in_money(stored, worth=worth, rate=rate, currency=currency)
