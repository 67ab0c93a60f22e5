"""Several fits together: each by weights of its draws, or again with a suggested prior.

The joint posterior of fits that share what channels of a kind return is each fit's own
with another prior, that of the others. Weights of its draws put it in the place of its
own; where few draws would carry all the weight (Pareto's k above 0.7) the project is
fitted again with the priors that the others suggest. project.toml stays as it is.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from core.model.priors.pooling.learnt import Learnt
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import Run, open_run
from core.project.learnt.of_fit import OfFit, is_same_market, of_fit
from core.project.learnt.sources import is_after_costs
from core.project.learnt.together import Joint, Weighted, weighted
from core.project.settings.project import load_project
from core.service.fits import fit_run
from core.service.places import project_of
from core.service.runs import SILENT, Watch
from core.service.suggestions import priors
from core.store.fit_results import read_fit


def together(fits: Sequence[Run], watch: Watch = SILENT) -> tuple[Joint, ...]:
    """Finished fits of several projects as one.

    Args:
        fits: One per project.
        watch: Told how fits go on that have to be made again.

    Raises:
        SamplingError: A fit that was made again failed or was stopped.
        WorkspaceError: A fit is damaged.
    """
    records = [of_fit(fit) for fit in fits]
    kinds = [
        {each.channel: priors.kind_in(project_of(fit), each.channel) for each in of}
        for fit, of in zip(fits, (about.returns for about in records), strict=True)
    ]
    folders = [project_of(fit) for fit in fits]
    result = []
    for place, (fit, about) in enumerate(zip(fits, records, strict=True)):
        others = [
            other
            for other in range(len(fits))
            if other != place and _go_together(about, records[other])
        ]
        others = _each_market_once(others, records)
        learnt = _by_kind([(records[other], kinds[other]) for other in others])
        one = weighted(fit, about, kinds[place], learnt)
        if not any(learnt.get(kind) for kind in kinds[place].values()):
            rest = [other for at, other in enumerate(records) if at != place]
            reason = _why_alone(about, rest)
            result.append(
                Joint(folders[place], "alone", 0.0, fit, one.alone, one.alone, reason)
            )
        elif one.is_reliable:
            result.append(
                Joint(folders[place], "reweighted", one.k, fit, one.alone, one.together)
            )
        else:
            neighbours = [folders[other] for other in others]
            result.append(_refit(folders[place], fit, one, neighbours, watch))
    return tuple(result)


def _go_together(one: OfFit, other: OfFit) -> bool:
    """Whether ROI of two fits is the same quantity, of two markets."""
    is_money = one.is_money and other.is_money
    is_same = is_after_costs(one.kpi) == is_after_costs(other.kpi)
    is_apart = not is_same_market(one.outcome, other.outcome)
    return is_money and is_same and is_apart and other.verdict != "failed"


def _each_market_once(places: Sequence[int], records: Sequence[OfFit]) -> list[int]:
    """The first fit of every market: another one of it has the same data."""
    once: list[int] = []
    for place in places:
        outcome = records[place].outcome
        if not any(is_same_market(outcome, records[other].outcome) for other in once):
            once.append(place)
    return once


def _by_kind(
    fits: Sequence[tuple[OfFit, Mapping[str, str]]],
) -> dict[str, list[Learnt]]:
    results: dict[str, list[Learnt]] = {}
    for about, kinds in fits:
        for each in about.returns:
            if each.learnt.is_something and priors.has_kind(kinds[each.channel]):
                results.setdefault(kinds[each.channel], []).append(each.learnt)
    return results


def _why_alone(about: OfFit, others: Sequence[OfFit]) -> str:
    if not about.is_money:
        return f"It counts {about.kpi or 'a KPI'}, which has no value in money."
    if any(is_same_market(about.outcome, other.outcome) for other in others):
        return "No other market has learnt anything about channels of its kinds."
    return "The others have learnt nothing about channels of its kinds."


def _refit(
    folder: Path, fit: Run, one: Weighted, others: Sequence[Path], watch: Watch
) -> Joint:
    """The project fitted again with what the others suggest."""
    suggestions = priors.suggested(folder, others)
    project = priors.with_suggestions(load_project(folder), suggestions)
    run = new_run(folder, "fit", project, sampler=fit.sampler.as_dict())
    fit_run(run, watch)
    again = open_run(run)
    channels = read_fit(run).channels
    roi = {
        channel.name: channel.roi for channel in channels if channel.name in one.alone
    }
    return Joint(folder, "refit", one.k, again, one.alone, roi)
