"""An edited workbook of a plan of weeks, uploaded again to be evaluated."""

from pathlib import PurePath

import streamlit as st

from core.plan.scenario.horizon import horizon_wish
from core.plan.scenario.workbook.weeks import edited_weeks
from core.workspace.fits.runs import Run
from pages.plan import saved
from pages.ui import run_control, state
from pages.ui.fields import gated

_MAX_MB = 5
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
    key = f"flight.upload.{state.edition('flight.upload')}"
    with st.expander("Evaluate an edited plan (XLSX)"):
        gated.file_uploader(
            "Edited plan",
            type=["xlsx"],
            max_upload_size=_MAX_MB,
            key=key,
            on_change=state.attempt,
            args=(_take, key, run, names, currency),
            help=_HELP,
        )
        st.caption(_HELP)


def _take(key: str, run: Run, names: tuple[str, ...], currency: str) -> None:
    """Have a worker say what the amounts of the file would bring.

    Raises:
        MMMError: The file is at fault; nothing is started, the form is as it was.
    """
    from core.data.files.isolated import read_apart

    file = state.widget(key, None)
    if file is None:
        return
    state.start_afresh("flight.upload")
    name = PurePath(file.name).name
    cells = read_apart("workbook_cells", file.getvalue(), name)
    table = edited_weeks(cells, name, names, currency)
    run_control.plan_weeks(run, table)
    saved.put_periods(horizon_wish(table))
    state.note(f"{name} is being evaluated", ":material/hourglass_top:")
