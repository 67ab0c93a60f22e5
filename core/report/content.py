"""What the report says: the numbers and words of one run, ready for a template."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from core import text as fmt
from core.charts import channels as channel_figures
from core.charts.drawing import interval, style
from core.data.mapping import PAID
from core.plan.record.plan_record import PlanRecord
from core.plan.response.curves import ResponseCurves, response_curves
from core.text.verdicts import FIT
from core.workspace.disk.stored import read_object
from core.workspace.fits.horizons import plan_curves
from core.workspace.fits.results import result_files
from core.workspace.fits.runs import open_dataset, read_json
from core.workspace.projects.definition import Project
from core.workspace.projects.project import load_project
from core.workspace.refresh.next_fit import refreshed

#: Ends and middle of a 90 % interval.
_ENDS = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Content:
    """One run as the report needs it.

    Attributes:
        run: Folder of the run.
        project: The project as it was fitted.
        about: run.json.
        summary: summary.json.
        channels: channels.nc.
        curves: curves.nc.
        weeks: weeks.nc.
        units: Words for the units.
        frequency: frequency.nc; None without reach and frequency.
        refresh: refresh.json; None where the fit refreshed no other.
    """

    run: Path
    project: Project
    about: Mapping[str, Any]
    summary: Mapping[str, Any]
    channels: xr.Dataset
    curves: xr.Dataset
    weeks: xr.Dataset
    units: fmt.Units
    frequency: xr.Dataset | None = None
    refresh: Mapping[str, Any] | None = None

    @property
    def priors(self) -> dict[str, Mapping[str, Any]]:
        """Prior of every channel."""
        return channel_figures.priors(self.summary)

    def plan_curves(self, plan: PlanRecord) -> ResponseCurves | None:
        """Response curves of a plan's periods; None where the run has none of them."""
        files = plan_curves(self.run, plan.horizon)
        if files is None:
            return None
        return response_curves(open_dataset(files.run, files.channels))


def read(run_dir: Path) -> Content:
    """Everything about a finished fit that the report shows.

    Raises:
        WorkspaceError: The run has no result, or it is damaged.
    """
    summary = read_json(run_dir, "summary")
    return Content(
        run=run_dir,
        project=load_project(run_dir),
        about=read_object(run_dir / "run.json"),
        summary=summary,
        channels=open_dataset(run_dir, "channels"),
        curves=open_dataset(run_dir, "curves"),
        weeks=open_dataset(run_dir, "weeks"),
        units=fmt.units(summary),
        frequency=open_dataset(run_dir, "frequency")
        if "frequency.nc" in result_files(run_dir)
        else None,
        refresh=refreshed(run_dir),
    )


def verdict(content: Content) -> dict[str, Any]:
    """The verdict on the fit, what it means, and its reasons."""
    diagnostics = content.summary["diagnostics"]
    word = str(diagnostics["verdict"]).lower()
    return {
        "word": word,
        "advice": FIT.get(word, ""),
        "reasons": [str(reason) for reason in diagnostics.get("reasons", ())],
    }


def headline(content: Content) -> list[dict[str, str]]:
    """The four numbers at the top: label, value, interval."""
    units, paid = content.units, _paid(content.channels)
    spend = float(paid["spend"].sum())
    brought = interval.estimates(paid["incremental_outcome"].sum("channel"))
    total = {"mean": brought["mid"], "lo": brought["lo"], "hi": brought["hi"]}
    total = {key: float(value) for key, value in total.items()}
    cards = [("Media spend", fmt.money(spend, units.currency))]
    if units.is_money:
        text = fmt.estimate(total, "money", units.currency)
    else:
        text = fmt.estimate(total, "number", units.outcome)
    cards.append((f"{units.outcome_name} from paid media", text))
    if spend > 0:
        cards.append(_return(units, paid, total, spend))
    share = content.summary["baseline_share"]
    cards.append(("Baseline share", fmt.estimate(share, "share")))
    return [_card(label, text) for label, text in cards]


