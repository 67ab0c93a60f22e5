"""Words of the model check: what a check is about, what it found, what would help."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.text.languages.language import marked, say

#: What each check is about, by its name; `{period}` is day, week or month.
LABELS = {
    "level": marked("Mean {period}"),
    "highest": marked("Highest {period}"),
    "lowest": marked("Lowest {period}"),
    "outliers": marked("Farthest {period}, in sd of residuals"),
    "season": marked("Residuals that follow the year"),
    "weekday": marked("Residuals that follow the weekday"),
    "neighbours": marked("Residuals of a {period} and the next"),
    "year before": marked("Residuals of a {period} and a season before"),
    "within 50%": marked("Cells within their 50 % interval"),
    "within 90%": marked("Cells within their 90 % interval"),
    "held out": marked("Held-out cells within their 90 % interval"),
    "geos": marked("Residuals that geos have in common"),
    "within a geo": marked("Residuals of a {period} and the next, in a geo"),
}
#: What is wrong and what would help, by name: where the data are above what the model
#: expects, and where they are below.
_WRONG = {
    "level": (
        (
            marked("the mean is higher than the model says"),
            marked("Widen the priors of the baseline."),
        ),
        (
            marked("the mean is lower than the model says"),
            marked("Widen the priors of the baseline."),
        ),
    ),
    "highest": (
        (marked("the model misses the peaks"), marked("Add holidays or events{high}.")),
        (
            marked("the model expects higher peaks than there are"),
            marked(
                "Its noise is too wide: add what moves single {periods}, as events."
            ),
        ),
    ),
    "lowest": (
        (
            marked("the model expects lower troughs than there are"),
            marked(
                "Its noise is too wide: add what moves single {periods}, as events."
            ),
        ),
        (
            marked("the model misses the troughs"),
            marked("Add events, such as closures{low}."),
        ),
    ),
    "outliers": (
        (
            marked("single {periods} are further from the fit than noise explains"),
            marked("Add holidays or events{far}, or check these values."),
        ),
        ("", ""),
    ),
    "season": (
        (
            marked("the model misses part of the season"),
            marked(
                "Raise seasonality, or add holidays or weeks of the year (recurring)."
            ),
        ),
        ("", ""),
    ),
    "weekday": (
        (marked("the model misses the days of the week"), marked("Turn weekday on.")),
        ("", ""),
    ),
    "neighbours": (
        (
            marked("what is left goes on from one {period} to the next"),
            marked(
                "Its intervals are too narrow: {memory}let the baseline move more "
                "(smooth, knots), or add a control."
            ),
        ),
        (
            marked("what is left swings from one {period} to the next"),
            marked(
                "The baseline follows noise: fewer knots, or a smaller smooth term."
            ),
        ),
    ),
    "year before": (
        (
            marked("what is left comes again with the season"),
            marked(
                "Raise seasonality, or add holidays or weeks of the year (recurring)."
            ),
        ),
        (
            marked("what is left turns around with the season"),
            marked(
                "The season is not the same every time: lower seasonality, or "
                "add events."
            ),
        ),
    ),
    "within 50%": (
        (
            marked("more cells than expected are close to the mean"),
            marked("A few {periods} widen the noise of all: add them as events{far}."),
        ),
        (
            marked("its intervals are too narrow"),
            marked("Add what moves the KPI{far}."),
        ),
    ),
    "within 90%": (
        (
            marked("its intervals are wider than needed"),
            marked("A few {periods} widen the noise of all: add them as events{far}."),
        ),
        (
            marked("its intervals are too narrow"),
            marked("Add what moves the KPI{far}."),
        ),
    ),
    "held out": (
        (marked("its intervals are wider than needed"), ""),
        (
            marked("its intervals are too narrow for cells it has not seen"),
            marked("Simplify the model, or hold its priors tighter."),
        ),
    ),
    "geos": (
        (
            marked(
                "geos are off together, so sums over geos are less sure than they look"
            ),
            marked("Add a national control, holidays or events."),
        ),
        ("", ""),
    ),
    "within a geo": (
        (
            marked("geos drift on their own, from one {period} to the next"),
            marked(
                "Its intervals are too narrow: {memory}give geos a smooth deviation of "
                "their own (varies_by_geo), or add a control that differs between geos."
            ),
        ),
        ("", ""),
    ),
}


def said(
    row: Mapping[str, Any],
    period: str,
    farthest: Sequence[Mapping[str, Any]],
    *,
    has_memory: bool = False,
) -> dict[str, str]:
    """Label, finding and advice of a check.

    Args:
        row: The check: name, actual, median, status.
        period: What one period is called.
        farthest: The periods farthest from what was expected: time, sd.
        has_memory: Whether noise goes on from one period to the next already.

    Returns:
        `label`; `text`, as expected or what is wrong; `advice`, empty where nothing
        is to be done.
    """
    label = LABELS[row["name"]].format(period=period)
    if row["status"] == "ok":
        return {"label": label, "text": say("as the model expects"), "advice": ""}
    text, advice = _WRONG[row["name"]][row["actual"] < row["median"]]
    places = {
        "period": period,
        "periods": f"{period}s",
        "memory": "" if has_memory else say("let noise go on (autocorrelation), "),
        "far": _dates(farthest, lambda sd: True),
        "high": _dates(farthest, lambda sd: sd > 0),
        "low": _dates(farthest, lambda sd: sd < 0),
    }
    return {
        "label": label,
        "text": text.format(**places),
        "advice": advice.format(**places),
    }


def _dates(farthest: Sequence[Mapping[str, Any]], which) -> str:
    """The dates of some of the farthest periods, to follow a noun."""
    dates = [
        period["time"]
        for period in farthest
        if which(period["sd"]) and abs(period["sd"]) > 3
    ]
    return f" ({', '.join(dates)})" if dates else ""
