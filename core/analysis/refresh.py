"""Refresh: how far returns move when the last periods are dropped and refitted.

A result that moves by more than its own uncertainty when a quarter's data arrives is
less sure than it says.
"""

from typing import Any

import numpy as np

from core.analysis.backtest import Case, Told, refitted, until
from core.analysis.draws import flat_draws
from core.analysis.estimate import estimate
from core.analysis.returns import returns
from core.data.assemble import assemble
from core.data.mapping import PAID

#: Periods dropped.
DROPS = (0, 4, 8, 12)
_DRAWS = 1000


def refresh(
    case: Case, *, drops: tuple[int, ...] = DROPS, told: Told = lambda line: None
) -> dict[str, Any]:
    """ROI of each paid channel with the last periods dropped.

    Args:
        case: Table and model.
        drops: Periods dropped; zero comes first.
        told: Hears what is being done.

    Returns:
        `channels`: name, `roi` per number of periods dropped (estimates), and `moved`,
        the largest move of the mean from that of all data, over the standard
        deviation with all data; `largest`, the channel that moved most.
    """
    full = assemble(case.frame, case.mapping)
    kept = [n for n in drops if n < full.n_times / 3]
    found: dict[str, dict[int, dict]] = {}
    for n in kept:
        told(f"Without the last {n} periods." if n else "All periods.")
        origin = full.n_times - n
        model, fitted = refitted(
            case, until(case, full, origin) if n else full, case.spec
        )
        made = returns(model, flat_draws(fitted.posterior, _DRAWS))
        for place, name in enumerate(made["channel"].to_numpy()):
            if str(made["kind"].to_numpy()[place]) in PAID:
                roi = estimate(made["roi"][:, place].to_numpy())
                found.setdefault(str(name), {})[n] = roi
    rows = []
    for name, by_drop in found.items():
        now = by_drop[0]
        moves = [abs(other["mean"] - now["mean"]) for other in by_drop.values()]
        rows.append(
            {
                "name": name,
                "roi": {str(n): roi for n, roi in by_drop.items()},
                "moved": float(np.max(moves) / (now["sd"] or np.inf)),
            }
        )
    largest = max(rows, key=lambda row: row["moved"], default=None)
    return {"drops": kept, "channels": rows, "largest": largest and largest["name"]}
