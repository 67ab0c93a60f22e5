"""Robyn: its model file as a mapping, options and priors, and what has no counterpart.

Robyn exports `InputCollect`, every value in a list, with the ranges that it searches
for hyperparameters; newer versions add the table itself as `Extras.raw_data`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from core.data.mapping import ChannelColumns, ColumnMapping
from core.data.reading.findings import Finding
from core.data.reading.numbers import as_numbers
from core.data.recognition.naming import read_name
from core.data.recognition.text_events import text_events
from core.errors import SchemaError
from core.model.inputs.events import Event
from core.model.priors.prior import Prior, prior
from core.model.spec import ChannelSpec, ModelSpec
from core.project.elsewhere.brought import Brought, check_columns, needs_table
from core.project.settings.defaults import default_spec
from core.text.sentences import listed

#: Robyn's hyperparameters that have a counterpart: its word, ours.
_SHARED = {"thetas": "alpha", "alphas": "slope"}
_LIMITS = {"alpha": (0.0, 1.0), "slope": (0.0, 20.0)}


def is_robyn(document: Mapping[str, Any]) -> bool:
    """Whether a document holds Robyn's inputs."""
    inputs = document.get("InputCollect", document)
    return isinstance(inputs, Mapping) and "paid_media_spends" in inputs


def read_robyn(
    document: Mapping[str, Any], filename: str, frame: pd.DataFrame | None = None
) -> Brought:
    """The mapping, options and priors of a model file of Robyn.

    Args:
        document: The parsed file.
        filename: Its name, for messages.
        frame: The table; None where the file holds it.

    Raises:
        SchemaError: The file is not Robyn's, or names columns that the table lacks.
    """
    inputs = document.get("InputCollect", document)
    extras = document.get("Extras", {})
    raw = extras.get("raw_data") if isinstance(extras, Mapping) else None
    if frame is None and isinstance(raw, list) and raw:
        frame = pd.DataFrame(raw)
    if frame is None:
        raise needs_table(filename)
    reader = _Inputs(inputs, frame, filename)
    mapping = reader.mapping()
    spec = _with_priors(default_spec(mapping, frame), reader)
    spec = _with_events(_with_baseline(spec, reader), reader, mapping)
    return Brought(mapping, spec, tuple(reader.said), frame)


