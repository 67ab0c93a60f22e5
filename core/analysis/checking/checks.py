r"""Model check: what the model would have counted, against what was counted.

For every posterior draw the KPI is drawn anew, $y^{rep} \sim p(y|\theta)$, and a
number is taken of both. Its Bayesian p-value is the share of draws whose replicated
number is at least the actual one; near 0 or 1 the model does not know that side of
the data (Gelman, Meng and Stern 1996). Numbers of residuals are taken per draw, of
what is left of the data and of the noise that the model expects, with its memory where
it has one. Level and extremes are of the KPI summed over geos. Cells held out have a
check of their own.

Check: one number of the data and of its replications, and whether they agree.

Patterns that residuals of a right model do not have; one number per draw.

Residuals are standardised, draw time: under the model they are standard Normal noise.
"""

from typing import Any, NamedTuple

import numpy as np

from core.analysis.checking.check_words import said
from core.analysis.checking.pointwise import memories, sigmas
from core.analysis.checking.residual import mean_correlation, with_memory
from core.data.ahead.horizon import periods_per_year
from core.data.periods import periods
from core.estimate import quantiles
from core.model.build import Model
from core.model.priors.distribution import quantile
from core.model.priors.prior import prior

#: p-values (two-sided where both sides matter) below which a check is borderline, and
#: below which the model misses what it is about.
BORDERLINE, MISSED = 0.05, 0.01


class Check(NamedTuple):
    """One number of the data and of its replications.

    Attributes:
        name: What it is about.
        unit: `kpi`, `share`, `correlation` or `sd`.
        actual: Of the data; draw (the same in all where no parameter enters).
        replicated: Of the replications; draw.
        sides: 1 where only too large a number is a fault.
        least: Difference from what is expected below which it is none.
    """

    name: str
    unit: str
    actual: np.ndarray
    replicated: np.ndarray
    sides: int = 2
    least: float = 0.0


def p_value(check: Check) -> float:
    """Share of draws whose replicated number is at least the actual one; ties half."""
    above = (check.replicated > check.actual).mean()
    return float(above + 0.5 * (check.replicated == check.actual).mean())


def status(p: float, sides: int) -> str:
    """`ok`, `borderline` or `missed`."""
    tail = p if sides == 1 else 2 * min(p, 1 - p)
    if tail < MISSED:
        return "missed"
    return "borderline" if tail < BORDERLINE else "ok"


def matters(check: Check) -> bool:
    """Whether the data are far enough from the replications to matter."""
    away = check.actual.mean() - np.median(check.replicated)
    return bool(abs(away) >= check.least)


NORMAL = prior("Normal", loc=0.0, scale=1.0)
#: Most draws.
_DRAWS = 1000
#: Periods named as the farthest from what was expected.
_NAMED = 3
#: Fewest held-out cells whose intervals are checked.
_FEWEST_HELD_OUT = 8
#: Correlation of neighbouring residuals that hardly narrows intervals.
_SLIGHT = 0.1


class Market(NamedTuple):
    """The KPI summed over geos, and what the model says of it.

    Attributes:
        times: Period starts.
        actual: What was counted; time.
        mean: Expected; draw time.
        spread: Residual scale of the sum; draw time.
        is_seen: Whether the likelihood saw any of the period; time.
        rho: What goes on of the noise, draw; None where it has no memory.
    """

    times: np.ndarray
    actual: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    is_seen: np.ndarray
    rho: np.ndarray | None = None


