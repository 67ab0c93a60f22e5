"""Sources: the fits and lift tests of other projects that speak of a project's ROI.

Of every project its newest finished fit, with the lift tests that are in it, and the
lift tests that no fit has seen yet. What cannot be compared is left out with why:
another unit, another kind of money, the same market once more, a fit that failed. One
market counts once, by a fit before tests alone, whatever its projects are called.
"""

import contextlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.data.assemble import assemble
from core.data.cells.words import word_set, words
from core.data.experiments.entry import Entry
from core.data.files.isolated import kept_table
from core.data.input_data import InputData
from core.errors import MMMError
from core.experiments.panel import panel_of
from core.model.priors.pooling.learnt import NOTHING, Learnt, divided
from core.project.fits.runs import Run, data_sha256, latest_fit
from core.project.learnt.of_fit import Outcome, Return, by_day, is_same_market, of_fit
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.store.fit_results import read_fit
from core.text import date
from core.text.languages.language import marked

#: Money after costs: a unit of it is worth several of revenue.
_AFTER_COSTS = word_set("profit.after_costs")


@dataclass(frozen=True)
class Source:
    """What a project says of one of its channels, or why it says nothing.

    Attributes:
        project: Its folder's name.
        channel: The channel; empty for the whole project.
        kind: Name of the kind of the channel.
        evidence: What it says; None where it is left out.
        verdict: On its fit; empty for a lift test alone.
        reason: Why it is left out; empty where it is not.
    """

    project: str
    channel: str
    kind: str
    evidence: Return | None
    verdict: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Reader:
    """The project that asks, as far as others are compared with it.

    Attributes:
        folder: Its folder.
        project: What project.toml says.
        fit: Its newest finished fit; None where there is none.
        data_sha256: Hash of its table as it is now; empty where it has none.
    """

    folder: Path
    project: Project
    fit: Run | None
    data_sha256: str


class _Market(NamedTuple):
    """By what a market is known again.

    Attributes:
        project: Whose it is.
        digest: Hash of its table; empty where that is not known.
        outcome: Of each period.
    """

    project: str
    digest: str
    outcome: Outcome

    def is_also(self, other: "_Market") -> bool:
        """Whether another is of the same market."""
        is_same_table = bool(self.digest) and self.digest == other.digest
        return is_same_table or is_same_market(self.outcome, other.outcome)


def sources(reader: Reader, others: Iterable[Path]) -> tuple[Source, ...]:
    """What other projects say, in their order.

    Of one market the first project with a fit counts; lift tests alone count where no
    fit of their market does.

    Args:
        reader: The project that asks.
        others: Folders of projects that may be seen, the reader's among them or not.
    """
    own, markets = _own_market(reader), list[_Market]()
    folders = [
        folder for folder in others if folder.resolve() != reader.folder.resolve()
    ]
    results: dict[Path, list[Source]] = {}
    for folder in folders:
        try:
            fitted = _of_project(folder, reader, own, markets)
            if fitted is not None:
                results[folder] = fitted
        except MMMError as error:
            results[folder] = [_left_out(folder.name, error.message.rstrip("."))]
    for folder in folders:
        if folder not in results:
            try:
                results[folder] = _of_tests_alone(folder, reader, own, markets)
            except MMMError as error:
                results[folder] = [_left_out(folder.name, error.message.rstrip("."))]
    return tuple(source for folder in folders for source in results[folder])


def _own_market(reader: Reader) -> _Market:
    """The reader's market, by its fit, else by its table."""
    outcome: Outcome = {}
    with contextlib.suppress(MMMError):  # told on Data and on Fit
        if reader.fit is not None:
            outcome = of_fit(reader.fit).outcome
        else:
            outcome = of_table(reader.folder, reader.project).outcome
    return _Market(reader.folder.name, reader.data_sha256, outcome)


def _of_project(
    folder: Path, reader: Reader, own: _Market, markets: list[_Market]
) -> list[Source] | None:
    """What a fit of a project says; None without one that can be relied on.

    Markets seen before are in `markets`.
    """
    project, fit = load_project(folder), latest_fit(folder)
    about = None if fit is None else of_fit(fit)
    if fit is None or about is None or about.verdict == "failed":
        return None
    market = _Market(folder.name, fit.data_sha256, about.outcome)
    reason = _incomparable(about.kpi, reader, is_money=about.is_money)
    reason = reason or _repeated(market, own, markets)
    if reason:
        return [_left_out(folder.name, reason)]
    markets.append(market)
    tests = [test.entry for test in read_fit(fit.folder).experiments]
    more = of_tests(folder, project, tests)
    return [
        *_as_sources(folder.name, project, about.returns, about.verdict),
        *_as_sources(folder.name, project, more, ""),
    ]


def _of_tests_alone(
    folder: Path, reader: Reader, own: _Market, markets: list[_Market]
) -> list[Source]:
    """What the lift tests of a project say that has no fit to rely on."""
    project, fit = load_project(folder), latest_fit(folder)
    why = marked("it has no finished fit" if fit is None else "its fit failed")
    tests = of_tests(folder, project, ())
    if not tests:
        return [_left_out(folder.name, why)]
    table = of_table(folder, project)
    digest = data_sha256(data_file(folder, project))
    market = _Market(folder.name, digest, table.outcome)
    reason = _incomparable(project.mapping.kpi, reader, is_money=table.is_money)
    reason = reason or _repeated(market, own, markets)
    if reason:
        return [_left_out(folder.name, reason)]
    markets.append(market)
    failed = [] if fit is None else [_left_out(folder.name, why)]
    return [*failed, *_as_sources(folder.name, project, tests, "")]


