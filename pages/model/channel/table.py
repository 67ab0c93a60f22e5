"""The assumptions about channels as a table to edit, for marketers and for analysts."""

from dataclasses import replace

import pandas as pd

from core.errors import SpecError
from core.estimate import INTERVAL
from core.service.records.model import (
    ADSTOCK_PARAMETERS,
    CHANNEL_STEMS,
    SUFFIX,
    TREATMENT,
    ChannelSpec,
    Market,
    ModelSpec,
    Prior,
    PriorKind,
    Written,
    elicitation,
    prior_of,
    with_prior,
)
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.model import prior_text

#: What a prior can be about, as the table names it.
ABOUT: dict[str, PriorKind] = {
    marked("ROI"): "roi",
    marked("Marginal ROI"): "mroi",
    marked("Contribution, %"): "contribution",
    marked("Coefficient"): "coefficient",
}
_NAMES = {kind: name for name, kind in ABOUT.items()}
#: What a number of the table is times its value: contributions are in percent.
_FACTOR = {"contribution": 100.0}
RANGE = ("low", "likely", "high")
SHAPE = ("adstock", "saturation", "max_lag", "effectiveness")


def marketer_rows(spec: ModelSpec, about: Market) -> pd.DataFrame:
    """One row per channel with its prior as a range."""
    channels = []
    for channel in spec.channels:
        low, likely, high = _range(spec, channel, about)
        row = {
            "channel": channel.name,
            "about": _NAMES[channel.effective_prior_kind],
            "low": low,
            "likely": likely,
            "high": high,
        }
        channels.append(row | _shape(spec, channel))
    return pd.DataFrame(channels)


def analyst_rows(spec: ModelSpec, about: Market) -> pd.DataFrame:
    """One row per channel with every prior as family and parameters."""
    channels = []
    for channel in spec.channels:
        row = {
            "channel": channel.name,
            "about": _NAMES[channel.effective_prior_kind],
            "prior": prior_text.shown(prior_of(spec, channel, TREATMENT, about.totals)),
        }
        for stem in CHANNEL_STEMS:
            row[stem] = None
            if stem in stems_of(channel):
                row[stem] = prior_text.shown(
                    prior_of(spec, channel, stem, about.totals)
                )
        channels.append(row | _shape(spec, channel))
    return pd.DataFrame(channels)


def stems_of(channel: ChannelSpec) -> tuple[str, ...]:
    """Parameters of a channel, beside the treatment's, that have a prior."""
    if channel.kind == "non_media":
        return ()
    curve = ("ec", "slope") if channel.saturation == "hill" else ()
    return (*ADSTOCK_PARAMETERS[channel.adstock], *curve, "eta")


def _shape(spec: ModelSpec, channel: ChannelSpec) -> dict[str, object]:
    if channel.kind == "non_media":
        return dict.fromkeys(SHAPE)
    lag = spec.max_lag if channel.max_lag is None else channel.max_lag
    effectiveness = channel.effectiveness or spec.effectiveness_of_all
    shape = (channel.adstock, channel.saturation, lag, effectiveness)
    return dict(zip(SHAPE, shape, strict=True))


def _range(
    spec: ModelSpec, channel: ChannelSpec, about: Market
) -> tuple[float | None, ...]:
    """Low, most likely and high: as they were typed, or as the prior implies them."""
    prior = prior_of(spec, channel, TREATMENT, about.totals)
    statement, factor = prior.written or Written(), _factor(channel)
    estimate = elicitation.estimate(prior)
    points = [
        float(f"{factor * number:.3g}")
        for number in (estimate.lo, estimate.mode, estimate.hi)
    ]
    if statement.mass == INTERVAL:
        for place, number in enumerate(
            (statement.low, statement.most_likely, statement.high)
        ):
            if number is not None:
                points[place] = float(f"{factor * number:.12g}")
    return tuple(points)


def _factor(channel: ChannelSpec) -> float:
    return _FACTOR.get(channel.effective_prior_kind, 1.0)


