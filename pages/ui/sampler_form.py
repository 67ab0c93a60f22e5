"""Sampler settings: in one line, and in a form behind a button."""

from dataclasses import asdict, replace

import streamlit as st

from core.errors import SpecError
from core.fit.settings import SamplerSettings
from pages.ui import state
from pages.ui.fields import gated

#: What each number may be, its step, and one sentence about it.
_NUMBERS = {
    "chains": (1, 64, 1, "Independent chains; they must agree."),
    "warmup": (50, 100_000, 100, "Iterations per chain that tune the sampler."),
    "draws": (10, 100_000, 100, "Draws kept per chain."),
    "seed": (0, 2**31 - 1, 1, "The same seed gives the same numbers again."),
    "target_accept": (0.5, 0.999, 0.01, "Raise it where transitions diverge."),
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


_CHOICES = {
    "precision": (_PRECISIONS, "float64 is slower, and exact to more digits."),
    "device": (_DEVICES, "Where to compute."),
}
#: Left and right in turn.
_ORDER = ("chains", "seed", "warmup", "draws", "precision", "device")
_ORDER += ("target_accept", "max_tree_depth")


def in_one_line(settings: SamplerSettings) -> str:
    """The settings in one line."""
    on = _DEVICES[settings.device]
    return (
        f"{settings.chains} chains of {settings.warmup:,} warm-up and "
        f"{settings.draws:,} kept draws · seed {settings.seed} · "
        f"{settings.precision} · on {on}"
    )


def of_run(sampler: dict) -> str:
    """The settings of a run in few words."""
    known = {k: v for k, v in sampler.items() if k in asdict(SamplerSettings())}
    try:
        settings = SamplerSettings(**known)
    except (SpecError, TypeError):
        return ""
    length = f"{settings.warmup:,} + {settings.draws:,}"
    return f"{settings.chains} × ({length}), {settings.precision}"


def form(settings: SamplerSettings, *, disabled: bool) -> SamplerSettings:
    """The settings as edited.

    Raises:
        SpecError: They cannot be run.
    """
    values = asdict(settings)
    columns = st.columns(2)
    for i, name in enumerate(_ORDER):
        with columns[i % 2]:
            values[name] = _field(name, values[name], disabled)
    return replace(settings, **values)


def _field(name: str, value, disabled: bool):
    """One setting, with one sentence about it and its default."""
    default = getattr(SamplerSettings(), name)
    same = {"key": _key(name), "disabled": disabled}
    if name in _CHOICES:
        options, about = _CHOICES[name]
        return gated.selectbox(
            _NAMES[name],
            list(options),
            list(options).index(value),
            format_func=options.get,
            help=f"{about} Default: {options[default]}.",
            **same,
        )
    low, high, step, about = _NUMBERS[name]
    form = "%.3f" if isinstance(default, float) else None
    return gated.number_input(
        _NAMES[name],
        low,
        high,
        value,
        step,
        format=form,
        help=f"{about} Default: {default}.",
        **same,
    )


def _key(name: str) -> str:
    return f"fit.set.{name}.{state.edition('sampler')}"
