"""Workspaces to open screens on: projects, runs in every state, results, plans."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from core.data.mapping import ChannelColumns, ColumnMapping
from core.plan.record.plan_record import as_dict
from core.project.comparing import backtests
from core.project.fits import previews
from core.project.fits.run_inputs import new_run
from core.project.shelf.lifecycle import create_project
from core.project.shelf.seen import mark_seen
from core.store.atomic import write_json
from core.store.results import write_result
from core.store.run_state import write_state
from tests.charts import synthetic
from tests.shelf import stored

#: What is said of a channel that may follow demand.
DEMAND = (
    "Probability that its spend follows demand: 71 %. If it does, its ROI is 1.4; "
    "if not, 6.9."
)
MARKET = "Test market"
EVIDENCE = {
    name: {
        "label": label,
        "contraction": 0.8 - 0.2 * i,
        "prior_sensitivity": 0.02 + 0.05 * i,
        "likelihood_sensitivity": 0.2,
        "reason": f"{name} moved only 9 % from one period to the next",
        "remedy": ""
        if i < 2
        else "Vary its spend from period to period, or run a lift test.",
        "rank": 4 - i,
        "matters": 0.25,
        "worth": 12_000.0 * (i + 1),
        "moves": 0.02 * (i + 1),
        "below_least": synthetic.estimate(0.02, 0.01),
        "confounder": None,
        "plan_start": "2024-01-01",
        "plan_end": "2024-12-23",
        "plan_periods": 52,
    }
    for i, (name, label) in enumerate(
        zip(
            synthetic.PAID,
            ("measured", "measured", "partly assumed", "mostly assumed"),
            strict=True,
        )
    )
}


def table(n_times: int = 156, seed: int = 1) -> pd.DataFrame:
    """A national table with the channels of `synthetic`."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {
        "week": pd.date_range("2021-01-04", periods=n_times, freq="7D").strftime(
            "%Y-%m-%d"
        )
    }
    season = 1 + 0.2 * np.sin(np.arange(n_times) / 52 * 2 * np.pi)
    for name, scale in zip(synthetic.PAID, (59e3, 26e3, 17e3, 7e3), strict=True):
        pulse = np.clip(rng.normal(1, 0.5, n_times), 0.05, None) * season
        columns[f"{name}_spend"] = np.round(scale * pulse, 2)
        columns[f"{name}_impressions"] = np.round(scale * 30 * pulse)
    columns["Newsletter_opens"] = rng.poisson(20_000, n_times)
    columns["Promotion"] = np.round(rng.uniform(0, 0.3, n_times), 3)
    columns["temperature"] = np.round(12 + 8 * (season - 1) / 0.2, 1)
    columns["revenue"] = np.round(8e5 * season + rng.normal(0, 3e4, n_times), 2)
    return pd.DataFrame(columns)


def mapping() -> ColumnMapping:
    """The mapping of that table."""
    paid = tuple(
        ChannelColumns(
            name, "media", media=f"{name}_impressions", spend=f"{name}_spend"
        )
        for name in synthetic.PAID
    )
    others = (
        ChannelColumns("Newsletter", "organic_media", media="Newsletter_opens"),
        ChannelColumns("Promotion", "non_media", column="Promotion"),
    )
    return ColumnMapping(
        time="week",
        kpi="revenue",
        kpi_type="revenue",
        controls=("temperature",),
        channels=paid + others,
    )


def project(name: str = MARKET, **options) -> Path:
    """A project of the workspace with that table."""
    return create_project(name, table(), mapping(), **{"currency": "EUR"} | options)


def run(folder: Path, state: str = "running", kind: str = "fit", **about) -> Path:
    """A run in the given state, as its directory would tell it."""
    made = new_run(folder, kind)
    write_state(made, state, **about)
    return made


def progress(made: Path, **changed) -> None:
    """The worker's report."""
    report = {
        "phase": "draws",
        "fraction": 0.62,
        "chains": [
            {
                "iteration": 620 - 40 * i,
                "total": 1000,
                "step_size": 0.41 - 0.03 * i,
                "divergences": i // 3,
                "phase": "draws",
            }
            for i in range(4)
        ],
        "rhat_max": 1.034,
        "ess_min": 212.0,
        "elapsed": 74.0,
        "eta": 46.0,
        "message": "",
    }
    write_json(made / "progress.json", report | changed)


