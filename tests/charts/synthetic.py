"""View models made up to the letter of their contract, for tests of what reads them."""

import numpy as np
import pandas as pd
import xarray as xr

from core.data.mapping import ChannelColumns, ColumnMapping
from core.plan.record.parts import Bound, Outcomes
from core.plan.record.plan_record import PlanRecord
from tests.plan.records import about, line, record

PAID = ("TV", "Search", "Social", "Print")
NAMES = (*PAID, "Newsletter", "Promotion")
KINDS = ("media",) * 4 + ("organic_media", "non_media")
HOSTILE = (
    '<img src=x onerror="alert(1)">',
    "=1+1",
    "Überraschend & 中文 – ein sehr langer Kanalname, der nicht passt",
    "%{x} $\\alpha$ </script><script>alert(2)</script>",
    "2021-08-23",
    "Promotion\nzwei\tZeilen",
)
CI = ["lo", "hi"]
ATTRS = {
    "outcome_unit": "revenue",
    "currency": "EUR",
    "kpi_name": "Orders",
    "n_times": 156,
    "start": "2021-01-04",
    "end": "2023-12-25",
}
#: The year after these data, as summaries and curves name it.
AHEAD = {"start": "2024-01-01", "end": "2024-12-23", "periods": 52}
AHEAD_ATTRS = {f"horizon_{key}": value for key, value in AHEAD.items()}
AHEAD_ATTRS |= {"as_fitted": 0}
OWN_ATTRS = {"horizon_start": "2021-01-04", "horizon_end": "2023-12-25"}
OWN_ATTRS |= {"horizon_periods": 156, "as_fitted": 1}
_ROI = np.array([3.1, 2.2, 1.4, 0.6])
_SPEND = np.array([9.2e6, 4.1e6, 2.6e6, 1.1e6])
_BASE = 95e6


def channels(names=NAMES, attrs=ATTRS, n_draws=400, seed=3) -> xr.Dataset:
    """channels.nc"""
    rng = np.random.default_rng(seed)
    roi = _ROI * rng.lognormal(0, [0.12, 0.2, 0.3, 0.6], (n_draws, 4))
    free = rng.normal([1.4e6, -0.8e6], [0.5e6, 0.6e6], (n_draws, 2))
    incremental = np.concatenate([roi * _SPEND, free], axis=1)
    baseline = rng.normal(_BASE, 2e6, n_draws)
    expected = baseline + incremental.sum(1)
    blank = np.full((n_draws, 2), np.nan)
    units = np.array([4e8, 5e6, 9e7, 2e6, 3e6])
    effectiveness = np.concatenate([incremental[:, :5] / units, blank[:, :1]], axis=1)
    dims = ("draw", "channel")
    return xr.Dataset(
        {
            "incremental_outcome": (dims, incremental),
            "roi": (dims, np.concatenate([roi, blank], 1)),
            "mroi": (dims, np.concatenate([roi * 0.6, blank], 1)),
            "cpik": (dims, np.concatenate([40 / roi, blank], 1)),
            "effectiveness": (dims, effectiveness),
            "contribution": (dims, incremental / expected[:, None]),
            "expected_outcome": ("draw", expected),
            "baseline_outcome": ("draw", baseline),
        },
        coords={
            "channel": list(names),
            "kind": ("channel", list(KINDS)),
            "spend": ("channel", np.concatenate([_SPEND, [np.nan, np.nan]])),
        },
        attrs=dict(attrs),
    )


def curves(names=NAMES, attrs=ATTRS, n_draws=200, seed=5) -> xr.Dataset:
    """curves.nc"""
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 3, 61)
    ec = rng.lognormal(np.log([1.2, 0.8, 2.0, 0.5]), 0.3, (n_draws, 4))[..., None]
    top = _ROI * _SPEND * rng.lognormal(0, 0.15, (n_draws, 4))
    top = top[..., None] * (1 + ec)
    dims = ("draw", "channel", "spend_multiplier")
    return xr.Dataset(
        {
            "incremental_outcome": (dims, top * x / (x + ec)),
            "slope": (dims, top * ec / (x + ec) ** 2),
            "spend": ("channel", _SPEND),
            "max_multiplier_seen": ("channel", [1.8, 4.0, 2.3, 1.2]),
        },
        coords={"channel": list(names[:4]), "spend_multiplier": x},
        attrs=OWN_ATTRS | attrs,
    )


