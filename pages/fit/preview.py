"""What a fit at work says before its result, in numbers and how far to trust it."""

from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.estimate import OptionalEstimate
from core.service.fits import read_preview
from core.service.records.fit import Run
from core.service.records.preview import Preview, PreviewedChannel, PreviewedSpend
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from core.view.progress import sampled_text
from pages.ui import tables
from pages.ui.findings import plain


def table(run: Run) -> None:
    """What a run at work says already, in numbers; nothing where that is nothing."""
    preview = read_preview(run.folder)
    if preview is None or not preview.channels:
        return
    units = preview.units
    split = {row.name: row for row in preview.split}
    is_sampled = preview.method == "sampled"
    channels = [_channel(row, split.get(row.name), units) for row in preview.channels]
    tables.grid(
        pd.DataFrame(channels).dropna(axis=1, how="all"),
        say(
            "{part} of every channel's return",
            part=say("What was sampled") if is_sampled else say("Preview"),
        ),
        _columns(units, "" if is_sampled else say("Preview of ")),
        placeholder="–",
        key="fit.preview.table",
    )


def _channel(
    row: PreviewedChannel, planned: PreviewedSpend | None, units: fmt.Units
) -> dict[str, object]:
    roi, outcome = _known(row.roi), _known(row.contribution)
    times = None if planned is None else planned.multiplier
    return {
        "name": row.name,
        "roi": roi and fmt.estimate(roi, "ratio"),
        "contribution": outcome and units.estimate(outcome, bare=True),
        "now": planned and fmt.money(planned.current, units.currency),
        "planned": planned and fmt.money(planned.planned, units.currency),
        "change": None if times is None else fmt.share(times - 1, signed=True),
    }


def _known(estimate: OptionalEstimate | None) -> OptionalEstimate | None:
    return estimate if estimate is not None and estimate.is_known else None


def _columns(units: fmt.Units, before: str) -> dict[str, Any]:
    text = st.column_config.TextColumn
    titles = {
        "roi": say("{before}ROI, {roi}, 90 %", before=before, roi=units.roi),
        "contribution": say("{before}contribution, 90 %", before=before)
        if before
        else say("Contribution, 90 %"),
        "now": say("Spend as it ran"),
        "planned": say("Preview of best split"),
        "change": say("Change"),
    }
    numbers = {key: text(title, alignment="right") for key, title in titles.items()}
    return {"name": text(say("Channel"), pinned=True)} | numbers


def about(preview: Preview) -> str:
    """How far to trust it, and what becomes of it."""
    if preview.method == "sampled":
        return plain(reworded(sampled_text(preview)))
    if preview.method == "reweighted":
        return _about_reweighted(preview)
    k_hat = preview.k_hat
    parts = [say("A preview before sampling, not a result.")]
    if preview.is_rough:
        size = (
            ""
            if k_hat is None
            else say(" (k-hat {k_hat}, above 0.7)", k_hat=f"{k_hat:.3g}")
        )
        parts.append(
            say(
                ":orange[It is rough{size}]: numbers may move, intervals more.",
                size=size,
            )
        )
    else:
        parts.append(say("Importance weights say that it is close."))
    parts.append(say("The result replaces it as soon as the fit is done."))
    return " ".join(parts)


def _about_reweighted(preview: Preview) -> str:
    """What the draws of the last fit say, or why they do not."""
    k_hat = preview.k_hat or 0.0
    if preview.is_rough:
        return say(
            "There is no first answer: what changed goes too far beyond what the last "
            "fit's draws cover (k-hat {k_hat}, above {highest_k}).",
            k_hat=f"{k_hat:.3g}",
            highest_k=f"{preview.highest_k or 0.0:.3g}",
        )
    return say(
        "From the last fit's draws, reweighted for what has changed: {draws} effective "
        "draws, k-hat {k_hat}. The result replaces it as soon as the fit is done.",
        draws=f"{preview.draws or 0.0:.0f}",
        k_hat=f"{k_hat:.2f}",
    )
