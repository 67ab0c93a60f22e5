"""What the report says: the numbers and words of one run, ready for a template."""

from dataclasses import dataclass
from pathlib import Path

import xarray as xr

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import Channel, ChannelPrior
from core.charts.drawing import style
from core.errors import MMMError
from core.plan.money.elsewhere import as_bought
from core.plan.record.plan_record import PlanRecord
from core.plan.response.curves import ResponseCurves, response_curves
from core.project.fits.horizons import plan_curves
from core.project.promises.calibration import calibrated
from core.project.promises.scoring import settle
from core.project.refresh.next_fit import refreshed
from core.project.refresh.record import RefreshRecord
from core.project.settings.definition import Project
from core.project.settings.project import language_of, load_project, locale_of
from core.report import findings
from core.store.fit_results import read_fit
from core.store.results import open_dataset, result_files
from core.store.run_about import RunAbout, read_about
from core.text.languages.language import SOURCE, say
from core.text.languages.locale import locale_in
from core.text.languages.reworded import reworded
from core.text.verdicts import FIT, VERDICTS
from core.view import promises, refresh_words
from core.view.sections import funnel_words
from core.view.sections.headline import Headline
from core.view.sections.returns import ChannelRow, rows_of
from core.view.sections.section import Medium, Section


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
class Content:
    """One run as the report needs it.

    Attributes:
        run: Folder of the run.
        project: The project as it was fitted.
        about: run.json.
        fit: What it says.
        channels: channels.nc.
        curves: curves.nc.
        weeks: weeks.nc.
        units: Words for the units.
        frequency: frequency.nc; None without reach and frequency.
        forecast: forecast.nc; None where the baseline does not go on after the data.
        refresh: What moved since the fit before; None where the fit refreshed no other.
        locale: How numbers, money and dates are written.
        language: What the report speaks.
    """

    run: Path
    project: Project
    about: RunAbout
    fit: FitRecord
    channels: xr.Dataset
    curves: xr.Dataset
    weeks: xr.Dataset
    units: fmt.Units
    frequency: xr.Dataset | None = None
    forecast: xr.Dataset | None = None
    refresh: RefreshRecord | None = None
    locale: str = fmt.STANDARD
    language: str = SOURCE

    @property
    def names(self) -> list[str]:
        """Names of the channels."""
        return [str(name) for name in self.channels["channel"].values]

    @property
    def priors(self) -> dict[str, ChannelPrior]:
        """Prior of every channel."""
        return self.fit.priors

    def plan_curves(self, plan: PlanRecord) -> ResponseCurves | None:
        """Response curves of a plan's periods; None where the run has none of them."""
        files = plan_curves(self.run, plan.horizon)
        if files is None:
            return None
        curves = response_curves(open_dataset(files.run, files.channels))
        return as_bought(curves, plan.scenario)


def read(run_dir: Path, language: str | None = None) -> Content:
    """Everything about a finished fit that the report shows.

    Args:
        run_dir: The run.
        language: What the report speaks; None for what its project says.

    Raises:
        WorkspaceError: The run has no result, or it is damaged.
    """
    fit = read_fit(run_dir)
    spoken = language or language_of(run_dir)
    return Content(
        run=run_dir,
        project=load_project(run_dir),
        about=read_about(run_dir),
        fit=fit,
        channels=open_dataset(run_dir, "channels"),
        curves=open_dataset(run_dir, "curves"),
        weeks=open_dataset(run_dir, "weeks"),
        units=fit.units,
        frequency=open_dataset(run_dir, "frequency")
        if "frequency.nc" in result_files(run_dir)
        else None,
        forecast=open_dataset(run_dir, "forecast")
        if "forecast.nc" in result_files(run_dir)
        else None,
        refresh=refreshed(run_dir),
        locale=locale_in(spoken, locale_of(run_dir)),
        language=spoken,
    )


def news(content: Content, medium: Medium) -> list[Section]:
    """What moved since the fit before and what came of promises, where that is known.

    Args:
        content: The run.
        medium: Where it is drawn.
    """
    moved = content.refresh
    sections = [] if moved is None else refresh_words.sections(moved, medium)
    try:
        settled = settle(content.run.resolve().parents[1])
    except MMMError:  # the project is gone
        return sections
    if calibrated(settled):
        sections += promises.sections(settled, medium)
    return sections


def verdict(content: Content) -> Verdict:
    """The verdict on the fit, what it means, its reasons, and what to know with it."""
    diagnostics = content.fit.diagnostics
    word = diagnostics.verdict
    names = content.names
    return Verdict(
        word,
        title=say(VERDICTS[word]) if word in VERDICTS else word.capitalize(),
        advice=say(FIT.get(word, "")),
        reasons=[reworded(reason, names) for reason in diagnostics.reasons],
        notes=[reworded(note, names) for note in diagnostics.notes],
    )


def verdict_lines(content: Content) -> list[str]:
    """The verdict with what it means, its reasons and its notes, a line each."""
    words = verdict(content)
    return [f"{words.title}. {words.advice}", *words.reasons, *words.notes]


def headline(content: Content) -> list[Headline]:
    """The four numbers at the top."""
    share = content.fit.baseline_share
    return findings.tiles(content.channels, content.units, share)


def sentence(content: Content) -> str:
    """The finding in one sentence."""
    channels = content.fit.channels
    text = findings.sentence(channels, content.channels, content.units)
    demand = content.fit.follows_demand.sentence
    notes = [funnel_words.sentence(content.fit), reworded(demand, content.names)]
    return " ".join(filter(None, [text, *notes])) if text else ""


def best_channel(content: Content) -> tuple[Channel | None, str]:
    """The channel of the highest mean ROI, and the probability that it is the best."""
    return findings.best_channel(content.fit.channels, content.channels)


def table(content: Content) -> list[ChannelRow]:
    """One row per channel for the table of results, with its colour in charts."""
    colours = style.channel_colours(content.names)
    faint = dict.fromkeys(content.names, style.palette().faint)
    return rows_of(content.fit, faint | colours)
