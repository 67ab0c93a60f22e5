"""Meridian: columns and options as its constructors take them, written as YAML or JSON.

Meridian has no configuration file of its own: its saved models are protocol buffers.
What people keep beside their scripts are the arguments of `CoordToColumns`, of the
loader and of `ModelSpec`, by the names that they have there.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import pandas as pd

from core.data.mapping import ChannelColumns, ChannelKind, ColumnMapping, KpiType
from core.data.reading.findings import Finding
from core.errors import SchemaError
from core.model.priors.default_priors import DEFAULT_PRIORS
from core.model.spec import SUFFIX, Adstock, ChannelSpec, ModelSpec, PriorKind
from core.project.elsewhere.brought import (
    Brought,
    check_columns,
    needs_table,
    not_taken,
)
from core.project.elsewhere.distributions import tfp_prior
from core.project.settings.defaults import default_spec
from core.text.sentences import listed

_COLUMNS = "coord_to_columns"
#: Options of ModelSpec under the same name there and here, and what they can be.
_SAME = {
    "hill_before_adstock": (bool,),
    "max_lag": (int,),
    "unique_sigma_for_each_geo": (bool,),
    "baseline_geo": (str, int),
}
_KINDS = {
    "media_prior_type": "media",
    "rf_prior_type": "reach_frequency",
    "organic_media_prior_type": "organic_media",
    "organic_rf_prior_type": "organic_reach_frequency",
    "non_media_treatments_prior_type": "non_media",
}
#: Columns of a channel of each kind: our word, Meridian's.
_PARTS: dict[ChannelKind, dict[str, str]] = {
    "media": {"media": "media", "spend": "media_spend"},
    "reach_frequency": {
        "reach": "reach",
        "frequency": "frequency",
        "spend": "rf_spend",
    },
    "organic_media": {"media": "organic_media"},
    "organic_reach_frequency": {
        "reach": "organic_reach",
        "frequency": "organic_frequency",
    },
}
_USED = {*_SAME, *_KINDS, "paid_media_prior_type", "prior", "media_effects_dist"}
_USED |= {"knots", "enable_aks", "adstock_decay_spec"}
_TOP = {_COLUMNS, "model_spec", "kpi_type"}
_TO_CHANNEL = ("media_to_channel", "media_spend_to_channel", "reach_to_channel")
_TO_CHANNEL += ("frequency_to_channel", "rf_spend_to_channel")
_TO_CHANNEL += ("organic_reach_to_channel", "organic_frequency_to_channel")


def is_meridian(document: Mapping[str, Any]) -> bool:
    """Whether a document holds Meridian's columns."""
    return isinstance(document.get(_COLUMNS), Mapping)


def read_meridian(
    document: Mapping[str, Any], filename: str, frame: pd.DataFrame | None = None
) -> Brought:
    """The mapping, options and priors that Meridian's arguments give.

    Raises:
        SchemaError: There is no table, it lacks columns, or channels are incomplete.
    """
    if frame is None:
        raise needs_table(filename)
    read = _Columns(document, filename)
    mapping = read.mapping()
    named = [mapping.time, mapping.kpi, mapping.geo, mapping.population]
    named += [mapping.revenue_per_kpi, *mapping.controls]
    named += [column for channel in mapping.channels for column in channel.columns()]
    check_columns([name for name in named if isinstance(name, str)], frame, filename)
    options = document.get("model_spec")
    options = options if isinstance(options, Mapping) else {}
    lost: list[str] = []
    spec = _with_options(default_spec(mapping), options, lost)
    spec = _with_priors(spec, options.get("prior"), lost)
    lost += [key for key in options if key not in _USED and options[key] is not None]
    lost += [key for key in document if key not in _TOP and key not in _TO_CHANNEL]
    lines = ["Meridian's defaults fill what the file leaves open (preset)."]
    lines += [*read.notes, *not_taken(lost)]
    findings = tuple(Finding("info", filename, message) for message in lines)
    return Brought(mapping, spec, findings)


