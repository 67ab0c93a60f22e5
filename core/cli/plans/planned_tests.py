"""Planned lift tests in plans of weeks and geos, as an option."""

import argparse


def add_planned_tests(plan: argparse.ArgumentParser) -> None:
    """Whether a plan carries planned tests out, as a flag."""
    plan.add_argument(
        "--without-tests",
        action="store_true",
        help="plans over weeks and geos keep to the spend of the project's planned "
        "tests; this plans as if there were none",
    )