def fit(
    folder: Path,
    verdict: str = "trustworthy",
    *,
    geos: tuple[str, ...] = (),
    has_frequency: bool = False,
    has_forecast: bool = True,
    has_geo_curves: bool = False,
    experiments: Sequence[dict] = (),
    better: float = 0.0,
    missed: bool = False,
    follows: tuple[str, ...] = (),
    funnel: dict | None = None,
) -> Path:
    """A finished fit with its whole result."""
    made = run(folder, "done")
    progress(made, fraction=1.0, phase="saving", eta=0.0)
    check = synthetic.diagnostics(verdict)
    summary = synthetic.summary() | {"run": str(made)}
    brief = {key: value for key, value in check.items() if key != "parameters"}
    summary["diagnostics"] = brief
    summary["n_geos"] = 4 if has_geo_curves else 1
    for row in summary["channels"]:  # as a fit writes what is undefined
        for key in ("roi", "mroi", "cpik", "effectiveness"):
            row[key] = row[key] or dict.fromkeys(("mean", "median", "sd", "lo", "hi"))
        row["optimal_frequency"] = None
        row["evidence"] = EVIDENCE.get(row["name"])
        if row["name"] in follows:
            row["demand"] = {
                "follows": True,
                "probability": 0.71,
                "prior": 0.8,
                "by": "data",
                "reason": f"{row['name']} follows demand: its name says so.",
                "readings": None,
                "sentence": DEMAND,
            }
        if has_frequency and row["name"] == "TV":
            told = synthetic.estimate(3.4, 0.4) | {"best": 3.4, "current": 5.2}
            row["optimal_frequency"] = told
    summary["experiments"] = list(experiments)
    summary["funnel"] = funnel
    if follows:
        sentence = f"{follows[0]} follows demand: its return rests on carryover."
        names = list(follows)
        told = {"channels": names, "untested": names, "sentence": sentence}
        summary["follows_demand"] = told
    scores, _ = synthetic.loo(better=better)
    summary |= {"model_check": synthetic.model_check(missed), "loo": scores}
    seconds = {
        "setup": 4.0,
        "mode": 3.0,
        "compile": 21.0,
        "warmup": 38.0,
        "draws": 24.0,
    }
    seconds |= {"parameters": 1.0, "results": 5.0, "total": 96.0}
    about = {
        "run": str(made),
        "seconds": seconds,
        "peak_rss_bytes": 1_400_000_000,
        "compilations": 3,
        "precision": "float32",
        "device": "cpu",
        "seed": 1,
        "versions": {},
        "diagnostics": brief,
    }
    with write_result(made) as result:
        for name, content in (
            ("fit", about),
            ("summary", summary),
            ("diagnostics", check),
        ):
            (result / f"{name}.json").write_text(json.dumps(content))
        names = ("channels", "curves", "shapes", "years", "parameters", "sources")
        views = dict.fromkeys((*names, "horizon_curves", "replicated"), {})
        views["weeks"] = {"geos": geos}
        if has_frequency:
            views["frequency"] = {}
        if has_geo_curves:
            views |= {"geo_curves": {}, "horizon_geo_curves": {}}
        if has_forecast:
            views["forecast"] = {}
        for name, options in views.items():
            file = stored(getattr(synthetic, name), **options)
            (result / f"{name}.nc").write_bytes(file)
        (result / "loo.nc").write_bytes(stored(_loo, better=better))
    mark_seen(made)
    return made


def _loo(better: float):
    """loo.nc"""
    return synthetic.loo(better=better)[1]


def preview(made: Path, **changed) -> None:
    """What the worker expects before it has sampled."""
    summary, plan = synthetic.summary(), as_dict(synthetic.plan())
    content = {
        "k_hat": 0.83,
        "is_rough": True,
        "n_modes": 1,
        "channels": summary["channels"],
        "plan": {key: plan[key] for key in ("budget", "channels", "gain", "outcome")},
    }
    with previews.write_preview(made, synthetic.ATTRS | content | changed):
        pass


def prior_check(folder: Path) -> Path:
    """A finished prior predictive check."""
    made = run(folder, "done", "prior")
    times = pd.date_range("2021-01-04", periods=156, freq="7D").strftime("%Y-%m-%d")
    middle = np.full(156, 8e5)
    channels = [
        {
            "name": name,
            "contribution_share": synthetic.estimate(0.04 + 0.02 * i, 0.02),
            "roi": synthetic.estimate(1.2, 0.4) if name in synthetic.PAID else None,
        }
        for i, name in enumerate(synthetic.NAMES)
    ]
    content = {
        "baseline_share": synthetic.estimate(0.6, 0.15),
        "channels": channels,
        "kpi": {
            "time": list(times),
            "actual": list(table()["revenue"]),
            "median": list(middle),
            "lo": list(middle * 0.5),
            "hi": list(middle * 1.6),
        },
    }
    with write_result(made) as result:
        (result / "prior.json").write_text(json.dumps(content))
    return made


def backtest(
    folder: Path, *, error: float = 0.02, naive: float = 0.1, state: str = "done"
) -> list[Path]:
    """A backtest of the project as it is: two origins, and two refits."""
    made = backtests.new_backtest(folder, folds=2, refresh=True)
    for part in made:
        options = json.loads((part / "run.json").read_text())["options"]
        content: dict[str, object] = {
            "channels": {
                name: {
                    "roi": synthetic.estimate(1.0 + 0.1 * i, 0.4),
                    "share": {"mean": 0.25, "sd": 0.02},
                }
                for i, name in enumerate(synthetic.PAID)
            }
        }
        if "origin" in options:
            day = np.datetime64("2021-01-04") + 7 * options["origin"]
            content = synthetic.fold(origin=str(day), error=error, naive=naive)
        if state == "done":
            with write_result(part) as result:
                (result / "part.json").write_text(json.dumps(content))
        write_state(part, state)
    return made


def damage(made: Path, name: str = "channels.nc") -> None:
    """Overwrite a part of a file of the result."""
    with open(made / "result" / name, "r+b") as file:
        file.seek(10)
        file.write(b"damaged")


def now() -> str:
    """The time, as runs write it."""
    return datetime.now(UTC).isoformat()