def horizon_curves(names=NAMES, attrs=ATTRS) -> xr.Dataset:
    """horizon_curves.nc: a third of the curves, for a third of the periods."""
    return _of_a_year(curves(names, attrs), attrs)


def horizon_geo_curves(names=NAMES, attrs=ATTRS) -> xr.Dataset:
    """horizon_geo_curves.nc: the same by geo."""
    return _of_a_year(geo_curves(names, attrs), attrs)


def _of_a_year(made: xr.Dataset, attrs) -> xr.Dataset:
    seen = made["max_multiplier_seen"]
    third = (made.drop_vars("max_multiplier_seen") / 3).assign_coords(made.coords)
    third = third.assign(spend=made["spend"] / 3, max_multiplier_seen=seen)
    return third.assign_attrs(dict(attrs) | AHEAD_ATTRS)


def geo_curves(names=NAMES, attrs=ATTRS) -> xr.Dataset:
    """geo_curves.nc: the curves over four geos, in two of which TV pays better."""
    made, geos = curves(names, attrs), ["North", "South", "East", "West"]
    share = np.array([0.4, 0.3, 0.2, 0.1])
    effect = np.ones((4, 4))
    effect[0] = [1.9, 0.3, 0.4, 0.7]
    weight = xr.DataArray(share * effect, dims=("channel", "geo"))
    made = made.drop_vars(["spend", "max_multiplier_seen"])
    order = ("draw", "channel", "geo", "spend_multiplier")
    return (
        (made * weight)
        .transpose(*order)
        .assign_attrs(OWN_ATTRS | attrs)
        .assign_coords(
            geo=geos,
            spend=(("channel", "geo"), _SPEND[:, None] * share),
            max_multiplier_seen=(("channel", "geo"), np.full((4, 4), 1.8)),
        )
    )


def weeks(names=NAMES, attrs=ATTRS, geos=(), n_times=156, seed=7) -> xr.Dataset:
    """weeks.nc"""
    rng = np.random.default_rng(seed)
    time = pd.date_range("2021-01-04", periods=n_times, freq="7D").to_numpy()
    wave = 1 + 0.15 * np.sin(np.arange(n_times) / 52 * 2 * np.pi)
    baseline = _BASE / 156 * wave
    scale = np.array([1.8e5, 6e4, 2.4e4, 5e3, 9e3, -5e3])
    pulses = np.clip(rng.normal(1, 0.6, (n_times, 6)), 0, None)
    contribution = pulses * scale
    expected = baseline + contribution.sum(1)
    actual = expected + rng.normal(0, 2.5e4, n_times)

    def around(middle, width):
        return np.stack([middle - width, middle + width], -1)

    ds = xr.Dataset(
        {
            "actual": ("time", actual),
            "expected": ("time", expected),
            "expected_ci": (("time", "ci"), around(expected, 1.5e4)),
            "predicted_ci": (("time", "ci"), around(expected, 5.7e4)),
            "held_out": ("time", (np.arange(n_times) >= n_times - 8).astype("int8")),
            "baseline": ("time", baseline),
            "baseline_ci": (("time", "ci"), around(baseline, 5e4)),
            "contribution": (("time", "channel"), contribution),
            "contribution_ci": (
                ("time", "channel", "ci"),
                around(contribution, np.abs(contribution) * 0.3),
            ),
        },
        coords={"time": time, "channel": list(names), "ci": CI},
        attrs=dict(attrs),
    )
    if geos:
        part = np.linspace(1, 2, len(geos))[:, None] / 1.5 / len(geos)
        ds = ds.assign_coords(geo=list(geos)).assign(
            actual_geo=(("geo", "time"), part * actual),
            expected_geo=(("geo", "time"), part * expected),
            expected_geo_ci=(
                ("geo", "time", "ci"),
                around(part * expected, part * 4e4),
            ),
            predicted_geo_ci=(
                ("geo", "time", "ci"),
                around(part * expected, part * 5.7e4),
            ),
            held_out_geo=(("geo", "time"), np.zeros((len(geos), n_times), "int8")),
        )
    return ds


