"""Reports of a fit: a page, a document for print, a workbook, slides, or its draws."""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from core import to_install
from core.errors import WorkspaceError
from core.plan.record.plan_record import PlanRecord
from core.plan.record.tables import csv_text
from core.plan.scenario.table import scenario_text
from core.project.fits.runs import Run
from core.project.plans.plans import load_plan
from core.project.settings.project import language_of
from core.service.places import project_of, typed_out
from core.store.atomic import make_subfolder, write_bytes, write_together
from core.team.gate import begun, check, note
from core.team.roles import Role
from core.text.languages.language import LANGUAGES

#: Endings of reports; `.nc` is the posterior.
_FILES = (".html", ".htm", ".pdf", ".xlsx", ".pptx", ".nc")


def missing_for_pdf() -> str:
    """How to install what sets a PDF; empty where it is installed."""
    has_all = all(find_spec(name) is not None for name in ("typst", "matplotlib"))
    return "" if has_all else to_install("pdf")


def report_path(name: str) -> Path:
    """Where a report is written.

    Raises:
        WorkspaceError: It is not a report format, or there is no such folder.
    """
    return typed_out(name, _FILES, "report")


def own_report(project: Path, name: str) -> Path:
    """Where a report is written that belongs to its project: its folder `reports`.

    Args:
        project: Its folder.
        name: Of the file, which leads nowhere else.

    Raises:
        WorkspaceError: It is no name of a report, or the folder cannot be written.
    """
    if name != Path(name).name or not name.isprintable():
        raise WorkspaceError(
            f"{name!r} is not the name of a file.",
            hint="Give a name without folders, such as report.html.",
            where=name,
        )
    check("report exported", project, Role.VIEWER, subject=name)
    return report_path(str(make_subfolder(project, "reports") / name))


def write_files(texts: Mapping[Path, str]) -> None:
    """Write answers that somebody wants as files: all of them, or none.

    Raises:
        WorkspaceError: The disk is full, or a folder cannot be written to.
    """
    write_together({path: text.encode() for path, text in texts.items()})


def write(
    run: Run, path: Path, plan: PlanRecord | None = None, language: str | None = None
) -> None:
    """Write the report of a fit, in the kind that the name says.

    Args:
        run: The fit.
        path: See `report_path`.
        plan: A plan of this fit to include.
        language: What it speaks: of `LANGUAGES`; None for the project's.

    Raises:
        WorkspaceError: The file cannot be written.
    """
    project = project_of(run)
    check("report exported", project, Role.VIEWER, subject=path.name)
    content = report_file(run, path.suffix.lower(), plan, language)
    with begun("report exported", project, path.name):
        write_bytes(path, content)
        note("report exported", project, Role.VIEWER, subject=path.name)


def report_file(
    run: Run, kind: str, plan: PlanRecord | None = None, language: str | None = None
) -> bytes:
    """The report of a fit as a file.

    Args:
        run: The fit.
        kind: `.html`, `.pdf`, `.xlsx`, `.pptx`, or `.nc` for the posterior.
        plan: A plan to include.
        language: See `write`.

    Raises:
        WorkspaceError: There is no such language, the result is damaged, or a package
            for the kind is missing.
    """
    if kind == ".nc":
        from core.report.posterior_file import posterior_netcdf

        return posterior_netcdf(run.folder)
    from core.report.content import read

    if language is not None and language not in LANGUAGES:
        raise WorkspaceError(
            f"Reports do not speak {language!r}.",
            hint=f"Use one of {', '.join(LANGUAGES)}.",
            where=language,
        )
    content = read(run.folder, language)
    if kind == ".xlsx":
        from core.report.books.report_book import report_workbook

        return report_workbook(content, plan)
    if kind == ".pptx":
        from core.report.deck.slides import slides

        return slides(content, plan)
    if kind == ".pdf":
        from core.report.paper.pdf import pdf

        return pdf(content, plan)
    from core.report.html import render

    return render(content, plan).encode()


def plan_of(run: Run, plan_id: str | None) -> PlanRecord | None:
    """A saved plan of a fit; None for none.

    Raises:
        WorkspaceError: There is no such plan, or it is of another fit.
    """
    if plan_id is None:
        return None
    plan = load_plan(project_of(run), plan_id)
    if plan.run_id != run.run_id:
        raise WorkspaceError(
            f"Plan {plan_id} was made with run {plan.run_id}, not with {run.run_id}.",
            hint="Report that run, or leave --plan out.",
            where=plan_id,
        )
    return plan


def plan_file(plan: PlanRecord, kind: str) -> bytes:
    """A plan as a file.

    Args:
        plan: The plan.
        kind: `.xlsx`, `.csv`, `.toml` (its scenario) or `.json`; of a portfolio
            `.html`, `.pdf` and `.pptx`, too, which of a single fit are its report.

    Raises:
        WorkspaceError: A package for the kind is missing.
    """
    if kind == ".html":
        from core.report.html import portfolio_html

        return portfolio_html(plan).encode()
    if kind == ".pdf":
        from core.report.paper.pdf import portfolio_pdf

        return portfolio_pdf(plan)
    if kind == ".pptx":
        from core.report.deck.slides import portfolio_slides

        return portfolio_slides(plan)
    if kind == ".xlsx":
        from core.report.books.report_book import plan_workbook

        return plan_workbook(plan)
    if kind == ".csv":
        return csv_text(plan).encode("utf-8-sig")
    if kind == ".toml":
        text = scenario_text(plan.scenario, name=plan.name, notes=plan.notes)
        return text.encode()
    from core.view.weeks.teaching_words import with_reasons

    return json.dumps(with_reasons(plan), indent=1, allow_nan=False).encode()


def write_plan(plan: PlanRecord, path: Path) -> None:
    """Write a plan, in the kind that the name says; see `plan_file`.

    Raises:
        WorkspaceError: The file cannot be written, or a package for it is missing.
    """
    write_bytes(path, plan_file(plan, path.suffix.lower()))
