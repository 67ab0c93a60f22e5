"""Joined: the response curves of several fits as those of one market.

A cell is a channel of a project, or spend that several projects share. Its curve in
draw d is the sum of the curves of the channels behind it, in money:

    f_d,cell(x) = sum_m  w_m  f_{pi_m(d), m, channel}(x / r_m)

w the money that a unit of the outcome is worth, r the rate of exchange. Nothing that
the fits of two projects learnt is common to them, so any pairing of their draws is a
draw of both: pi is a random order, with a seed. Cells pay for what their channels make
us spend on mediators as the channels of one market do (`core.plan.money.elsewhere`):
with x the own spend of a cell, g_m what it makes project m spend on its mediators and
r_m the share of that demand which m buys, an amount is

    z(x) = x + sum_m  r_m mean_d g_m,d(x)

of which project m has x + r_m mean g_m(x) in its amounts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType

import numpy as np
from jaxtyping import Float, Int

from core.analysis.response.by_way import Mediated
from core.errors import PlanError
from core.plan.limits.channels import Money
from core.plan.money.elsewhere import paying
from core.plan.response.curves import ResponseCurves
from core.plan.response.together import History

#: By how much spend that is shared may differ between two projects' data.
_SAME = 0.01


@dataclass(frozen=True)
class Part:
    """A project in the portfolio.

    Attributes:
        project: Its name.
        curves: Of own spend, in the portfolio's money, draws in the order in which
            they are paired.
        cells: Where each of its channels is among the cells.
        rate: Units of the portfolio's currency for one of the project's.
        bought: Share of the demand that its amounts pay for, by mediator.
    """

    project: str
    curves: ResponseCurves
    cells: Int[np.ndarray, " channel"]
    rate: float
    bought: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Joined:
    """The curves of a portfolio.

    Attributes:
        curves: Of all cells.
        parts: By project.
    """

    curves: ResponseCurves
    parts: tuple[Part, ...]

    @property
    def cells(self) -> dict[str, tuple[str, ...]]:
        """What each project spends on, by its name."""
        names = self.curves.names
        return {
            part.project: tuple(names[i] for i in part.cells) for part in self.parts
        }


def in_money(
    curves: ResponseCurves, *, worth: float, rate: float, currency: str
) -> ResponseCurves:
    """Curves whose spend and outcome are money of one currency.

    Args:
        curves: Of a fit, own spend.
        worth: What a unit of the outcome is worth in that currency.
        rate: Units of that currency for one of the fit's.
        currency: That currency.
    """
    by_period = curves.by_period
    return replace(
        curves,
        spend=curves.spend * rate,
        by_period=None if by_period is None else by_period * rate,
        value=curves.value * worth,
        slope=curves.slope * worth,
        currency=currency,
        outcome_unit="revenue",
        mediators=tuple(_in_money(each, worth, rate) for each in curves.mediators),
    )


def _in_money(mediated: Mediated, worth: float, rate: float) -> Mediated:
    through, induced = (
        tuple(part * factor for part in parts)
        for parts, factor in ((mediated.through, worth), (mediated.induced, rate))
    )
    return mediated._replace(through=through, induced=induced)


def joined(
    markets: Mapping[str, ResponseCurves],
    rates: Mapping[str, float],
    shared: Mapping[str, Sequence[str]],
    seed: int = 0,
    bought: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
) -> Joined:
    """The curves of several projects as those of one market.

    Args:
        markets: By project, in money; see `in_money`.
        rates: By project.
        shared: Channels that are one spend, each as `Project: Channel`.
        seed: Of the order in which draws are paired.
        bought: By project: share of the demand that its amounts pay for, by mediator.

    Raises:
        PlanError: Shared spend names a channel that is not there, one of two such
            spends, or channels whose spend is not the same money.
    """
    n = min(curves.n_draws for curves in markets.values())
    orders = np.random.default_rng(seed)
    labels = {
        project: [f"{project}: {name}" for name in curves.names]
        for project, curves in markets.items()
    }
    cell_of = _cells(labels, shared)
    names = tuple(dict.fromkeys(cell_of.values()))
    parts = tuple(
        Part(
            project,
            _in_order(curves, orders.permutation(curves.n_draws)[:n]),
            np.array([names.index(cell_of[label]) for label in labels[project]]),
            rates[project],
            bought.get(project, {}),
        )
        for project, curves in markets.items()
    )
    whole = _sum(names, parts)
    shares = {
        f"{project}: {mediator}": share
        for project, each in bought.items()
        for mediator, share in each.items()
    }
    return Joined(paying(whole, shares), parts)


def _cells(
    labels: Mapping[str, Sequence[str]], shared: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """The cell of each channel.

    Raises:
        PlanError: A channel is not there, or in two cells, or two channels of one
            project are one cell, or shared spend has the name of a channel.
    """
    owner = {label: project for project, row in labels.items() for label in row}
    everything = [label for row in labels.values() for label in row]
    cell_of = {label: label for label in everything}
    for name, channels in shared.items():
        if name in everything:
            raise PlanError(
                f"Shared spend {name} has the name of a channel.",
                hint="Give the shared spend another name.",
                where=f"shared.{name}",
            )
        for channel in channels:
            if channel not in everything:
                raise PlanError(
                    f"Shared spend {name}: there is no {channel} with spend.",
                    hint=f"There are {', '.join(everything[:12])}.",
                    where=f"shared.{name}",
                )
            if cell_of[channel] != channel:
                raise PlanError(
                    f"{channel} is in two shared spends: {cell_of[channel]}, {name}.",
                    hint="Name it in one.",
                    where=f"shared.{name}",
                )
            cell_of[channel] = name
        owners = [owner[channel] for channel in channels]
        for project in owners:
            if owners.count(project) > 1:
                raise PlanError(
                    f"Shared spend {name} has several channels of {project}, whose "
                    "spend is separate.",
                    hint="Share one channel of each project.",
                    where=f"shared.{name}",
                )
    return cell_of


def _in_order(curves: ResponseCurves, order: np.ndarray) -> ResponseCurves:
    """The same with draws in another order, or some of them."""
    mediators = tuple(
        each._replace(
            through=tuple(part[order] for part in each.through),
            induced=tuple(part[order] for part in each.induced),
            k=each.k[order],
        )
        for each in curves.mediators
    )
    value, slope = curves.value[order], curves.slope[order]
    return replace(curves, value=value, slope=slope, mediators=mediators)


def _sum(names: tuple[str, ...], parts: Sequence[Part]) -> ResponseCurves:
    """The curves of the cells, of own spend."""
    grid = reduce(np.union1d, (part.curves.grid for part in parts))
    parts = [replace(part, curves=part.curves.on_grid(grid)) for part in parts]
    first = parts[0].curves
    size = (first.n_draws, len(names), len(grid))
    value, slope = np.zeros(size), np.zeros(size)
    spend, highest = np.full(len(names), np.nan), np.full(len(names), np.inf)
    for part in parts:
        value[:, part.cells] += part.curves.value
        slope[:, part.cells] += part.curves.slope
        _check_same(names, spend, part)
        spend[part.cells] = part.curves.spend
        highest[part.cells] = np.fmin(highest[part.cells], part.curves.highest_seen)
    return ResponseCurves(
        names=names,
        spend=spend,
        grid=grid,
        value=value,
        slope=slope,
        mediators=_mediators(names, parts),
        indexed=_indexed(names, parts),
        by_period=_by_period(names, parts),
        highest_seen=np.where(np.isfinite(highest), highest, np.nan),
        currency=first.currency,
        outcome_unit="revenue",
        follows=_any_of(names, parts, "follows"),
        tested=_any_of(names, parts, "tested"),
        horizon=first.horizon,
        idle=tuple(
            f"{part.project}: {name}" for part in parts for name in part.curves.idle
        ),
        histories=tuple(
            History(part.cells[history.channels], history.spend)
            for part in parts
            for history in part.curves.histories
        ),
    )


def _by_period(
    names: tuple[str, ...], parts: Sequence[Part]
) -> Float[np.ndarray, "period cell"] | None:
    """Today's spend of each period; None where a fit did not store it."""
    by_period = [part.curves.by_period for part in parts]
    if any(each is None for each in by_period):
        return None
    spend = np.zeros((len(by_period[0]), len(names)))
    for part, each in zip(parts, by_period, strict=True):
        spend[:, part.cells] = each
    return spend


