"""Market: what a fit and its data say that the choice of a test needs.

Everything is of the same draws: curves of channels are the sums of the curves of their
cells, so that what a test of some geos would show and what the plan would do with it go
together draw by draw.
"""

from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.response.by_way import CARRIED
from core.errors import SpecError
from core.estimate import Estimate, estimate
from core.experiments.panel import Panel
from core.experiments.reading.readout import Readout
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.response.geos import GeoResponse, geo_response

#: Most draws that are used.
DRAWS = 300
#: Highest level of a season's spend: curves know little of more.
HIGHEST_LEVEL = 2.0


@dataclass(frozen=True)
class Market:
    """A market that is to be tested.

    Attributes:
        panel: Its outcome and spend.
        curves: Response of channels, over as many periods as were fitted.
        cells: Response of channels in geos, same draws; None for a national market.
        carryover: Share of a total effect that is felt up to each lag, per channel.
        n_times: Periods that the curves are of.
    """

    panel: Panel
    curves: ResponseCurves
    cells: GeoResponse | None
    carryover: dict[str, Float[np.ndarray, " lag"]]
    n_times: int

    def seen(self, channel: str, length: int) -> float:
        """Share of the effect of a test's media that falls into the test."""
        felt = self.carryover.get(channel)
        if felt is None:
            return 1.0
        reached = np.minimum(np.arange(length), len(felt) - 1)
        return float(felt[reached].mean())

    def level(
        self, channel: str, geos: tuple[str, ...], start: str, length: int
    ) -> float:
        """Usual spend of a window to come over the mean of the fitted periods.

        Usual is that of the same periods a year earlier; 1 where the data do not reach
        back that far.

        Args:
            channel: The channel.
            geos: Where; everywhere if empty.
            start: First day, ISO.
            length: In periods.
        """
        money = self.panel.spend.get(channel)
        if money is None:
            return 1.0
        inside = self.panel.is_in(geos) if geos else np.ones(len(money), dtype=bool)
        per_period = money[inside].sum(axis=0)
        first = self.panel.year_before(start)
        mean = float(per_period.mean())
        if first < 0 or first + length > len(per_period) or mean <= 0:
            return 1.0
        here = float(per_period[first : first + length].mean())
        return min(here / mean, HIGHEST_LEVEL)

    def difference(
        self,
        channel: str,
        geos: tuple[str, ...],
        multiple: float,
        level: float = 1.0,
    ) -> tuple[Float[np.ndarray, " draw"], float]:
        """What a multiple of spend changes in some geos, over the fitted periods.

        Args:
            channel: The channel.
            geos: Where; everywhere if empty.
            multiple: Of what is usual.
            level: Usual spend over what was spent.

        Returns:
            Outcome at the multiple less outcome at usual spend; and the same of spend.

        Raises:
            SpecError: The channel has no spend there.
        """
        if self.cells is None or not geos:
            curves, inside = (
                self.curves,
                np.array([name == channel for name in self.curves.names]),
            )
        else:
            curves = self.cells.curves
            names = [self.cells.geos[place] for place in self.cells.geo]
            owners = [self.cells.channels[place] for place in self.cells.channel]
            inside = np.array(
                [
                    owner == channel and name in geos
                    for owner, name in zip(owners, names, strict=True)
                ]
            )
        if not inside.any():
            raise SpecError(
                f"{channel} has no spend there, so there is nothing to change.",
                hint="Choose a channel with spend: "
                f"{', '.join(self.curves.names[:8])}.",
                where="channel",
            )
        some = replace(
            curves,
            names=tuple(np.array(curves.names)[inside]),
            spend=curves.spend[inside],
            value=curves.value[:, inside],
            slope=curves.slope[:, inside],
            highest_seen=curves.highest_seen[inside],
            by_period=None,
        )
        usual = level * some.spend
        change = some.outcome(multiple * usual) - some.outcome(usual)
        return change.sum(axis=1), float((multiple - 1) * usual.sum())


def market_of(
    panel: Panel, curves: xr.Dataset, by_geo: xr.Dataset | None, shapes: xr.Dataset
) -> Market:
    """The market of a fit, from what its worker stored.

    Args:
        panel: Outcome and spend of the data that were fitted.
        curves: `curves.nc`.
        by_geo: `geo_curves.nc`; None for a national market.
        shapes: `shapes.nc`.
    """
    every = response_curves(curves)
    cells = None
    if by_geo is None:
        step = -(-every.n_draws // DRAWS)
        every = replace(every, value=every.value[::step], slope=every.slope[::step])
    else:
        cells = geo_response(by_geo)
        summed = cells.together(cells.in_channel)
        every = replace(
            every,
            names=cells.channels,
            spend=summed.spend,
            grid=summed.grid,
            value=summed.value,
            slope=summed.slope,
            highest_seen=summed.highest_seen,
        )
    of_total = shapes[CARRIED] if CARRIED in shapes else shapes["adstock"]
    weights = {
        str(name): np.nan_to_num(of_total.sel(channel=name).values)
        for name in shapes["channel"].values
    }
    felt = {
        name: np.cumsum(own) / own.sum() for name, own in weights.items() if own.sum()
    }
    n_times = int(curves.attrs.get("n_times", len(panel.times)))
    return Market(panel, every, cells, felt, n_times)


def expected_effect(market: Market, readout: Readout) -> Estimate | None:
    """What the model expects of a test that ran: incremental outcome of its geos.

    From the draws' curves at the spend that ran against the spend to be expected, in
    the same geos, for as many periods; None where spend of the tested channels is not
    known to have changed, or the fit does not know what one of them brings there.
    """
    periods, total, treated = readout.periods, 0.0, readout.test.treated
    for name in readout.test.channels:
        if name not in readout.spend_change:
            continue
        change, usual = readout.spend_change[name], readout.usual_spend[name]
        if usual <= 0 or name not in market.curves.names:
            return None
        level, of_fit = 1.0, market.panel.spend.get(name)
        if of_fit is not None and of_fit[market.panel.is_in(treated)].any():
            mean = of_fit[market.panel.is_in(treated)].sum(axis=0).mean()
            level = usual / periods.length / float(mean)
        multiple = (usual + change) / usual
        try:
            effect, _ = market.difference(
                name, treated, multiple, min(level, HIGHEST_LEVEL)
            )
        except SpecError:
            return None
        part = periods.length / market.n_times
        total = total + effect * part * market.seen(name, periods.length)
    return None if np.ndim(total) == 0 else estimate(total)