def forecast(names=NAMES, attrs=ATTRS, n_times=52, n_draws=80, seed=11) -> xr.Dataset:
    """forecast.nc"""
    rng = np.random.default_rng(seed)
    time = pd.date_range("2024-01-01", periods=n_times, freq="7D").to_numpy()
    wave = 1 + 0.15 * np.sin(np.arange(n_times) / 52 * 2 * np.pi)
    drift = rng.normal(0, 1, (n_draws, 1)) * np.linspace(5e3, 4e4, n_times)
    baseline = _BASE / 156 * wave + drift
    scale = np.array([1.8e5, 6e4, 2.4e4, 5e3, 9e3, -5e3])
    added = scale[:, None] * rng.lognormal(0, 0.2, (n_draws, 6, 1)) * np.ones(n_times)
    events = np.zeros((n_draws, n_times))
    events[:, 10] = 4e4
    expected = baseline + events + added.sum(axis=1)
    multiple = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0])
    bent = 2 * multiple / (1 + multiple)
    return xr.Dataset(
        {
            "outcome": (
                ("draw", "time"),
                expected + rng.normal(0, 2.5e4, expected.shape),
            ),
            "expected": (("draw", "time"), expected),
            "baseline": (("draw", "time"), baseline),
            "events": (("draw", "time"), events),
            "contribution": (("draw", "channel", "time"), added),
            "response": (
                ("draw", "paid", "multiplier", "time"),
                added[:, :4, None] * bent[:, None],
            ),
            "spend": (("paid", "time"), np.outer(_SPEND / 156, np.ones(n_times))),
            "year_before": ("time", _BASE / 156 * wave + scale.sum()),
        },
        coords={
            "time": time,
            "channel": list(names),
            "kind": ("channel", list(KINDS)),
            "paid": list(names[:4]),
            "multiplier": multiple,
        },
        attrs=dict(attrs),
    )


def shapes(names=NAMES, attrs=ATTRS) -> xr.Dataset:
    """shapes.nc"""
    lag, point = np.arange(9), np.arange(101)
    alpha = np.array([0.7, 0.3, 0.45, 0.6, 0.2])[:, None]
    decay = alpha**lag
    grid = np.linspace(0, 1, 101) * np.array([3, 2, 4, 1, 2.5])[:, None]
    ec = np.array([0.9, 0.8, 1.4, 0.5, 1.0])[:, None]
    hill = grid / (grid + ec)
    x = np.linspace(0.02, 8, 101) * np.ones((6, 1))
    prior = np.exp(-0.5 * ((np.log(x) - 0.2) / 0.9) ** 2) / x / 2.256
    post = np.exp(-0.5 * ((x - 3) / 0.5) ** 2) / 1.253
    dims = ("channel", "lag", "ci")
    return xr.Dataset(
        {
            "adstock": (dims[:2], decay),
            "adstock_ci": (dims, np.stack([decay**1.3, decay**0.8], -1)),
            "media_grid": (("channel", "point"), grid),
            "saturation": (("channel", "point"), hill),
            "saturation_ci": (
                ("channel", "point", "ci"),
                np.stack([hill**1.2, hill**0.85], -1),
            ),
            "media_now": ("channel", [0.9, 0.7, 0.8, 0.3, 0.6]),
            "prior_grid": (("channel_all", "point"), x),
            "prior_density": (("channel_all", "point"), prior),
            "posterior_density": (("channel_all", "point"), post),
        },
        coords={
            "channel": list(names[:5]),
            "channel_all": list(names),
            "prior_kind": ("channel_all", ["roi"] * 4 + ["contribution"] * 2),
            "lag": lag,
            "point": point,
            "ci": CI,
        },
        attrs=dict(attrs),
    )