def _return(
    units: fmt.Units, paid: xr.Dataset, total: Mapping[str, float], spend: float
) -> tuple[str, str]:
    """What paid media returned: ROI, or the cost of one more unit of the KPI."""
    if units.is_money:
        roi = {key: value / spend for key, value in total.items()}
        return fmt.titled("ROI", units.roi), fmt.estimate(roi, "ratio")
    brought = paid["incremental_outcome"].sum("channel").values
    cost = spend / np.where(brought > 0, brought, np.nan)
    low, median, high = np.quantile(np.nan_to_num(cost, nan=np.inf), _ENDS)
    cost = {"median": float(median), "lo": float(low), "hi": float(high)}
    shown = fmt.estimate(cost, "money", units.currency, centre="median")
    return units.cost_name, shown


def sentence(content: Content) -> str:
    """The finding in one sentence."""
    best, sure = best_channel(content)
    if best is None:
        return ""
    units = content.units
    text = (
        f"{best['name']} has the highest ROI, "
        f"{fmt.estimate(best['roi'], 'ratio')} {units.roi}"
    )
    if not units.is_money and _has(best.get("cpik")):
        cost = fmt.estimate(best["cpik"], "money", units.currency, centre="median")
        name = units.cost_name.lower().replace(units.kpi_name.lower(), units.kpi_name)
        text = f"{best['name']} has the lowest {name}, {cost}"
    if sure:
        text += f"; the probability that it is the best channel is {sure}"
    text += "."
    if units.is_money:
        rows = [row for row in content.summary["channels"] if _has(row.get("roi"))]
        losing = [row["name"] for row in rows if row["roi"]["hi"] < 1]
        if losing:
            text += f" Below break-even in nine of ten draws: {', '.join(losing)}."
    note = content.summary.get("follows_demand", {}).get("sentence", "")
    return f"{text} {note}".rstrip()


def best_channel(content: Content) -> tuple[Mapping[str, Any] | None, str]:
    """The channel of the highest mean ROI, and the probability that it is the best.

    The probability is empty where no other channel has an ROI; the channel is None
    where none has.
    """
    rows = [row for row in content.summary["channels"] if _has(row.get("roi"))]
    if not rows:
        return None, ""
    best = max(rows, key=lambda row: row["roi"]["mean"])
    one = len(rows) == 1
    return best, "" if one else _probability_best(content.channels, best["name"])


def table(content: Content) -> list[dict[str, Any]]:
    """One row per channel for the table of results."""
    names = [str(name) for name in content.channels["channel"].values]
    colours = style.channel_colours(names)
    currency = content.units.currency
    outcome = ("money", currency) if content.units.is_money else ("number", "")
    rows = []
    for row in content.summary["channels"]:
        spend = row.get("spend")
        rows.append(
            {
                "name": row["name"],
                "colour": colours.get(row["name"], style.palette("light").faint),
                "spend": fmt.money(spend, currency) if spend is not None else fmt.NONE,
                "contribution": _cell(row.get("contribution"), *outcome),
                "share": _cell(row.get("contribution_share"), "share"),
                "roi": _cell(row.get("roi"), "ratio"),
                "latest": _cell(row.get("roi_last_year"), "ratio"),
                "mroi": _cell(row.get("mroi"), "ratio"),
                "cpik": _cell(row.get("cpik"), "money", currency, centre="median"),
            }
        )
    return rows


def _probability_best(channels: xr.Dataset, name: str) -> str:
    roi = _paid(channels)["roi"].transpose("draw", "channel")
    names = roi["channel"].values.astype(str)
    best = np.argmax(np.nan_to_num(roi.values, nan=-np.inf), axis=1)
    return fmt.probability(float((names[best] == name).mean()))


def _paid(channels: xr.Dataset) -> xr.Dataset:
    kept = np.isin(channels["kind"].values.astype(str), PAID)
    return channels.isel(channel=np.flatnonzero(kept))


def _has(estimate: Mapping[str, Any] | None) -> bool:
    return bool(estimate) and estimate.get("mean") is not None


def _card(label: str, text: str) -> dict[str, str]:
    value, _, bracket = text.partition(" (")
    return {"label": label, "value": value, "ci": f"({bracket}" if bracket else ""}


def _cell(
    estimate: Mapping[str, Any] | None, kind: str, unit: str = "", centre: str = "mean"
) -> dict[str, str]:
    if not _has(estimate):
        return {"value": fmt.NONE, "ci": ""}
    return _card("", fmt.estimate(estimate, kind, unit, centre=centre))
