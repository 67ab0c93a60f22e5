r"""Demand: the term for what the spend of channels that follow demand reveals of it.

    mu_gt = ... + sum_m gamma_m z_gtm,   gamma_m = xi d_m,   d_m ~ N(0, 1)

with z what season, trend and weekdays leave of log spend (`core.data.demand.spend`).
Spend says nothing of the demand of periods to come but its mean, zero; what it may be
beside that is noise of a forecast.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.data.demand.following import followings
from core.data.demand.spend import Deviation, deviation, paid_spend
from core.data.input_data import InputData
from core.model.holdout import is_seen
from core.model.spec import ModelSpec
from core.model.terms.linear_terms import LinearTerm, TermDesign, TermStructure

#: Name of the term.
TERM = "demand"

#: Correlation of two columns that say the same.
_SAME = 0.97


@dataclass(frozen=True)
class Demand:
    """Whether one paid channel's spend follows demand, as the model takes it.

    Attributes:
        channel: Its name.
        follows: Whether it has a column in the term.
        by: Who decided: `you` in the options, or `data` and name.
        reason: One sentence.
    """

    channel: str
    follows: bool
    by: Literal["you", "data"]
    reason: str


def decided_demand(spec: ModelSpec, data: InputData) -> tuple[Demand, ...]:
    """Every paid channel, decided by the options or by data and name.

    With Meridian's preset none follows; a baseline of knots has the term for channels
    that the options name.
    """
    decided = []
    columns: dict[str, np.ndarray] = {}
    wanted = {channel.name: channel.follows_demand for channel in spec.channels}
    spend = paid_spend(data)
    if spec.preset == "meridian" or not spend:
        return ()
    judged = {
        following.channel: following
        for following in followings(data, is_seen(spec.holdout, data))
    }
    for name, own_spend in spend.items():
        following, wish = judged[name], wanted[name]
        by = "data" if wish == "auto" else "you"
        follows = (following.follows and spec.is_structural) if wish == "auto" else wish
        reason = following.reason if wish == "auto" else _as_set(name, wish)
        if wish == "auto" and following.follows and not spec.is_structural:
            reason += " Beside knots it has a demand term only if you ask for it."
        if follows:
            column = deviation(own_spend, data.times)
            twin = _twin(column.values, columns)
            if column.why_not:
                follows = False
                reason = f"{name} {column.why_not}: it has no demand term."
            elif twin:
                follows = False
                reason = (
                    f"{name} is bought together with {twin}, whose demand term "
                    "stands for both."
                )
            else:
                columns[name] = column.values
        decided.append(Demand(name, bool(follows), by, reason))
    return tuple(decided)


def _as_set(name: str, follows: bool) -> str:
    how = "follows demand" if follows else "is bought by plan"
    return f"{name} {how}, as set on the Model screen or in project.toml."


def _twin(values: np.ndarray, columns: dict[str, np.ndarray]) -> str:
    """The channel whose column is nearly the same; empty where there is none."""
    for name, other in columns.items():
        norm = np.sqrt((values**2).sum() * (other**2).sum())
        if norm > 0 and (values * other).sum() > _SAME * norm:
            return name
    return ""


def demand_terms(
    data: InputData, decided: tuple[Demand, ...], *, n_ahead: int | None = None
) -> tuple[TermDesign, ...]:
    """The term of the channels that follow demand; none where no channel does.

    Args:
        data: The market.
        decided: What `decided_demand` gives.
        n_ahead: Later periods, whose columns are zero; None for those of the data.
    """
    names = tuple(demand.channel for demand in decided if demand.follows)
    if not names:
        return ()
    if n_ahead is None:
        columns = [column.values for column in revealed(data, names)]
        design = np.stack(columns, axis=2)
    else:
        design = np.zeros((data.n_geos, n_ahead, len(names)))
    numbers = LinearTerm(design, np.zeros(len(names)), np.zeros(0))
    return (TermDesign(TermStructure(TERM, by_cell=True), numbers, names),)


def revealed(data: InputData, names: tuple[str, ...]) -> list[Deviation]:
    """What the spend of some channels reveals of demand."""
    spend = paid_spend(data)
    return [deviation(spend[name], data.times) for name in names]
