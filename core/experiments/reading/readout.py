"""Read-out: what a test of geos did, from the geos that were left alone.

The treated geos' outcome is compared with its counterfactual (`synthetic`); how far off
such a comparison is where nothing was tested (`placebo`) gives interval and p.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from core.dims import INTERVAL
from core.estimate import Estimate
from core.experiments.panel import Panel
from core.experiments.reading.checks import Check, checks, tested_channel
from core.experiments.reading.geo_test import GeoTest, refuse, silent
from core.experiments.reading.placebo import Placebos, chosen_ridge, enough, placebos
from core.experiments.reading.record import Cumulative, ReadoutRecord, Series
from core.experiments.reading.synthetic import Fit, Periods, fit

#: A change of spend smaller than this share of usual spend gives no return on it, nor
#: does one below this many typical swings of windows in which nothing was tested.
_LEAST_CHANGE, _SWINGS = 0.05, 4.0
#: A channel that spends less than this share of usual spend is off.
_OFF = 0.05
#: The share of swings that are smaller than the few that would count.
_RARE = 0.999


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
    def lift(self) -> Estimate:
        """Effect as a share of the counterfactual."""
        return self._estimate(float(self.fitted.effect(self.periods)[0]), 1.0)

    @property
    def incremental(self) -> Estimate:
        """Effect in the KPI's unit, all treated geos and periods together."""
        effect = float(self.fitted.effect(self.periods)[0])
        return self._estimate(effect, self._expected)

    @property
    def iroas(self) -> Estimate | None:
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

    def _estimate(self, effect: float, unit: float) -> Estimate:
        reach = float(self.null.reach()[-1])
        ends = sorted(((effect - reach) * unit, (effect + reach) * unit))
        return Estimate(
            mean=effect * unit,
            median=effect * unit,
            sd=float(self.null.standard_error * abs(unit)),
            lo=float(ends[0]),
            hi=float(ends[1]),
        )

    def cumulative(self) -> Cumulative:
        """Effect up to each period of the test, with intervals, in the KPI's unit."""
        window = slice(self.periods.before, self.periods.end)
        expected = self.fitted.counterfactual[0, window].cumsum()
        effect = self.fitted.cumulative(self.periods)[0]
        reach = self.null.reach()
        return Cumulative(
            tuple(str(day) for day in self.times[window]),
            mean=tuple((effect * expected).tolist()),
            lo=tuple(((effect - reach) * expected).tolist()),
            hi=tuple(((effect + reach) * expected).tolist()),
        )

    def record(self) -> ReadoutRecord:
        """The read-out as the command line prints it and the workspace keeps it."""
        until = self.periods.end
        return ReadoutRecord(
            treated=tuple(self.test.treated),
            start=self.test.start,
            end=self.test.end,
            channels=tuple(self.test.channels),
            unit=self.unit,
            lift=self.lift,
            incremental=self.incremental,
            iroas=self.iroas,
            p=self.p,
            checks=self.checks,
            spend_change=self.spend_change,
            cumulative=self.cumulative(),
            series=Series(
                tuple(str(day) for day in self.times[:until]),
                observed=tuple(self.fitted.total[0, :until].tolist()),
                counterfactual=tuple(self.fitted.counterfactual[0, :until].tolist()),
            ),
            controls=self.controls,
            placebos=len(self.null.effect),
            ridge=self.ridge if np.isfinite(self.ridge) else None,
            interval=INTERVAL,
        )


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
    """Changes of spend that no usual swing explains, and usual spend, by channel.

    A channel that the test names and that was off is changed however much the spend of
    large control geos, which the usual is weighed from, swings.
    """
    changes, usual = {}, {}
    for name, money in panel.spend.items():
        if test.channels and name not in test.channels:
            continue
        change, usual[name], swing = change_of_spend(
            money[:, : periods.end],
            treated,
            fitted.weights[0],
            periods,
            is_named=bool(test.channels),
        )
        least = _LEAST_CHANGE * max(usual[name], usual[name] + change)
        was_off = name in test.channels and usual[name] + change < _OFF * usual[name]
        if was_off or abs(change) > max(least, _SWINGS * swing):
            changes[name] = change
    return changes, usual


def change_of_spend(
    money: Float[np.ndarray, "geo time"],
    treated: np.ndarray,
    weights: Float[np.ndarray, " geo"],
    periods: Periods,
    *,
    is_named: bool = True,
) -> tuple[float, float, float]:
    """Spend of treated geos in the window less the usual, the usual, and its swing.

    Usual is what the counterfactual of the KPI stands for: spend before the test, moved
    as that of the control geos with the same weights. A return per unit of money holds
    then whichever arm was changed, also where the control geos were (a holdback). The
    swing is the root mean squared change of windows as long before the test; where
    nobody named the channel, what swings may be without a test. Currency.
    """
    window, length = slice(periods.before, periods.end), periods.length
    own, others = money[treated].sum(axis=0), treated.sum() * (weights @ money)
    before = own[: periods.before].mean() - others[: periods.before].mean()
    gap = own - others - before
    change = float(gap[window].sum())
    past = np.convolve(gap[: periods.before], np.ones(length), "valid")
    swing = float(np.sqrt((past**2).mean())) if len(past) else 0.0
    if not is_named:
        of_time = _natural_swing(gap[: periods.before], length)
        swing = max(swing, of_time, _swing_of_geos(money, treated, periods))
    ran = float(own[window].sum())
    usual = max(ran - change, 0.0)
    return ran - usual, usual, swing


def _natural_swing(gap: Float[np.ndarray, " time"], length: int) -> float:
    """How much the sum of a window may swing where nothing was tested.

    A short past has few windows, and all of them lie close to its own mean, so this
    goes by first-order memory, and by how many independent periods the past is worth.
    """
    before = len(gap)
    moved = gap - gap.mean()
    variance = float(moved @ moved) / before
    if not variance > 0:
        return 0.0
    memory = float(moved[1:] @ moved[:-1]) / (before * variance)
    # Kendall's correction: short series look less persistent than they are.
    memory = float(np.clip(memory + (1 + 3 * memory) / before, 0.0, 0.95))
    own, of_mean = _of_sum(memory, length), _of_sum(memory, before) / before**2
    variance /= max(1 - of_mean, 0.1)
    swing = float(np.sqrt(variance * (own + length**2 * of_mean)))
    return swing * _allowance(max(1 / of_mean - 1, 1.0))


def _swing_of_geos(money, treated: np.ndarray, periods: Periods) -> float:
    """How much the treated geos may swing if each does as the control geos do."""
    before = money[:, : periods.before].mean(axis=1)
    now = money[:, periods.before : periods.end].mean(axis=1)
    others = ~treated & (before > 0)
    n_others = int(others.sum())
    if n_others < 2:
        return 0.0
    # What all control geos did together is no swing: they may be the tested arm.
    spread = float((now[others] / before[others]).std(ddof=1))
    of_treated = float(np.sqrt((before[treated] ** 2).sum())) * periods.length
    return spread * of_treated * _allowance(n_others - 1)


def _allowance(worth: float) -> float:
    """How much larger a rare swing may be whose size is known from so few."""
    from scipy.stats import norm, t  # noqa: PLC0415  slow to import

    return float(t.ppf(_RARE, worth) / norm.ppf(_RARE))


def _of_sum(memory: float, length: int) -> float:
    """Variance of a sum of periods with memory, over that of one."""
    lags = np.arange(1, length)
    return length + 2 * float(((length - lags) * memory**lags).sum())
