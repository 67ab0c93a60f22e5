"""PyMC-Marketing: the YAML that builds its MMM, as a mapping, options and priors.

`model.kwargs` holds the columns, adstock and saturation with their priors. Adstock has
a counterpart, saturation has one in part: Hill's slope; where a curve is half full is
measured there on spend over its maximum, here over typical exposure.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from core.data.mapping import ChannelColumns, ColumnMapping
from core.data.reading.findings import Finding
from core.data.recognition.outcomes import guess_kpi_type
from core.errors import SchemaError
from core.model.priors.prior import Prior, prior
from core.model.spec import ModelSpec
from core.project.elsewhere.brought import (
    Brought,
    check_columns,
    needs_table,
    not_taken,
)
from core.project.elsewhere.distributions import pymc_prior
from core.project.settings.defaults import default_spec
from core.text.sentences import listed

_ADSTOCKS = {
    "GeometricAdstock": ("geometric", ("alpha",)),
    "BinomialAdstock": ("binomial", ("alpha",)),
    "DelayedAdstock": ("delayed", ("alpha", "theta")),
    "WeibullCDFAdstock": ("weibull_cdf", ("lam", "k")),
    "WeibullPDFAdstock": ("weibull_pdf", ("lam", "k")),
}
#: Families whose values a parameter may take.
_SUPPORT = {"alpha": ("Beta", "Uniform")}
_USED = {"date_column", "target_column", "channel_columns", "control_columns", "dims"}
_USED |= {"adstock", "saturation", "yearly_seasonality", "model_config"}


def is_pymc(document: Mapping[str, Any]) -> bool:
    """Whether a document builds a model of PyMC-Marketing."""
    return "channel_columns" in _options(document)


def _options(document: Mapping[str, Any]) -> Mapping[str, Any]:
    model = document.get("model", document)
    options = model.get("kwargs", model) if isinstance(model, Mapping) else {}
    return options if isinstance(options, Mapping) else {}


def read_pymc(
    document: Mapping[str, Any], filename: str, frame: pd.DataFrame | None = None
) -> Brought:
    """The mapping, options and priors of a configuration of PyMC-Marketing.

    Raises:
        SchemaError: There is no table, or it lacks columns.
    """
    if frame is None:
        raise needs_table(filename)
    options = _options(document)
    mapping = _mapping(options, frame, filename)
    lines: list[str] = []
    spec = _with_adstock(default_spec(mapping), options, lines)
    spec = _with_saturation(spec, options, lines)
    spec = _with_season(spec, options)
    rest = [key for key in options if key not in _USED]
    rest += [f"model_config.{key}" for key in _entries(options, "model_config")]
    rest += [key for key in document if key not in ("model", "schema_version")]
    if document is options:
        rest = [key for key in rest if key not in options]
    lines += not_taken(rest)
    if any("effects" in str(key) for key in rest):
        lines.append("Trend, season and events are part of the structural baseline.")
    findings = tuple(Finding("info", filename, message) for message in lines)
    return Brought(mapping, spec, findings)


def _mapping(
    options: Mapping[str, Any], frame: pd.DataFrame, filename: str
) -> ColumnMapping:
    time, kpi = options.get("date_column"), options.get("target_column", "y")
    channels, controls = (
        _texts(options, key, filename) for key in ("channel_columns", "control_columns")
    )
    if not isinstance(time, str) or not isinstance(kpi, str) or not channels:
        raise SchemaError(
            f"{filename} lacks date_column or channel_columns.",
            hint="Add them as PyMC-Marketing reads them.",
            where=filename,
        )
    dims = _texts(options, "dims", filename)
    check_columns([time, kpi, *channels, *controls, *dims[:1]], frame, filename)
    if len(dims) > 1:
        raise SchemaError(
            f"{filename} has the dimensions {listed(dims)}; a market here has one, "
            "geos.",
            hint="Sum the table over the others, and leave them out of dims.",
            where=filename,
        )
    return ColumnMapping(
        time=time,
        kpi=kpi,
        geo=dims[0] if dims else None,
        kpi_type=guess_kpi_type(frame, kpi, False),
        controls=tuple(controls),
        channels=tuple(
            ChannelColumns(name, "media", media=name, spend=name) for name in channels
        ),
    )


def _texts(options: Mapping[str, Any], key: str, filename: str) -> list[str]:
    value = options.get(key) or []
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise SchemaError(
            f"{key} in {filename} must be a list of columns.",
            hint="Write one column per line.",
            where=filename,
        )
    return value


def _entries(options: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """A table inside tables; empty where there is none."""
    entries: Any = options
    for key in keys:
        entries = entries.get(key) if isinstance(entries, Mapping) else None
    return entries if isinstance(entries, Mapping) else {}


def _class(options: Mapping[str, Any], key: str) -> str:
    """The last part of the class of a transformation."""
    entry = options.get(key)
    name = entry.get("class", "") if isinstance(entry, Mapping) else entry
    return str(name or "").partition("(")[0].rpartition(".")[2]


def _priors(
    options: Mapping[str, Any], key: str, stems: tuple[str, ...], lines: list[str]
) -> list[tuple[str, Prior]]:
    """Priors of a transformation that have a counterpart; the others are listed."""
    stated = dict(_entries(options, key, "kwargs", "priors"))
    prefix = f"{key}_"
    for name, entry in _entries(options, "model_config").items():
        if name.startswith(prefix):
            stated[name[len(prefix) :]] = entry
    priors, lost = [], []
    for name, entry in stated.items():
        parsed = pymc_prior(entry) if name in stems else None
        families = _SUPPORT.get(name)
        if parsed is None or (families and parsed.family not in families):
            lost.append(f"{key} {name}")
        else:
            priors.append((name, parsed))
    if priors:
        names = listed([name for name, _ in priors])
        lines.append(f"The priors of {names} ({key}) are each channel's.")
    if lost:
        lines.append(
            f"Without a counterpart: the priors of {listed(lost)}. Defaults are used."
        )
    return priors


def _with_adstock(
    spec: ModelSpec, options: Mapping[str, Any], lines: list[str]
) -> ModelSpec:
    name = _class(options, "adstock")
    length = _entries(options, "adstock", "kwargs").get("l_max")
    if isinstance(length, int) and length > 0:
        spec = replace(spec, max_lag=length - 1)  # l_max counts the first period, too
    elif length is not None:
        lines.append(f"l_max is {str(length)[:40]}, no number of periods: not used.")
    if name == "NoAdstock":
        return replace(spec, max_lag=0)
    adstock, stems = _ADSTOCKS.get(name, ("geometric", ()))
    if name and name not in _ADSTOCKS:
        lines.append(f"{name} has no counterpart: carryover is geometric.")
    priors = _priors(options, "adstock", stems, lines)
    return replace(
        spec,
        channels=tuple(
            replace(channel, adstock=adstock, priors=tuple(sorted(priors)))
            for channel in spec.channels
        ),
    )


def _with_saturation(
    spec: ModelSpec, options: Mapping[str, Any], lines: list[str]
) -> ModelSpec:
    name = _class(options, "saturation")
    if not name:
        return spec
    if name == "NoSaturation":
        channels = tuple(
            replace(channel, saturation="none") for channel in spec.channels
        )
        return replace(spec, channels=channels)
    stems = ("slope",) if name == "HillSaturation" else ()
    priors = _priors(options, "saturation", stems, lines)
    if name == "MichaelisMentenSaturation":  # Hill with a slope of one
        priors = [("slope", prior("Deterministic", loc=1.0))]
        lines.append("MichaelisMentenSaturation is Hill with a slope of 1.")
    elif name != "HillSaturation":
        lines.append(f"{name} has no counterpart: saturation is Hill's curve.")
    return replace(
        spec,
        channels=tuple(
            replace(channel, priors=tuple(sorted([*channel.priors, *priors])))
            for channel in spec.channels
        ),
    )


def _with_season(spec: ModelSpec, options: Mapping[str, Any]) -> ModelSpec:
    pairs = options.get("yearly_seasonality")
    is_number = isinstance(pairs, int) and not isinstance(pairs, bool) and pairs >= 0
    return replace(spec, seasonality=pairs) if is_number else spec
