"""Reference cases: from case.json to InputData, ModelSpec and draws.

The format is described in the README beside the cases. An option that is not known
here is an error, never a skip.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from core.data.input_data import InputData, Treatments
from core.dims import NATIONAL_GEO
from core.model.priors.prior import PARAMETERS, Prior, prior
from core.model.spec import SUFFIX, ChannelSpec, ModelSpec

_KNOWN = {
    "media_effects_dist",
    "hill_before_adstock",
    "max_lag",
    "unique_sigma_for_each_geo",
    "media_prior_type",
    "rf_prior_type",
    "organic_media_prior_type",
    "organic_rf_prior_type",
    "non_media_treatments_prior_type",
    "non_media_baseline_values",
    "knots",
    "enable_aks",
    "baseline_geo",
    "roi_calibration",
    "rf_roi_calibration",
    "holdout_cells",
    "population_scaled_controls",
    "population_scaled_non_media_channels",
    "adstock_decay_spec",
    "saturation_spec",
}
_PRIOR_TYPE = {
    "media": "media_prior_type",
    "reach_frequency": "rf_prior_type",
    "organic_media": "organic_media_prior_type",
    "organic_reach_frequency": "organic_rf_prior_type",
    "non_media": "non_media_treatments_prior_type",
}
_STEMS = ("alpha", "ec", "slope", "eta")
_TREATMENTS = ("roi", "mroi", "contribution", "beta", "gamma")


class UnknownOption(Exception):
    """The case uses something that this reader does not know."""


@dataclass(frozen=True)
class Case:
    """One reference case, read."""

    name: str
    raw: dict
    data: InputData
    spec: ModelSpec
    draws: dict[str, np.ndarray]
    expected: dict[str, np.ndarray]


def read_case(folder: Path, data_folder: Path) -> Case:
    raw = json.loads((folder / "case.json").read_text())
    data = _input_data(raw, data_folder)
    draws = dict(np.load(folder / "draws.npz"))
    expected = dict(np.load(folder / "expected.npz"))
    return Case(folder.name, raw, data, _spec(raw, data), draws, expected)


def _grid(frame: pd.DataFrame, columns: dict, geos, times, names: list[str]):
    """geo time channel array of columns."""
    if not names:
        return np.zeros((len(geos), len(times), 0))
    if columns["geo"] is None:
        indexed = frame.set_index(columns["time"]).loc[times, names]
        return indexed.to_numpy(float)[None]
    indexed = frame.set_index([columns["geo"], columns["time"]])[names]
    wanted = pd.MultiIndex.from_product([geos, times])
    return indexed.loc[wanted].to_numpy(float).reshape(len(geos), len(times), -1)


def _input_data(raw: dict, data_folder: Path) -> InputData:
    columns = raw["columns"]
    frame = pd.read_csv(data_folder / raw["dataset"])
    geos = raw["geos"] or [NATIONAL_GEO]
    times, media_times = raw["times"], raw["media_times"]

    def at(which, names):
        return _grid(frame, columns, geos, which, names)

    def group(key: str, unit: str, *, spend: bool, frequency: bool) -> Treatments:
        given = columns[key]
        if not given:
            return Treatments()
        return Treatments(
            names=tuple(one["channel"] for one in given),
            units=at(media_times, [one[unit] for one in given]),
            frequency=at(media_times, [one["frequency"] for one in given])
            if frequency
            else None,
            spend=at(times, [one["spend"] for one in given]) if spend else None,
        )

    def names_of(given):
        return [one if isinstance(one, str) else one["column"] for one in given]

    population = np.ones(1)
    if columns["population"]:
        population = at(times, [columns["population"]])[:, :, 0].mean(axis=1)
    value = columns["revenue_per_kpi"]
    non_media = names_of(columns["non_media_treatments"])
    return InputData(
        geos=tuple(geos),
        times=np.array(times, "datetime64[D]"),
        media_times=np.array(media_times, "datetime64[D]"),
        kpi=at(times, [columns["kpi"]])[:, :, 0],
        kpi_type=columns["kpi_type"],
        revenue_per_kpi=at(times, [value])[:, :, 0] if value else None,
        population=population,
        controls=at(times, columns["controls"]),
        control_names=tuple(columns["controls"]),
        media=group("media", "media", spend=True, frequency=False),
        reach_frequency=group("rf", "reach", spend=True, frequency=True),
        organic_media=group("organic_media", "media", spend=False, frequency=False),
        organic_reach_frequency=group(
            "organic_rf", "reach", spend=False, frequency=True
        ),
        non_media=Treatments(tuple(non_media), at(times, non_media))
        if non_media
        else Treatments(),
    )


def _of_channel(option, name: str, default):
    return option.get(name, default) if isinstance(option, dict) else option


def _calibration(given: list | None, name: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        tuple(window)
        for entry in given or []
        if name in entry["channels"]
        for window in entry["date_ranges"]
    )


def _spec(raw: dict, data: InputData) -> ModelSpec:
    given = raw["spec"]
    unknown = sorted(set(given) - _KNOWN)
    if unknown:
        raise UnknownOption(f"option {unknown[0]}")
    calibration = (given["roi_calibration"] or []) + (given["rf_roi_calibration"] or [])
    baselines = given["non_media_baseline_values"]
    common, by_channel = _priors(raw, data)
    channels = []
    for kind, option in _PRIOR_TYPE.items():
        for place, name in enumerate(getattr(data, kind).names):
            baseline = "min" if baselines is None else baselines[place]
            channels.append(
                ChannelSpec(
                    name=name,
                    kind=kind,
                    adstock=_of_channel(given["adstock_decay_spec"], name, "geometric"),
                    saturation=_of_channel(given["saturation_spec"], name, "hill"),
                    prior_kind=given[option],
                    calibration=_calibration(calibration, name),
                    baseline=baseline,
                    **by_channel.get((kind, place), {}),
                )
            )
    knots = given["knots"]
    if given["enable_aks"]:
        knots = "auto"
    return ModelSpec(
        channels=tuple(channels),
        preset="meridian",
        knots=tuple(knots) if isinstance(knots, list) else knots,
        media_effects=given["media_effects_dist"],
        hill_before_adstock=given["hill_before_adstock"],
        max_lag=given["max_lag"],
        unique_sigma_for_each_geo=given["unique_sigma_for_each_geo"],
        baseline_geo=_baseline_geo(given["baseline_geo"], data),
        holdout=tuple(tuple(cell) for cell in given["holdout_cells"] or ()),
        population_scaled_controls=tuple(given["population_scaled_controls"] or ()),
        population_scaled_non_media=tuple(
            given["population_scaled_non_media_channels"] or ()
        ),
        priors=tuple(common.items()),
    )


def _baseline_geo(given, data: InputData) -> str | None:
    return data.geos[given] if isinstance(given, int) else given


def _read_prior(given: dict, place: int | None = None) -> Prior:
    shift = 0.0
    if given["family"] == "Transformed":
        if given.get("bijector") != "Shift":
            raise UnknownOption(f"bijector {given.get('bijector')}")
        shift, given = given["shift"], given["base"]
    if given["family"] not in PARAMETERS:
        raise UnknownOption(f"prior family {given['family']}")

    def number(value):
        if isinstance(value, list):
            return value[place] if place is not None else value[0]
        return value

    numbers = {name: number(value) for name, value in given["params"].items()}
    return prior(given["family"], shift=shift, **numbers)


def _priors(raw: dict, data: InputData):
    """Priors that differ from the defaults: common ones, and ones per channel."""
    common: dict[str, Prior] = {}
    by_channel: dict[tuple[str, int], dict] = {}
    kinds = {suffix: kind for kind, suffix in SUFFIX.items()}
    for name, given in raw["priors"].items():
        stem, _, suffix = name.rpartition("_")
        params = (given.get("base") or given)["params"].values()
        is_list = any(isinstance(value, list) for value in params)
        if stem not in (*_STEMS, *_TREATMENTS) or suffix not in kinds:
            if is_list:
                raise UnknownOption(f"list of priors for {name}")
            common[name] = _read_prior(given)
            continue
        kind = kinds[suffix]
        for place in range(len(getattr(data, kind))):
            entry = by_channel.setdefault((kind, place), {"priors": ()})
            read = _read_prior(given, place)
            if stem in _TREATMENTS:
                entry["prior"] = read
            else:
                entry["priors"] = (*entry["priors"], (stem, read))
    return common, by_channel