def years(names=NAMES, attrs=ATTRS, *, drifts=True, n_draws=40) -> xr.Dataset:
    """years.nc: five channels, of which the last has no spend."""
    rng = np.random.default_rng(3)
    roi = 2.0 + 0.3 * rng.standard_normal((n_draws, 5, 3))
    roi[:, 4] = np.nan
    spend = np.outer([4e6, 2e6, 1e6, 5e5, np.nan], [0.9, 1.0, 1.1])
    around = np.stack([roi.mean(0) - 0.4, roi.mean(0) + 0.4], -1)
    brought = np.nan_to_num(roi * spend, nan=1e5)
    by_year = ("channel", "year")
    variables = {
        "roi": (by_year, roi.mean(0)),
        "roi_ci": ((*by_year, "ci"), around),
        "contribution": (by_year, brought.mean(0)),
        "contribution_ci": (
            (*by_year, "ci"),
            np.stack([0.8 * brought.mean(0), 1.2 * brought.mean(0)], -1),
        ),
        "spend": (by_year, spend),
        "roi_last_year": (("draw", "channel"), roi[:, :, -1]),
    }
    coords = {
        "channel": list(names[:5]),
        "year": ["2022-01-03", "2023-01-02", "2024-01-01"],
        "ci": CI,
    }
    if drifts:
        time = pd.date_range("2022-01-03", periods=156, freq="7D").to_numpy()
        drift = np.outer(np.ones(5), np.exp(np.linspace(-0.2, 0.2, 156)))
        variables["effectiveness"] = (("channel", "time"), drift)
        variables["effectiveness_ci"] = (
            ("channel", "time", "ci"),
            np.stack([0.9 * drift, 1.1 * drift], -1),
        )
        coords["time"] = time
    return xr.Dataset(variables, coords=coords, attrs=dict(attrs))


def frequency(names=("TV", "Newsletter"), attrs=ATTRS, seed=9) -> xr.Dataset:
    """frequency.nc: a paid channel, and an organic one with a shorter grid."""
    rng = np.random.default_rng(seed)
    grid = np.round(np.arange(1, 8.05, 0.1), 10)
    best = rng.normal([3.4, 2.1], 0.4, (300, 2)).round(1)
    outcome = np.array([2.4e7, 1.4e6])[:, None] * np.exp(
        -0.08 * (grid - np.array([[3.4], [2.1]])) ** 2
    )
    outcome[1, grid > 5] = np.nan
    width = np.array([0.8, 1.25])
    dims = ("channel", "frequency")
    return xr.Dataset(
        {
            "outcome": (dims, outcome),
            "outcome_ci": ((*dims, "ci"), outcome[..., None] * width),
            "best": ("channel", [3.4, 2.1]),
            "best_of_draw": (("draw", "channel"), best),
        },
        coords={
            "channel": list(names),
            "frequency": grid,
            "ci": CI,
            "current": ("channel", [5.2, 1.6]),
            "highest_seen": ("channel", [6.5, 5.0]),
            "spend": ("channel", [9.2e6, np.nan]),
        },
        attrs=dict(attrs),
    )


def estimate(mean: float, sd: float) -> dict:
    """An estimate as every JSON file spells it."""
    low, high = mean - 1.645 * sd, mean + 1.645 * sd
    return {"mean": mean, "median": mean, "sd": sd, "lo": low, "hi": high}


def experiments(names=NAMES) -> list[dict]:
    """`experiments` of summary.json: one that agrees, one in tension and unpaid."""
    first = {
        "channel": names[0],
        "start": "2021-03-01",
        "end": "2021-03-28",
        "incremental_outcome": 120e3,
        "standard_error": 40e3,
        "geos": ["North", "South"],
        "together_with": [],
        "multiple": 0.0,
        "amount": None,
        "half_life": None,
        "skewness": 0.0,
        "test": estimate(120e3, 40e3),
        "prior": estimate(300e3, 250e3),
        "posterior": estimate(110e3, 20e3),
        "without": estimate(95e3, 30e3),
        "roi": {
            "prior": estimate(1.8, 1.0),
            "posterior": estimate(1.1, 0.2),
            "without": estimate(0.95, 0.3),
        },
        "pareto_k": 0.3,
        "standard_errors_apart": 0.25,
        "standard_errors_apart_without": 0.5,
        "agrees": True,
    }
    second = first | {
        "channel": names[4],
        "geos": [],
        "posterior": estimate(320e3, 30e3),
        "without": None,
        "roi": None,
        "pareto_k": 1.2,
        "standard_errors_apart": -5.0,
        "standard_errors_apart_without": None,
        "agrees": False,
    }
    return [first, second]