class _Columns:
    """Meridian's columns: which channel each belongs to."""

    def __init__(self, document: Mapping[str, Any], filename: str):
        self.document, self.filename = document, filename
        self.columns: Mapping[str, Any] = document[_COLUMNS]
        self.notes: list[str] = []

    def mapping(self) -> ColumnMapping:
        """The roles of columns.

        Raises:
            SchemaError: Lists of one kind of channel differ in length.
        """
        kind = self.document.get("kpi_type")
        said = str(kind).strip().casefold().replace("-", "_")
        if kind is not None and said not in get_args(KpiType):
            self.notes.append(
                f"kpi_type {str(kind)[:40]} is not known: the KPI is taken as a count."
            )
        return ColumnMapping(
            time=self.text("time") or "time",
            kpi=self.text("kpi") or "kpi",
            geo=self.text("geo"),
            kpi_type="revenue" if said == "revenue" else "non_revenue",
            revenue_per_kpi=self.text("revenue_per_kpi"),
            population=self.text("population"),
            controls=tuple(self.texts("controls")),
            channels=tuple(self.channels()),
        )

    def text(self, key: str) -> str | None:
        """One column."""
        value = self.columns.get(key)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> list[str]:
        """A list of columns."""
        value = self.columns.get(key) or []
        value = [value] if isinstance(value, str) else value
        return [str(text) for text in value] if isinstance(value, list) else []

    def channels(self) -> list[ChannelColumns]:
        """Paid, then organic channels, then treatments."""
        columns = [
            ChannelColumns(name, kind, **dict(zip(parts, named, strict=True)))
            for kind, parts in _PARTS.items()
            for name, *named in self.together(*parts.values())
        ]
        treatments = self.texts("non_media_treatments")
        return columns + [
            ChannelColumns(name, "non_media", column=name) for name in treatments
        ]

    def together(self, *keys: str) -> list[tuple[str, ...]]:
        """Columns of the same channel: by its name, else by their order."""
        columns = [self.texts(key) for key in keys]
        if len({len(names) for names in columns}) > 1:
            raise SchemaError(
                f"{listed(list(keys))} in {self.filename} differ in length.",
                hint="Give every channel each of them, in one order.",
                where=self.filename,
            )
        named = []
        for key, names in zip(keys, columns, strict=True):
            called = self.document.get(f"{key}_to_channel")
            called = called if isinstance(called, Mapping) else {}
            named.append(
                {str(called.get(name, at)): name for at, name in enumerate(names)}
            )
        order = list(named[0]) if named else []
        if any(set(entries) != set(order) for entries in named):
            named = [dict(enumerate(names)) for names in columns]
            order = list(range(len(columns[0])))
        is_numbered = all(str(channel).isdigit() for channel in order)
        return [
            (
                named[0][channel] if is_numbered else str(channel),
                *(entries[channel] for entries in named),
            )
            for channel in order
        ]


def _with_options(
    spec: ModelSpec, options: Mapping[str, Any], lost: list[str]
) -> ModelSpec:
    same = {key: options[key] for key in _SAME if options.get(key) is not None}
    changes: dict[str, Any] = {
        key: value for key, value in same.items() if type(value) in _SAME[key]
    }
    lost += [
        f"{key} {value!s:.40}" for key, value in same.items() if key not in changes
    ]
    if options.get("media_effects_dist") in ("log_normal", "normal"):
        changes["media_effects"] = options["media_effects_dist"]
    knots = options.get("knots")
    if options.get("enable_aks"):
        changes["knots"] = "auto"
    elif isinstance(knots, int):
        changes["knots"] = knots
    elif isinstance(knots, list) and all(isinstance(each, int) for each in knots):
        changes["knots"] = tuple(knots)
    elif knots is not None:
        lost.append(f"knots {knots!s:.40}")
    kinds = {kind: options.get(key) for key, kind in _KINDS.items()}
    both = options.get("paid_media_prior_type")
    decays = options.get("adstock_decay_spec") or {}
    channels = []
    for channel in spec.channels:
        default = both if channel.kind in ("media", "reach_frequency") else None
        kind = kinds[channel.kind] or default
        decay = decays.get(channel.name) if isinstance(decays, Mapping) else decays
        channels.append(_channel(channel, kind, decay, lost))
    return replace(spec, preset="meridian", channels=tuple(channels), **changes)


def _channel(
    channel: ChannelSpec, kind: object, decay: object, lost: list[str]
) -> ChannelSpec:
    if kind in get_args(PriorKind):
        channel = replace(channel, prior_kind=kind)
    elif kind is not None:
        lost.append(f"prior type {kind} of {channel.name}")
    if decay in get_args(Adstock):
        channel = replace(channel, adstock=decay)
    elif decay is not None:
        lost.append(f"adstock {decay} of {channel.name}")
    return channel


def _with_priors(spec: ModelSpec, entries: object, lost: list[str]) -> ModelSpec:
    """Priors by Meridian's names, which are ours; lists hold one per channel."""
    shared: list = []
    channels = {channel.name: channel for channel in spec.channels}
    for name, entry in (entries if isinstance(entries, Mapping) else {}).items():
        stem, _, end = str(name).rpartition("_")
        group = [channel for channel in spec.channels if SUFFIX[channel.kind] == end]
        if name not in DEFAULT_PRIORS:
            lost.append(f"prior of {name}")
        elif group and group[0].treatment_parameter == name:
            for at, channel in enumerate(group):
                prior = tfp_prior(entry, at)
                channels[channel.name] = replace(channels[channel.name], prior=prior)
                lost += [] if prior else [f"prior of {name}"]
        elif group and isinstance(entry, Mapping) and _has_list(entry):
            for at, channel in enumerate(group):
                prior = tfp_prior(entry, at)
                old = channels[channel.name]
                priors = [*old.priors, (stem, prior)] if prior else old.priors
                channels[channel.name] = replace(old, priors=tuple(sorted(priors)))
                lost += [] if prior else [f"prior of {name}"]
        elif (prior := tfp_prior(entry)) is not None:
            shared.append((name, prior))
        else:
            lost.append(f"prior of {name}")
    lost[:] = list(dict.fromkeys(lost))
    every = tuple(channels[channel.name] for channel in spec.channels)
    return replace(spec, channels=every, priors=tuple(sorted(shared)))


def _has_list(entry: Mapping[str, Any]) -> bool:
    return any(isinstance(value, list) for value in entry.values())
