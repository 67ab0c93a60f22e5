"""The report as slides for a board: claims as titles, native charts that can be edited.

The numbers are those of the HTML. First what was found, then the plan, what it hangs
on, the evidence by channel, and the model behind it as an appendix.
"""

import io
from pathlib import Path
from typing import Any

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report import content as told
from core.report.content import Content
from core.report.deck import fit_slides, plan_slides
from core.report.deck.theme import add_slide, presentation
from core.store.atomic import write_bytes


def write_slides(run_dir: Path, path: Path, plan: PlanRecord | None = None) -> Path:
    """Write the report of a finished fit as a PPTX file.

    Args:
        run_dir: The run.
        path: Where to write; replaced if it exists.
        plan: A plan to report with it.

    Raises:
        WorkspaceError: The run has no result, it is damaged, or the file cannot be
            written.
    """
    write_bytes(path, slides(told.read(run_dir), plan))
    return path


def slides(content: Content, plan: PlanRecord | None = None) -> bytes:
    """The report as a PPTX file."""
    with fmt.written_in(content.locale):
        return _slides(content, plan)


def _slides(content: Content, plan: PlanRecord | None) -> bytes:
    deck = presentation(_footer(content))

    def add(title: str, kicker: str) -> Any:
        return add_slide(deck, title, kicker)

    fit_slides.front(add, content, plan)
    if plan is not None:
        plan_slides.plan_slides(add, plan, content)
    plan_slides.risks(add, plan, content)
    fit_slides.returns(add, content)
    fit_slides.sources(add, content)
    fit_slides.appendix(add, content)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def _footer(content: Content) -> str:
    """The project and the day of its fit."""
    created = str(content.about.get("created", ""))
    fitted = f" · fit of {fmt.date(created)}" if created else ""
    return f"{fmt.brief(content.project.name, 70)}{fitted} · Mixwright"