def diagnostics(verdict="doubtful") -> dict:
    """diagnostics.json"""
    rng = np.random.default_rng(1)
    sizes = {"roi_m": 4, "alpha_m": 4, "ec_m": 4, "knot_values": 30, "sigma": 1}
    parameters = [
        {
            "name": name,
            "index": [i],
            "rhat": float(1 + rng.gamma(1.5, 0.002)),
            "ess_bulk": float(rng.uniform(350, 2000)),
            "ess_tail": float(rng.uniform(350, 1800)),
            "mean": 1.0,
            "sd": 0.2,
        }
        for name, n in sizes.items()
        for i in range(n)
    ]
    reasons = ["Bulk effective sample size of knot_values[3] is 362, below 400."]
    return {
        "verdict": verdict,
        "reasons": [] if verdict == "trustworthy" else reasons,
        "rhat_max": max(p["rhat"] for p in parameters),
        "ess_bulk_min": min(p["ess_bulk"] for p in parameters),
        "ess_tail_min": min(p["ess_tail"] for p in parameters),
        "worst_parameter": "knot_values[3]",
        "worst_name": "",
        "divergences": 0,
        "draws_wanted": None if verdict == "trustworthy" else 1600,
        "converged": verdict == "trustworthy",
        "contradictions": [],
        "notes": [],
        "parameters": parameters,
    }


def summary(names=NAMES, attrs=ATTRS) -> dict:
    """summary.json"""
    ds = channels(names, attrs)
    fields = ("roi", "mroi", "cpik", "effectiveness", "contribution")

    def one(array):
        if not np.isfinite(array).all():
            return None
        low, high = np.quantile(array, [0.05, 0.95])
        return {
            "mean": float(array.mean()),
            "median": float(np.median(array)),
            "sd": float(array.std()),
            "lo": float(low),
            "hi": float(high),
        }

    rows = []
    for i, name in enumerate(names):
        draws = {field: one(ds[field].values[:, i]) for field in fields}
        share = draws.pop("contribution")
        total = one(ds["incremental_outcome"].values[:, i])
        spend = None if i > 3 else float(_SPEND[i])
        row = {"name": name, "kind": KINDS[i], "spend": spend, **draws}
        row |= {"contribution": total, "contribution_share": share}
        row |= {"units": None, "demand": None, "optimal_frequency": None}
        row |= {"roi_last_year": None, "evidence": None}
        row["prior"] = priors(names)[name]
        known = ("roi", "mroi", "contribution", "contribution_share")
        errors = {key: row[key] and row[key]["sd"] / 20 for key in known}
        rows.append(row | {"mcse": errors})
    check = {k: v for k, v in diagnostics().items() if k != "parameters"}
    return {
        "channels": rows,
        "baseline_share": one((ds.baseline_outcome / ds.expected_outcome).values),
        "accuracy": {"r2": 0.93, "mape": 0.031, "wmape": 0.029, "mape_left_out": 0},
        "diagnostics": check,
        "run": "20240102-030405-0a1b2c3d",
        "outcome_unit": attrs["outcome_unit"],
        "currency": attrs["currency"],
        "kpi_name": attrs["kpi_name"],
        "start": attrs["start"],
        "end": attrs["end"],
        "n_geos": 1,
        "n_times": 156,
        "horizon": dict(AHEAD),
        "prior": priors(names),
        "baseline_negative_probability": 0.0,
        "expected_outcome": one(ds.expected_outcome.values),
        "follows_demand": {"channels": [], "untested": [], "sentence": ""},
        "spend": float(_SPEND.sum()),
        "has_value": attrs.get("has_value", 1),
        "funnel": None,
        "experiments": [],
    }


def priors(names=NAMES) -> dict:
    """The part `prior` of summary.json."""
    roi = {"kind": "roi", "text": "LogNormal(0.2, 0.9)", "mean": 1.83}
    roi |= {"family": "LogNormal", "parameters": {"loc": 0.2, "scale": 0.9}}
    share = {"kind": "contribution", "text": "Beta(1, 99)", "mean": 0.01}
    numbers = {"concentration1": 1.0, "concentration0": 99.0}
    share |= {"family": "Beta", "parameters": numbers}
    roi, share = roi | {"shift": 0.0}, share | {"shift": 0.0}
    return {
        name: roi | {"lo": 0.28, "hi": 5.37} if i < 4 else share | {"lo": 0, "hi": 0.03}
        for i, name in enumerate(names)
    }


def truth(names=NAMES) -> dict:
    """truth.json"""
    return {
        "channels": {
            name: {"roi": float(r), "alpha": 0.5, "ec": 1.0, "slope": 1.0}
            for name, r in zip(names, _ROI, strict=False)
        }
    }


