"""Parts of a report that is read as a page: what it shows, in words, by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from core import text as fmt
from core.project.settings.definition import Project
from core.view.sections.headline import Headline
from core.view.sections.returns import ChannelRow
from core.view.sections.section import Section


@dataclass(frozen=True)
class Verdict:
    """The verdict on the fit.

    Attributes:
        word: `trustworthy`, `doubtful` or `failed`.
        title: In words.
        advice: What it means.
        reasons: Why.
        notes: What to know with it.
    """

    word: str
    title: str
    advice: str
    reasons: list[str]
    notes: list[str]


@dataclass(frozen=True)
class PriorRow:
    """What was believed of a channel, and its carryover and saturation, in words."""

    name: str
    about: str
    prior: str
    range: str
    adstock: str
    saturation: str


#: Facts by their names, each with what it is called and what it says.
Facts = Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class Assumptions:
    """What a report says of its model.

    Attributes:
        priors: A row per channel.
        shared: One sentence on those that are equal; empty where few are.
        different: Rows that it does not speak of.
        window: The periods, in words.
        periods: Their number.
        data: Of the data.
        options: Of the model.
        fit: Of the fit.
    """

    priors: list[PriorRow]
    shared: str
    different: list[PriorRow]
    window: str
    periods: str
    data: Facts
    options: Facts
    fit: Facts


@dataclass(frozen=True)
class FrequencyPart:
    """How often to reach people with a channel: a sentence and its figure."""

    text: str
    figure: Any


@dataclass(frozen=True)
class Page:
    """All that a report says. Figures are Plotly's, or what a medium made of them.

    Attributes:
        project: As it was fitted.
        no_spend: What is said where no channel has spend.
        recommendation: What the plan says; empty without one.
        units: Words for the units.
        verdict: On the fit.
        cards: The four numbers at the top.
        sentence: The finding.
        channels: What each returned.
        columns: Heads of their table, with the part of a row below each.
        news: What has happened since the fit before.
        sections: What else is said of the fit.
        assumptions: What it rests on.
        figures: By name.
        responses: Response curves of its channels.
        frequencies: Of channels with reach and frequency.
        tests: Names of lift tests, and what each did.
        plan: None without one.
        footer: At the end.
        titles: Sections that it has by their name, in their order, with their titles.
    """

    project: Project
    no_spend: str
    recommendation: str
    units: fmt.Units
    verdict: Verdict
    cards: list[Headline]
    sentence: str
    channels: list[ChannelRow]
    columns: list[tuple[str, str]]
    news: Sequence[Section]
    sections: Sequence[Section]
    assumptions: Assumptions
    figures: Mapping[str, go.Figure]
    responses: list[go.Figure]
    frequencies: list[FrequencyPart]
    tests: list[tuple[str, str]]
    plan: Section | None
    footer: str
    titles: Mapping[str, str]
