"""The data that the Data screen works on: the project's table, or one just uploaded."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core import text as fmt
from core.errors import ConflictError
from core.service.projects import shelf
from core.service.projects.settings import Project, aligned, default_spec, differences
from core.service.projects.shelf import check_project_name, project_folder
from core.service.records.columns import ColumnMapping, Finding
from core.service.records.model import ModelSpec
from core.text.languages.language import say
from pages.ui import reading, state
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened
from pages.upload import mapping_table

if TYPE_CHECKING:
    import pandas as pd


#: Role and channel of some columns; None leaves the channel as it is.
Roles = tuple[tuple[str, str, str | None], ...]
#: Where roles that a remedy gave to the project's table are kept, with its digest.
_ROLES = "data.roles"


@dataclass(frozen=True)
class Source:
    """A table and the roles of its columns before they are edited.

    Attributes:
        frame: The table.
        rows: The mapping table as it was.
        digest: Identifies the table.
        here: The project it belongs to or replaces the data of; None for a new one.
        upload: The upload that waits to be accepted; None for the project's table.
        mapping: The mapping on disk; None where there is none for this table.
    """

    frame: "pd.DataFrame"
    rows: "pd.DataFrame"
    digest: str
    here: Opened | None = None
    upload: state.Upload | None = None
    mapping: ColumnMapping | None = None

    @property
    def currency(self) -> str:
        """The currency that the table names; empty where it names none."""
        from core.service.projects.columns import currency_of_table

        table = None if self.upload is None else self.upload.table
        layout = None if table is None else table.layout
        if layout is not None and layout.currency:
            return layout.currency
        roles = mapping_table.roles_in(self.rows)
        return currency_of_table(self.frame, roles, layout) if roles else ""

    @property
    def texts(self) -> list[str]:
        """Columns of text that look like events and are not events yet."""
        return _texts(self.digest, self.frame)


@once(lambda digest, frame: digest, most=8)
def _texts(digest: str, frame: "pd.DataFrame") -> list[str]:
    from core.service.projects.columns import event_columns

    return event_columns(frame)


def source_of(here: Opened | None) -> Source | None:
    """What the screen shows; None where there is nothing to show.

    Raises:
        MMMError: The project's table cannot be read.
    """
    waiting = state.upload()
    if waiting is not None:
        target = here if waiting.project else None
        roles = waiting.rows
        if target is not None:
            roles = mapping_table.with_spend_levels(roles, target.project.mapping)
        return Source(waiting.frame, roles, waiting.digest, target, waiting)
    if here is None or not here.has_data:
        return None
    frame, mapping = reading.table(here), here.project.mapping
    roles = _rows(here.data_sha, frame, mapping)
    digest, changed = state.draft(_ROLES, ("", ()))
    if digest == here.data_sha:
        roles = with_roles(roles, changed)
    return Source(frame, roles, here.data_sha, here, None, mapping)


@once(lambda digest, frame, mapping: (digest, mapping), most=8)
def _rows(digest: str, frame: "pd.DataFrame", mapping: ColumnMapping) -> "pd.DataFrame":
    return mapping_table.rows_of(frame, mapping)


def with_roles(rows: "pd.DataFrame", roles: Roles) -> "pd.DataFrame":
    """The mapping table with other roles of some columns."""
    rows = rows.copy()
    for column, role, channel in roles:
        is_it = rows.column == column
        rows.loc[is_it, "role"] = role
        if channel is not None:
            rows.loc[is_it, "channel"] = channel
    return rows


def keep_roles(digest: str, roles: Roles) -> None:
    """Keep other roles for the project's table until they are accepted or discarded."""
    last, before = state.draft(_ROLES, ("", ()))
    state.keep(_ROLES, (digest, (*(before if last == digest else ()), *roles)))


def forget_roles() -> None:
    """Have the project's table as it is saved."""
    state.keep(_ROLES, ("", ()))


def spec_for(source: Source, mapping: ColumnMapping) -> ModelSpec:
    """The model options that would go with a mapping."""
    if source.upload is not None and source.upload.spec is not None:
        return aligned(source.upload.spec, mapping)
    if source.here is None:
        return default_spec(mapping, source.frame)
    return aligned(source.here.project.spec, mapping)


