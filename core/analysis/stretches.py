"""Stretches: years, quarters and the last year of the data, each beside another.

NumPy only: screens use it on sources.nc.
"""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from core.analysis.draws import is_accident, to_level
from core.dims import CHANNEL, DRAW
from core.estimate import Part, estimate, extended
from core.text.languages.language import marked

#: Step of a bridge that no source explains.
UNEXPLAINED = marked("Not explained")
#: Words for the periods of a year.
_YEAR = {364: "364 days", 52: "52 weeks", 12: "12 months", 4: "4 quarters"}


@dataclass(frozen=True)
class Choice:
    """Some periods of the data.

    Attributes:
        label: "2024", "Q4 2024", "Last 52 weeks", "All periods".
        where: Whether a stretch belongs to them.
        n_periods: How many they are.
    """

    label: str
    where: tuple[bool, ...]
    n_periods: int

    @property
    def mask(self) -> np.ndarray:
        """`where` as an array, stretch."""
        return np.array(self.where)


#: Labels of stretches, which are names, too, and said where they are shown.
_LABELS = (
    *(marked("All periods"), marked("Last {span}"), marked("The {span} before")),
    marked("The same periods of {span}"),
)


def choices(sources: xr.Dataset) -> list[Choice]:
    """What can be chosen: everything, the last year, years, quarters, newest first.

    Args:
        sources: sources.nc.
    """
    year, quarter = sources["year"].values, sources["quarter"].values
    options = [_choice(sources, "All periods", np.ones(len(year), bool))]
    last = sources["last"].values == 0
    if not last.all():
        options.append(_choice(sources, f"Last {_year(sources)}", last))
    options += [_choice(sources, str(y), year == y) for y in np.unique(year)[::-1]]
    both = sorted({*zip(year.tolist(), quarter.tolist(), strict=True)}, reverse=True)
    return options + [
        _choice(sources, f"Q{q} {y}", (year == y) & (quarter == q)) for y, q in both
    ]


def year_before(sources: xr.Dataset, chosen: Choice) -> Choice | None:
    """The same quarters one year earlier; None where the data lack some of them.

    Where the data end within a quarter, that of a year earlier ends there, too. Where
    they begin within one there is less to compare with, which is none.
    """
    if all(chosen.where):
        return None
    year, quarter = sources["year"].values, sources["quarter"].values
    if chosen.label.startswith("Last"):
        before = sources["last"].values == 1
        earlier = _choice(sources, f"The {_year(sources)} before", before)
        return earlier if earlier.n_periods == chosen.n_periods else None
    have = list(zip(year.tolist(), quarter.tolist(), strict=True))
    previous = {(have[i][0] - 1, have[i][1]) for i in np.flatnonzero(chosen.mask)}
    if not previous <= set(have):
        return None
    # The data's last year begins where the quarter that they end in was as far.
    is_whole = np.array([pair in previous for pair in have])
    where = is_whole & (sources["last"].values != 0)
    if not where.any() or not _begins_as_far(sources, where, chosen):
        return None
    own = int(year[chosen.mask][0]) - 1
    label = f"{chosen.label[:3]}{own}" if chosen.label.startswith("Q") else str(own)
    if not chosen.label.startswith("Q"):
        is_whole = year == own
    if (where != is_whole).any():
        label = f"The same periods of {label}"
    return _choice(sources, label, where)


def _begins_as_far(sources: xr.Dataset, where: np.ndarray, chosen: Choice) -> bool:
    """Whether stretches begin as far in their year as others, within one period."""
    starts, ends = (
        sources[name].values.astype("datetime64[D]") for name in ("start", "end")
    )
    n = sources["n_periods"].values
    long = n > 1
    if not long.any():
        return True
    period = ((ends - starts)[long].astype(float) / (n[long] - 1)).max()
    first, later = starts[where].min(), starts[chosen.mask].min()
    month = later.astype("datetime64[M]")
    target = (month - np.timedelta64(12, "M")).astype("datetime64[D]")
    target = target + (later - month.astype("datetime64[D]"))
    return bool((first - target).astype(float) < period)


#: Share by which the lengths of two choices may differ, as calendars make them.
_AS_LONG = 0.03


def comparable(sources: xr.Dataset, chosen: Choice) -> list[Choice]:
    """What some periods can be compared with: the same a year earlier, then others.

    Sums of outcome and spend say nothing beside those of fewer periods, so others are
    as long, but for what calendars make of quarters and years, and share none of them.

    Args:
        sources: sources.nc.
        chosen: The periods.
    """
    usual = year_before(sources, chosen)
    first = [] if usual is None else [usual]
    most = max(1.0, _AS_LONG * chosen.n_periods)
    labels = {each.label for each in first}
    return first + [
        each
        for each in choices(sources)
        if each.label not in labels
        and not (each.mask & chosen.mask).any()
        and abs(each.n_periods - chosen.n_periods) <= most
    ]


def _year(sources: xr.Dataset) -> str:
    """The last year of the data in words: "52 weeks"."""
    n = int(sources["n_periods"].values[sources["last"].values == 0].sum())
    return _YEAR.get(n, f"{n} periods")


