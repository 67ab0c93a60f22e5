"""Read-out: what a test of geos did, from the geos that were left alone.

The treated geos' outcome is compared with its counterfactual (`synthetic`); how far off
such a comparison is where nothing was tested (`placebo`) gives interval and p.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from core.dims import INTERVAL
from core.experiments.panel import Panel
from core.experiments.reading.checks import Check, checks, tested_channel
from core.experiments.reading.geo_test import GeoTest, refuse, silent
from core.experiments.reading.placebo import Placebos, chosen_ridge, enough, placebos
from core.experiments.reading.synthetic import Fit, Periods, fit

#: A change of spend smaller than this share of usual spend gives no return on it, nor
#: does one below this many typical swings of windows in which nothing was tested.
_LEAST_CHANGE, _SWINGS = 0.05, 4.0


@dataclass(frozen=True)
class Readout:
    """What a test did.

    Attributes:
        test: Where and when; with the one channel whose spend changed where none is
            named.
        unit: Of the KPI.
        times: Of every period of the data up to the test's end.
        periods: Of the test.
        fitted: Treated geos and their counterfactual, one group.
        null: Effects where there was none.
        spend_change: Spend of treated geos less what was to be expected, of each
            channel that has spend; currency.
        usual_spend: What was to be expected of it; currency.
        checks: What speaks for and against the read-out.
        controls: Weight of each control geo, largest first.
        ridge: Of the counterfactual.
    """

    test: GeoTest
    unit: str
    times: np.ndarray
    periods: Periods
    fitted: Fit
    null: Placebos
    spend_change: dict[str, float]
    usual_spend: dict[str, float]
    checks: tuple[Check, ...]
    controls: dict[str, float]
    ridge: float

    @property
    def lift(self) -> dict[str, float]:
        """Effect as a share of the counterfactual."""
        return self._estimate(float(self.fitted.effect(self.periods)[0]), 1.0)

    @property
    def incremental(self) -> dict[str, float]:
        """Effect in the KPI's unit, all treated geos and periods together."""
        effect = float(self.fitted.effect(self.periods)[0])
        return self._estimate(effect, self._expected)

    @property
    def iroas(self) -> dict[str, float] | None:
        """Effect per unit of money; None where no known channel's changed."""
        change = sum(self.spend_change.values())
        if not change or not self.test.channels:
            return None
        effect = float(self.fitted.effect(self.periods)[0])
        return self._estimate(effect, self._expected / change)

    @property
    def p(self) -> float:
        """Share of placebos with an effect as large."""
        return self.null.p_value(float(self.fitted.effect(self.periods)[0]))

    @property
    def _expected(self) -> float:
        window = slice(self.periods.before, self.periods.end)
        return float(self.fitted.counterfactual[0, window].sum())

    def _estimate(self, effect: float, unit: float) -> dict[str, float]:
        reach = float(self.null.reach()[-1])
        ends = sorted(((effect - reach) * unit, (effect + reach) * unit))
        return {
            "mean": effect * unit,
            "median": effect * unit,
            "sd": self.null.standard_error * abs(unit),
            "lo": ends[0],
            "hi": ends[1],
        }

    def cumulative(self) -> dict[str, list]:
        """Effect up to each period of the test, with intervals, in the KPI's unit."""
        window = slice(self.periods.before, self.periods.end)
        expected = self.fitted.counterfactual[0, window].cumsum()
        effect = self.fitted.cumulative(self.periods)[0]
        reach = self.null.reach()
        return {
            "time": [str(day) for day in self.times[window]],
            "mean": (effect * expected).tolist(),
            "lo": ((effect - reach) * expected).tolist(),
            "hi": ((effect + reach) * expected).tolist(),
        }

    def as_dict(self) -> dict[str, Any]:
        """The read-out as the command line prints it and the workspace keeps it."""
        return {
            "treated": list(self.test.treated),
            "start": self.test.start,
            "end": self.test.end,
            "channels": list(self.test.channels),
            "unit": self.unit,
            "lift": self.lift,
            "incremental": self.incremental,
            "iroas": self.iroas,
            "p": self.p,
            "checks": [check._asdict() for check in self.checks],
            "spend_change": self.spend_change,
            "cumulative": self.cumulative(),
            "series": {
                "time": [str(day) for day in self.times[: self.periods.end]],
                "observed": self.fitted.total[0, : self.periods.end].tolist(),
                "counterfactual": self.fitted.counterfactual[
                    0, : self.periods.end
                ].tolist(),
            },
            "controls": self.controls,
            "placebos": len(self.null.effect),
            "ridge": self.ridge if np.isfinite(self.ridge) else None,
            "interval": INTERVAL,
        }


