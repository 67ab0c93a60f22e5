"""Agreement: whether options and data fit together, checked once, before building."""

import numpy as np

from core.data.experiments.experiment_checks import check_experiments
from core.data.input_data import InputData
from core.data.mapping import KINDS
from core.data.reading.findings import Finding
from core.errors import SpecError
from core.model import holdout
from core.model.inputs.events import holidays_of, typical_step
from core.model.priors.prior import describe
from core.model.spec import ModelSpec
from core.model.terms.season import has_two_years, most_pairs
from core.text import count

#: Stems of parameters that cannot be negative.
_NOT_NEGATIVE = ("ec", "slope", "lam", "k", "eta", "xi", "length", "sigma")


def check(spec: ModelSpec, data: InputData) -> None:
    """Refuse options that do not fit the data.

    Raises:
        SpecError: Carries every finding; its message is the first.
    """
    findings = [
        *_channels(spec, data),
        *_structure(spec, data),
        *_treatment_priors(spec, data),
        *_supports(spec),
        *_windows(spec, data),
        *_experiments(spec, data),
    ]
    if findings:
        more = f" ({len(findings) - 1} more)" if len(findings) > 1 else ""
        raise SpecError.of(findings, after=more)


def _error(where: str, message: str, hint: str = "") -> Finding:
    return Finding("error", where, message, hint)


def _channels(spec: ModelSpec, data: InputData):
    in_spec = {channel.name: channel.kind for channel in spec.channels}
    in_data = {name: kind for kind in KINDS for name in getattr(data, kind).names}
    for name in sorted(in_data.keys() - in_spec.keys()):
        yield _error(
            name,
            f"Channel {name} has data but no options.",
            "Add a [[channel]] entry for it, or remove its columns.",
        )
    for name in sorted(in_spec.keys() - in_data.keys()):
        yield _error(
            name,
            f"Channel {name} has options but no data.",
            "Map its columns, or remove it.",
        )
    for name in sorted(in_data.keys() & in_spec.keys()):
        if in_data[name] != in_spec[name]:
            yield _error(
                name,
                f"Channel {name} is {in_data[name]} in the data and "
                f"{in_spec[name]} in the options.",
                "Give it one kind.",
            )
    if all(kind == "non_media" for kind in in_data.values()):
        yield _error("channels", "There is no media.", "Map at least one channel.")


def _structure(spec: ModelSpec, data: InputData):
    knots = spec.knots
    n_knots = len(knots) if isinstance(knots, tuple) else knots
    if isinstance(n_knots, int) and n_knots > data.n_times:
        yield _error(
            "model.knots",
            f"{n_knots} knots do not fit {count(data.n_times, 'period')}.",
            f"Use at most {data.n_times}.",
        )
    if spec.baseline_geo is not None and spec.baseline_geo not in data.geos:
        yield _error(
            "model.baseline_geo",
            f"Baseline geo {spec.baseline_geo} is not in the data.",
            f"Use one of {', '.join(data.geos[:5])}.",
        )
    yield from _linear_terms(spec, data)
    yield from holdout.disagreements(spec.holdout, data)
    for option, names, available in (
        ("controls", spec.population_scaled_controls, data.control_names),
        ("non_media", spec.population_scaled_non_media, data.non_media.names),
    ):
        for name in names:
            if name not in available:
                yield _error(
                    f"model.population_scaled_{option}",
                    f"{name} is to be divided by population and is not in the data.",
                    "Remove it from the list.",
                )


def _treatment_priors(spec: ModelSpec, data: InputData):
    """Log-normal effects are positive, so what they stand for must be, too."""
    is_log = spec.media_effects == "log_normal" and not data.is_national
    priors = dict(spec.priors)
    for channel in spec.channels:
        name = channel.treatment_parameter
        prior = channel.prior or priors.get(name) or channel.treatment_prior
        if channel.kind == "non_media":
            continue
        is_effect = channel.effective_prior_kind == "coefficient"
        if is_log and not is_effect and prior.support[0] < 0:
            yield _error(
                channel.name,
                f"Channel {channel.name}: the {name} prior {describe(prior)} allows "
                "values below zero, and log-normal media effects cannot be negative.",
                'Use a prior on positive values, or media_effects = "normal".',
            )