def _indexed(
    names: tuple[str, ...], parts: Sequence[Part]
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Prices of cells by the price index of a project; of shared spend its first."""
    results: dict[str, tuple[float, ...]] = {}
    for part in parts:
        cells = dict(zip(part.curves.names, part.cells.tolist(), strict=True))
        for name, prices in part.curves.indexed:
            results.setdefault(names[cells[name]], prices)
    return tuple(results.items())


def _mediators(names: tuple[str, ...], parts: Sequence[Part]) -> tuple[Mediated, ...]:
    """The mediators of all projects, by the cells that move them."""
    results = []
    for part in parts:
        cell_of = {
            name: names[cell]
            for name, cell in zip(part.curves.names, part.cells, strict=True)
        }
        for each in part.curves.mediators:
            results.append(
                each._replace(
                    mediator=f"{part.project}: {each.mediator}",
                    names=tuple(
                        cell_of.get(name, f"{part.project}: {name}")
                        for name in each.names
                    ),
                )
            )
    return tuple(results)


def _check_same(names: tuple[str, ...], spend: np.ndarray, part: Part) -> None:
    """Refuse shared spend that is not the same money in two projects.

    Raises:
        PlanError: It differs by more than 1 %.
    """
    for place, amount in zip(part.cells, part.curves.spend, strict=True):
        before = spend[place]
        if abs(amount - before) > _SAME * before:
            money = Money(part.curves.currency)
            raise PlanError(
                f"Shared spend {names[place]} is {money(round(before, 2))} in one "
                f"project and {money(round(amount, 2))} in {part.project}, in the same "
                "periods.",
                hint="Share only what is the same money: one row of the books. Where "
                "the projects pay a part each, leave it out of [shared].",
                where=f"shared.{names[place]}",
            )


def _any_of(
    names: tuple[str, ...], parts: Sequence[Part], mark: str
) -> tuple[str, ...]:
    """Cells with a channel that has a mark in its project."""
    marked = {
        names[cell]
        for part in parts
        for cell, name in zip(part.cells, part.curves.names, strict=True)
        if name in getattr(part.curves, mark)
    }
    return tuple(name for name in names if name in marked)
