"""Session state: the one door to it, and to the address of the page.

What must survive is on disk. The address holds which project (`?project=`) and which
run (`?run=`) is open, and which saved plan (`?plan=`) was opened by it. The session
holds the rest: drafts that are not saved yet, and what an editor began with. Keys of
widgets, by screen, for tests that drive a browser (a widget with key `fit.start` has
the class `st-key-fit-start`):

    menu.project meanwhile.theirs meanwhile.mine language.menu language.offer
    start.new start.filter start.upload.<n> start.open.<project> start.more.<project>
    start.template.demo_national start.template.demo_geo
    dialog.upload.<n> dialog.rename dialog.duplicate dialog.apply dialog.delete
    <upload>.stop of every place to drop a table
    data.upload.<n> data.replace.<n> data.add.<n> data.layout.<choice>.<origin>
    data.upload.<n>.parts.<file>.<at> data.upload.<n>.rate.<code>
    data.name.<n> data.currency.<n> data.value.<n> data.locale.<n>
    data.accept data.discard data.mapping.<n> data.findings data.chart data.by_geo
    data.ask.<column>.<n> data.spend_unit.is.<unit>
    model.view model.mode model.channels.<n>.<mode> model.channel model.check
    model.each model.reset model.option.<option>.<n>
    model.closely.<channel>.<option>.<n>
    experiments.table.<n> experiments.add experiments.edit experiments.csv
    experiments.form.<field>.<n>
    experiments.upload.<n>
    experiments.template experiments.dismiss experiments.results experiments.view
    experiments.board.<n> experiments.board.delete experiments.designs experiments.plan
    experiments.rank experiments.next.channels experiments.treated experiments.tested
    experiments.left_out experiments.read.start experiments.read.end
    experiments.read.go experiments.to_model
    experiments.report.channels experiments.report.days experiments.report.tested_at
    fit.start fit.cancel fit.resume fit.set.<setting>.<n> fit.live fit.blocked fit.log
    fit.runs.<n> fit.open fit.delete fit.more fit.preview fit.prune fit.prune.<option>
    channels.view channels.channel channels.geo channels.table
    channels.every channels.note.<field> channels.xlsx channels.csv plan.budget
    plan.objective plan.unit plan.spread plan.limits.<n> plan.name.<n> plan.undo
    plan.redo plan.save plan.xlsx plan.csv plan.toml plan.saved.<n> plan.load
    plan.record plan.link plan.upload.<n> plan.goal plan.total plan.view plan.amount
    plan.notes.<n> plan.more.<option>.<n> plan.rare
    compare.view compare.plans compare.plans.table
    history.actuals.<field>
    flight.count flight.start flight.budget.<n>.<start> flight.objective flight.split
    flight.spread flight.<switch> flight.booked.<run>.<n>.<start>.<edition> flight.book
    flight.books     flight.free flight.go flight.cancel flight.csv flight.part
    forecast.periods forecast.of forecast.goal forecast.plan.<run>.<plan> forecast.csv
    compare.a compare.b compare.measure compare.table compare.settings
    compare.analysts compare.errors
    report.plan report.html report.pdf report.pptx report.xlsx
    history.upload.<n> history.query history.changed history.yes history.start
    history.moves history.report history.kind history.events.<n> history.open
    history.unscored
    go.<screen> go.<screen>.<why> go.newest go.renamed chart.<screen>.<figure>
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import pandas as pd

    from core.service.data.layout import Guess
    from core.service.projects.settings import Conflict, Project
    from core.service.records.columns import Query
    from core.service.records.data import Table
    from core.service.records.model import ModelSpec

_PROJECT = "app.project"
_RUN = "app.run"
_SEEN = "app.seen"
_CONFLICT = "app.conflict"
_NOTES = "app.notes"
_UPLOAD = "app.upload"
_ERROR = "app.error"
#: Editors of the Model screen.
MODEL_EDITORS = ("channels", "options", "closely", "holdout", "events")
#: Editors that let go of what was typed when the project was changed elsewhere.
EDITORS = ("mapping", *MODEL_EDITORS, "sampler", "limits", "experiments")
#: How keys begin that are about the open project.
_OF_PROJECT = ("draft.", "data.", "model.", "experiments.", "fit.", "plan.")
_OF_PROJECT += ("compare.", "forecast.", "history.")


@dataclass
class Upload:
    """Files that were uploaded and are not accepted yet, and their one table.

    Attributes:
        filename: The name of the file, or of the first, for messages and the project's
            first name.
        frame: The table as loaded.
        rows: The role of each column and why, as the mapping table shows it.
        project: The project whose data it replaces; None for a new one.
        digest: Identifies the table in caches.
        table: The table with how it was made.
        guess: The layout that makes it, with its files; None where there is nothing
            to choose: one file as it lies.
        origin: Identifies the files.
        spec: Options and priors of a model file of another program.
        query: The query that it comes from, beside files.
        is_again: Whether a project's layout made it, so that nothing is asked.
    """

    filename: str
    frame: "pd.DataFrame"
    rows: "pd.DataFrame"
    project: str | None = None
    digest: str = ""
    table: "Table | None" = None
    guess: "Guess | None" = None
    origin: str = ""
    spec: "ModelSpec | None" = None
    query: "Query | None" = None
    is_again: bool = False


@dataclass(frozen=True)
class Note:
    """A short message that survives the rerun it was made in."""

    text: str
    icon: str = ":material/check:"


# --- which project and run -------------------------------------------------------


def project_name() -> str | None:
    """The open project: the address wins, then what the session had open."""
    named = st.query_params.get("project")
    if named is None:
        named = st.session_state.get(_PROJECT)
        if named is not None:
            st.query_params["project"] = named
    elif named != st.session_state.get(_PROJECT):
        _forget(named)
    return named


def open_project(name: str | None) -> None:
    """Make a project the open one; None closes it."""
    _forget(name)
    for key in ("run", "plan", "draft", "hand"):
        st.query_params.pop(key, None)
    if name is None:
        st.query_params.pop("project", None)
    else:
        st.query_params["project"] = name


def follow(name: str) -> None:
    """Open a project under its new name; what the address holds of a draft stays."""
    _forget(name)
    st.query_params["project"] = name


def _forget(project: str | None) -> None:
    """Drop what the session knew about the project that was open."""
    for key in list(st.session_state):
        if str(key).startswith(_OF_PROJECT):
            del st.session_state[key]
    for key in (_RUN, _SEEN, _CONFLICT, _UPLOAD, _ERROR):
        st.session_state.pop(key, None)
    st.session_state[_PROJECT] = project


def run_id() -> str | None:
    """The run asked for in the address; None for the newest fit."""
    named = st.query_params.get("run") or st.session_state.get(_RUN)
    if named:
        st.session_state[_RUN] = named
    return named


def open_run(named: str | None) -> None:
    """Make a run the open one; None for the newest fit."""
    st.session_state.pop(_RUN, None)
    st.query_params.pop("run", None)
    if named:
        st.query_params["run"] = named
        st.session_state[_RUN] = named


# --- edits and the file they were made to ----------------------------------------


def seen() -> "tuple[str, Project] | None":
    """What the screen was last drawn from: project.toml, its hash before it."""
    return st.session_state.get(_SEEN)


def see(sha: str, project: "Project") -> None:
    """Remember what the screen is drawn from."""
    st.session_state[_SEEN] = (sha, project)


def turn_to(sha: str, project: "Project") -> None:
    """Draw screens from another state of the project: editors begin from it."""
    see(sha, project)
    start_afresh(*EDITORS)
    keep_of_app("overtaken", None)


def conflict() -> "Conflict | None":
    """An edit that could not be saved because of another, until it is settled."""
    return st.session_state.get(_CONFLICT)


def keep_conflict(conflict: "Conflict | None") -> None:
    """Keep an edit that could not be saved; None once it is settled."""
    st.session_state[_CONFLICT] = conflict


def edition(name: str) -> int:
    """Number in the key of an editor; a new number makes it start afresh."""
    return st.session_state.get(f"draft.edition.{name}", 0)


def start_afresh(*names: str) -> None:
    """Make editors forget what was typed into them."""
    for name in names:
        st.session_state[f"draft.edition.{name}"] = edition(name) + 1


# --- drafts ----------------------------------------------------------------------


def upload() -> Upload | None:
    """The table that waits for its mapping to be accepted."""
    return st.session_state.get(_UPLOAD)


def keep_upload(table: Upload | None) -> None:
    """Keep an uploaded table until it is accepted; None discards it."""
    if table is None:
        st.session_state.pop(_UPLOAD, None)
    else:
        st.session_state[_UPLOAD] = table
    start_afresh("mapping", "upload")


def revise_upload(table: Upload) -> None:
    """Keep the waiting table with other roles; what was typed on the screen stays."""
    st.session_state[_UPLOAD] = table


def draft(name: str, default: Any = None) -> Any:
    """A value that a screen keeps between runs of the script."""
    return st.session_state.get(f"draft.{name}", default)


def keep(name: str, value: Any) -> None:
    """Keep a value between runs of the script, until another project is opened."""
    st.session_state[f"draft.{name}"] = value


def widget(key: str, default: Any) -> Any:
    """The value of a widget before it is drawn."""
    return st.session_state.get(key, default)


def put(key: str, value: Any) -> None:
    """Set a widget's value before it is drawn."""
    st.session_state[key] = value


