"""plan: the best split of a budget within limits, and its odds.

It is asked for by flags, and by the scenario file beside them.
"""

import argparse
from typing import Any

from core import text as fmt
from core.cli.answer import Answer, clean, tell
from core.cli.plans.options import horizon, teach
from core.cli.progress import Progress
from core.cli.section_text import section_text
from core.errors import PlanError, WorkspaceError
from core.service import plans, reports, scenarios
from core.service.ask import Bound, PlanAsk, share
from core.service.places import finished_fit, project_of, typed_out, typed_path
from core.service.planning.asked import FLAGS, SWITCHES, of_flags
from core.service.records.fit import Run
from core.service.records.plan import DEFAULT_BOUNDS, PlanRecord
from core.view import plan_words
from core.view.origin import origin
from core.view.sections import of_plan
from core.view.weeks import teaching_words

#: Files that a plan can be written to.
FILES = (".xlsx", ".csv", ".toml", ".json")


def plan_command(options: argparse.Namespace) -> Answer:
    """Plan a budget with a finished fit: over channels, channels and geos, or weeks."""
    request = ask(options)
    outs = [typed_out(name, FILES, "plan") for name in options.out]
    run = finished_fit(options.run)
    try:
        plan = plans.plan(run, request, Progress())
    except PlanError as error:
        raise _with_ways(error, options, run, request) from error
    remarks = []
    if options.save is not None:
        plan = plans.save(run, plan, options.save)
        remarks.append(f"Saved as plan {plan.plan_id} of {project_of(run).name}.")
        remarks += filter(None, [plan_words.renamed(plan, options.save)])
    for out in outs:
        try:
            reports.write_plan(plan, out)
        except WorkspaceError:
            for remark in remarks:  # what was saved stays saved
                tell(remark)
            raise
        remarks.append(f"Written to {out}.")
    about = teaching_words.with_reasons(plan)
    return Answer(about, plan_text(plan), remarks=tuple(remarks))


def _with_ways(
    error: PlanError, options: argparse.Namespace, run: Run, request: PlanAsk
) -> PlanError:
    """The error, with the ways out that only the command line has."""
    budget = options.budget
    is_off = error.where == "budget" and error.findings  # not another currency's
    if not is_off or not isinstance(budget, float | int):
        return error
    today = plans.today(run, request)
    now, horizon = float(today.spend.sum()), today.horizon
    low, high = options.bounds or DEFAULT_BOUNDS
    if low * now <= budget <= high * now:
        return error
    ways = []
    if not options.scaled and not options.scenario:
        ways.append("With --scaled, limits follow the budget.")
    if not horizon.as_fitted:
        ways.append(
            f"The plan is for {horizon.span} from {fmt.date(horizon.start)}; with "
            "--as-fitted it is for the data's own periods."
        )
    hint = " ".join([error.hint, *ways]).strip()
    return PlanError(
        error.message, hint=hint, where=error.where, findings=error.findings
    )


def plan_text(plan: PlanRecord) -> str:
    """The plan for people, whatever it is over."""
    units = plan.units
    head = (
        f"Budget {fmt.cents(plan.budget, units.currency)} for "
        f"{plan_words.horizon(plan)}; maximises "
        f"{plan_words.pursued(plan, units)}"
    )
    body = section_text(of_plan.section(plan, "text", more=[origin(plan)]))
    return clean(f"{head}\n\n{body}")


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
