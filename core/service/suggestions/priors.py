"""Priors from a team's other projects: what they suggest for each paid channel."""

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import numpy as np

from core.data.demand.names import ALL, OTHER
from core.data.files.isolated import kept_table
from core.data.mapping import PAID
from core.errors import MMMError, SpecError
from core.model.market import market
from core.model.priors.default_priors import default_prior
from core.model.priors.distribution import quantile
from core.model.priors.pooling.pooled import Pooled, pooled
from core.model.priors.pooling.pooled import Source as PooledSource
from core.model.shares.default import parameter_prior, shares_money
from core.model.shares.settled import TREATMENT, prior_of, settled
from core.model.shares.totals import Totals
from core.model.spec import ChannelSpec
from core.project.fits.mediators import moved_channels
from core.project.fits.runs import data_sha256, latest_fit
from core.project.learnt.sources import Reader, Source, sources
from core.project.learnt.suggestions import Now, Suggestion, Suggestions
from core.project.settings.definition import Project
from core.project.settings.project import (
    data_file,
    load_project,
    project_sha256,
    save_project,
)
from core.store.places import projects_folder
from core.team.gate import may
from core.team.roles import Role

KINDS = tuple(ALL)

_NOT_MONEY = (
    "Spend and KPI of this project are not the same money, so that ROI elsewhere says "
    "nothing here."
)
_UNKNOWN = "Its name does not say what kind of channel it is: choose its kind."
_NOBODY = "No other project has learnt anything about channels of this kind."
_DIRECT = (
    "It also works through a mediator: its prior here is on what it brings directly, "
    "and other projects know its total."
)
_HALF = NormalDist().inv_cdf(0.95)


def readable() -> list[Path]:
    """The projects of the workspace that the one who acts may see."""
    folders = sorted(path.parent for path in projects_folder().glob("*/project.toml"))
    return [folder for folder in folders if may(folder, Role.VIEWER)]


def workspace() -> Path:
    """Where the projects of the workspace lie."""
    return projects_folder()


def kind_in(folder: Path, channel: str) -> str:
    """The name of the kind of a project's channel."""
    return load_project(folder).kind_of(channel).name


def has_kind(kind: str) -> bool:
    """Whether channels of a kind have more in common than that nobody knows it."""
    return kind != OTHER.name


def fitted(folder: Path) -> tuple[tuple[Path, int, str], ...]:
    """The other projects that may be seen and have a fit or lift tests, as they stand.

    Args:
        folder: Of the project that asks.

    Returns:
        Folder, time of the last change of project.toml and newest fit of each, empty
        where it has none; equal for as long as nothing changes that suggestions depend
        on.
    """
    results = []
    for other in readable():
        if other.resolve() == folder.resolve():
            continue
        fit = latest_fit(other)
        if fit is not None or _has_tests(other):
            changed = os.stat(other / "project.toml").st_mtime_ns
            results.append((other, changed, "" if fit is None else fit.run_id))
    return tuple(results)


def _has_tests(folder: Path) -> bool:
    """Whether a project has results of lift tests; one that cannot be read has none."""
    try:
        return bool(load_project(folder).experiments)
    except MMMError:  # told on the project's own screens
        return False


def suggested(
    folder: Path, others: Sequence[Path] | None = None, about: Totals | None = None
) -> Suggestions:
    """What other projects suggest for the priors of one.

    Args:
        folder: Of the project.
        others: Folders of projects to ask; None for all that one may see.
        about: Totals of its table, where they are at hand.

    Raises:
        MMMError: Its table cannot be read.
        WorkspaceError: The project is damaged.
    """
    project = load_project(folder)
    path = data_file(folder, project)
    if about is None:
        about = market(kept_table(path), project.mapping, project.currency).totals
    now = _now(project, about)
    kinds = {name: project.kind_of(name).name for name in now}
    if not shares_money(about):
        return Suggestions(
            tuple(
                Suggestion(name, kinds[name], each, reason=_NOT_MONEY)
                for name, each in now.items()
            ),
            (),
        )
    digest = data_sha256(path) if os.path.isfile(path) else ""
    reader = Reader(folder, project, latest_fit(folder), digest)
    among = [
        each
        for each in (readable() if others is None else others)
        if may(each, Role.VIEWER)
    ]
    all_sources = sources(reader, among)
    moved = moved_channels(folder, project)
    channels = tuple(
        Suggestion(name, kinds[name], each, reason=_DIRECT)
        if name in moved
        else _of_channel(name, kinds[name], each, project, about, all_sources)
        for name, each in now.items()
    )
    return Suggestions(
        channels, tuple(each for each in all_sources if each.evidence is None)
    )