def read_out(panel: Panel, test: GeoTest, *, seed: int = 0) -> Readout:
    """What a test did.

    Args:
        panel: The market; periods after the test are not used.
        test: Where and when.
        seed: Of the placebo groups.

    Raises:
        SpecError: The test is not one that these data can read.
        DataError: The data are too short.
    """
    refuse(panel, test)
    used = panel.without(test.left_out)
    used = used.without(tuple(silent(used, test)))
    inside = np.flatnonzero(used.within(test.start, test.end))
    periods = Periods(int(inside[0]), int(inside[-1]) + 1)
    enough(periods)
    treated = used.is_in(test.treated)
    rng = np.random.default_rng(seed)
    kpi = used.kpi[:, : periods.end]
    ridge = chosen_ridge(kpi, treated, periods, rng)
    fitted = fit(kpi, treated[None], ~treated[None], periods, ridge=ridge)
    error = float(fitted.error[0])
    null = placebos(kpi, treated, periods, error=error, ridge=ridge, rng=rng)
    weights = fitted.weights[0]
    order = [place for place in np.argsort(-weights) if abs(weights[place]) > 1e-3]
    change, usual = _spend_change(used, test, fitted, treated, periods)
    about_channel = () if test.channels else tested_channel(list(usual), list(change))
    if not test.channels and len(change) == 1:
        test = replace(test, channels=tuple(change))
        usual = {name: usual[name] for name in change}
    shares = {
        name: change.get(name, 0.0) / max(money, _LEAST_CHANGE * change.get(name, 1.0))
        for name, money in usual.items()
        if money or name in change
    }
    return Readout(
        test=test,
        unit=panel.unit,
        times=used.times[: periods.end],
        periods=periods,
        fitted=fitted,
        null=null,
        spend_change=change,
        usual_spend=usual,
        checks=(
            *about_channel,
            *checks(used, treated, periods, fitted, null, ridge, shares),
        ),
        controls={used.geos[place]: float(weights[place]) for place in order},
        ridge=ridge,
    )


def _spend_change(
    panel: Panel, test: GeoTest, fitted: Fit, treated: np.ndarray, periods: Periods
) -> tuple[dict[str, float], dict[str, float]]:
    """Changes of spend that no usual swing explains, and usual spend, by channel."""
    changes, usual = {}, {}
    for name, money in panel.spend.items():
        if test.channels and name not in test.channels:
            continue
        change, usual[name], swing = change_of_spend(
            money[:, : periods.end], treated, fitted.weights[0], periods
        )
        least = _LEAST_CHANGE * max(usual[name], usual[name] + change)
        if abs(change) > max(least, _SWINGS * swing):
            changes[name] = change
    return changes, usual


def change_of_spend(
    money: Float[np.ndarray, "geo time"],
    treated: np.ndarray,
    weights: Float[np.ndarray, " geo"],
    periods: Periods,
) -> tuple[float, float, float]:
    """Spend of treated geos in the window less the usual, the usual, and its swing.

    Usual is what the counterfactual of the KPI stands for: spend before the test, moved
    as that of the control geos with the same weights. A return per unit of money holds
    then whichever arm was changed, also where the control geos were (a holdback). The
    swing is the root mean squared change of windows as long before the test, or of
    independent periods where that is more: a short past is close to its own mean.
    Currency.
    """
    window, length = slice(periods.before, periods.end), periods.length
    own, others = money[treated].sum(axis=0), treated.sum() * (weights @ money)
    before = own[: periods.before].mean() - others[: periods.before].mean()
    gap = own - others - before
    change = float(gap[window].sum())
    swing = _swing(gap[: periods.before], length)
    ran = float(own[window].sum())
    usual = max(ran - change, 0.0)
    return ran - usual, usual, swing


def _swing(gap: Float[np.ndarray, " time"], length: int) -> float:
    """How much the sum of a window swings where nothing was tested."""
    before = len(gap)
    beside = 1 + length / before
    swing = float(gap.std(ddof=1) * np.sqrt(length * beside))
    if before <= length:
        return swing
    past = np.convolve(gap, np.ones(length), "valid")
    # A window that is part of the mean it is compared with lies too close to it.
    seen = np.sqrt((past**2).mean() * beside / (1 - length / before))
    return max(swing, float(seen))
