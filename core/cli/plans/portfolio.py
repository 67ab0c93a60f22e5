"""portfolio: one budget over the fits of several projects."""

import argparse
import os

from core.cli.answer import Answer, clean, table
from core.cli.plans.planning import plan_text
from core.cli.progress import Progress
from core.errors import WorkspaceError
from core.service import reports
from core.service.places import typed_out, typed_path
from core.service.portfolio import markets, plans
from core.service.records.plan import PlanRecord, as_dict
from core.view import plan_words
from core.view.sections import plan_tables

#: Kinds of files that the plan of a portfolio is written as.
_FILES = (".html", ".pdf", ".pptx", ".xlsx", ".csv", ".json")


def init_portfolio(options: argparse.Namespace) -> Answer:
    """Write a portfolio file of projects, to be edited."""
    path = typed_path(options.out)
    if path.suffix != ".toml":
        raise WorkspaceError(
            f"{path.name} is not the name of a portfolio file.",
            hint="End it in .toml.",
            where=str(path),
        )
    if os.path.lexists(path):
        raise WorkspaceError(
            f"{path} is there already.",
            hint="Edit it, or name another file.",
            where=str(path),
        )
    markets.write_draft(path, options.projects, options.currency or "")
    return Answer({"portfolio": str(path)}, f"Written to {path}.")


def plan_portfolio(options: argparse.Namespace) -> Answer:
    """Plan one budget over several finished fits."""
    outs = [typed_out(name, _FILES, "plan") for name in options.out]
    portfolio = markets.load(typed_path(options.file))
    watch = Progress()
    all_markets = markets.markets(portfolio, watch)
    overrides = {
        "budget": options.budget,
        "objective": options.objective,
        "bounds": None if options.bounds is None else list(options.bounds),
        "supported": False if options.best else None,
    }
    plan = plans.plan(all_markets, overrides)
    remarks = []
    if options.save is not None:
        saved = plans.save(all_markets, plan, options.save, watch)
        for name, part in zip(all_markets.fits, saved, strict=True):
            remarks.append(f"Saved as plan {part.plan_id} of {name}.")
            remarks += filter(None, [plan_words.renamed(part, options.save)])
    for out in outs:
        reports.write_plan(plan, out)
        remarks.append(f"Written to {out}.")
    text = f"{projects_text(plan)}\n\n{plan_text(plan)}"
    return Answer(as_dict(plan), text, remarks=tuple(remarks))


def projects_text(plan: PlanRecord) -> str:
    """What of the plan is each project's."""
    projects = plan_tables.projects(plan)
    return clean(table(projects.heads, projects.rows))
