r"""Diagnostics: the verdict on a fit, with reasons that name culprit and remedy.

Single geos: what a fit has once per geo is judged together.

Of thousands of scalars some have an R-hat above any limit by chance, and none of them
is a result by itself. So the shared parameters are held to the limits one by one, and
those of single geos together: by the share that has too few effective draws, and by
the worst, against what chance shows of as many that mix as well as they must.

For m half chains of $n = \mathrm{ESS}/m$ effective draws that agree,
$(m - 1)\,n\,(\hat R^2 - 1)$ is about chi-squared with m - 1 degrees of freedom.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import chdtri

from core.dims import GEO
from core.fit.convergence import Table, number
from core.fit.draws import Draws
from core.text.languages.language import say, say_count
from core.text.numbers import share

#: Effective draws that a scalar must have, and that no scalar may be without.
ESS_LIMIT, ESS_LEAST = 400.0, 100.0
#: Share of single geos' scalars that may have fewer than the first.
SHARE = 0.05
#: How often the worst of scalars that mix well lies beyond the limit.
_FALSE_ALARM = 0.01


class Together(NamedTuple):
    """How the scalars of single geos did.

    Attributes:
        n: How many there are.
        share: Share with too few effective draws, in bulk or tail.
        least: Smallest effective sample size.
        rhat: Largest R-hat.
        limit: Up to which chance explains it.
        worst: Row of the largest R-hat in the table.
    """

    n: int
    share: float
    least: float
    rhat: float
    limit: float
    worst: int

    @property
    def agrees(self) -> bool:
        """Whether their chains did what they should."""
        enough = self.share <= SHARE and self.least >= ESS_LEAST
        return enough and self.rhat <= self.limit


def is_of_one_geo(table: Table) -> np.ndarray:
    """Which rows are parameters of a single one of several geos."""
    several = {
        name
        for name, axes in table.labels.items()
        if any(axis == GEO and len(labels) > 1 for axis, labels in axes)
    }
    return np.array([name in several for name in table.name], dtype=bool)


def together(table: Table, rows: np.ndarray, n_chains: int) -> Together | None:
    """What is said of the rows of single geos together; None where there are none.

    Args:
        table: Convergence of every scalar.
        rows: Which are of single geos.
        n_chains: Chains of the fit.
    """
    places = np.flatnonzero(rows)
    if not len(places):
        return None
    sizes = np.minimum(table.ess_bulk, table.ess_tail)[places]
    rhat = np.where(np.isnan(table.rhat), np.inf, table.rhat)[places]
    worst = int(np.argmax(rhat))
    return Together(
        n=len(places),
        share=float((~(sizes >= ESS_LIMIT)).mean()),
        least=float(np.nan_to_num(sizes).min()),
        rhat=float(rhat[worst]),
        limit=chance_limit(len(places), n_chains),
        worst=int(places[worst]),
    )


def chance_limit(n: int, n_chains: int) -> float:
    """Largest R-hat that chance shows of n scalars with just enough effective draws."""
    halves = 2 * n_chains
    # Bulk and folded: two figures each.
    beyond = chdtri(halves - 1, _FALSE_ALARM / (2 * n)) / (halves - 1)
    return float(np.sqrt(1 + beyond * halves / ESS_LIMIT))


Status = Literal["trustworthy", "doubtful", "failed"]

#: What a trustworthy fit reaches; of effective draws see `core.fit.diagnostics`.
RHAT_LIMIT = 1.01

#: Share of trajectories that may diverge: of 4,000 none, and more draws of a fit that
#: was trustworthy do not make it doubtful.
DIVERGENT_LIMIT = 1e-4

#: What a fit fails at: chains that disagree, trajectories that diverge.
RHAT_FAILED, DIVERGENT_FAILED = 1.1, 0.1


@dataclass(frozen=True)
class Verdict:
    """Whether to trust a fit.

    Attributes:
        status: The verdict.
        reasons: What is wrong and what to do about it; empty when trustworthy.
        rhat_max: Largest R-hat.
        ess_bulk_min: Smallest bulk effective sample size.
        ess_tail_min: Smallest tail effective sample size.
        worst_parameter: The scalar with the largest R-hat, the smallest size on ties.
        worst_name: The same by its plain name.
        divergences: Divergent trajectories.
        draws_wanted: Draws per chain that would do, where more would; else None.
    """

    status: Status
    reasons: tuple[str, ...]
    rhat_max: float | None
    ess_bulk_min: float | None
    ess_tail_min: float | None
    worst_parameter: str
    divergences: int
    draws_wanted: int | None = None
    worst_name: str = ""

    def as_dict(self) -> dict[str, Any]:
        """What fit.json and diagnostics.json hold."""
        values = asdict(self)
        verdict, reasons = values.pop("status"), list(self.reasons)
        return {"verdict": verdict} | values | {"reasons": reasons}


def verdict(table: Table, draws: Draws, *, is_coarse: bool = False) -> Verdict:
    """Whether to trust a fit, with reasons.

    Trustworthy: of every parameter that geos share an R-hat below 1.01 and bulk and
    tail effective sample sizes of 400 at least, parameters of single geos as
    `single_geos` says, at most one divergence in 10,000 trajectories. Failed: an R-hat
    above 1.1, draws that are no numbers, or more than 10 % divergences. Doubtful: all
    between.

    Args:
        table: Of the parameters that the user sees.
        draws: The sampler's draws.
        is_coarse: In float32 on an accelerator, where that alone makes trajectories
            diverge.
    """
    n_divergences, n_all = draws.n_divergences, draws.diverging.size
    of_one_geo = is_of_one_geo(table)
    shared = table.rows(~of_one_geo)
    geos = together(table, of_one_geo, len(draws.diverging))
    reasons = [
        *_of_values(table),
        *_of_disagreement(shared, draws),
        *_of_number(table, shared, geos),
        *_of_divergences(n_divergences, n_all, is_coarse),
    ]
    with np.errstate(invalid="ignore"):
        has_failed = (
            bool(table.not_finite)
            or bool(np.any(~(shared.rhat <= RHAT_FAILED)))
            or bool(geos and np.mean(~(table.rhat[of_one_geo] <= RHAT_FAILED)) > SHARE)
            or n_divergences > DIVERGENT_FAILED * n_all
        )
    status: Status = "trustworthy"
    if reasons:
        status = "failed" if has_failed else "doubtful"
    worst = _worst(table)
    return Verdict(
        status,
        tuple(reasons),
        rhat_max=_extreme(table.rhat, np.max),
        ess_bulk_min=_extreme(table.ess_bulk, np.min),
        ess_tail_min=_extreme(table.ess_tail, np.min),
        worst_parameter="" if worst is None else table.label(worst),
        divergences=n_divergences,
        draws_wanted=None if has_failed else _draws_wanted(shared, geos),
        worst_name="" if worst is None else table.plain(worst),
    )


def _of_values(table: Table) -> list[str]:
    if not table.not_finite:
        return []
    return [
        say(
            "{name} has draws that are not numbers; fit in float64, "
            "or look for extreme values in the data.",
            name=table.not_finite[0],
        )
    ]


def _of_disagreement(shared: Table, draws: Draws) -> list[str]:
    """What more draws will not mend."""
    if (shared.rhat < RHAT_LIMIT).all():
        return []
    if shared.n_draws < 4:
        return [
            say(
                "{draws} draws per chain are too few to judge; run 500.",
                draws=shared.n_draws,
            )
        ]
    if shared.rhat[_worst(shared)] <= RHAT_FAILED:
        return []
    remedy = say("the chains disagree, so look for two channels that move together")
    if draws.n_modes > 1:
        remedy = say(
            "the chains found separate explanations of the data, so give a "
            "prior that tells them apart"
        )
    return [
        say(
            "{problem}; {remedy}, or run more warm-up and draws.",
            problem=_unsettled(shared),
            remedy=remedy,
        )
    ]


def _of_number(table: Table, shared: Table, geos: Together | None) -> list[str]:
    """What more draws will mend: one sentence, whatever shows it."""
    if table.n_draws < 4:
        return []
    problems = [*_of_size(shared), *_of_single_geos(table, geos)]
    is_unsettled = len(shared) and not (shared.rhat < RHAT_LIMIT).all()
    if is_unsettled and shared.rhat[_worst(shared)] <= RHAT_FAILED:
        problems.insert(0, _unsettled(shared))
    if not problems:
        return []
    return [
        say(
            "Run {more} draws instead of {draws}: {problems}.",
            more=f"{_draws_wanted(shared, geos):,}",
            draws=f"{table.n_draws:,}",
            problems=say("; ").join(problems),
        )
    ]


def _unsettled(shared: Table) -> str:
    """The parameter whose chains differ most, and how many differ."""
    above = ~(shared.rhat < RHAT_LIMIT)
    worst = _worst(shared)
    return say_count(
        int(above.sum()),
        "{name} has R-hat {rhat} (it should be below {limit})",
        "{name} has R-hat {rhat} ({number} parameters are above {limit})",
        name=shared.plain(worst),
        rhat=f"{shared.rhat[worst]:.3f}",
        limit=RHAT_LIMIT,
        number=f"{above.sum():,}",
    )


def _of_size(shared: Table) -> list[str]:
    """Parameters that all geos share with too few effective draws."""
    problems = []
    for kind, sizes in (("bulk", shared.ess_bulk), ("tail", shared.ess_tail)):
        if (sizes < ESS_LIMIT).any():
            row = int(np.nanargmin(sizes))
            problems.append(
                say(
                    "{name} has only {size} effective {kind} draws (at least {least} "
                    "are needed)",
                    name=shared.plain(row),
                    size=f"{sizes[row]:,.0f}",
                    kind=kind,
                    least=f"{ESS_LIMIT:.0f}",
                )
            )
    return problems


def _of_single_geos(table: Table, geos: Together | None) -> list[str]:
    """What is wrong with the parameters of single geos, taken together."""
    if geos is None or geos.agrees:
        return []
    if geos.rhat > geos.limit:
        return [
            say(
                "{name} has R-hat {rhat}, more than chance explains of {number} "
                "parameters of single geos ({limit})",
                name=table.plain(geos.worst),
                rhat=f"{geos.rhat:.3f}",
                limit=f"{geos.limit:.3f}",
                number=f"{geos.n:,}",
            )
        ]
    return [
        say(
            "{share} of the {number} parameters of single geos have fewer than {limit} "
            "effective draws (the least {least})",
            share=share(geos.share),
            limit=f"{ESS_LIMIT:.0f}",
            least=f"{geos.least:,.0f}",
            number=f"{geos.n:,}",
        )
    ]


def _draws_wanted(table: Table, geos: Together | None) -> int | None:
    """Draws per chain that the reasons ask for; None where none asks for more."""
    if table.n_draws < 4:
        return None
    factors = [] if (table.rhat < RHAT_LIMIT).all() else [2.0]
    factors += [2.0] if geos and not geos.agrees else []
    sizes = (table.ess_bulk, table.ess_tail) if len(table) else ()
    for below in (kind[kind < ESS_LIMIT] for kind in sizes):
        if below.size:
            factors.append(1.2 * ESS_LIMIT / max(below.min(), 20.0))
    return (int(np.ceil(table.n_draws * max(factors) / 100)) * 100) if factors else None


def _of_divergences(n_divergences: int, n_all: int, is_coarse: bool) -> list[str]:
    if n_divergences <= DIVERGENT_LIMIT * n_all:
        return []
    numbers = {"number": f"{n_divergences:,}", "all": f"{n_all:,}"}
    if is_coarse:
        return [
            say(
                "{number} of {all} trajectories diverged, so a part "
                "of the posterior may be missing; fit in float64, which a GPU "
                "needs more than a CPU does.",
                **numbers,
            )
        ]
    return [
        say(
            "{number} of {all} trajectories diverged, so a part "
            "of the posterior may be missing; raise target_accept to 0.95 "
            "or 0.99, or give tighter priors.",
            **numbers,
        )
    ]


def _worst(table: Table) -> int | None:
    """Row of the largest R-hat; NaN counts as larger than any."""
    if not len(table):
        return None
    rhat = np.where(np.isnan(table.rhat), np.inf, table.rhat)
    return int(np.lexsort((table.ess_bulk, -rhat))[0])


def _extreme(values: np.ndarray, choose) -> float | None:
    return number(choose(values)) if len(values) else None
