"""Sources: the fits and lift tests of other projects that speak of a project's ROI.

Of every project its newest finished fit, with the lift tests that are in it, and the
lift tests that no fit has seen yet. What cannot be compared is left out with why:
another unit, another kind of money, the same market once more, a fit that failed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.data.reading.words import words
from core.errors import MMMError
from core.project.fits.runs import Run, latest_fit
from core.project.learnt.of_fit import (
    OfFit,
    Return,
    is_same_market,
    of_fit,
)
from core.project.learnt.of_tests import of_tests
from core.project.settings.definition import Project
from core.project.settings.project import load_project
from core.store.fit_results import read_fit
from core.text.languages.language import marked

#: Money after costs: a unit of it is worth several of revenue.
_AFTER_COSTS = frozenset(
    "profit margin marge gewinn deckungsbeitrag db contribution benefice beneficio "
    "margen utile winst lucro ebit ebitda".split()
)


@dataclass(frozen=True)
class Source:
    """What a project says of one of its channels, or why it says nothing.

    Attributes:
        project: Its folder's name.
        channel: The channel; empty for the whole project.
        kind: Name of the kind of the channel.
        known: What it says; None where it is left out.
        verdict: On its fit; empty for a lift test alone.
        reason: Why it is left out; empty where it is not.
    """

    project: str
    channel: str
    kind: str
    known: Return | None
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


def sources(reader: Reader, others: Iterable[Path]) -> tuple[Source, ...]:
    """What other projects say, in their order.

    Args:
        reader: The project that asks.
        others: Folders of projects that may be seen, the reader's among them or not.
    """
    own = None
    if reader.fit is not None:
        try:
            own = of_fit(reader.fit)
        except MMMError:  # told on Fit
            own = None
    seen: list[tuple[str, OfFit]] = []
    results: list[Source] = []
    for folder in others:
        if folder.resolve() == reader.folder.resolve():
            continue
        try:
            results += _of_project(folder, reader, own, seen)
        except MMMError as error:
            results.append(_left_out(folder.name, error.message.rstrip(".")))
    return tuple(results)


def _of_project(
    folder: Path, reader: Reader, own: OfFit | None, seen: list[tuple[str, OfFit]]
) -> list[Source]:
    """What one project says; markets seen before are in `seen`."""
    project, fit = load_project(folder), latest_fit(folder)
    if fit is None:
        tests = of_tests(folder, project, ())
        if not tests:
            return [_left_out(folder.name, marked("it has no finished fit"))]
        return _as_sources(folder.name, project, tests, "")
    about = of_fit(fit)
    reason = _incomparable(about, reader) or _repeated(fit, about, reader, own, seen)
    if reason:
        return [_left_out(folder.name, reason)]
    seen.append((folder.name, about))
    tests = [test.entry for test in read_fit(fit.folder).experiments]
    more = of_tests(folder, project, tests)
    if about.verdict == "failed":
        return [
            _left_out(folder.name, marked("its fit failed")),
            *_as_sources(folder.name, project, more, ""),
        ]
    return [
        *_as_sources(folder.name, project, about.returns, about.verdict),
        *_as_sources(folder.name, project, more, ""),
    ]


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
        known = None if reason else each
        kind = project.kind_of(each.channel).name
        results.append(Source(name, each.channel, kind, known, verdict, reason))
    return results


def _incomparable(about: OfFit, reader: Reader) -> str:
    """Why ROI of a fit is another quantity than the reader's."""
    kpi = about.kpi or "its KPI"
    if not about.is_money:
        return f"it counts {kpi}, which has no value in money"
    if is_after_costs(kpi) != is_after_costs(reader.project.mapping.kpi):
        return f"its ROI is of {kpi}, here it is of {reader.project.mapping.kpi}"
    return ""


def is_after_costs(kpi: str) -> bool:
    """Whether a KPI's name says that it is profit and not revenue."""
    return any(word.text in _AFTER_COSTS for word in words(kpi))


def _repeated(
    fit: Run,
    about: OfFit,
    reader: Reader,
    own: OfFit | None,
    seen: Sequence[tuple[str, OfFit]],
) -> str:
    """Whether a fit is of a market that is in the count already."""
    digest = fit.data_sha256
    is_own = bool(digest) and digest == reader.data_sha256
    if is_own or (own is not None and is_same_market(about.outcome, own.outcome)):
        return marked("it is a copy of this market")
    for name, other in seen:
        if is_same_market(about.outcome, other.outcome):
            return f"it is the same market as {name}, which counts once"
    return ""