def _supports(spec: ModelSpec):
    """Retention rates lie between 0 and 1; scales and shapes are not negative."""
    priors = [
        (channel.name, f"Channel {channel.name}: ", stem, prior)
        for channel in spec.channels
        for stem, prior in channel.priors
    ]
    priors += [("model.priors", "", name, prior) for name, prior in spec.priors]
    for where, subject, name, prior in priors:
        stem = name.partition("_")[0]
        low, high = prior.support
        if stem == "alpha" and (low < 0 or high > 1):
            yield _error(
                where,
                f"{subject}the {name} prior {describe(prior)} allows values outside 0 "
                "to 1, and a retention rate cannot lie there.",
                "Use Beta, Uniform(0, 1) or TruncatedNormal.",
            )
        elif name == "rho" and (low <= -1 or high >= 1):
            yield _error(
                where,
                f"{subject}the rho prior {describe(prior)} allows values of -1 or 1 "
                "and beyond, with which noise would grow without end.",
                "Use TruncatedNormal or Uniform between -0.95 and 0.95.",
            )
        elif stem in _NOT_NEGATIVE and low < 0:
            yield _error(
                where,
                f"{subject}the {name} prior {describe(prior)} allows values below "
                f"zero, and {name} cannot be negative.",
                "Use LogNormal, Gamma, HalfNormal or TruncatedNormal.",
            )


def _windows(spec: ModelSpec, data: InputData):
    for channel in spec.channels:
        for start, end in channel.calibration:
            try:
                low, high = np.datetime64(start, "D"), np.datetime64(end, "D")
            except ValueError:
                yield _error(
                    channel.name,
                    f"Channel {channel.name}: calibration window {start} to {end} is "
                    "not a pair of dates.",
                    "Write dates as 2024-01-31.",
                )
                continue
            inside = (data.times >= low) & (data.times <= high)
            if not inside.any():
                yield _error(
                    channel.name,
                    f"Channel {channel.name}: no period lies in the calibration "
                    f"window {start} to {end}.",
                    f"The data run from {data.times[0]} to {data.times[-1]}.",
                )


def _experiments(spec: ModelSpec, data: InputData):
    kinds = {name: kind for kind in KINDS for name in getattr(data, kind).names}
    findings = check_experiments(spec.experiments, kinds, data)
    return [finding for finding in findings if finding.severity == "error"]


def _linear_terms(spec: ModelSpec, data: InputData):
    """Parts of the baseline that periods so long, or data so short, cannot have."""
    times = data.times
    if (spec.seasonality or 0) > (most := most_pairs(times)):
        yield _error(
            "model.seasonality",
            f"{spec.seasonality} pairs of sine and cosine of the year need shorter "
            "periods.",
            f"Use at most {most}: two periods for each wave.",
        )
    if (spec.smooth or 0) > len(times):
        yield _error(
            "model.smooth",
            f"{spec.smooth:,} smooth functions do not fit "
            f"{count(len(times), 'period')}.",
            f"Use at most {len(times)}.",
        )
    step = int(typical_step(times).astype(int))
    if spec.weekday and step != 1:
        yield _error(
            "model.weekday",
            f"Periods of {step} days have no days of the week.",
            "Take out weekday, or use daily data.",
        )
    if spec.recurring and (step > 7 or not has_two_years(times)):
        yield _error(
            "model.recurring",
            "Effects of each week of the year need two years of weekly or daily data.",
            "Take out recurring.",
        )
    if spec.holidays:
        try:
            holidays_of(spec.holidays, times)
        except SpecError as error:
            yield _error(error.where, error.message, error.hint)