def plan(names=NAMES) -> PlanRecord:
    """A plan of four channels with the same budget as before."""
    planned = np.array([1.18, 1.3, 0.6, 0.7]) * _SPEND
    planned[0] += _SPEND.sum() - planned.sum()
    sure = (0.95, 0.86, 0.05, 0.4)
    gain = about(1.8e6, 0.9e6, 0.94)
    return record(
        *(
            line(
                name,
                float(then),
                float(now),
                low=0.7 * float(now),
                high=1.3 * float(now),
                probability_up=p,
            )
            for name, now, then, p in zip(names, _SPEND, planned, sure, strict=False)
        ),
        outcome=Outcomes(
            current=about(41.2e6, 3e6, None), planned=about(43.0e6, 3.1e6, None)
        ),
        gain=gain,
        bound=Bound(43.03e6, 0.0007, "bisection"),
    )


def prior_check(names=NAMES) -> dict:
    """prior.json"""
    actual = weeks()["actual"]
    time = [str(t)[:10] for t in actual.time.values]
    middle = np.full(len(time), float(actual.mean()))
    return {
        "baseline_share": estimate(0.7, 0.2),
        "channels": [
            {
                "name": name,
                "contribution_share": estimate(0.05, 0.02),
                "roi": estimate(1.8, 0.8) if i < 4 else None,
            }
            for i, name in enumerate(names)
        ],
        "kpi": {
            "time": time,
            "actual": actual.values.tolist(),
            "median": middle.tolist(),
            "lo": (middle * 0.4).tolist(),
            "hi": (middle * 1.7).tolist(),
        },
    }


def table(names=NAMES, geos=("North", "South"), n_times=104) -> pd.DataFrame:
    """A table as imported, with dates as text."""
    rng = np.random.default_rng(11)
    dates = pd.date_range("2022-01-03", periods=n_times, freq="7D")
    rows = pd.MultiIndex.from_product([geos, dates.strftime("%Y-%m-%d")])
    frame = rows.to_frame(index=False, name=["geo", "week"])
    for name in names[:4]:
        spend = rng.gamma(2, 2e4, len(frame)) * (rng.random(len(frame)) > 0.2)
        frame[f"{name}_spend"] = spend
        frame[f"{name}_impressions"] = spend * rng.uniform(8, 12, len(frame))
    frame["price"] = rng.normal(10, 1, len(frame))
    frame["orders"] = 900 + frame["TV_spend" if "TV" in names else "price"] / 400
    return frame


def mapping(names=NAMES, geo="geo") -> ColumnMapping:
    """The mapping of `table`."""
    return ColumnMapping(
        time="week",
        geo=geo,
        kpi="orders",
        revenue_per_kpi=40.0,
        controls=("price",),
        channels=tuple(
            ChannelColumns(
                name, "media", media=f"{name}_impressions", spend=f"{name}_spend"
            )
            for name in names[:4]
        ),
    )


def model_check(missed=False) -> dict:
    """`model_check` of summary.json"""
    advice = "Add holidays or events (2022-12-19)."
    rows = [
        {"name": "level", "unit": "kpi", "label": "Mean week"}
        | {"actual": 8.1e5, "median": 8.1e5, "lo": 8e5, "hi": 8.2e5, "p": 0.48}
        | {"status": "ok", "text": "as the model expects", "advice": ""},
        {"name": "highest", "unit": "kpi", "label": "Highest week"}
        | {"actual": 1.4e6, "median": 1.1e6, "lo": 1e6, "hi": 1.2e6, "p": 0.001}
        | {"status": "missed" if missed else "ok"}
        | {"text": "the model misses the peaks", "advice": advice * missed},
        {"name": "neighbours", "unit": "correlation"}
        | {"label": "Residuals of a week and the next", "actual": 0.06}
        | {"median": 0.0, "lo": -0.13, "hi": 0.13, "p": 0.21, "status": "ok"}
        | {"text": "as the model expects", "advice": ""},
    ]
    worst = "missed" if missed else "ok"
    far = [{"time": "2022-12-19", "sd": 4.2}]
    return {"status": worst, "checks": rows, "farthest": far, "n_draws": 1000}