def model_check(
    model: Model, draws: dict[str, np.ndarray], means: np.ndarray, seed: int
) -> dict[str, Any]:
    """Posterior predictive checks.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        means: Of the scaled KPI by the same draws; draw geo time.
        seed: Of the replications.

    Returns:
        `checks`: name, unit, actual, median, lo and hi of the replications, p,
        `status` (ok, borderline, missed), `text`, `advice`; `farthest`, the periods
        farthest from what was expected, with their distance in sd; `status`, the
        worst; `n_draws`.
    """
    step = -(-len(means) // _DRAWS)
    means, sigma = means[::step], sigmas(model, draws)[::step]
    rho = memories(draws)
    rho = None if rho is None else rho[::step]
    rng = np.random.default_rng([seed, 31])
    observed = np.asarray(model.arrays.is_seen) > 0
    market = summed(model, means, sigma, observed)._replace(rho=rho)
    checks = patterns(market, rng)
    kpi = np.asarray(model.arrays.kpi, np.float64)
    cells = Cells(kpi, means, sigma, observed, rho)
    checks += coverage(cells, rng)
    checks += held_out(cells._replace(chosen=~observed), rng)
    if model.data.n_geos > 1:
        checks += [together(cells, rng), goes_on(cells, rng)]
    return as_values(checks, market)


def summed(
    model: Model, means: np.ndarray, sigma: np.ndarray, observed: np.ndarray
) -> Market:
    """The KPI of all geos together, of the cells that the likelihood saw."""
    scale = model.scale
    weight = observed * scale.size[:, None] * scale.std
    zero = scale.mean / scale.std
    return Market(
        times=model.data.times,
        # As counted: scaled and back in float32, a week without sales would be 0.0017.
        actual=(np.asarray(model.data.kpi, np.float64) * observed).sum(axis=0),
        mean=np.einsum("sgt,gt->st", means, weight) + zero * weight.sum(axis=0),
        spread=np.sqrt(np.einsum("sg,gt->st", sigma**2, weight**2)),
        is_seen=observed.any(axis=0),
    )


def patterns(market: Market, rng: np.random.Generator) -> list[Check]:
    """Level, extremes, and what residuals of a right model do not have."""
    observed, times = market.is_seen, market.times
    noise = replicated_noise(rng, market.mean.shape, market.rho) * observed
    replicated = (market.mean + market.spread * noise)[:, observed]
    safe = np.where(observed, market.spread, 1.0)
    residual = np.where(observed, (market.actual - market.mean) / safe, 0.0)
    actual = market.actual[observed]
    # One number of the data for every draw: a p value compares draw by draw.
    same = np.ones(len(noise))
    checks = [
        Check("level", "kpi", same * actual.mean(), replicated.mean(axis=1)),
        Check("highest", "kpi", same * actual.max(), replicated.max(axis=1)),
        Check("lowest", "kpi", same * actual.min(), replicated.min(axis=1)),
        Check("outliers", "sd", farthest(residual), farthest(noise), 1),
    ]
    for name, design in (
        ("season", year_design(times)),
        ("weekday", weekday_design(times)),
    ):
        if design is not None:
            shares = (share_explained(values, design) for values in (residual, noise))
            checks.append(Check(name, "share", *shares, 1))
    for name, lag in (("neighbours", 1), ("year before", season_lag(times))):
        if lag is not None and lag < len(times) - 2:
            both = (autocorrelation(values, lag) for values in (residual, noise))
            checks.append(Check(name, "correlation", *both))
    return checks


class Cells(NamedTuple):
    """The cells of the KPI and what a model says of them.

    Attributes:
        kpi: Scaled KPI, geo time.
        means: Of it, draw geo time.
        sigma: Scale of its noise, draw geo.
        chosen: Which cells a check is about, geo time.
        rho: What goes on of the noise, draw; None where it has no memory.
    """

    kpi: np.ndarray
    means: np.ndarray
    sigma: np.ndarray
    chosen: np.ndarray
    rho: np.ndarray | None = None


def coverage(of: Cells, rng: np.random.Generator) -> list[Check]:
    """Share of cells within the central 50 and 90 % of their density, given a draw."""
    kpi, means, sigma, observed, rho = of
    limits = {mass: float(quantile(NORMAL, (1 + mass) / 2)) for mass in (0.5, 0.9)}
    counts = {mass: [0, 0] for mass in limits}
    for geo in np.flatnonzero(observed.any(axis=1)):
        cells = observed[geo]
        residual = (kpi[geo, cells] - means[:, geo, cells]) / sigma[:, geo, None]
        noise = replicated_noise(rng, means[:, geo].shape, rho)[:, cells]
        for mass, limit in limits.items():
            for place, values in enumerate((residual, noise)):
                inside = (np.abs(values) <= limit).sum(axis=1)
                counts[mass][place] = counts[mass][place] + inside
    n = max(int(observed.sum()), 1)
    return [
        Check(f"within {mass:.0%}", "share", *(np.asarray(count) / n for count in both))
        for mass, both in counts.items()
    ]


def held_out(of: Cells, rng: np.random.Generator) -> list[Check]:
    """Share of held-out cells within their 90 % predictive intervals."""
    kpi, means, sigma, unseen, _ = of
    n = int(unseen.sum())
    if n < _FEWEST_HELD_OUT:
        return []
    actual, drawn_inside = 0, np.zeros(len(means))
    for geo in np.flatnonzero(unseen.any(axis=1)):
        cells = unseen[geo]
        draws = means[:, geo, cells] + sigma[:, geo, None] * rng.normal(
            size=(len(means), cells.sum())
        )
        low, high = np.quantile(draws, [0.05, 0.95], axis=0)
        actual += int(((low <= kpi[geo, cells]) & (kpi[geo, cells] <= high)).sum())
        drawn_inside += ((low <= draws) & (draws <= high)).sum(axis=1)
    same = np.full(len(means), actual / n)
    return [Check("held out", "share", same, drawn_inside / n)]


def together(of: Cells, rng: np.random.Generator) -> Check:
    """Mean correlation of the residuals of two geos, over periods seen in all."""
    kpi, means, _, observed, rho = of
    periods_seen = observed.all(axis=0)
    step = -(-len(means) // 100)
    some = means[::step][:, :, periods_seen]
    noise = replicated_noise(rng, some.shape, None if rho is None else rho[::step])
    both = [
        np.array([mean_correlation(residual) for residual in values])
        for values in (kpi[:, periods_seen] - some, noise)
    ]
    return Check("geos", "correlation", *both, 1)


def goes_on(of: Cells, rng: np.random.Generator) -> Check:
    """Correlation of a geo's residuals with those of the period before; their mean.

    Geos that drift on their own cancel out in the market's sum. With hundreds of cells
    the smallest correlation is no chance, so one that hardly matters is none: intervals
    are too narrow by the root of (1 + r) / (1 - r), a tenth at 0.1.
    """
    kpi, means, sigma, observed, rho = of
    geos = np.flatnonzero(observed.sum(axis=1) > _FEWEST_HELD_OUT)
    total, expected = np.zeros(len(means)), np.zeros(len(means))
    for geo in geos:
        residual = (kpi[geo] - means[:, geo]) / sigma[:, geo, None] * observed[geo]
        noise = replicated_noise(rng, residual.shape, rho) * observed[geo]
        total += autocorrelation(residual, 1) / len(geos)
        expected += autocorrelation(noise, 1) / len(geos)
    return Check("within a geo", "correlation", total, expected, 1, _SLIGHT)


def replicated_noise(
    rng: np.random.Generator, shape: tuple[int, ...], rho: np.ndarray | None
) -> np.ndarray:
    """Standard Normal noise, with the memory that each draw says it has.

    Args:
        rng: Of the numbers.
        shape: draw ... time.
        rho: draw; None for noise without memory.
    """
    noise = rng.normal(size=shape)
    return noise if rho is None else with_memory(noise, rho)


def as_values(checks: list[Check], market: Market) -> dict[str, Any]:
    """Checks as plain values, with words."""
    spread = np.where(market.is_seen, market.spread, 1.0)
    distance = np.where(market.is_seen, (market.actual - market.mean) / spread, 0.0)
    middle = distance.mean(axis=0)
    far = [
        {"time": str(market.times[place]), "sd": float(middle[place])}
        for place in np.argsort(-np.abs(middle))[:_NAMED]
    ]
    word = periods(market.times).period
    rows = []
    for check in checks:
        if not np.isfinite(check.actual).all():
            continue
        p = p_value(check)
        lo, median, hi = (float(v) for v in np.quantile(check.replicated, quantiles()))
        row = {
            "name": check.name,
            "unit": check.unit,
            "actual": float(np.mean(check.actual)),
            "median": median,
            "lo": lo,
            "hi": hi,
            "p": p,
            "status": status(p, check.sides) if matters(check) else "ok",
        }
        has_memory = market.rho is not None
        rows.append(row | said(row, word, far, has_memory=has_memory))
    worst = max((row["status"] for row in rows), key=_ORDER.index, default="ok")
    return {
        "status": worst,
        "checks": rows,
        "farthest": far,
        "n_draws": len(market.mean),
    }


_ORDER = ("ok", "borderline", "missed")


_DAYS = 365.25
#: Pairs of sine and cosine of the year that a leftover season is looked for in.
_PAIRS = 2


def autocorrelation(residual: np.ndarray, lag: int) -> np.ndarray:
    """Correlation with the residual so many periods before."""
    centred = residual - residual.mean(axis=1, keepdims=True)
    product = (centred[:, lag:] * centred[:, :-lag]).sum(axis=1)
    return product / np.maximum((centred**2).sum(axis=1), 1e-300)


def share_explained(residual: np.ndarray, design: np.ndarray) -> np.ndarray:
    """Share of the residuals' variance that columns of a design take.

    What a straight line takes is taken out first.

    Args:
        residual: draw time.
        design: time column.
    """
    n = residual.shape[1]
    line = np.column_stack([np.ones(n), np.linspace(-1, 1, n)])
    line, _ = np.linalg.qr(line)
    # An orthonormal basis: the share explained is then a sum of squares, without
    # solving per draw.
    basis, _ = np.linalg.qr(design - line @ (line.T @ design))
    remainder = residual - (residual @ line) @ line.T
    total = (remainder**2).sum(axis=1)
    return ((remainder @ basis) ** 2).sum(axis=1) / np.maximum(total, 1e-300)


def farthest(residual: np.ndarray) -> np.ndarray:
    """Largest distance of a period from zero, in the residuals' own sd."""
    spread = np.sqrt((residual**2).mean(axis=1))
    return np.abs(residual).max(axis=1) / np.maximum(spread, 1e-300)


def year_design(times: np.ndarray) -> np.ndarray | None:
    """Sines and cosines of the year; None where the data are too short for them."""
    years = times.astype("datetime64[D]").astype(float) / _DAYS
    per_year = periods_per_year(times)
    pairs = min(_PAIRS, (per_year - 1) // 2)
    if pairs < 1 or len(times) < 1.5 * per_year:
        return None
    waves = 2 * np.pi * years[:, None] * np.arange(1, pairs + 1)
    return np.hstack([np.sin(waves), np.cos(waves)])


def weekday_design(times: np.ndarray) -> np.ndarray | None:
    """Days of the week but one, less their mean; None for data that are not daily."""
    if periods(times).frequency != "daily" or len(times) < 28:
        return None
    day = (times.astype("datetime64[D]").astype(int) + 3) % 7
    design = (day[:, None] == np.arange(6)).astype(float)
    # Six of seven days: all of them would be the mean once more.
    return design - design.mean(axis=0)


def season_lag(times: np.ndarray) -> int | None:
    """Periods after which what is left may come again; None where data are short."""
    lag = 7 if periods(times).frequency == "daily" else periods_per_year(times)
    return lag if lag > 1 and len(times) >= 1.5 * lag else None
