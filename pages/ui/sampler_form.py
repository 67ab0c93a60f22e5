"""Sampler settings: in one line, and in a form behind a button."""

from dataclasses import asdict, replace

import streamlit as st

from core.errors import SpecError
from core.fit.settings import SamplerSettings
from pages.ui import state

#: What each number may be, its step, and one sentence about it.
_NUMBERS = {
    "chains": (1, 64, 1, "Independent chains; they must agree."),
    "warmup": (50, 100_000, 100, "Iterations per chain that tune the sampler."),
    "draws": (10, 100_000, 100, "Draws kept per chain."),
    "seed": (0, 2**31 - 1, 1, "The same seed gives the same numbers again."),
    "max_tree_depth": (3, 15, 1, "At most two to this power leapfrog steps per draw."),
}
_NAMES = {
    "chains": "Chains",
    "warmup": "Warm-up",
    "draws": "Draws",
    "seed": "Seed",
    "precision": "Precision",
    "device": "Device",
    "target_accept": "Target acceptance",
    "max_tree_depth": "Largest tree depth",
}
_PRECISIONS = {"float32": "float32", "float64": "float64"}
_DEVICES = {"auto": "the fastest device", "cpu": "CPU", "gpu": "GPU", "tpu": "TPU"}


def in_one_line(given: SamplerSettings) -> str:
    """The settings in one line."""
    on = _DEVICES[given.device]
    return (
        f"{given.chains} chains of {given.warmup:,} warm-up and {given.draws:,} kept "
        f"draws · seed {given.seed} · {given.precision} · on {on}"
    )


def of_run(sampler: dict) -> str:
    """The settings of a run in few words."""
    known = {k: v for k, v in sampler.items() if k in asdict(SamplerSettings())}
    try:
        given = SamplerSettings(**known)
    except (SpecError, TypeError):
        return ""
    return f"{given.chains} × ({given.warmup:,} + {given.draws:,}), {given.precision}"


def form(given: SamplerSettings, *, disabled: bool) -> SamplerSettings:
    """The settings as edited.

    Raises:
        SpecError: They cannot be run.
    """
    values = asdict(given)
    left, right = st.columns(2)
    for i, (name, (low, high, step, about)) in enumerate(_NUMBERS.items()):
        values[name] = (left, right)[i % 2].number_input(
            _NAMES[name],
            low,
            high,
            values[name],
            step,
            key=_key(name),
            help=f"{about} Default: {getattr(SamplerSettings(), name)}.",
            disabled=disabled,
        )
    for column, name, options, about in (
        (
            left,
            "precision",
            _PRECISIONS,
            "float64 is slower, and exact to more digits.",
        ),
        (right, "device", _DEVICES, "Where to compute."),
    ):
        values[name] = column.selectbox(
            _NAMES[name],
            list(options),
            list(options).index(values[name]),
            format_func=options.get,
            key=_key(name),
            help=f"{about} Default: {options[getattr(SamplerSettings(), name)]}.",
            disabled=disabled,
        )
    values["target_accept"] = left.number_input(
        _NAMES["target_accept"],
        0.5,
        0.999,
        given.target_accept,
        0.01,
        format="%.3f",
        key=_key("target_accept"),
        help="Raise it to 0.95 or more where transitions diverge. Default: 0.85.",
        disabled=disabled,
    )
    return replace(given, **values)


def _key(name: str) -> str:
    return f"fit.set.{name}.{state.edition('sampler')}"