def loo(n_times=156, better=0.0, seed=13) -> tuple[dict, xr.Dataset]:
    """`loo` of summary.json, and loo.nc; `better` is added to every cell's score."""
    left_out = -10 + better + np.random.default_rng(seed).normal(0, 1, (1, n_times))
    told = {
        "elpd": float(left_out.sum()),
        "se": float(left_out.std() * n_times**0.5),
        "p_loo": 20.0,
        "n": n_times,
        "n_smoothed": n_times,
        "n_bad_k": 0,
        "k_max": 0.4,
        "k_limit": 0.67,
        "n_draws": 1000,
        "warnings": [],
    }
    cells = {
        "lpd": (("geo", "time"), left_out + 20 / n_times),
        "loo": (("geo", "time"), left_out),
        "k": (("geo", "time"), np.full_like(left_out, 0.2)),
    }
    times = np.datetime64("2021-01-04", "ns") + np.timedelta64(7, "D") * np.arange(
        n_times
    )
    return told, xr.Dataset(cells, coords={"geo": ["national_geo"], "time": times})


def fold(n=8, origin="2023-11-06", error=0.02, naive=0.1) -> dict:
    """One origin of a backtest."""
    start = np.datetime64(origin)
    weeks = []
    for i in range(n):
        actual = 8e5 + 1e4 * i
        ends = {"lo90": 0.9, "lo50": 0.97, "median": 1.0, "hi50": 1.03, "hi90": 1.1}
        weeks.append(
            {
                "time": str(start + 7 * i),
                "actual": actual,
                "model": {k: v * actual * (1 + error) for k, v in ends.items()},
                "seasonal_naive": {"median": actual * (1 + naive)},
                "knots": {k: v * actual * (1 - naive / 2) for k, v in ends.items()},
            }
        )
    return {"origin": origin, "n_seen": 100, "weeks": weeks, "scores": {}}


def parameters(names=PAID, n_draws=100, seed=17) -> xr.Dataset:
    """parameters.nc: the last channel's slope has left its prior."""
    rng = np.random.default_rng(seed)
    labels = [(f"{stem}_m", name) for stem in ("alpha", "slope") for name in names]
    labels.append(("sigma", ""))
    n, grid = len(labels), np.linspace(0, 2, 41)
    leaves = np.zeros(n, "int8")
    leaves[n - 2] = 1
    bell = np.exp(-((grid - 0.8) ** 2) / 0.1)
    return xr.Dataset(
        {
            "draws": (
                ("chain", "draw", "parameter"),
                rng.gamma(8.0, 0.1, (4, n_draws, n)),
            ),
            "divergent": (("divergence", "parameter"), rng.gamma(8.0, 0.1, (3, n))),
            "grid": (("parameter", "point"), np.tile(grid, (n, 1))),
            "prior_density": (("parameter", "point"), np.tile(bell**0.3, (n, 1))),
            "posterior_density": (("parameter", "point"), np.tile(bell, (n, 1))),
            "prior_ci": (("parameter", "ci"), np.tile([0.1, 1.7], (n, 1))),
            "tail": ("parameter", 0.5 - 0.49 * leaves),
            "leaves": ("parameter", leaves),
            "mean": ("parameter", np.full(n, 0.8)),
            "sd": ("parameter", np.full(n, 0.28)),
            "rhat": ("parameter", np.full(n, 1.002)),
            "ess_bulk": ("parameter", np.full(n, 900.0)),
            "ess_tail": ("parameter", np.full(n, 800.0)),
        },
        coords={
            "draw": np.arange(1, n_draws + 1),
            "ci": CI,
            "parameter": [f"{one}[{of}]".replace("[]", "") for one, of in labels],
            "name": ("parameter", [one for one, _ in labels]),
            "of": ("parameter", [of for _, of in labels]),
        },
    )


def replicated(n_times=156, seed=19) -> xr.Dataset:
    """replicated.nc"""
    rng = np.random.default_rng(seed)
    grid = np.linspace(5e5, 1.3e6, 41)
    middle = 9e5 + rng.normal(0, 1e4, (20, 1))
    times = np.datetime64("2021-01-04", "ns") + np.timedelta64(7, "D") * np.arange(
        n_times
    )
    return xr.Dataset(
        {
            "actual": ("point", np.exp(-(((grid - 9e5) / 1.3e5) ** 2))),
            "simulated": (
                ("replication", "point"),
                np.exp(-(((grid - middle) / 1.3e5) ** 2)),
            ),
        },
        coords={"grid": ("point", grid), "time": times},
    )