def _choice(sources: xr.Dataset, label: str, where: np.ndarray) -> Choice:
    n = int(sources["n_periods"].values[where].sum())
    return Choice(label, tuple(bool(is_chosen) for is_chosen in where), n)


def returned(sources: xr.Dataset, chosen: Choice) -> xr.Dataset:
    """What channels brought in some periods, in the form of channels.nc.

    Args:
        sources: sources.nc.
        chosen: The periods.

    Returns:
        Dims draw, channel: `incremental_outcome`, `roi`, `contribution`; spend by
        channel; `baseline_outcome` and `expected_outcome` per draw; `baseline_part`,
        what the baseline is made of, draw part.
    """
    some = sources.isel(stretch=np.flatnonzero(chosen.mask))
    outcome = some["incremental_outcome"].sum("stretch").transpose(DRAW, CHANNEL)
    spend = some["spend"].sum("stretch", skipna=False)
    baseline = some["baseline"].sum(["part", "stretch"])
    expected = baseline + outcome.sum(CHANNEL)
    return xr.Dataset(
        {
            "incremental_outcome": outcome,
            "roi": outcome / spend.where(spend > 0),
            "contribution": outcome / expected.mean(),
            "baseline_outcome": baseline,
            "expected_outcome": expected,
            "baseline_part": some["baseline"].sum("stretch").transpose(DRAW, "part"),
        },
        attrs=sources.attrs,
    ).assign_coords(kind=sources["kind"], spend=spend)


def levelled(sources: xr.Dataset, channels: xr.Dataset) -> xr.Dataset:
    """Sources whose sum over all stretches has the means of the returns.

    sources.nc affords fewer draws than channels.nc. The accident of which draws were
    kept would show a contribution in the table and another in the picture beside it.

    Args:
        sources: sources.nc.
        channels: channels.nc.

    Returns:
        `sources` whose channels, and whose largest part of the baseline, are brought to
        the means of `channels`, where they are as near as the same draws may be.
    """
    outcome, whole = sources.incremental_outcome, channels.incremental_outcome
    names = outcome[CHANNEL].values
    if not np.isin(names, whole[CHANNEL].values).all():
        return sources
    own = outcome.sum("stretch").transpose(DRAW, CHANNEL).values
    level = whole.sel({CHANNEL: names}).transpose(DRAW, CHANNEL).values
    by = xr.DataArray(to_level(own, level), dims=CHANNEL, coords={CHANNEL: names})
    baseline = _brought(sources.baseline, float(channels.baseline_outcome.mean()))
    outcome = (outcome * by).transpose(*outcome.dims)
    return sources.assign(incremental_outcome=outcome, baseline=baseline)


def _brought(baseline: xr.DataArray, whole: float) -> xr.DataArray:
    """Parts of the baseline whose largest is brought to what the whole is."""
    sums = baseline.sum("stretch").mean(DRAW).values
    largest = int(np.abs(sums).argmax())
    rest = sums.sum() - sums[largest]
    factor = (whole - rest) / sums[largest] if sums[largest] else 1.0
    factors = np.ones(len(sums))
    factors[largest] = factor if is_accident(np.array([factor])).all() else 1.0
    by = xr.DataArray(factors, dims="part", coords={"part": baseline.part})
    return (baseline * by).transpose(*baseline.dims)


def bridge(
    sources: xr.Dataset, before: Choice, after: Choice
) -> tuple[list[Part], float, float]:
    """What changed the outcome from some periods to others, source by source.

    Args:
        sources: sources.nc.
        before: The earlier periods.
        after: The later ones.

    Returns:
        Steps, each a `name`, a `kind` ("baseline", a channel's kind, or "unexplained")
        and an estimate of the change in outcome units; what was counted before and
        after. The means of the steps add up to the difference.
    """
    weight = xr.DataArray(after.mask.astype(float) - before.mask, dims="stretch")
    steps = [
        extended(Part, estimate(own.to_numpy()), name=str(part), kind="baseline")
        for part, own in _changes(sources["baseline"], weight, "part")
    ]
    kinds = dict(
        zip(
            sources[CHANNEL].values.astype(str),
            sources["kind"].values.astype(str),
            strict=True,
        )
    )
    steps += [
        extended(Part, estimate(own.to_numpy()), name=str(name), kind=kinds[str(name)])
        for name, own in _changes(sources["incremental_outcome"], weight, CHANNEL)
    ]
    counted = sources["actual"].values
    first, last = (float(counted[choice.mask].sum()) for choice in (before, after))
    explained = sources["baseline"].sum("part") + sources["incremental_outcome"].sum(
        CHANNEL
    )
    residual = (last - first) - (explained * weight).sum("stretch").to_numpy()
    unexplained = {"name": UNEXPLAINED, "kind": "unexplained"}
    steps.append(extended(Part, estimate(residual), **unexplained))
    return steps, first, last


def _changes(table: xr.DataArray, weight: xr.DataArray, by: str):
    changed = (table * weight).sum("stretch")
    return [(name, changed.sel({by: name})) for name in changed[by].values]
