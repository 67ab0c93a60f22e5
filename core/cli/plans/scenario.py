"""What is asked of a plan: what flags ask for, and the scenario file beside them."""

import argparse
from typing import Any

from core.cli.plans.options import horizon, teach
from core.errors import PlanError, WorkspaceError
from core.service import scenarios
from core.service.ask import Bound, PlanAsk, share
from core.service.places import finished_fit, typed_path
from core.service.planning.bounds import FLAGS
from core.service.planning.switches import SWITCHES, of_flags


def ask(options: argparse.Namespace) -> PlanAsk:
    """What the flags and the scenario file ask for; flags go before the file.

    Raises:
        PlanError: The file is not TOML, or its workbook contradicts itself.
        SchemaError: The workbook is damaged.
        WorkspaceError: The file cannot be read, or flags contradict it.
    """
    find = None
    if options.margin is not None:
        if not isinstance(options.budget, tuple):
            raise PlanError(
                "--margin needs a budget that profit may choose.",
                hint="Give its least and most: --budget 60M:80M.",
                where="margin",
            )
        find = {"kind": "profit", "margin": options.margin}
    return PlanAsk(
        over=options.over,
        horizon=horizon(options),
        budget=options.budget,
        find=find,
        objective=options.objective,
        bounds=options.bounds,
        geo_bounds=options.geo_bounds,
        geo_totals=options.geo_totals,
        limits=_limits(options),
        keeps_tests=not options.without_tests,
        bought=dict(options.bought),
        teach=teach(options),
        scenario={} if options.scenario is None else scenario_file(options),
        **of_flags(options),
    )


def _limits(options: argparse.Namespace) -> list[Bound]:
    """Limits of channels."""
    shares = [
        Bound(name, low=share(low), high=share(high))
        for name, (low, high) in options.limit
    ]
    money = [
        Bound(name, low=low, high=high) for name, (low, high) in options.limit_money
    ]
    others = [
        Bound(name, **{field.name: value})
        for field in FLAGS
        for name, value in getattr(options, field.argument)
    ]
    return [*others, *shares, *money]


def scenario_file(options: argparse.Namespace) -> dict[str, Any]:
    """The content of the scenario file: TOML, or the edited workbook of a plan.

    Raises:
        PlanError: It is not TOML, or the workbook contradicts itself.
        SchemaError: The workbook is damaged.
        WorkspaceError: It cannot be read, or flags contradict it.
    """
    beside = {
        "--bounds": options.bounds,
        "--limit": options.limit,
        "--limit-money": options.limit_money,
        "--bought": options.bought,
    } | {
        f"--{each.flag}": getattr(options, each.argument)
        for each in (*FLAGS, *filter(lambda switch: switch.is_settled, SWITCHES))
    }
    for flag, value in beside.items():
        if value:
            raise WorkspaceError(
                f"{flag} is given beside --scenario.",
                hint="Limits are in the scenario file; change them there.",
                where=options.scenario,
            )
    path = typed_path(options.scenario)
    return scenarios.of_file(finished_fit(options.run), path)
