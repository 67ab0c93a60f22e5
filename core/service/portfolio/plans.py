"""Plans of a portfolio, and what of one each project keeps."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from core.errors import MMMError
from core.plan.advice.parts import Correlated
from core.plan.portfolio.plan import noted, portfolio_plan
from core.plan.record.parts import Project
from core.plan.record.plan_record import PlanRecord, with_details
from core.plan.response.price import gammas_of
from core.plan.scenario.amounts import plain_numbers, refuse_other_currencies
from core.plan.scenario.horizon import HorizonRequest
from core.project.fits.runs import Run
from core.project.settings.project import load_project
from core.service import plans
from core.service.ask import Bound, PlanAsk
from core.service.fits import verdict_of
from core.service.places import project_of
from core.service.portfolio.markets import Markets
from core.service.runs import SILENT, Watch
from core.service.suggestions import prices
from core.store.fit_results import read_fit
from core.team.gate import check
from core.team.roles import Role
from core.text import listed, money
from core.text.languages.language import marked, say_count


def plan(markets: Markets, overrides: Mapping[str, Any] | None = None) -> PlanRecord:
    """The best plan for a portfolio.

    Args:
        markets: Its fits; see `markets`.
        overrides: What goes before the portfolio's own scenario: `budget`, `objective`,
            `bounds`, `supported`, in the words of a scenario file.

    Raises:
        PlanError: It is not understood, or cannot be met.
    """
    portfolio = markets.portfolio
    overrides = {
        key: value for key, value in (overrides or {}).items() if value is not None
    }
    kinds = _kinds(markets) if portfolio.kinds else {}
    table = portfolio.limits(markets.joined.cells, kinds) | overrides
    if "budget" in overrides:
        table.pop("find", None)
    refuse_other_currencies(table, portfolio.currency, marked("the portfolio"))
    _check_prices(markets, gammas_of(table))
    record = portfolio_plan(markets.joined, plain_numbers(table), markets.verdict)
    projects = tuple(
        msgspec.structs.replace(
            each,
            run_id=markets.fits[each.name].run_id,
            verdict=verdict_of(markets.fits[each.name]) or "",
        )
        for each in record.projects
    )
    named = with_details(
        record,
        projects=projects,
        name=portfolio.name,
        notes=portfolio.notes,
        hidden=_of_their_kpis(record, markets.fits),
        unseen=_unseen(markets),
    )
    return noted(named, _doubts(projects))


def _unseen(markets: Markets) -> tuple[str, ...]:
    """Cells without a channel behind them that the data of its project would miss."""
    missed = set()
    for part in markets.joined.parts:
        unseen = read_fit(markets.fits[part.project].folder).unseen
        of_part = zip(part.curves.names, part.cells, strict=True)
        missed |= {cell for channel, cell in of_part if channel not in unseen}
    names = markets.joined.curves.names
    return tuple(name for cell, name in enumerate(names) if cell not in missed)


def _of_their_kpis(
    record: PlanRecord, fits: Mapping[str, Run]
) -> tuple[Correlated, ...]:
    """Hidden demand behind the mediators of projects, with the KPI of each project."""
    results = []
    for each in record.hidden:
        owner = max(
            (name for name in fits if each.mediator.startswith(f"{name}: ")), key=len
        )
        kpi = f"{owner}: {read_fit(fits[owner].folder).kpi_name or 'KPI'}"
        results.append(msgspec.structs.replace(each, kpi=kpi))
    return tuple(results)


def _doubts(projects: Sequence[Project]) -> list[str]:
    """Which fits are not trustworthy: the plan's verdict is that of the worst."""
    lines = []
    for verdict in ("doubtful", "failed"):
        names = [each.name for each in projects if each.verdict == verdict]
        if names:
            lines.append(
                say_count(
                    len(names),
                    "The fit of {names} is {verdict}.",
                    "The fits of {names} are {verdict}.",
                    names=listed(names),
                    verdict=verdict,
                )
            )
    return lines


def _kinds(markets: Markets) -> dict[str, set[str]]:
    """The kinds of the channels behind each cell, as their projects say now."""
    names = markets.joined.curves.names
    kinds: dict[str, set[str]] = {name: set() for name in names}
    for part in markets.joined.parts:
        project = load_project(project_of(markets.fits[part.project]))
        for channel, cell in zip(part.curves.names, part.cells, strict=True):
            kinds[names[cell]].add(project.kind_of(channel).name)
    return kinds


def _check_prices(markets: Markets, gammas: Mapping[str, float]) -> None:
    """Refuse a price that rises with volume where a model was fitted on money.

    Raises:
        PlanError: It was.
    """
    names = markets.joined.curves.names
    for part in markets.joined.parts:
        own = {
            channel: {"gamma": gammas.get(names[cell], 0.0)}
            for channel, cell in zip(part.curves.names, part.cells, strict=True)
        }
        prices.check(markets.fits[part.project], {"channel": own})


def save(
    markets: Markets, record: PlanRecord, name: str, watch: Watch = SILENT
) -> list[PlanRecord]:
    """Save each project's part of a plan in that project, evaluated by its own fit.

    Args:
        markets: The fits.
        record: The plan.
        name: Of the plans.
        watch: Told how runs go on.

    Returns:
        A plan per project.

    Raises:
        AccessError: The one who acts may not plan in one of them; nothing is saved.
        WorkspaceError: A fit was deleted, or the disk is full or read-only.
    """
    for fit in markets.fits.values():
        check("plan saved", project_of(fit), Role.PLANNER)
    ahead = record.horizon
    horizon = HorizonRequest(ahead.periods, ahead.start, value=ahead.value)
    budget = money(record.budget, record.currency)
    title = markets.portfolio.name or "a portfolio"
    note = f"Part of {title}: {budget} over {', '.join(markets.fits)}."
    evaluated = []
    for part in record.projects:
        fit = markets.fits[part.name]
        spend = {channel: round(amount, 2) for channel, amount in part.spend.items()}
        limits = [Bound(channel, gamma=each) for channel, each in part.gammas.items()]
        limits += [Bound(channel, price=each) for channel, each in part.prices.items()]
        ask = PlanAsk(horizon=horizon, spend=spend, limits=limits, bought=part.bought)
        planned = plans.plan(fit, ask, watch)
        evaluated.append((fit, with_details(planned, notes=note)))
    saved: list[PlanRecord] = []
    for fit, planned in evaluated:
        try:
            saved.append(plans.save(fit, planned, name))
        except MMMError as error:
            if saved:
                done = [project_of(fit).name for fit, _ in evaluated[: len(saved)]]
                error.hint = f"Saved before: {', '.join(done)}. {error.hint}".strip()
            raise
    return saved