def _left_out(project: str, reason: str) -> Source:
    return Source(project, "", "", None, reason=reason)


def _as_sources(
    name: str, project: Project, returns: Sequence[Return], verdict: str
) -> list[Source]:
    results = []
    for each in returns:
        reason = each.reason
        if not (reason or each.learnt.is_something):
            reason = marked("its data say nothing beyond its prior")
        evidence = None if reason else each
        kind = project.kind_of(each.channel).name
        results.append(Source(name, each.channel, kind, evidence, verdict, reason))
    return results


def _incomparable(kpi: str, reader: Reader, *, is_money: bool) -> str:
    """Why ROI of another project is another quantity than the reader's."""
    kpi = kpi or "its KPI"
    if not is_money:
        return f"it counts {kpi}, which has no value in money"
    if is_after_costs(kpi) != is_after_costs(reader.project.mapping.kpi):
        return f"its ROI is of {kpi}, here it is of {reader.project.mapping.kpi}"
    return ""


def is_after_costs(kpi: str) -> bool:
    """Whether a KPI's name says that it is profit and not revenue."""
    return any(word.text in _AFTER_COSTS for word in words(kpi))


def _repeated(market: _Market, own: _Market, markets: Sequence[_Market]) -> str:
    """Whether a market is in the count already."""
    if market.is_also(own):
        return marked("it is a copy of this market")
    for other in markets:
        if market.is_also(other):
            return f"it is the same market as {other.project}, which counts once"
    return ""


#: ROI over which a result is weighed: log ROI, and a range as wide as anyone doubts.
_GRID = np.linspace(-6.0, 5.0, 1101)
_AROUND = Learnt(0.2, 1.5)
_TOGETHER = marked("it tested several channels together")
_PART = marked("it compares two levels of spend: its ROI is of the difference")
_NO_SPEND = marked("nothing was spent in its geos and dates")


@dataclass(frozen=True)
class OfTable:
    """What a project's table says of its market.

    Attributes:
        is_money: Whether its outcome is money, so that an ROI is a plain number.
        outcome: Of each period, by which a market is known again.
    """

    is_money: bool
    outcome: Outcome


def of_table(folder: Path, project: Project) -> OfTable:
    """What a project's table says of its market.

    Args:
        folder: The project's.
        project: What project.toml says.

    Raises:
        MMMError: It cannot be read.
    """
    data = assemble(kept_table(data_file(folder, project)), project.mapping)
    return OfTable(_is_money(data), by_day(data.times, data.outcome.sum(axis=0)))


def of_tests(
    folder: Path, project: Project, earlier: Sequence[Entry]
) -> tuple[Return, ...]:
    """The lift tests of a project that its newest fit has not seen.

    Args:
        folder: The project's.
        project: What project.toml says.
        earlier: Tests that the fit has seen; they are in what it learnt.
    """
    cells = [test.cells for test in earlier]
    new = [test for test in project.experiments if test.cells not in cells]
    if not new:
        return ()
    try:
        data = assemble(kept_table(data_file(folder, project)), project.mapping)
    except MMMError:  # told on the project's own screens
        return ()
    return tuple(_of_test(test, data) for test in new) if _is_money(data) else ()


def _is_money(data: InputData) -> bool:
    return data.outcome_unit == "revenue"


def _of_test(test: Entry, data: InputData) -> Return:
    """A test as a source: its result over the spend that it was about."""
    dates = f"{date(test.start)} to {date(test.end)}"

    def nothing(reason: str) -> Return:
        return Return(test.channel, NOTHING, True, reason, dates)

    if test.together_with:
        return nothing(_TOGETHER)
    if test.multiple or test.amount is not None:
        return nothing(_PART)
    panel = panel_of(data)
    spend = panel.spend.get(test.channel)
    if spend is None:
        return nothing(_NO_SPEND)
    geos = panel.is_in(test.geos or panel.geos)
    inside = panel.within(test.start, test.end)
    cost = float(spend[np.ix_(geos, inside)].sum())
    if not cost > 0:
        return nothing(_NO_SPEND)
    lift, error = test.incremental_outcome / cost, test.standard_error / cost
    return Return(test.channel, _of_result(lift, error), True, "", dates)


def _of_result(roi: float, error: float) -> Learnt:
    """A Normal result on ROI as one on its logarithm, by the moments of a posterior."""
    if not (math.isfinite(roi) and error > 0):
        return NOTHING
    log_weight = -0.5 * ((np.exp(_GRID) - roi) / error) ** 2
    log_weight -= 0.5 * ((_GRID - _AROUND.location) / _AROUND.spread) ** 2
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    middle = float(weight @ _GRID)
    spread = math.sqrt(float(weight @ (_GRID - middle) ** 2))
    return divided(Learnt(middle, spread), _AROUND)
