"""The planner's own times: synthetic markets, and Meridian's reference cases.

    python -m bench.planner      prints two tables, a minute

Twenty channels and 1,000 draws on the channel level, by objective: the median of
repeated plans, everything that a plan says included. Then geo_media and national_media
with 2,000 draws in both precisions: response curves from the posterior, with
compilation (what a fit does once), a plan, and the optimisation alone. Meridian 2.1.0
does all of it at each call; its seconds were measured once, on two CPU cores.
"""

import argparse
import os
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from bench.jax_set_up import configure

configure("float64", "cpu")

import jax  # noqa: E402

from bench.cases import CASES, reference_folder  # noqa: E402
from core.analysis.response.curves import response_curves as worked_out  # noqa: E402
from core.model.build import build  # noqa: E402
from core.plan.plan import plan  # noqa: E402
from core.plan.response.curves import ResponseCurves, response_curves  # noqa: E402
from core.plan.scenario.measure import measure_of  # noqa: E402
from core.plan.scenario.scenario import Scenario, scenario  # noqa: E402
from core.plan.solve.dispatch import best_plan  # noqa: E402
from tests.parity.cases import read_case  # noqa: E402
from tests.reference import REFERENCE  # noqa: E402

_CHANNELS, _DRAWS = 20, 1000
_OBJECTIVES = ("mean", "p10", "cvar10")
#: Seconds of Meridian's BudgetOptimizer.optimize, 2,000 draws, by case and precision.
MERIDIAN = {
    ("geo_media_knots30", "float32"): 31.0,
    ("geo_media_knots30", "float64"): 67.0,
    ("national_media_default", "float32"): 7.0,
}


def market(n_channels: int, n_draws: int) -> ResponseCurves:
    """Hill curves with slopes of 0.8 to 1.8, so that some are S-shaped."""
    rng = np.random.default_rng(0)
    grid, size = np.linspace(0.0, 3.0, 61), (n_draws, n_channels)
    spend = rng.uniform(1e5, 1e7, n_channels)
    roi = rng.uniform(0.5, 4.0, n_channels) * np.exp(0.3 * rng.standard_normal(size))
    ec = rng.uniform(0.5, 2.0, n_channels) * np.exp(0.2 * rng.standard_normal(size))
    slope = rng.uniform(0.8, 1.8, n_channels) * np.exp(0.1 * rng.standard_normal(size))
    height, ec, slope = ((part)[:, :, None] for part in (roi * spend, ec, slope))
    height = height * (1 + ec**slope)
    power = (grid / ec) ** slope
    with np.errstate(divide="ignore"):
        rise = height * slope / ec * (grid / ec) ** (slope - 1) / (1 + power) ** 2
    first = 3 * (height * power / (1 + power))[..., 1] / grid[1]
    rise[..., 0] = np.where(np.isfinite(rise[..., 0]), rise[..., 0], first)
    return ResponseCurves(
        names=tuple(f"Channel {i}" for i in range(n_channels)),
        spend=spend,
        grid=grid,
        value=height * power / (1 + power),
        slope=rise,
        highest_seen=np.full(n_channels, 2.0),
    )


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Median of repeated calls; the first is not counted."""
    work()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return median(times)


def by_objective(repeats: int) -> list[str]:
    """One row per objective: the whole plan, the optimisation alone, the gap."""
    curves, rows = market(_CHANNELS, _DRAWS), []
    for objective in _OBJECTIVES:
        request = scenario(curves, objective=objective)
        whole = seconds(lambda request=request: plan(curves, request), repeats)
        alone = seconds(lambda request=request: _split(curves, request), repeats)
        gap = plan(curves, request).gap
        rows.append(
            f"| {objective} | {1e3 * whole:,.0f} | {1e3 * alone:,.0f} | {gap:.3%} |"
        )
    return rows


def _split(curves: ResponseCurves, request: Scenario) -> object:
    """The best split and its bound, without the draws' own plans where not needed."""
    from core.plan.solve.branch_and_price import best_in

    if request.objective != "mean":
        return best_plan(curves, request, measure_of(request.objective))
    return best_in(curves.mean(), request.domain(curves.names))


def reference(name: str, precision: str, n_draws: int, repeats: int) -> str:
    """One row: a reference case, from its posterior draws to the plan."""
    folder = REFERENCE / "cases" / name
    with jax.enable_x64(precision == "float64"):
        case = read_case(folder, REFERENCE / "data")
        model = build(case.data, case.spec, precision=precision)
        count = next(iter(case.draws.values())).shape[0]
        place = np.arange(n_draws) % count
        draws = {key: value[place] for key, value in case.draws.items()}
        begun = time.perf_counter()
        curves = response_curves(worked_out(model, draws))
        once = time.perf_counter() - begun
    request = scenario(curves)
    whole = seconds(lambda: plan(curves, request), repeats)
    alone = seconds(lambda: _split(curves, request), repeats)
    theirs, told = MERIDIAN.get((name, precision)), "| | | |"
    if theirs is not None:
        told = (
            f"| {theirs:.0f} | {theirs / whole:,.0f} | {theirs / (once + whole):.0f} |"
        )
    return (
        f"| {name}, {precision} | {once:.1f} | {1e3 * whole:.0f} | {1e3 * alone:.0f} "
        f"{told}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--draws", type=int, default=2000)
    options = parser.parse_args()
    print(
        f"{_CHANNELS} channels, {_DRAWS:,} draws, {os.cpu_count()} CPU cores\n\n"
        "| objective | plan, ms | split and bound alone, ms | gap to the bound |\n"
        "|---|---|---|---|"
    )
    print("\n".join(by_objective(options.repeats)), flush=True)
    print(
        f"\n{options.draws:,} draws\n\n| case | curves once, s | plan, ms | split "
        "alone, ms | Meridian, s | times, plan | times, curves and plan |\n"
        "|---|---|---|---|---|---|---|"
    )
    names = [folder.name for folder in map(reference_folder, CASES) if folder.name]
    for name in dict.fromkeys(one for one in names if one in {k for k, _ in MERIDIAN}):
        for precision in ("float32", "float64"):
            row = reference(name, precision, options.draws, options.repeats)
            print(row, flush=True)


if __name__ == "__main__":
    main()
