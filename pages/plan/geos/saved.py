"""Plans of geos that are kept: back to the form."""

from dataclasses import replace

from core.service.planning.scenario import StatedRow, geo_request, stated
from core.service.records.fit import Run
from core.service.records.plan import GeoRequest, PlanRecord
from pages.plan.geos.limits import Stated, state_limits
from pages.plan.limits import Limits, of_plan
from pages.ui import state

_SAME = 1e-4


def bring_back(plan: PlanRecord, run: Run) -> Limits:
    """Put the limits of geos back, into the form where it has words for them.

    Args:
        plan: A plan of geos.
        run: The fit that is shown.

    Returns:
        Limits of channels.
    """
    form = form_of(plan)
    if form is None:
        state_limits(run, Stated(plan.title, _request(plan)))
        return of_plan(plan)
    times, spread, locked = form
    state_limits(run, None)
    state.put("plan.geos.times", float(times))
    state.put("plan.geos.spread", spread)
    state.put(f"plan.geos.locked.{run.run_id}", locked)
    return of_plan(plan)


def _request(plan: PlanRecord) -> GeoRequest:
    request = geo_request(plan.scenario.get("geos", {}))
    return replace(request, scaled=bool(stated(plan.scenario).scaled))


def form_of(plan: PlanRecord) -> tuple[float, int, list[str]] | None:
    """What the form says for a plan's limits of geos; None where it has no words.

    Returns:
        How many times a cell's spend, geo totals in percent, geos left alone.
    """
    request = _request(plan)
    low, high = request.bounds
    is_symmetric = 1 <= high <= 10 and abs(low * high - 1) < _SAME
    is_scaled = stated(plan.scenario).scaled or not plan.current_scaled
    only_locks = all(row == StatedRow(locked=True) for row in request.geos.values())
    spread = _spread(request)
    is_in_words = is_symmetric and is_scaled and only_locks and not request.spend
    if not is_in_words or spread is None:
        return None
    return high, spread, list(request.geos)


def _spread(request: GeoRequest) -> int | None:
    """Plus or minus so many percent of every geo's total; None for other limits."""
    if request.totals is None:  # cells alone keep totals within 100 %
        return 100 if request.bounds[1] <= 2 else None
    low, high = request.totals
    spread = round(100 * (high - 1))
    same = abs(high - 1 - spread / 100) < _SAME and abs(low + high - 2) < _SAME
    return spread if same and 0 <= spread <= 100 else None
