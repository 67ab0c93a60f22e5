"""Edited: geos that somebody chose by hand for a design, scored as drawn ones are."""

from dataclasses import dataclass

import numpy as np

from core.errors import SpecError
from core.experiments.design.assignment import Assignment, scored
from core.experiments.design.candidate import Design, design
from core.experiments.design.market import Market
from core.experiments.design.ranking import Options, arm_of
from core.experiments.design.sample_value import planner
from core.text import count, listed, share, verb

#: Balance, in standard deviations over geos, and error, over that of the drawn geos,
#: beyond which a choice is warned of; and the fewest control geos without a warning.
_FAR, _WORSE, _FEW = 1.0, 1.25, 5


@dataclass(frozen=True)
class Edited:
    """A design with geos that were chosen by hand.

    Attributes:
        design: The same test in these geos.
        assignment: Balance, share at risk, placebo error and A/A check.
        warnings: What speaks against the choice, in sentences.
    """

    design: Design
    assignment: Assignment
    warnings: tuple[str, ...]


def edited(
    market: Market,
    original: Design,
    geos: tuple[str, ...],
    options: Options | None = None,
) -> Edited:
    """A design with other treated geos, scored again.

    Args:
        market: What a fit says.
        original: The design that is edited.
        geos: To treat.
        options: What designs were looked for.

    Raises:
        SpecError: No geo is treated, or fewer than two are left to compare with.
    """
    options = options or Options()
    panel = market.panel.without(options.left_out)
    unknown = [geo for geo in geos if geo not in panel.geos]
    n_controls = len(panel.geos) - len(geos)
    if unknown or not geos or n_controls < 2:
        message = f"{len(geos)} treated geos leave {n_controls} to compare them with."
        if unknown:
            message = f"{listed(unknown)} is not in the data, or takes no part."
        raise SpecError(
            message, hint="Treat one or more, and leave two or more.", where="geos"
        )
    length = panel.periods(original.weeks)
    scores = scored(panel, (geos,), length, seed=options.seed)
    arm = arm_of(panel, scores, original.weeks, length, original.start)
    after = np.datetime64(original.start, "D") - market.panel.times[-1]
    delay = max(int(after.astype(int)) // market.panel.step - 1, 0)
    horizon = market.panel.periods(options.horizon)
    horizon -= delay if options.start is None else 0
    plan = planner(market.curves, options.bounds)
    scored_design = design(market, plan, original.channel, original.kind, arm, horizon)
    before = original.standard_error * original.mde / max(original.mde_outcome, 1e-300)
    return Edited(
        scored_design, scores, tuple(_warnings(scores, before, panel.unit, options))
    )


def _warnings(
    scores: Assignment, before: float, unit: str, options: Options
) -> list[str]:
    lines = []
    error, (effect, p) = scores.error[0], scores.aa[0]
    if not scores.passes:
        lines.append(
            f"They fail the A/A check: before the test, where nothing was tested, they "
            f"differ from their counterfactual by {share(effect, signed=True)} "
            f"(p = {p:.2f}). Choose others."
        )
    if scores.share > options.most_at_risk:
        lines.append(
            f"They make {share(scores.share)} of the {unit}, more than the "
            f"{share(options.most_at_risk)} that tests put at risk."
        )
    if error > _WORSE * before > 0:
        lines.append(
            f"Their comparison errs by {100 * error:.1f} %, that of the drawn geos by "
            f"{100 * before:.1f} %."
        )
    if scores.balance > _FAR:
        lines.append(
            f"Their mean {unit} is {scores.balance:.1f} standard deviations from that "
            "of the control geos: treat smaller and larger ones alike."
        )
    if len(scores.control) < _FEW:
        left = len(scores.control)
        lines.append(
            f"Only {count(left, 'geo')} {verb(left, 'are')} left to compare them with."
        )
    return lines
