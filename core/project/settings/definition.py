"""Project: one market to be modelled, as its project.toml defines it."""

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from core.data.demand.names import ALL, Kind
from core.data.demand.names import kind_of as kind_of_name
from core.data.experiments.entry import Entry, number_faults
from core.data.layout.recipe import Layout
from core.data.mapping import ColumnMapping
from core.data.query.definition import Query
from core.errors import SpecError
from core.fit.settings import SamplerSettings
from core.model.spec import ModelSpec
from core.store.atomic import json_text
from core.text.languages.language import SOURCE, marked
from core.text.languages.locale import STANDARD

if TYPE_CHECKING:
    import pandas as pd

_NO_INDEX = ("price_index", ())


@dataclass(frozen=True)
class Funnel:
    """A step on the way to this project's KPI, which has a project of its own.

    Attributes:
        mediator: The organic channel here that is the KPI there.
        project: Path or name of the project there.
        cost: Column of what the mediator cost; empty where it costs nothing.
    """

    mediator: str
    project: str
    cost: str = ""


@dataclass(frozen=True)
class Project:
    """What project.toml says.

    Attributes:
        name: The project, as shown.
        currency: Code or sign of the currency of spend and revenue.
        file: The data file, in the project's folder.
        mapping: The role of each column.
        spec: The model options and priors.
        sampler: How to sample.
        experiments: Results of lift tests, as project.toml lists them.
        layout: How the table was made from files; None where it is one file as it
            lies.
        query: Where the table comes from, beside files; None for files alone.
        locale: How numbers, money and dates are written: a name of `LOCALES`.
        language: What its reports speak unless one is asked for: of `LANGUAGES`.
        funnels: Steps on the way to the KPI.
        kinds: Channels whose kind is not what their name says, with the name of the
            kind (`core.data.demand.names.ALL`).
    """

    name: str
    currency: str
    file: str
    mapping: ColumnMapping
    spec: ModelSpec
    sampler: SamplerSettings
    experiments: tuple[Entry, ...] = ()
    layout: Layout | None = None
    query: Query | None = None
    locale: str = STANDARD
    language: str = SOURCE
    funnels: tuple[Funnel, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()

    def kind_of(self, channel: str) -> Kind:
        """The kind of a channel: as somebody said, else by its name."""
        stated = dict(self.kinds).get(channel)
        return kind_of_name(channel) if stated is None else ALL[stated]

    def own_table(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        """A table without what mediators cost: no channel's spend, and not unused.

        Args:
            frame: The project's, or one to take its place.
        """
        costs = [funnel.cost for funnel in self.funnels if funnel.cost]
        return frame.drop(columns=costs, errors="ignore") if costs else frame

    def lift_tests(self) -> tuple[Entry, ...]:
        """The experiments as the model takes them.

        Raises:
            SpecError: A result means nothing, such as a standard error of zero.
        """
        for test in self.experiments:
            name = f"The experiment on {test.channel} from {test.start}"
            for message, hint in number_faults(test, name):
                raise SpecError(message, hint=hint, where="experiment")
        return self.experiments


def spec_sha256(project: Project) -> str:
    """SHA-256 of everything but the data that decides what a fit estimates.

    The name, the currency, the locale, the language and the sampler settings are left
    out, and how a prior was written.
    """
    parts = {
        "mapping": asdict(project.mapping, dict_factory=_without_no_index),
        "spec": asdict(project.spec, dict_factory=_as_it_counts),
        "experiments": [entry.as_table() for entry in project.experiments],
    }
    if project.funnels:
        parts["funnels"] = [asdict(funnel) for funnel in project.funnels]
    return hashlib.sha256(json_text(parts).encode()).hexdigest()


def _without_no_index(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """One price is what a mapping without an index says."""
    return {name: value for name, value in fields if (name, value) != _NO_INDEX}


def _as_it_counts(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if name != "written"}


def changes(before: Project, after: Project) -> list[str]:
    """What differs between two projects in what a fit estimates, in words."""
    reasons = []
    old, new = (
        [channel.name for channel in project.spec.channels]
        for project in (before, after)
    )
    shared = set(old) & set(new)
    if old != new:
        reasons.append(marked("the channels changed"))
    elif before.mapping != after.mapping:
        reasons.append(marked("the column mapping changed"))
    if _priors(before, shared) != _priors(after, shared):
        reasons.append(marked("priors changed"))
    if _options(before, shared) != _options(after, shared):
        reasons.append(marked("model options changed"))
    if before.experiments != after.experiments:
        reasons.append(marked("experiments changed"))
    if before.funnels != after.funnels:
        reasons.append(marked("the funnel changed"))
    return reasons


def _priors(project: Project, shared: set[str]) -> dict[str, object]:
    channels = {
        channel.name: (
            channel.effective_prior_kind,
            channel.treatment_prior,
            channel.priors,
            channel.calibration,
        )
        for channel in project.spec.channels
        if channel.name in shared
    }
    return {"channels": channels, "model": project.spec.priors}


def _options(project: Project, shared: set[str]) -> dict[str, object]:
    spec = asdict(project.spec)
    del spec["priors"]
    spec["channels"] = {
        channel.name: (channel.adstock, channel.saturation, channel.max_lag)
        + (channel.baseline, channel.follows_demand)
        for channel in project.spec.channels
        if channel.name in shared
    }
    return spec
