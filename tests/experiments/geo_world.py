"""A project of four geos in one of which TV was switched off for eight weeks."""

from pathlib import Path

import numpy as np
import pandas as pd

from core.data.mapping import ChannelColumns, ColumnMapping
from core.project.shelf.lifecycle import create_project
from tests.charts import synthetic

GEOS = ("North", "South", "East", "West")
TREATED = "North"
START, END = "2023-10-02", "2023-11-26"


def table(seed=1, n_times=156):
    """Four geos; TV was off in North for eight weeks, and sales were 10 % lower."""
    rng = np.random.default_rng(seed)
    weeks = pd.date_range("2021-01-04", periods=n_times, freq="7D").strftime("%Y-%m-%d")
    season = 1 + 0.2 * np.sin(np.arange(n_times) / 52 * 2 * np.pi)
    parts = []
    for geo, share in zip(GEOS, (0.4, 0.3, 0.2, 0.1), strict=True):
        columns = {"geo": geo, "week": weeks}
        off = (weeks >= START) & (weeks <= END) & (geo == TREATED)
        for name, scale in zip(synthetic.PAID, (59e3, 26e3, 17e3, 7e3), strict=True):
            pulse = share * scale * np.clip(rng.normal(1, 0.3, n_times), 0.3, None)
            if name == "TV":
                pulse = np.where(off, 0.0, pulse)
            columns[f"{name}_spend"] = np.round(pulse, 2)
        sales = share * 8e5 * season * (1 + rng.normal(0, 0.02, n_times))
        columns["revenue"] = np.round(np.where(off, 0.9, 1.0) * sales, 2)
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def project_of_geos(name: str = "Four geos") -> Path:
    """A project of the workspace with that table."""
    channels = tuple(
        ChannelColumns(name, "media", media=f"{name}_spend", spend=f"{name}_spend")
        for name in synthetic.PAID
    )
    mapping = ColumnMapping(
        "week", "revenue", geo="geo", kpi_type="revenue", channels=channels
    )
    return create_project(name, table(), mapping, currency="EUR")