def apply(
    spec: ModelSpec, before: pd.DataFrame, after: pd.DataFrame, about: Market
) -> tuple[ModelSpec, list[str]]:
    """The model options after an edit of the table.

    Args:
        spec: The options before.
        before: The table before.
        after: The table as edited.
        about: The market, which has a say in the default of ROI priors.

    Returns:
        The options, and the names of the channels that were edited.

    Raises:
        SpecError: An entry is impossible.
    """
    edited = []
    for i, channel in enumerate(spec.channels):
        old, new = before.iloc[i], after.iloc[i]
        columns = [c for c in before.columns if not _same(old[c], new[c])]
        if columns:
            changed = _edit(spec, channel, new, columns, about)
            if changed != channel:
                spec = spec.with_channel(changed)
            edited.append(channel.name)
    return spec, edited


def _same(a: object, b: object) -> bool:
    return bool(pd.isna(a) and pd.isna(b)) or a == b


def _edit(
    spec: ModelSpec,
    channel: ChannelSpec,
    row: pd.Series,
    columns: list[str],
    about: Market,
) -> ChannelSpec:
    if "about" in columns:
        channel = replace(channel, prior_kind=ABOUT[row["about"]], prior=None)
    elif set(columns) & set(RANGE):
        channel = replace(channel, prior=_from_range(channel, row, columns))
    elif "prior" in columns:
        prior = _parsed(row["prior"], say("Channel {name}", name=channel.name))
        channel = with_prior(spec, channel, TREATMENT, prior, about.totals)
    if channel.kind == "non_media":
        return channel
    for stem in stems_of(channel):
        if stem in columns:
            where = say(
                "Channel {name}, {stem}_{suffix}",
                name=channel.name,
                stem=stem,
                suffix=SUFFIX[channel.kind],
            )
            prior = _parsed(row[stem], where)
            channel = with_prior(spec, channel, stem, prior, about.totals)
    return replace(channel, **_shape_of(spec, row, columns))


def _shape_of(spec: ModelSpec, row: pd.Series, columns: list[str]) -> dict:
    values = {
        key: row[key]
        for key in ("adstock", "saturation")
        if key in columns and row[key]
    }
    if "effectiveness" in columns:
        chosen = row["effectiveness"]
        values["effectiveness"] = (
            None if chosen == spec.effectiveness_of_all else chosen
        )
    if "max_lag" in columns:
        lag = _number(row["max_lag"])
        same = lag is None or int(lag) == spec.max_lag
        values["max_lag"] = None if same else int(lag)
    return values


def family(channel: ChannelSpec) -> str:
    """The family that a range of a channel's prior becomes."""
    kind = channel.effective_prior_kind
    if kind == "contribution":
        return "TruncatedNormal" if channel.kind == "non_media" else "Beta"
    if kind == "coefficient" and channel.kind == "non_media":
        return "Normal"
    return "LogNormal"


def _from_range(channel: ChannelSpec, row: pd.Series, columns: list[str]) -> Prior:
    low, likely, high = (_number(row[key]) for key in RANGE)
    if low is None or high is None:
        raise SpecError(
            say(
                "Channel {name}: the range needs a low and a high end.",
                name=channel.name,
            ),
            hint=say("Fill in both."),
            where=channel.name,
        )
    before = None if channel.prior is None else channel.prior.written
    had_mode = before is not None and before.most_likely is not None
    if "likely" not in columns and (not had_mode or not low < likely < high):
        likely = None  # a mode that nobody typed says nothing about a new range
    chosen, factor = family(channel), _factor(channel)
    support = (-1.0, 1.0) if chosen == "TruncatedNormal" else None
    try:
        return elicitation.from_range(
            low / factor,
            high / factor,
            most_likely=None if likely is None else likely / factor,
            family=chosen,
            support=support,
        )
    except SpecError as error:
        raise SpecError(
            say(
                "Channel {name}: {message}",
                name=channel.name,
                message=reworded(error.message),
            ),
            hint=error.hint,
            where=channel.name,
        ) from error


def _parsed(text: object, where: str) -> Prior | None:
    """The prior in a cell; None, which is the default, where it is blank."""
    if text is None or pd.isna(text) or not str(text).strip():
        return None
    return prior_text.parse(str(text), where)


def _number(value: object) -> float | None:
    return None if value is None or pd.isna(value) else float(value)
