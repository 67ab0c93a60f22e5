"""What a report that is read as a page holds, for a browser and for paper alike."""

from dataclasses import replace

import plotly.graph_objects as go

from core.charts import channels, contribution, curves, frequency
from core.charts.drawing import style
from core.charts.fits import accuracy, experiment
from core.errors import MMMError
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import open_run
from core.project.history.annotations import annotations
from core.project.lift_tests.tested_fits import what_tests_did
from core.report import content as told
from core.report.assumptions import assumptions
from core.report.content import Content
from core.report.parts import FrequencyPart, Page
from core.report.plan_section import recommended, section
from core.text.languages.language import marked, say
from core.text.lift_tests import what_they_did
from core.text.verdicts import NO_SPEND
from core.view.sections.of_fit import sections
from core.view.sections.returns import columns

#: Response curves of a figure: five rows of three.
_CURVES = 15
#: At the end of every page-like report.
FOOTER = marked(
    "Made with Mixwright. Numbers are estimates of a Bayesian "
    "marketing-mix model; the interval says how sure they are."
)


def page(content: Content, plan: PlanRecord | None = None) -> Page:
    """Words, tables and figures of the report by name.

    Args:
        content: The run.
        plan: A plan to report with it.
    """
    rows = told.table(content)
    words = Page(
        project=content.project,
        no_spend=say(NO_SPEND),
        recommendation="" if plan is None else recommended(plan, content),
        units=content.units,
        verdict=told.verdict(content),
        cards=told.headline(content),
        sentence=told.sentence(content),
        channels=rows,
        columns=columns(rows, content.units),
        news=told.news(content, "page"),
        sections=sections(content.fit, "page"),
        assumptions=assumptions(content),
        figures=figures(content),
        responses=_responses(content),
        frequencies=_frequencies(content),
        tests=_tests(content),
        plan=None if plan is None else section(plan, content, "page"),
        footer=say(FOOTER),
        titles={},
    )
    return replace(words, titles=_titles(words))


def _titles(words: Page) -> dict[str, str]:
    """Sections that the page has by their name, in their order, each with its title."""
    plan = words.plan
    sections = (
        *((each.name, each.title, True) for each in words.news),
        ("plan", plan and plan.title, plan),
        ("returns", say("What each channel returned"), True),
        *((each.name, each.title, True) for each in words.sections),
        ("sources", say("Baseline and channels"), True),
        ("accuracy", say("How well the model follows the data"), True),
        ("responses", say("What more or less spend would bring"), True),
        ("tests", say("What lift tests say"), "experiments" in words.figures),
        ("frequency", say("How often to reach people"), words.frequencies),
        ("assumptions", say("What this rests on"), True),
    )
    return {name: title for name, title, is_there in sections if is_there}


def figures(content: Content) -> dict[str, go.Figure]:
    """The figures of the report, by name."""
    notes = annotations(content.run.resolve().parents[1])
    figures = {
        "waterfall": contribution.waterfall(content.channels),
        "over-time": contribution.over_time(content.weeks, notes=notes),
        "expected": accuracy.expected(
            content.weeks, accuracy=content.fit.accuracy, notes=notes
        ),
    }
    if content.curves.channel.size:  # media without spend has no return
        figures["roi"] = channels.roi(content.channels, prior=content.priors)
    if tests := content.fit.experiments:
        names = [str(name) for name in content.channels["channel"].values]
        figures["experiments"] = experiment.results(
            tests, units=content.units, order=names
        )
    return figures


def _responses(content: Content) -> list[go.Figure]:
    """Response curves, as many in a figure as a page of paper has room for."""
    names = [str(name) for name in content.curves["channel"].values]
    return [
        curves.responses(content.curves, names[first : first + _CURVES])
        for first in range(0, len(names), _CURVES)
    ]


def _tests(content: Content) -> list[tuple[str, str]]:
    """Each lift test's name and what it did; none where the run's project is gone."""
    try:
        did = what_tests_did(open_run(content.run))
    except MMMError:
        return []
    return what_they_did(did, content.units)


def _frequencies(content: Content) -> list[FrequencyPart]:
    """Figure and sentence of every channel with reach and frequency."""
    view = content.frequency
    if view is None:
        return []
    colours = style.channel_colours(
        [str(n) for n in content.channels["channel"].values]
    )
    return [
        FrequencyPart(
            frequency.sentence(view, name),
            frequency.by_frequency(view, name, colour=colours.get(name)),
        )
        for name in (str(n) for n in view["channel"].values)
    ]
