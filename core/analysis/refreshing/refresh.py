"""Refresh: how far returns move when the last periods are dropped and refitted.

A result that moves by more than its own uncertainty when a quarter's data arrives is
less sure than it says.
"""

import xarray as xr

from core.analysis.ahead.backtest import Tell
from core.analysis.ahead.backtest_record import Refitted, Stability
from core.analysis.ahead.forecast_score import stability
from core.analysis.ahead.known_then import Case, Whole, whole_until
from core.analysis.draws import flat_draws
from core.analysis.returns import returns
from core.data.assemble import assemble
from core.data.input_data import InputData
from core.data.mapping import PAID
from core.estimate import Estimate, estimate
from core.model.build import Model

#: Periods dropped.
DROPS = (0, 4, 8, 12)
_DRAWS = 1000


def refresh(
    case: Case, *, drops: tuple[int, ...] = DROPS, tell: Tell = lambda line: None
) -> Stability:
    """ROI of each paid channel with the last periods dropped.

    Args:
        case: Table and model.
        drops: Periods dropped; zero comes first.
        tell: Hears what is being done.
    """
    full = assemble(case.frame, case.mapping)
    by_drop = {}
    for n in kept_drops(full.n_times, drops):
        tell(f"Without the last {n} periods." if n else "All periods.")
        whole = without_last(case, full, n)
        by_drop[n] = {name: Refitted(roi) for name, roi in paid_returns(*whole).items()}
    return stability(by_drop)


def kept_drops(n_times: int, drops: tuple[int, ...] = DROPS) -> list[int]:
    """The drops that leave enough of the data."""
    return [n for n in drops if n < n_times / 3]


def without_last(case: Case, full: InputData, n: int) -> Whole:
    """The model with the last n periods dropped, and its posterior; of totals."""
    return whole_until(case, full.n_times - n)


def paid_returns(model: Model, posterior: xr.Dataset) -> dict[str, Estimate]:
    """ROI of each paid channel, an estimate."""
    by_channel = returns(model, flat_draws(posterior, _DRAWS))
    kinds = by_channel["kind"].to_numpy()
    return {
        str(name): estimate(by_channel["roi"][:, place].to_numpy())
        for place, name in enumerate(by_channel["channel"].to_numpy())
        if str(kinds[place]) in PAID
    }
