"""Where it ran: the geos that a plan's money goes to, and went to."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import xarray as xr
from jaxtyping import Bool
from msgspec import structs

from core.data.ahead.actual_table import Actuals, spend_by_geo
from core.data.ahead.horizon import ahead
from core.plan.against.actuals import Geos
from core.plan.against.at_spend import departure
from core.plan.against.planned_spend import planned_spend
from core.plan.against.terms import Terms, at_geos, places
from core.plan.money.where_spent import ByGeo, Spread, WhereSpent, by_shares
from core.plan.record.plan_record import PlanRecord
from core.plan.record.teaching import times_usual
from core.plan.response.geos import geo_response
from core.plan.response.price import best_frequencies
from core.project.plans.plan_actuals import data_of_fit, terms
from core.store.results import open_dataset, result_files

_CURVES = "horizon_geo_curves"


def divided_by(
    run: Path,
    plan: PlanRecord,
    view: xr.Dataset,
    actuals: Actuals,
    counted: Bool[np.ndarray, " time"] | None = None,
) -> tuple[Terms, Geos] | None:
    """How a plan divides its money over geos, and where the money went.

    Channels whose spend by geo the actuals do not say are divided as in the plan.

    Args:
        run: Folder of the fit.
        plan: The plan.
        view: forecast.nc.
        actuals: What happened.
        counted: Periods of the actuals whose money counts; all of them by default.

    Returns:
        The plan's terms in the periods of the actuals, and its geos; None where the
        actuals do not say what was spent in which geo, or the fit does not know it.
    """
    if not actuals.by_geo or f"{_CURVES}.nc" not in result_files(run):
        return None
    n = actuals.n_times
    some = np.ones(n, bool) if counted is None else counted
    bought = terms(run, structs.replace(plan, lifts={}), view)
    where = _where(run, plan, view, bought, some)
    went = {name: each[:, some].sum(axis=1) for name, each in actuals.by_geo.items()}
    of_plan, as_planned = (
        _by_plan(plan, where, {name: each[some] for name, each in spend.items()})
        for spend in (planned_spend(plan, view, n), actuals.spend)
    )
    planned, spent = where.spread(of_plan), where.spread(as_planned | went)
    place = places(plan.horizon, view["time"].to_numpy()[:n])
    inside = (place >= 0) & (place < plan.horizon.periods)
    inside |= plan.horizon.as_fitted
    ran = at_geos(bought, spent, inside, went)
    return at_geos(bought, planned, inside), Geos(where.geos, planned, spent, ran)


def _where(
    run: Path,
    plan: PlanRecord,
    view: xr.Dataset,
    bought: Terms,
    some: Bool[np.ndarray, " time"],
) -> WhereSpent:
    """Curves of geos as a plan buys media, and what ran a year earlier."""
    data, names = data_of_fit(run), view["paid"].to_numpy().astype(str).tolist()
    future, n = ahead(data, len(some)), len(some)
    prices = {name: float(bought.price(name, n).mean()) for name in names}
    response = geo_response(open_dataset(run, _CURVES))
    response = response.often(best_frequencies(plan.scenario))
    return WhereSpent(
        response.priced(bought.gammas, prices),
        tuple(data.geos),
        {name: spend_by_geo(future, name)[:, some].sum(axis=1) for name in names},
        view.sizes["draw"],
    )


def _by_plan(
    plan: PlanRecord, where: WhereSpent, spend: Mapping[str, np.ndarray]
) -> ByGeo:
    """Spend by geo in the plan's shares."""
    totals = {name: float(each.sum()) for name, each in spend.items()}
    return by_shares(totals, where.usual, where.geos, times_usual(plan.divided))


def departed(
    plan: PlanRecord,
    supposed: Mapping[str, float],
    spent: Mapping[str, float],
    geos: Geos | None,
) -> float | None:
    """Share of a plan's money that was spent otherwise, or elsewhere.

    Args:
        plan: The plan.
        supposed: Spend by channel.
        spent: What was spent by channel.
        geos: Where money goes and went; None where that is not known.
    """
    if geos is None or not plan.divided:
        return departure(supposed, spent)
    planned, ran = (
        _in_cells(total, spread)
        for total, spread in ((supposed, geos.planned), (spent, geos.spent))
    )
    return departure(planned, ran)


def _in_cells(total: Mapping[str, float], spread: Spread) -> dict[str, float]:
    """Spend by channel and geo; of channels that the fit has not seen in all."""
    new = {name: each for name, each in total.items() if name not in spread.lift}
    return new | spread.by_cell()
