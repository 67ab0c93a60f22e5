"""[[funnel]] of project.toml, read: steps on the way to the KPI."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.data.mapping import ChannelColumns, ColumnMapping
from core.model.priors.prior import prior
from core.model.spec import ChannelSpec
from core.project.settings.definition import Funnel
from core.toml.document import Problem
from core.toml.table import TableReader

#: Share of the outcome that comes by way of a mediator: next to nothing is known of
#: it before. Meridian's own prior of organic media, of 1 %, would hold it back.
_SHARE = prior("Beta", concentration1=1.0, concentration0=3.0)


def read_funnels(
    root: TableReader, columns: Sequence[ChannelColumns]
) -> tuple[Funnel, ...]:
    """The funnels of a file, each mediator by the name of its channel.

    Args:
        root: The file.
        columns: Of the channels that the file lists.
    """
    by_column = {each.media: each.name for each in columns if each.media}
    funnels = []
    for table in root.children("funnel"):
        mediator = table.owner = table.required(
            "mediator", "Name the column that is the KPI of another project."
        )
        project = table.required(
            "project", "Name the project whose KPI the mediator is."
        )
        cost = table.text("cost", "") or ""
        table.finish()
        name = by_column.get(mediator, mediator)
        if mediator and name in [funnel.mediator for funnel in funnels]:
            table.problem(f"{mediator} is a mediator twice.", "Keep one [[funnel]].")
        elif mediator and project:
            funnels.append(Funnel(name, project, cost))
    return tuple(funnels)


def with_mediators(
    funnels: Sequence[Funnel],
    columns: tuple[ChannelColumns, ...],
    specs: tuple[ChannelSpec, ...],
    model: object,
) -> tuple[tuple[ChannelColumns, ...], tuple[ChannelSpec, ...]]:
    """Columns and options of the channels, with those of mediators.

    A mediator is organic media whose effect is in proportion to it: that is how what a
    channel adds to it is worth the same however much there is.

    Args:
        funnels: Of the project.
        columns: Of the channels that the file lists.
        specs: Their options.
        model: The table [model] of the file, as it stands there.
    """
    is_meridian = isinstance(model, dict) and model.get("preset") == "meridian"
    for funnel in funnels:
        name = funnel.mediator
        if name not in [each.name for each in columns]:
            columns += (ChannelColumns(name, "organic_media", media=name),)
            specs += (ChannelSpec(name, "organic_media"),)
        specs = tuple(
            _as_mediator(spec, is_meridian)
            if spec.name == name and spec.kind == "organic_media"
            else spec
            for spec in specs
        )
    return columns, specs


def _as_mediator(spec: ChannelSpec, is_meridian: bool) -> ChannelSpec:
    spec = replace(spec, saturation="none")
    if spec.prior is not None or spec.prior_kind or is_meridian:
        return spec
    return replace(spec, prior_kind="contribution", prior=_SHARE)


def check_funnels(
    root: TableReader, funnels: Sequence[Funnel], mapping: ColumnMapping
) -> None:
    """Collect what is wrong with funnels that can be seen in the file alone."""
    listed = root.table.get("channel", [])
    saturates = {
        each.get("name") for each in listed if each.get("saturation") == "hill"
    }
    together = {
        name
        for each in root.table.get("experiment", [])
        if each.get("together_with")
        for name in (each.get("channel"), *each["together_with"])
    }
    for place, funnel in enumerate(funnels):
        problems = [
            *_of_role(funnel, mapping),
            *_of_cost(funnel, mapping),
            *_of_options(funnel, saturates, together),
        ]
        root.problems += [
            Problem(("funnel", place, "mediator"), message, hint)
            for message, hint in problems
        ]


def _of_role(funnel: Funnel, mapping: ColumnMapping) -> Iterator[tuple[str, str]]:
    """What else the mediator is here."""
    name = funnel.mediator
    channel = next(each for each in mapping.channels if each.name == name)
    if mapping.kpi in (name, channel.media):
        yield (
            f"{name} is the KPI of this project, and so no step on the way to it.",
            "Name another column as mediator, or take out [[funnel]].",
        )
    elif channel.kind != "organic_media":
        yield (
            f"{name} is a mediator, but of the kind {channel.kind}.",
            'Make it kind = "organic_media", or name another column.',
        )
    if {name, channel.media} & set(mapping.controls):
        yield (
            f"{name} is a mediator and a control: as a control it would take from "
            "channels what they caused.",
            "Take it out of controls.",
        )


def _of_cost(funnel: Funnel, mapping: ColumnMapping) -> Iterator[tuple[str, str]]:
    """Who else pays what the mediator costs."""
    if what := _role_of(funnel.cost, mapping):
        yield (
            f"{funnel.cost} is {what} and the cost of mediator {funnel.mediator}.",
            "Name the column of what was paid for it, or take cost out.",
        )
    payers = [each.name for each in mapping.channels if each.spend == funnel.cost]
    if funnel.cost and payers:
        yield (
            f"{funnel.cost} is the spend of channel {payers[0]} and the cost of "
            f"mediator {funnel.mediator}: a budget would pay it twice.",
            f"Take cost out, or take {payers[0]} out of the channels.",
        )


def _role_of(column: str, mapping: ColumnMapping) -> str:
    """What else a column is than money; empty where it is nothing else."""
    roles = {
        mapping.time: "the time",
        mapping.geo: "the geo",
        mapping.kpi: "the KPI",
        mapping.population: "the population",
        mapping.revenue_per_kpi: "the value of a unit of the KPI",
    }
    roles |= dict.fromkeys(mapping.controls, "a control")
    spends = [each.spend for each in mapping.channels]
    for each in mapping.channels:
        columns = [each.media, each.reach, each.frequency]
        roles |= {
            name: f"media of {each.name}"
            for name in columns
            if name and name not in spends
        }
    return roles.get(column, "") if column else ""


def _of_options(
    funnel: Funnel, saturates: set[str], together: set[str]
) -> Iterator[tuple[str, str]]:
    """Options and lift tests that a mediator cannot have.

    A test of it alone changed it and nothing before it: what it measured is an effect
    of this model's own.
    """
    name = funnel.mediator
    if name in saturates:
        yield (
            f"{name} is a mediator and saturates: what a channel adds to it could then "
            "not be told from what is there.",
            'Set saturation = "none" for it, or take out [[funnel]].',
        )
    if name in together:
        yield (
            f"[[experiment]] changed mediator {name} together with other channels: "
            f"what these bring by way of {name} would count twice.",
            f"Give a test of {name} alone, or of the other channels alone.",
        )
