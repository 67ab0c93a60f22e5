"""Sampler settings: what is not usual in one line, and a form behind a button."""

from dataclasses import asdict, replace

import streamlit as st

from core.errors import SpecError
from core.service.records.fit import RunSampler, SamplerSettings
from core.text.languages.language import marked, say
from pages.ui import state, words
from pages.ui.fields import gated

#: What each number may be, its step, and one sentence about it.
_NUMBERS = {
    "chains": (1, 64, 1, marked("Independent chains; they must agree.")),
    "warmup": (
        50,
        100_000,
        100,
        marked(
            "Most iterations per chain that tune the sampler; fewer where that is "
            "enough."
        ),
    ),
    "draws": (10, 100_000, 100, marked("Draws kept per chain.")),
    "seed": (0, 2**31 - 1, 1, marked("The same seed gives the same numbers again.")),
    "target_accept": (0.5, 0.999, 0.01, marked("Raise it where transitions diverge.")),
    "max_tree_depth": (
        3,
        15,
        1,
        marked("At most two to this power leapfrog steps per draw."),
    ),
}
_NAMES = {
    "chains": marked("Chains"),
    "warmup": marked("Warm-up"),
    "draws": marked("Draws"),
    "seed": marked("Seed"),
    "precision": marked("Precision"),
    "device": marked("Device"),
    "target_accept": marked("Target acceptance"),
    "max_tree_depth": marked("Largest tree depth"),
}
_PRECISIONS = {"float32": "float32", "float64": "float64"}
_DEVICES = {
    "auto": marked("an accelerator where there is one"),
    "cpu": "CPU",
    "gpu": "GPU",
    "tpu": "TPU",
}


_CHOICES = {
    "precision": (
        _PRECISIONS,
        marked(
            "float64 is exact to more digits: slower on a CPU, the better choice on a "
            "GPU."
        ),
    ),
    "device": (_DEVICES, marked("Where to compute.")),
}
#: Left and right in turn.
_ORDER = ("chains", "seed", "warmup", "draws", "precision", "device")
_ORDER += ("target_accept", "max_tree_depth")


def changed(settings: SamplerSettings) -> str:
    """The settings that are not the usual ones, in one line; empty where none is."""
    usual = SamplerSettings()
    return " · ".join(
        f"{say(_NAMES[name])} {_setting_text(name, value)}"
        for name in _ORDER
        if (value := getattr(settings, name)) != getattr(usual, name)
    )


def _setting_text(name: str, value) -> str:
    if name in _CHOICES:
        return say(_CHOICES[name][0][value])
    return f"{value:,}"


def of_run(sampler: RunSampler, warmup: int | None = None) -> str:
    """The settings of a run in few words.

    Args:
        sampler: The settings, of which warm-up is the most that it may take.
        warmup: What it took; None where that is not known.
    """
    try:
        settings = SamplerSettings(**sampler.as_dict())
    except (SpecError, TypeError):
        return ""
    first = f"≤\u00a0{settings.warmup:,}" if warmup is None else f"{warmup:,}"
    length = f"{first} + {settings.draws:,}"
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
    same = {"key": f"fit.set.{name}.{state.edition('sampler')}", "disabled": disabled}
    if name in _CHOICES:
        options, about = _CHOICES[name]
        return gated.selectbox(
            say(_NAMES[name]),
            list(options),
            list(options).index(value),
            format_func=words.said(options),
            help=say(
                "{about} Default: {default}.",
                about=say(about),
                default=say(options[default]),
            ),
            **same,
        )
    low, high, step, about = _NUMBERS[name]
    form = "%.3f" if isinstance(default, float) else None
    return gated.number_input(
        say(_NAMES[name]),
        low,
        high,
        value,
        step,
        format=form,
        help=say("{about} Default: {default}.", about=say(about), default=default),
        **same,
    )