class _Inputs:
    """Robyn's inputs, read value by value; what is worth saying is gathered."""

    def __init__(self, inputs: Mapping[str, Any], frame: pd.DataFrame, filename: str):
        self.inputs, self.frame, self.filename = inputs, frame, filename
        self.said: list[Finding] = []
        self.stems: dict[str, str] = {}
        self.factors: list[str] = []

    def texts(self, key: str) -> list[str]:
        """A list of texts; Robyn writes one text as a list or alone."""
        value = self.inputs.get(key) or []
        values = value if isinstance(value, list) else [value]
        return [str(entry) for entry in values if isinstance(entry, str | int | float)]

    def text(self, key: str) -> str | None:
        """One text."""
        return next(iter(self.texts(key)), None)

    def note(self, message: str, hint: str = "") -> None:
        """Say something about the file."""
        self.said.append(Finding("info", self.filename, message, hint))

    def mapping(self) -> ColumnMapping:
        """The roles of columns.

        Raises:
            SchemaError: A role is missing, or its column.
        """
        spends = self.texts("paid_media_spends")
        exposures = self.texts("paid_media_vars")
        if len(exposures) != len(spends):
            exposures = spends
        time, kpi = self.text("date_var"), self.text("dep_var")
        if not spends or time is None or kpi is None:
            raise SchemaError(
                f"{self.filename} lacks date_var, dep_var or paid_media_spends.",
                hint="Export it again with robyn_write().",
                where=self.filename,
            )
        organic = self.texts("organic_vars")
        self._check([time, kpi, *spends, *exposures, *organic])
        channels = [
            ChannelColumns(self._name(spend), "media", media=media, spend=spend)
            for spend, media in zip(spends, exposures, strict=True)
        ]
        channels += [
            ChannelColumns(self._name(name), "organic_media", media=name)
            for name in organic
        ]
        money = self.text("dep_var_type") != "conversion"
        return ColumnMapping(
            time=time,
            kpi=kpi,
            kpi_type="revenue" if money else "non_revenue",
            controls=tuple(self._controls()),
            channels=tuple(channels),
        )

    def _check(self, names: list[str]) -> None:
        check_columns(names, self.frame, self.filename)

    def _name(self, column: str) -> str:
        name = read_name(column).channel
        names = set(self.stems.values())
        self.stems[column] = column if name in names else name
        return self.stems[column]

    def _controls(self) -> list[str]:
        names, factors = self.texts("context_vars"), self.texts("factor_vars")
        self._check(names)
        numbers, texts = [], []
        for name in names:
            is_text = name in factors or as_numbers(self.frame[name]).bad.any()
            (texts if is_text else numbers).append(name)
        self.factors = texts
        return numbers

    def ranges(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Ranges of hyperparameters: by column of the channel, then by Robyn's word."""
        hyperparameters = self.inputs.get("hyperparameters")
        by_channel: dict[str, dict[str, tuple[float, float]]] = {}
        for key, value in (
            hyperparameters.items() if isinstance(hyperparameters, Mapping) else ()
        ):
            column, _, word = str(key).rpartition("_")
            numbers = value if isinstance(value, list) else [value]
            good = numbers and all(isinstance(n, int | float) for n in numbers)
            if column in self.stems and good:
                low, high = float(min(numbers)), float(max(numbers))
                by_channel.setdefault(column, {})[word] = (low, high)
            elif column in self.stems:
                self.note(
                    f"Robyn's range {column}_{word} is {str(value)[:40]}, which is not "
                    "a range of numbers: the default prior is used."
                )
        return by_channel


def _with_priors(spec: ModelSpec, reader: _Inputs) -> ModelSpec:
    """The ranges of retention and slope as uniform priors."""
    adstock = reader.text("adstock") or "geometric"
    shared = _SHARED if adstock == "geometric" else {"alphas": "slope"}
    ranges = {reader.stems[column]: words for column, words in reader.ranges().items()}
    channels: list[ChannelSpec] = []
    lost: set[str] = set()
    for channel in spec.channels:
        words = ranges.get(channel.name, {})
        priors = []
        for word, bounds in words.items():
            stem = shared.get(word)
            if stem is None:
                lost.add(word)
            else:
                priors.append((stem, _prior(stem, *bounds)))
        channels.append(replace(channel, priors=tuple(sorted(priors))))
    if any(channel.priors for channel in channels):
        names = "thetas (retention) and alphas (slope of Hill)"
        names = names if adstock == "geometric" else "alphas (slope of Hill)"
        reader.note(f"Robyn's ranges of {names} are uniform priors of each channel.")
    if adstock != "geometric":
        reader.note(
            f"Robyn's {adstock} adstock multiplies its weights up and has no "
            "counterpart: carryover is geometric with its default prior.",
            "Choose another adstock on the Model screen.",
        )
    if lost:
        reader.note(
            f"Robyn's {listed(sorted(lost))} have no counterpart: half-saturation is a "
            "share of the range of media there, and a multiple of typical exposure "
            "here.",
            "The default prior of ec is used.",
        )
    return replace(spec, channels=tuple(channels))


def _with_events(spec: ModelSpec, reader: _Inputs, mapping: ColumnMapping) -> ModelSpec:
    """The values of factors, which are text, as events."""
    events: list[Event] = []
    for column in reader.factors:
        of_column = [
            Event(*each) for each in text_events(reader.frame, mapping, column)
        ]
        names = listed(list(dict.fromkeys(event.name for event in of_column)))
        reader.note(
            f"{column} is text, a factor in Robyn: "
            + (f"{names} are events of the model." if of_column else "it is not used.")
        )
        events += of_column
    return replace(spec, events=tuple(dict.fromkeys(events)))


def _prior(stem: str, low: float, high: float) -> Prior:
    least, most = _LIMITS[stem]
    low, high = max(low, least), min(high, most)
    if high - low < 1e-9:
        return prior("Deterministic", loc=low)
    return prior("Uniform", low=low, high=high)


def _with_baseline(spec: ModelSpec, reader: _Inputs) -> ModelSpec:
    """Trend, season and holidays, and a list of what is left behind."""
    effects = set(reader.texts("prophet_vars"))
    country = (reader.text("prophet_country") or "").upper()
    changes: dict[str, Any] = {}
    if "holiday" in effects and len(country) == 2:
        changes["holidays"] = "GB" if country == "UK" else country
    if effects and "season" not in effects:
        changes["seasonality"] = 0
    if effects & {"trend", "season"}:
        reader.note("Trend and season of prophet are part of the structural baseline.")
    inputs = reader.inputs
    start, end = reader.text("window_start"), reader.text("window_end")
    if start and end:
        reader.note(
            f"Robyn's window {start} to {end} is not applied: every row is used.",
        )
    if inputs.get("calibration_input"):
        reader.note(
            "Robyn's calibration input is not taken over: it has a confidence but no "
            "standard error.",
            "Enter each test with its standard error on the Experiments screen.",
        )
    signs = [*reader.texts("context_signs"), *reader.texts("prophet_signs")]
    if set(signs) - {"default"}:
        reader.note("Signs of controls have no counterpart: data decide them.")
    if isinstance(inputs.get("hyperparameters"), Mapping):
        others = {"train_size", "lambda"} & set(inputs["hyperparameters"])
        if others:
            reader.note(f"{listed(sorted(others))} belongs to Robyn's search.")
    return replace(spec, **changes)
