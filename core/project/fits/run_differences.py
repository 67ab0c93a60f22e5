"""Differences between two runs in what they were given: data, options, sampler."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from msgspec import Struct

from core import text as fmt
from core.data.experiments.entry import Entry
from core.errors import MMMError
from core.model.priors.prior import Prior, describe
from core.project.fits.runs import Run
from core.project.settings.definition import Project
from core.project.settings.project import load_project
from core.store.run_about import read_about
from core.store.stored import lenient, read_object

#: Marks a setting that one of the runs does not have.
ABSENT = "–"


class Setting(Struct, frozen=True):
    """What two runs were given that differs, as text."""

    name: str
    a: str
    b: str


def settings_that_differ(first: Run, second: Run) -> tuple[Setting, ...]:
    """Each setting that differs."""
    rows = dict(that_differ([_settings(first), _settings(second)]))
    if "data" in rows:
        from core.project.fits import data_differences  # reads tables

        with contextlib.suppress(MMMError):  # their fingerprints differ, whatever else
            rows["data"] = data_differences.in_words(first, second)
    return tuple(Setting(name, ours, theirs) for name, (ours, theirs) in rows.items())


def options_that_differ(runs: Sequence[Run]) -> list[dict[str, str]]:
    """What each of several fits assumes that not all of them do; names and texts.

    Raises:
        MMMError: A run's project.toml cannot be read.
    """
    every = [settings_of(load_project(run.folder)) for run in runs]
    rows = that_differ(every)
    return [{name: texts[place] for name, texts in rows} for place in range(len(runs))]


def that_differ(
    every: Sequence[Mapping[str, str]],
) -> list[tuple[str, tuple[str, ...]]]:
    """Settings that several states do not share: each by name, with its text in all."""
    rows = [
        (name, tuple(each.get(name, ABSENT) for each in every))
        for name in dict.fromkeys(name for each in every for name in each)
    ]
    return [(name, texts) for name, texts in rows if len(set(texts)) > 1]


def has_same_data(first: Run, second: Run) -> bool:
    """Whether both were fitted on the same table, read in the same way."""
    if not first.data_sha256 or first.data_sha256 != second.data_sha256:
        return False
    try:
        return load_project(first.folder).mapping == load_project(second.folder).mapping
    except MMMError:
        return False


@dataclass(frozen=True)
class _Made:
    """What is read of a fit.json that may be damaged."""

    device: str = ""


def _settings(run: Run) -> dict[str, str]:
    """Every setting of a run as text, by name."""
    about = read_about(run.folder)
    device = lenient(read_object(run.folder / "result" / "fit.json"), _Made).device
    settings = {"data": run.data_sha256[:12]}
    try:
        settings |= settings_of(load_project(run.folder))
    except MMMError:
        settings["model options"] = "cannot be read"
    settings |= {name: _plain(value) for name, value in run.sampler.as_dict().items()}
    if device:
        settings["computed on"] = device
    if about.continues:
        settings["continues"] = about.continues
    settings |= {f"version of {key}": str(value) for key, value in run.versions.items()}
    return settings


def settings_of(project: Project) -> dict[str, str]:
    """Columns, options, priors and experiments of a project as texts, by name."""
    settings: dict[str, str] = {}
    for name, value in _values(project.mapping):
        if name != "channels":
            settings[f"column: {name}"] = _plain(value)
    for channel in project.mapping.channels:
        for name, value in _values(channel):
            settings[f"{channel.name}: column, {name}"] = _plain(value)
    for name, value in _values(project.spec):
        if name == "priors":
            settings |= {f"prior of {key}": describe(prior) for key, prior in value}
        elif name not in ("channels", "experiments"):
            settings[name] = _plain(value)
    for channel in project.spec.channels:
        for name, value in _values(channel):
            if name == "priors":
                more = {
                    f"{channel.name}: prior of {key}": _plain(p) for key, p in value
                }
                settings |= more
            elif name != "name":
                settings[f"{channel.name}: {name}"] = _plain(value)
    for number, experiment in enumerate(project.experiments, 1):
        settings[f"lift test {number}"] = _of_test(experiment)
    return settings


def _of_test(test: Entry) -> str:
    """A lift test: its channels and days, its result, and what else is said of it."""
    rest = test.as_table()
    result = (test.start, test.end, test.incremental_outcome, test.standard_error)
    if None in result:  # a draft
        return _plain(rest)
    for key in ("channel", "together_with", "start", "end"):
        rest.pop(key, None)
    lift, error = (
        fmt.exact(rest.pop(key)) for key in ("incremental_outcome", "standard_error")
    )
    days = f"{fmt.date(test.start)} – {fmt.date(test.end)}"
    text = f"{' + '.join(test.channels)}, {days}: {lift} ± {error}"
    return f"{text}, {_plain(rest)}" if rest else text


def _values(setting: Any) -> list[tuple[str, Any]]:
    return [(field.name, getattr(setting, field.name)) for field in fields(setting)]


def _plain(value: Any) -> str:
    if value is None or value == ():
        return ABSENT
    if isinstance(value, Prior):
        return describe(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(setting)}" for key, setting in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(_plain(each) for each in value)
    return str(value)