def findings(source: Source, mapping: ColumnMapping) -> tuple[Finding, ...]:
    """What the check finds under a mapping."""
    spec = spec_for(source, mapping)
    is_own = source.upload is None and source.here is not None
    frame = source.here.project.own_table(source.frame) if is_own else source.frame
    all_findings = _findings(source.digest, frame, mapping, spec)
    if source.upload is None:
        return all_findings
    if source.here is not None and source.here.has_data:
        all_findings = (*_gone(source, mapping), *all_findings)
    table = source.upload.table
    return all_findings if table is None else (*all_findings, *table.findings)


@once(
    lambda shown, mapping: (shown.digest, shown.here.data_sha, shown.here.sha, mapping),
    most=8,
)
def _gone(source: Source, mapping: ColumnMapping) -> tuple[Finding, ...]:
    """Periods that the project has and its new table has not."""
    from core.service.projects.columns import gone

    before = source.here.project.mapping
    earlier = reading.table(source.here)
    return tuple(gone(earlier, source.frame, mapping, earlier_mapping=before))


def _about(
    digest: str, frame: "pd.DataFrame", *how: ColumnMapping | ModelSpec
) -> tuple[object, ...]:
    """What tells checks of a table apart."""
    # What mediators cost is left out by project.toml, which may change.
    return digest, how, fmt.locale().name, tuple(frame.columns)


@once(_about, most=32, wait=tongue.Later("Checking the data"))
def _findings(
    digest: str, frame: "pd.DataFrame", mapping: ColumnMapping, spec: ModelSpec
) -> tuple[Finding, ...]:
    from core.service.tables import checked

    return checked(frame, mapping, spec)


def accept(
    source: Source,
    mapping: ColumnMapping,
    *,
    name: str,
    currency: str,
    events: tuple[str, ...] = (),
    locale: str = fmt.STANDARD,
) -> str:
    """Save the mapping, and the table where it is new.

    Args:
        source: The table.
        mapping: The roles of its columns.
        name: Of a new project.
        currency: Of spend and revenue.
        events: Columns of text whose values become events of the model.
        locale: How numbers, money and dates are written.

    Returns:
        The project's name.

    Raises:
        WorkspaceError: The name is taken or not allowed, the project was changed
            meanwhile, or the disk is full. The project is as it was.
    """
    table = None if source.upload is None else source.upload.table
    layout = None if table is None else table.layout
    if source.here is None:
        created = shelf.create_project(
            check_project_name(name.strip()),
            source.frame,
            mapping,
            currency=currency,
            spec=_with_events(spec_for(source, mapping), source, mapping, events),
            layout=layout,
            query=None if source.upload is None else source.upload.query,
            locale=locale,
        )
        return created.name
    here = source.here
    changed = replace(
        here.project,
        mapping=mapping,
        currency=currency,
        locale=locale,
        spec=_with_events(spec_for(source, mapping), source, mapping, events),
    )
    if source.upload is None:
        reading.save(here, changed)
    else:
        changed = replace(changed, layout=layout, query=source.upload.query)
        _replace_table(here, source.frame, changed)
    return here.name


def _replace_table(here: Opened, frame: "pd.DataFrame", changed: Project) -> None:
    try:
        sha = shelf.replace_table(here.folder, frame, changed, base_sha=here.sha)
    except ConflictError as error:
        now = reading.open_folder(here.name)
        changes = differences(here.project, now.project)
        state.see(now.sha, now.project)
        raise ConflictError(
            say(
                "{name} was changed meanwhile in another window: {name_2}.",
                name=here.name,
                name_2=fmt.listed([change.name for change in changes]),
            ),
            hint=say("Accept again to replace it anyway, or discard this table."),
            where=here.name,
        ) from error
    state.see(sha, reading.open_folder(here.name).project)


def _with_events(
    spec: ModelSpec, source: Source, mapping: ColumnMapping, columns: tuple[str, ...]
) -> ModelSpec:
    """The options with the events that columns of text hold, each once."""
    from core.service.projects.columns import events_in

    events = events_in(source.frame, mapping, columns)
    return replace(spec, events=tuple(dict.fromkeys([*spec.events, *events])))


def free_name(filename: str) -> str:
    """A name for a new project after its file, not taken yet."""
    stem = filename.rsplit(".", 1)[0]
    letters = "".join(c if shelf.may_name_project(f"a{c}a") else " " for c in stem)
    words = " ".join(letters.replace("_", " ").split())[:56].strip(" -") or say(
        "New project"
    )
    words = words if words[0].isalnum() else say("Project {words}", words=words)
    first = words[0].upper() + words[1:]
    name, number = first, 2
    while project_folder(name).exists():
        name, number = f"{first} {number}", number + 1
    return name