def sources(names=NAMES, attrs=ATTRS, n_draws=80, seed=23) -> xr.Dataset:
    """sources.nc: three years of quarters, growing."""
    rng = np.random.default_rng(seed)
    year, quarter = (part.ravel() for part in np.mgrid[2021:2024, 1:5])
    n, grown = len(year), 1 + 0.05 * (year - 2021)
    scale = np.array([1.8e5, 6e4, 2.4e4, 5e3, 9e3, -5e3])[: len(names)] * 13
    draws = rng.lognormal(0, 0.2, (n_draws, len(names), 1))
    parts = ["Trend", "Season", "Controls"]
    season = 2e5 * np.cos(np.pi / 2 * quarter)
    baseline = np.stack([_BASE / 12 * grown, season, 1e4 * rng.normal(size=n)])
    baseline = baseline + rng.normal(0, 1e5, (n_draws, 3, 1))
    outcome = draws * scale[:, None] * grown
    actual = (baseline.sum(1) + outcome.sum(1)).mean(0) + rng.normal(0, 5e4, n)
    spend = np.full((len(names), n), np.nan)
    spend[:4] = _SPEND[:, None] / n * grown
    starts = [f"{y}-{3 * q - 2:02d}-04" for y, q in zip(year, quarter, strict=True)]
    ends = np.array(starts, "datetime64[D]") + 7 * 12
    return xr.Dataset(
        {
            "baseline": (("draw", "part", "stretch"), baseline),
            "incremental_outcome": (("draw", "channel", "stretch"), outcome),
            "spend": (("channel", "stretch"), spend),
            "actual": ("stretch", actual),
        },
        coords={
            "part": parts,
            "channel": list(names),
            "kind": ("channel", list(KINDS)),
            "start": ("stretch", starts),
            "end": ("stretch", ends.astype(str)),
            "year": ("stretch", year),
            "quarter": ("stretch", quarter),
            "last": ("stretch", np.where(year > 2021, 2023 - year, -1)),
            "n_periods": ("stretch", np.full(n, 13)),
        },
        attrs=dict(attrs),
    )


def refresh(before: str, after: str, sds: float = 1.4) -> dict:
    """refresh.json of a fit with two causes, of which history moved TV."""
    rows = []
    for i, row in enumerate(summary()["channels"][:4]):
        roi, move = row["roi"], sds if i == 0 else 0.01
        shift = move * roi["sd"]
        now = {k: v if k == "sd" else v + shift for k, v in roi.items()}
        by = {"changed history": 0.8 * move, "new data": 0.2 * move}
        told = {"before": roi, "after": now, "move": shift, "sds": move}
        rows.append({"name": row["name"]} | told | {"units": 20 * move, "by": by})
    return {
        "before": before,
        "after": after,
        "came": {"periods": ["2024-01-01"], "rows": 1, "n_changed": 1, "idle": []}
        | {"changed": [{"date": "2023-12-25", "geo": "", "column": "revenue"}]},
        "causes": ["changed history", "new data"],
        "fast": None,
        "is_warm": True,
        "currency": "EUR",
        "outcome_unit": "revenue",
        "kpi_name": "revenue",
        "has_value": 1,
        "channels": rows,
        "moved": sds,
        "moved_channel": rows[0]["name"],
        "noise": 3.0,
        "only_before": [],
        "only_after": [],
        "fast_agrees": None,
        "fast_beyond": [],
        "plan": None,
        "no_plan": "There is no plan of record.",
        "actuals": None,
        "no_actuals": "There is no plan of record.",
    }


def funnel(**row) -> dict:
    """What summary.json says of a funnel in which TV works through queries."""

    def about(mean: float) -> dict:
        return estimate(mean, mean / 10)

    channel = {
        "name": "TV",
        "total": about(30e6),
        "direct": about(10e6),
        "through": {"queries": about(20e6)},
        "share": about(2 / 3),
    }
    mediator = {
        "name": "queries",
        "project": "Branded queries",
        "whole": about(50e6),
        "caused": about(20e6),
        "hidden": {
            "vanishes_at": about(0.6),
            "correlation": 0.3,
            "left": about(0.58),
        },
    }
    return {"mediators": [mediator], "channels": [channel | row]}
