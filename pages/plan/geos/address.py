"""Limits of geos in the address: F5 and a copied link keep them.

The form's own, or what a file or a saved plan stated in their place, as a scenario
file has it. Amounts of very many geos are too long for an address and left out.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.errors import MMMError
from core.service.planning.scenario import geo_request
from core.service.records.fit import Run
from core.service.records.plan import GeoRequest
from pages.plan.geos import limits
from pages.plan.geos.limits import Stated
from pages.ui import state
from pages.ui.document import document_in, keep_document

#: Name in the address, and letters of a source's name that are read.
_NAME, _LONGEST = "geos", 120


def take(run: Run, geos: Sequence[str]) -> None:
    """Bring back what the address has, once for each browser tab.

    Args:
        run: The fit.
        geos: Its geos.
    """
    if state.draft("geos.read"):
        return
    state.keep("geos.read", True)
    content = document_in(_NAME)
    times, spread = content.get("times"), content.get("spread")
    # Not isinstance: a JSON true is an int, too.
    if type(times) in (int, float) and limits.TIMES[0] <= times <= limits.TIMES[1]:
        state.put("plan.geos.times", float(times))
    if type(spread) is int and 0 <= spread <= 100:
        state.put("plan.geos.spread", spread)
    if isinstance(locked := content.get("locked"), list):
        kept = [geo for geo in geos if geo in locked]
        state.put(f"plan.geos.locked.{run.run_id}", kept)
    if stated := _stated(content.get("stated"), geos):
        limits.state_limits(run, stated)


def _stated(content: Any, geos: Sequence[str]) -> Stated | None:
    if not (isinstance(content, list) and len(content) == 3):
        return None
    source, scaled, table = content
    if not (isinstance(source, str) and isinstance(table, dict)):
        return None
    try:
        request = geo_request(table)
    except MMMError:
        return None
    is_of_fit = {*request.geos, *request.spend} <= set(geos)
    request = replace(request, scaled=scaled is True)
    return Stated(source[:_LONGEST], request) if is_of_fit else None


def keep(request: GeoRequest, stated: Stated | None) -> None:
    """Have the address say what limits there are; nothing where all is as usual.

    Args:
        request: The limits as the form has them.
        stated: What stands in their place; None where it is the form.
    """
    if stated is not None:
        table = [stated.source, stated.request.scaled, stated.request.as_table()]
        keep_document(_NAME, {"stated": table})
        return
    content: dict[str, Any] = {}
    if request.bounds[1] != limits.USUAL[0]:
        content["times"] = request.bounds[1]
    spread = round(100 * (request.totals[1] - 1)) if request.totals else 100
    if spread != limits.USUAL[1]:
        content["spread"] = spread
    if request.geos:
        content["locked"] = list(request.geos)
    keep_document(_NAME, content)
