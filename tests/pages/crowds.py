"""A market of many channels: the four of `worlds`, repeated until they are 25."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from core.data.mapping import ChannelColumns, ColumnMapping
from core.project.shelf.lifecycle import create_project
from core.project.shelf.seen import mark_seen
from core.store.results import write_result
from tests.charts import synthetic
from tests.pages import worlds

CROWD = "Many channels"
#: Some of the names are long, as those of campaigns are.
NAMES = tuple(
    f"Channel {i + 1}" + " of a long campaign name" * (i % 5 == 2) for i in range(25)
)
_OF = [synthetic.PAID[i % len(synthetic.PAID)] for i in range(len(NAMES))]


def crowd() -> Path:
    """The project, with a finished fit."""
    folder = create_project(CROWD, _table(), _mapping(), currency="EUR")
    few = worlds.fit(folder)
    made = worlds.run(folder, "done")
    with write_result(made) as result:
        for file in (few / "result").iterdir():
            if file.suffix == ".nc":
                with xr.open_dataset(file, engine="h5netcdf") as view:
                    _widened(view).to_netcdf(result / file.name, engine="h5netcdf")
            elif file.stem != "manifest":
                (result / file.name).write_bytes(file.read_bytes())
        summary = json.loads((result / "summary.json").read_text())
        channels = {row["name"]: row for row in summary["channels"]}
        summary["channels"] = [channels[of] | {"name": name} for of, name in _PAIRS]
        summary["prior"] = {name: summary["prior"][of] for of, name in _PAIRS}
        (result / "summary.json").write_text(json.dumps(summary))
    mark_seen(made)
    return folder


_PAIRS = list(zip(_OF, NAMES, strict=True))


def _widened(view: xr.Dataset) -> xr.Dataset:
    """The view with the paid channels repeated along every axis of channels."""
    for dim in {"channel", "channel_all", "paid"} & set(view.dims):
        known = [str(name) for name in view[dim].values]
        places = [known.index(of) for of in _OF]
        view = view.isel({dim: places}).assign_coords({dim: list(NAMES)})
    if "expected_outcome" in view:
        total = view["incremental_outcome"].sum("channel")
        view["expected_outcome"] = view["baseline_outcome"] + total
    return view


def _table() -> pd.DataFrame:
    few = worlds.table()
    columns = {"week": few["week"]}
    for i, (of, name) in enumerate(_PAIRS):
        for what in ("spend", "impressions"):
            columns[f"{name} {what}"] = np.roll(few[f"{of}_{what}"], i)
    return pd.DataFrame(columns | {"revenue": few["revenue"]})


def _mapping() -> ColumnMapping:
    return ColumnMapping(
        time="week",
        kpi="revenue",
        kpi_type="revenue",
        channels=tuple(
            ChannelColumns(
                name, "media", media=f"{name} impressions", spend=f"{name} spend"
            )
            for name in NAMES
        ),
    )
