"""Markets of geos with known truth, and what a fit might say about them."""

import numpy as np

from core.experiments.design.market import Market
from core.experiments.panel import Panel
from core.plan.response.curves import ResponseCurves
from core.plan.response.geos import GeoResponse

WEEKS = 7


def panel(n_geos=24, n_times=104, *, seed=0, noise=0.04, channels=("TV",), step=7):
    """Geos of different size that share trend and season, with noise of their own."""
    rng = np.random.default_rng(seed)
    size = rng.lognormal(6.0, 0.6, n_geos)
    time = np.arange(n_times)
    factors = np.stack(
        [np.sin(2 * np.pi * time / 52), np.cumsum(rng.normal(0, 0.02, n_times))]
    )
    loads = rng.normal([0.15, 1.0], [0.05, 0.3], (n_geos, 2))
    shared = 1 + loads @ factors
    kpi = size[:, None] * shared * (1 + noise * rng.normal(size=(n_geos, n_times)))
    spend = {
        name: 0.05 * size[:, None] * rng.gamma(20, 1 / 20, (n_geos, n_times))
        for name in channels
    }
    times = np.datetime64("2023-01-02") + step * time
    geos = tuple(f"g{place:02d}" for place in range(n_geos))
    return Panel(geos, times, kpi, spend, "revenue")


def with_lift(given, treated, start, end, lift):
    """The panel with the KPI of some geos raised by a share."""
    kpi = given.kpi.copy()
    kpi[np.ix_(given.is_in(treated), given.within(start, end))] *= 1 + lift
    return Panel(given.geos, given.times, kpi, given.spend, given.unit)


def market(
    n_channels=4, n_geos=12, n_draws=120, *, seed=0, spread=0.6, given=None, slope=1.0
):
    """A market whose draws differ in each channel's strength and saturation."""
    rng = np.random.default_rng(seed)
    names = tuple(f"c{place}" for place in range(n_channels))
    given = given or panel(n_geos, seed=seed, channels=names)
    share = given.kpi.mean(axis=1) / given.kpi.mean(axis=1).sum()
    spend = rng.lognormal(10, 0.5, n_channels)[:, None] * share
    grid = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0])
    roi = rng.lognormal(0.3, spread, (n_draws, n_channels, 1, 1))
    half = rng.lognormal(0.2, 0.4, (n_draws, n_channels, 1, 1))
    risen = grid**slope
    top = roi * spend[..., None] * (1 + half)
    value = top * risen / (risen + half)
    rise = slope * np.maximum(grid, 1e-9) ** (slope - 1)
    steep = top * half * rise / (risen + half) ** 2

    def curves(labels, money, value, slope):
        return ResponseCurves(
            labels, money, grid, value, slope, np.full(len(money), np.nan)
        )

    cells = GeoResponse(
        curves=curves(
            tuple(str(place) for place in range(spend.size)),
            spend.ravel(),
            value.reshape(n_draws, -1, len(grid)),
            steep.reshape(n_draws, -1, len(grid)),
        ),
        channels=names,
        geos=given.geos,
        channel=np.repeat(np.arange(n_channels), len(given.geos)),
        geo=np.tile(np.arange(len(given.geos)), n_channels),
    )
    every = curves(names, spend.sum(axis=1), value.sum(axis=2), steep.sum(axis=2))
    felt = {name: np.array([0.6, 0.9, 1.0]) for name in names}
    return Market(given, every, cells, felt, len(given.times))
