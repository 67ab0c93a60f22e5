"""An edited workbook of a plan of weeks, uploaded again to be evaluated."""

from core.plan.scenario.horizon import horizon_wish
from core.plan.scenario.workbook.sheet import fit_of
from core.plan.scenario.workbook.weeks import edited_weeks
from core.service import plans
from core.workspace.fits.runs import Run
from core.workspace.planned_with import check_own_fit
from pages.plan import saved
from pages.plan.edited import dropped, place
from pages.ui import state
from pages.ui.fields import gated

_HELP = (
    "The XLSX of a plan of weeks, with other amounts by week and channel: they are "
    "evaluated as they are, for the weeks of the file."
)


def upload(run: Run, names: tuple[str, ...], currency: str) -> None:
    """The place to drop an edited workbook.

    Args:
        run: The fit.
        names: Its paid channels.
        currency: Of the fit; empty where unknown.
    """
    place(gated.file_uploader, "flight.upload", _HELP, _take, run, names, currency)


def _take(key: str, run: Run, names: tuple[str, ...], currency: str) -> None:
    """Have a worker say what the amounts of the file would bring.

    Raises:
        MMMError: The file is at fault; nothing is started, the form is as it was.
    """
    if (file := dropped(key)) is None:
        return
    name, cells = file
    check_own_fit(run.folder.parents[1], fit_of(cells), name)
    table = edited_weeks(cells, name, names, currency)
    plans.start_weeks(run, table)
    saved.put_periods(horizon_wish(table))
    state.note(f"{name} is being evaluated", ":material/hourglass_top:")
