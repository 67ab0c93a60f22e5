"""Planned lift tests in plans of weeks and geos: what they fix of the spend."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from core.cli.places import project_of
from core.plan.scenario.reserved import Reserved
from core.workspace.fits.runs import Run
from core.workspace.lift_tests import lift_tests


def add_planned_tests(plan: argparse.ArgumentParser) -> None:
    """Whether a plan carries planned tests out, as a flag."""
    plan.add_argument(
        "--without-tests",
        action="store_true",
        help="plans over weeks and geos keep to the spend of the project's planned "
        "tests; this plans as if there were none",
    )


def tests_to_keep_to(run: Run, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Tests of a fit's project, unless plans are to do without."""
    return [] if options.without_tests else lift_tests(project_of(run))


def reserved_by_tests(
    run: Run, tests: Sequence[Mapping[str, Any]], start: str, n: int
) -> tuple[Reserved, ...]:
    """What planned tests fix of a plan's spend.

    Args:
        run: The fit.
        tests: Of its project.
        start: First day of the plan, ISO.
        n: Periods of the plan.

    Raises:
        MMMError: Two tests want different spend in the same geos and weeks.
    """
    from core.experiments.reservation import reservations, usual_spend
    from core.workspace.tested_fits import data_of_run

    if not tests:
        return ()
    return reservations(usual_spend(data_of_run(run), start, n), tests)
