"""What a fit at work says before its result: a preview, then what is sampled."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.project.fits.previews import read_preview
from core.project.fits.runs import Run
from core.view.progress import sampled_text
from pages.ui import tables
from pages.ui.tables import estimate_of

_EXPECTED = "**Preview, before sampling** :orange-badge[preview, not a result]"
_SAMPLED = "**Sampled** :blue-badge[the rest of the result follows]"


def show(run: Run) -> None:
    """What a run at work says already; nothing where that is nothing."""
    preview = read_preview(run.folder)
    if preview is None:
        return
    units = fmt.units(preview)
    split = {
        row["name"]: row for row in (preview.get("plan") or {}).get("channels", ())
    }
    if preview.get("method") == "reweighted" and not preview["channels"]:
        st.caption(_about_reweighted(preview))
        return
    is_sampled = preview.get("method") == "sampled"
    with st.container(border=True, key="fit.preview"):
        st.markdown(_SAMPLED if is_sampled else _EXPECTED)
        channels = [
            _row(row, split.get(row["name"]), units) for row in preview["channels"]
        ]
        frame = pd.DataFrame(channels).dropna(axis=1, how="all")
        st.dataframe(
            frame,
            column_config=_columns(units, "" if is_sampled else "Preview of "),
            hide_index=True,
            height=tables.height(len(channels)),
            placeholder="–",
            key="fit.preview.table",
            alt=f"{'What was sampled' if is_sampled else 'Preview'} of every "
            "channel's return",
        )
        st.caption(_about(preview))


def _row(
    row: Mapping[str, Any], planned: Mapping[str, Any] | None, units: fmt.Units
) -> dict[str, object]:
    roi, outcome = estimate_of(row, "roi"), estimate_of(row, "contribution")
    return {
        "name": row["name"],
        "roi": roi and fmt.estimate(roi, "ratio"),
        "contribution": outcome and units.estimate(outcome, bare=True),
        "now": planned and fmt.money(planned["current"], units.currency),
        "planned": planned and fmt.money(planned["planned"], units.currency),
        "change": planned and fmt.share(planned["multiplier"] - 1, signed=True),
    }


def _columns(units: fmt.Units, before: str) -> dict[str, Any]:
    text = st.column_config.TextColumn
    titles = {
        "roi": f"{before}ROI, {units.roi}, 90 %",
        "contribution": f"{before}contribution, 90 %"
        if before
        else "Contribution, 90 %",
        "now": "Spend as it ran",
        "planned": "Preview of best split",
        "change": "Change",
    }
    numbers = {key: text(title, alignment="right") for key, title in titles.items()}
    return {"name": text("Channel", pinned=True)} | numbers


def _about(preview: Mapping[str, Any]) -> str:
    """How far to trust it, and what becomes of it."""
    if preview.get("method") == "sampled":
        return sampled_text(preview)
    if preview.get("method") == "reweighted":
        return _about_reweighted(preview)
    k_hat = preview.get("k_hat")
    parts = ["From the Laplace approximation at the mode, in place of draws."]
    if preview.get("is_rough"):
        size = "" if k_hat is None else f" (k-hat {k_hat:.3g}, above 0.7)"
        parts.append(f":orange[It is rough{size}]: numbers may move, intervals more.")
    else:
        parts.append("Importance weights say that it is close.")
    parts.append("The result replaces it as soon as the fit is done.")
    return " ".join(parts)


def _about_reweighted(preview: Mapping[str, Any]) -> str:
    """What the draws of the last fit say, or why they do not."""
    k_hat = preview.get("k_hat") or 0.0
    if preview.get("is_rough"):
        return (
            "There is no first answer: the new rows go too far beyond what the last "
            f"fit's draws cover (k-hat {k_hat:.3g}, above {preview['highest_k']:.3g})."
        )
    return (
        "From the last fit's draws, reweighted by the new rows: "
        f"{preview['draws']:.0f} effective draws, k-hat {k_hat:.2f}. The result "
        "replaces it as soon as the fit is done."
    )
