"""Two fits side by side: the verdict, the numbers of both, what they were given."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.fits import comparison as figures
from core.service.projects.comparisons import compare_runs
from core.service.records.comparison import Comparison, Splits
from core.service.records.fit import Run
from core.text.languages.language import language, marked, say
from core.view.sections import comparing
from core.view.sections.section import Table
from pages.ui import drawn, layout, navigation, reading, sections, tables
from pages.ui.findings import plain
from pages.ui.reader import tongue
from pages.ui.reader.once import once

_LOOKS = {
    "same": (st.success, ":material/check_circle:"),
    "sharper": (st.info, ":material/compress:"),
    "different": (st.warning, ":material/difference:"),
    "other data": (st.info, ":material/database:"),
    "unknown": (st.info, ":material/help:"),
}
_MEASURES = {name: measure for measure, name in comparing.MEASURES.items()}
_SPLIT = marked("Best split")


def _about(*runs: Run) -> tuple[object, ...]:
    """What tells comparisons apart."""
    results = [(run.folder, reading.result_sha(run.folder)) for run in runs]
    return language(), results


@once(_about, most=32, wait=tongue.Later("Comparing the fits"), english=False)
def compared(first: Run, second: Run) -> Comparison:
    """The comparison of two fits, worked out once. Never change it.

    Raises:
        WorkspaceError: A result is damaged.
    """
    return compare_runs(first, second)


def show(comparison: Comparison, first: Run, second: Run) -> None:
    """The whole comparison."""
    verdict = comparison.verdict
    box, icon = _LOOKS[verdict.status]
    findings = "\n".join(f"- {plain(line)}" for line in verdict.findings)
    box(findings or "\u00a0", title=plain(verdict.text), icon=icon)
    views = [*_MEASURES, *([_SPLIT] if comparison.plan else [])]
    view = st.segmented_control(
        say("Measure"),
        views,
        default=views[0],
        format_func=say,
        required=True,
        key="compare.measure",
        label_visibility="collapsed",
    )
    units = comparison.units
    left, right = st.columns([6, 5], gap="medium")
    measure = _MEASURES.get(view, "roi")
    if view == _SPLIT:
        _split(left, right, comparison.plan, units)
        apart = {row.name: row.units for row in comparison.plan.channels}
    else:
        _measure(left, right, comparison, (first, second), measure)
        both = {row.name: row.measure(measure) for row in comparison.channels}
        apart = {name: each.units for name, each in both.items() if each is not None}
    with left:
        settings = comparing.settings_of(comparison.settings)
        if settings.rows:
            sections.table(settings, "", "compare.settings")
        else:
            layout.remark("Data, options, priors, sampler and versions are the same.")
        _for_analysts(verdict.remarks, apart)


def _for_analysts(remarks: Sequence[str], apart: Mapping[str, float | None]) -> None:
    """How much of the differences more draws would take away."""
    with st.expander(say("For analysts: Monte-Carlo error"), key="compare.analysts"):
        st.markdown("\n".join(f"- {plain(remark)}" for remark in remarks))
        tables.grid(
            tables.written(
                pd.DataFrame({"name": list(apart), "units": list(apart.values())}),
                {"units": partial(fmt.ratio, decimals=1)},
            ),
            say("Differences in units of their Monte-Carlo error"),
            {
                "name": st.column_config.TextColumn(say("Channel")),
                "units": st.column_config.NumberColumn(
                    say("In Monte-Carlo errors"),
                    help=say(
                        "The difference over its Monte-Carlo standard error: up to "
                        "about 3 would disappear with more draws."
                    ),
                ),
            },
            placeholder="–",
            key="compare.errors",
        )


def _measure(
    left: DeltaGenerator,
    right: DeltaGenerator,
    comparison: Comparison,
    fits: tuple[Run, Run],
    measure: str,
) -> None:
    """One measure of every channel: the table, and its picture beside it."""
    channels = [row for row in comparison.channels if row.measure(measure)]
    if not channels:
        left.caption(say("No channel that both fits share has this measure."))
        return
    units = comparison.units
    with left:
        _table(comparing.measured(comparison, measure))
    second = fits[1].folder
    key = measure, str(second), reading.result_sha(second)
    make = partial(figures.pairs, channels, measure, units)
    with right:
        drawn.show("compare.pairs", make, *key, run=fits[0])


def _split(
    left: DeltaGenerator,
    right: DeltaGenerator,
    plan: Splits,
    units: fmt.Units,
) -> None:
    """The best split of the budget that ran by each fit, and what the other's costs."""
    with left:
        _table(comparing.split_of(plan, units))
    losses = ("a", "b", plan.loss_of_a_under_b), ("b", "a", plan.loss_of_b_under_a)
    for column, (side, by, lost) in zip(right.columns(2), losses, strict=True):
        share = max(lost.share, 0.0)
        with column.container(border=True, gap="xsmall"):
            layout.estimate(
                say(
                    "What the split of {side} loses by fit {by}",
                    side=side.upper(),
                    by=by.upper(),
                ),
                units.estimate(lost),
                say(
                    "{outcome} of that fit's own best split less that of the other's.",
                    outcome=units.outcome_name,
                ),
                navigation.COMPARE,
                say(
                    " · {share} of {outcome}",
                    share=fmt.percent(share, decimals=2),
                    outcome=units.outcome_in_text,
                ),
            )


def _table(block: Table) -> None:
    sections.table(block, say("Both fits, channel by channel"), "compare.table")
