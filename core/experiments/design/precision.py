"""Precision: how small a lift a test could find, from the KPI of geos alone.

Where and for how long a test runs decides how precise it is; that takes no fit. What it
costs and what its result is worth take the response of channels (`ranking`).
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.experiments.design.candidate import Arm
from core.experiments.design.ranking import Options, arms_of
from core.experiments.panel import Panel

#: Lifts whose power is worked out.
LIFTS = (0.02, 0.05, 0.1)


@dataclass(frozen=True)
class Precision:
    """Where and when a test could run, and what lift it would find.

    Attributes:
        geos: Treated; empty for everywhere.
        start: First day, ISO.
        end: Last day, ISO.
        weeks: How long.
        standard_error: Of the incremental outcome that the test reports.
        mde: Minimal detectable effect, as a share of the outcome there.
        mde_outcome: The same in outcome.
        power: Probability to detect a lift, by lift.
    """

    geos: tuple[str, ...]
    start: str
    end: str
    weeks: int
    standard_error: float
    mde: float
    mde_outcome: float
    power: dict[float, float]

    def as_dict(self) -> dict[str, Any]:
        """As `tests design --json` prints it."""
        power = [{"lift": lift, "power": share} for lift, share in self.power.items()]
        return asdict(self) | {"geos": list(self.geos), "power": power}


def precisions(
    panel: Panel,
    options: Options,
    on_progress: Callable[[float], None] = lambda share: None,
) -> tuple[Precision, ...]:
    """Where and how long a test could run, the most precise first.

    Args:
        panel: The market up to now.
        options: What designs are looked for; what a plan would make of a result does
            not count.
        on_progress: Told the share that is done.

    Raises:
        SpecError: No design is feasible.
    """
    over_time = len(panel.geos) == 1
    arms = arms_of(panel, options, on_progress, over_time=over_time)
    return tuple(
        sorted((_of(arm, panel.step) for arm in arms), key=lambda each: each.mde)
    )


def _of(arm: Arm, step: int) -> Precision:
    end = np.datetime64(arm.start, "D") + arm.length * step - 1
    return Precision(
        geos=arm.geos,
        start=arm.start,
        end=str(end),
        weeks=arm.weeks,
        standard_error=arm.error * arm.outcome,
        mde=arm.mde,
        mde_outcome=arm.mde * arm.outcome,
        power={lift: arm.power(np.array([lift * arm.outcome])) for lift in LIFTS},
    )