def accept(
    folder: Path, suggestions: Suggestions, channels: Sequence[str] = ()
) -> list[str]:
    """Take suggestions into a project; the next fit has them.

    Args:
        folder: Of the project.
        suggestions: What `suggested` gave.
        channels: Which; all that have a suggestion where none is named.

    Returns:
        The channels whose priors changed.

    Raises:
        AccessError: The one who acts may not change the project.
        SpecError: A channel is not there, or has no suggestion.
        WorkspaceError: The project was changed meanwhile, or cannot be written.
    """
    base, project = project_sha256(folder), load_project(folder)
    changed = with_suggestions(project, suggestions, channels)
    names = [
        after.name
        for before, after in zip(
            project.spec.channels, changed.spec.channels, strict=True
        )
        if before != after
    ]
    if names:
        save_project(folder, changed, base_sha=base)
    return names


def with_suggestions(
    project: Project, suggestions: Suggestions, channels: Sequence[str] = ()
) -> Project:
    """A project with suggestions as its priors, not saved.

    Args:
        project: The project.
        suggestions: What `suggested` gave.
        channels: Which; all that have a suggestion where none is named.

    Raises:
        SpecError: A channel is not there, or has no suggestion.
    """
    selection = [suggestions.of(name) for name in channels]
    spec = project.spec
    for each in selection or suggestions.channels:
        if each.pooled is not None:
            own = spec.channel(each.channel)
            prior = each.pooled.prior
            spec = spec.with_channel(replace(own, prior_kind="roi", prior=prior))
        elif selection:
            raise SpecError(
                f"There is no suggestion for {each.channel}.",
                hint=each.reason,
                where=each.channel,
            )
    return replace(project, spec=spec)


def set_kind(folder: Path, channel: str, kind: str) -> None:
    """Say what kind of channel one is; see `with_kind`.

    Args:
        folder: Of the project.
        channel: The channel.
        kind: Name of a kind, one of `KINDS`.

    Raises:
        AccessError: The one who acts may not change the project.
        SpecError: There is no such channel or kind.
        WorkspaceError: The project was changed meanwhile, or cannot be written.
    """
    base, project = project_sha256(folder), load_project(folder)
    changed = with_kind(project, channel, kind)
    if changed != project:
        save_project(folder, changed, base_sha=base)


def with_kind(project: Project, channel: str, kind: str) -> Project:
    """A project with the kind of a channel whose name says something else.

    Raises:
        SpecError: There is no such channel or kind.
    """
    names = [each.name for each in project.spec.channels if each.kind in PAID]
    if channel not in names:
        raise SpecError(
            f"There is no paid channel {channel}.",
            hint=f"Paid channels: {', '.join(names) or 'none'}.",
            where=channel,
        )
    if kind not in ALL:
        raise SpecError(
            f"{kind} is not a kind of channel.",
            hint=f"Use {', '.join(ALL)}.",
            where=kind,
        )
    own = {name: other for name, other in project.kinds if name != channel}
    plain = replace(project, kinds=tuple(own.items()))
    if plain.kind_of(channel).name == kind:
        return plain
    return replace(project, kinds=(*plain.kinds, (channel, kind)))


def _now(project: Project, about: Totals) -> Mapping[str, Now]:
    """The priors of paid channels as they are."""
    spec = settled(project.spec, about)
    return {
        channel.name: Now(
            channel.effective_prior_kind,
            prior_of(spec, channel, TREATMENT, about),
            channel.prior is None,
        )
        for channel in spec.channels
        if channel.kind in PAID
    }


def _of_channel(
    name: str,
    kind: str,
    now: Now,
    project: Project,
    about: Totals,
    results: Sequence[Source],
) -> Suggestion:
    if kind == OTHER.name:
        return Suggestion(name, kind, now, reason=_UNKNOWN)
    own = tuple(
        each for each in results if each.kind == kind and each.evidence is not None
    )
    one = _pooled(
        tuple(
            PooledSource(each.evidence.learnt, each.evidence.is_tested)
            for each in own
            if each.evidence is not None
        ),
        _default(project, name, about),
    )
    if one is None:
        return Suggestion(name, kind, now, reason=_NOBODY)
    return Suggestion(name, kind, now, one, own)


@functools.lru_cache(maxsize=256)
def _pooled(
    pool: tuple[PooledSource, ...], default: tuple[float, float]
) -> Pooled | None:
    return pooled(pool, default)


def _default(project: Project, name: str, about: Totals) -> tuple[float, float]:
    """Mean and standard deviation of the logarithm of the default ROI prior."""
    channel = project.spec.channel(name)
    bare = ChannelSpec(channel.name, channel.kind, prior_kind="roi")
    prior = parameter_prior(project.spec, bare, about)
    if not float(quantile(prior, 0.05)) > 0:  # somebody allows a negative return
        prior = default_prior("roi_m", project.spec.preset)
    low, middle, high = np.log(quantile(prior, [0.05, 0.5, 0.95])).tolist()
    return middle, (high - low) / (2 * _HALF)
