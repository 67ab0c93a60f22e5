"""Words of the model check: what a check is about, what it found, what would help."""

from collections.abc import Mapping, Sequence
from typing import Any

#: What each check is about, by its name; `{period}` is day, week or month.
LABELS = {
    "level": "Mean {period}",
    "highest": "Highest {period}",
    "lowest": "Lowest {period}",
    "outliers": "Farthest {period}, in sd of residuals",
    "season": "Residuals that follow the year",
    "weekday": "Residuals that follow the weekday",
    "neighbours": "Residuals of a {period} and the next",
    "year before": "Residuals of a {period} and a season before",
    "within 50%": "Cells within their 50 % interval",
    "within 90%": "Cells within their 90 % interval",
    "held out": "Held-out cells within their 90 % interval",
    "geos": "Residuals that geos have in common",
    "within a geo": "Residuals of a {period} and the next, in a geo",
}
_NARROW = "Its intervals are too narrow"
#: What is wrong and what would help, by name: where the data are above what the model
#: expects, and where they are below.
_WRONG = {
    "level": (
        ("the mean is higher than the model says", "Widen the priors of the baseline."),
        ("the mean is lower than the model says", "Widen the priors of the baseline."),
    ),
    "highest": (
        ("the model misses the peaks", "Add holidays or events{high}."),
        (
            "the model expects higher peaks than there are",
            "Its noise is too wide: add what moves single {period}s, as events.",
        ),
    ),
    "lowest": (
        (
            "the model expects lower troughs than there are",
            "Its noise is too wide: add what moves single {period}s, as events.",
        ),
        ("the model misses the troughs", "Add events, such as closures{low}."),
    ),
    "outliers": (
        (
            "single {period}s are further from the fit than noise explains",
            "Add holidays or events{far}, or check these values.",
        ),
        ("", ""),
    ),
    "season": (
        (
            "the model misses part of the season",
            "Raise seasonality, or add holidays or weeks of the year (recurring).",
        ),
        ("", ""),
    ),
    "weekday": (
        ("the model misses the days of the week", "Turn weekday on."),
        ("", ""),
    ),
    "neighbours": (
        (
            "what is left goes on from one {period} to the next",
            f"{_NARROW}: {{memory}}let the baseline move more (smooth, knots), or add "
            "a control.",
        ),
        (
            "what is left swings from one {period} to the next",
            "The baseline follows noise: fewer knots, or a smaller smooth term.",
        ),
    ),
    "year before": (
        (
            "what is left comes again with the season",
            "Raise seasonality, or add holidays or weeks of the year (recurring).",
        ),
        (
            "what is left turns around with the season",
            "The season is not the same every time: lower seasonality, or add events.",
        ),
    ),
    "within 50%": (
        (
            "more cells than expected are close to the mean",
            "A few {period}s widen the noise of all: add them as events{far}.",
        ),
        (f"{_NARROW[0].lower()}{_NARROW[1:]}", "Add what moves the KPI{far}."),
    ),
    "within 90%": (
        (
            "its intervals are wider than needed",
            "A few {period}s widen the noise of all: add them as events{far}.",
        ),
        (f"{_NARROW[0].lower()}{_NARROW[1:]}", "Add what moves the KPI{far}."),
    ),
    "held out": (
        ("its intervals are wider than needed", ""),
        (
            "its intervals are too narrow for cells it has not seen",
            "Simplify the model, or hold its priors tighter.",
        ),
    ),
    "geos": (
        (
            "geos are off together, so sums over geos are less sure than they look",
            "Add a national control, holidays or events.",
        ),
        ("", ""),
    ),
    "within a geo": (
        (
            "geos drift on their own, from one {period} to the next",
            f"{_NARROW}: {{memory}}give geos a smooth deviation of their own "
            "(varies_by_geo), or add a control that differs between geos.",
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
        return {"label": label, "text": "as the model expects", "advice": ""}
    text, advice = _WRONG[row["name"]][row["actual"] < row["median"]]
    places = {
        "period": period,
        "memory": "" if has_memory else "let noise go on (autocorrelation), ",
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
