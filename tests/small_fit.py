"""A small market and its fit, by a worker's work: done once in a run of tests."""

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.jobs.tasks import fit_run
from core.model.spec import ChannelSpec, ModelSpec
from core.project.fits.run_inputs import new_run
from core.project.shelf.lifecycle import create_project
from core.store.locks import hold
from core.store.run_state import write_state

SETTINGS = SamplerSettings(chains=2, warmup=150, draws=200, precision="float64")
NAMES = ("TV", "Search")
PROJECT = "Small"
#: Weeks that the fit saw.
FITTED = 60


def table(n: int = FITTED, spend_times: float = 1.0) -> pd.DataFrame:
    """Weeks of a market; after the fitted ones spend is last year's, multiplied."""
    rng = np.random.default_rng(0)
    weeks = pd.date_range("2023-01-02", periods=n, freq="7D")
    noise = rng.normal(0, 300, 120)[:n]
    columns, sales = {"week": weeks.strftime("%Y-%m-%d")}, 9_000 + noise
    for name in NAMES:
        spend = np.resize(700 * rng.gamma(2.0, 0.5, 52), 120)[:n].copy()
        spend[FITTED:] *= spend_times
        sales = sales + 3_000 * spend / (spend + 700)
        columns |= {name: spend * 30, f"{name}_spend": spend}
    return pd.DataFrame(columns | {"sales": sales}).round(2)


def fitted(home: Path) -> None:
    """Fill a workspace with the project and its finished fit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(home))
        channels = tuple(
            ChannelColumns(name, "media", media=name, spend=f"{name}_spend")
            for name in NAMES
        )
        mapping = ColumnMapping("week", "sales", kpi_type="revenue", channels=channels)
        spec = ModelSpec(channels=tuple(ChannelSpec(name) for name in NAMES))
        run = new_run(
            create_project(PROJECT, table(), mapping, spec=spec), sampler=vars(SETTINGS)
        )
        fit_run.execute(run, lambda told: None, lambda: False)
        write_state(run, "done", rc=0)


def shared(base: Path) -> Path:
    """The workspace in a folder of all processes; the first that asks fills it."""
    home, done = base / "small-fit", base / "small-fit.done"
    held = hold(base / "small-fit.lock", patience=600)
    try:
        if not done.is_file():
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            fitted(home)
            done.touch()
    finally:
        os.close(held)
    return home


def copied(shared_home: Path, home: Path) -> tuple[Path, Path]:
    """A workspace of one's own with it: the folders of its project and of the run."""
    shutil.copytree(shared_home / "projects", home / "projects")
    project = home / "projects" / PROJECT
    (run,) = (project / "runs").iterdir()
    return project, run