def drop(key: str) -> None:
    """Have a widget begin from its first value."""
    st.session_state.pop(key, None)


def setdefault(key: str, value: Any) -> None:
    """Set a widget's first value."""
    st.session_state.setdefault(key, value)


# --- messages --------------------------------------------------------------------


def note(text: str, icon: str = ":material/check:") -> None:
    """Say something short after the next rerun."""
    st.session_state.setdefault(_NOTES, []).append(Note(text, icon))


def notes() -> list[Note]:
    """What is to be said now; each is given once."""
    return st.session_state.pop(_NOTES, [])


def attempt(action: Callable[..., Any], *args: Any) -> None:
    """Run a callback; an error is kept, to be shown where the screen begins."""
    from core.errors import MMMError

    try:
        action(*args)
    except MMMError as error:
        st.session_state[_ERROR] = error


def failed() -> Exception | None:
    """The error of the last callback; given once."""
    return st.session_state.pop(_ERROR, None)


# --- of the app, whatever project is open ----------------------------------------


def draft_of_app(name: str) -> Any:
    """A value kept for as long as the browser tab is open."""
    return st.session_state.get(f"app.{name}")


def keep_of_app(name: str, value: Any) -> None:
    """Keep a value for as long as the browser tab is open."""
    st.session_state[f"app.{name}"] = value


def has(key: str) -> bool:
    """Whether the session knows a widget."""
    return key in st.session_state
