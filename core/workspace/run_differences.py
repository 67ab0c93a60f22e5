"""Differences between two runs in what they were given: data, options, sampler."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from core.errors import MMMError
from core.model.prior import Prior, describe
from core.workspace.definition import Project
from core.workspace.project import load_project
from core.workspace.runs import Run
from core.workspace.stored import read_object

#: Marks a setting that one of the runs does not have.
ABSENT = "–"


def settings_that_differ(first: Run, second: Run) -> list[dict[str, str]]:
    """Each setting that differs: its name, and its value `a` and `b` as texts."""
    one, other = (_settings(run) for run in (first, second))
    names = list(dict.fromkeys([*one, *other]))
    return [
        {"name": name, "a": one.get(name, ABSENT), "b": other.get(name, ABSENT)}
        for name in names
        if one.get(name, ABSENT) != other.get(name, ABSENT)
    ]


def options_that_differ(runs: Sequence[Run]) -> list[dict[str, str]]:
    """What each of several fits assumes that not all of them do; names and texts.

    Raises:
        MMMError: A run's project.toml cannot be read.
    """
    every = [_of_project(load_project(run.folder)) for run in runs]
    names = dict.fromkeys(name for each in every for name in each)
    shown = [
        name for name in names if len({each.get(name, ABSENT) for each in every}) > 1
    ]
    return [{name: each.get(name, ABSENT) for name in shown} for each in every]


def has_same_data(first: Run, second: Run) -> bool:
    """Whether both were fitted on the same table, read in the same way."""
    one, other = (read_object(run.folder / "run.json") for run in (first, second))
    if not one.get("data_sha256") or one["data_sha256"] != other.get("data_sha256"):
        return False
    try:
        return load_project(first.folder).mapping == load_project(second.folder).mapping
    except MMMError:
        return False


def _settings(run: Run) -> dict[str, str]:
    """Every setting of a run as text, by name."""
    about = read_object(run.folder / "run.json")
    told = read_object(run.folder / "result" / "fit.json")
    found = {"data": str(about.get("data_sha256", ""))[:12]}
    try:
        found |= _of_project(load_project(run.folder))
    except MMMError:
        found["model options"] = "cannot be read"
    found |= {name: _text(value) for name, value in run.sampler.items()}
    if told.get("device"):
        found["computed on"] = str(told["device"])
    if about.get("continues"):
        found["continues"] = str(about["continues"])
    found |= {f"version of {key}": str(value) for key, value in run.versions.items()}
    return found


def _of_project(project: Project) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _values(project.mapping):
        if name != "channels":
            found[f"column: {name}"] = _text(value)
    for channel in project.mapping.channels:
        for name, value in _values(channel):
            found[f"{channel.name}: column, {name}"] = _text(value)
    for name, value in _values(project.spec):
        if name == "priors":
            found |= {f"prior of {key}": describe(given) for key, given in value}
        elif name not in ("channels", "experiments"):
            found[name] = _text(value)
    for channel in project.spec.channels:
        for name, value in _values(channel):
            if name == "priors":
                more = {f"{channel.name}: prior of {key}": _text(p) for key, p in value}
                found |= more
            elif name != "name":
                found[f"{channel.name}: {name}"] = _text(value)
    for number, given in enumerate(project.experiments, 1):
        found[f"experiment {number}"] = _text(given)
    return found


def _values(given: Any) -> list[tuple[str, Any]]:
    return [(field.name, getattr(given, field.name)) for field in fields(given)]


def _text(value: Any) -> str:
    if value is None or value == ():
        return ABSENT
    if isinstance(value, Prior):
        return describe(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(given)}" for key, given in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(_text(each) for each in value)
    return str(value)
