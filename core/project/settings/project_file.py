"""project.toml, read: from its text to a `Project`, with every problem at once."""

from functools import partial

from core.data.demand.names import ALL, SEARCH
from core.data.experiments.entry import DAYS, Entry
from core.data.layout.recipe import Layout
from core.data.mapping import ChannelColumns, ColumnMapping, Decimal
from core.errors import SpecError, WorkspaceError
from core.fit.settings import SamplerSettings
from core.model.spec import ChannelSpec, ModelSpec
from core.project.settings.data_query import read_query
from core.project.settings.definition import Project
from core.project.settings.funnel_tables import (
    check_funnels,
    read_funnels,
    with_mediators,
)
from core.project.settings.layout_table import read_layout
from core.project.settings.model_tables import build, read_channel, read_model
from core.project.settings.project_table import SCHEMA
from core.store.stored import LONGEST_NAME
from core.text.languages.language import LANGUAGES, SOURCE, marked
from core.text.languages.locale import LOCALES, STANDARD
from core.toml.document import Problem, parse, refusal, shown
from core.toml.table import Own, TableReader, as_number, iso_date


def parse_project(text: str, *, where: str = "project.toml") -> Project:
    """The project that a project.toml describes.

    Args:
        text: The content of the file.
        where: The file's name, for messages.

    Raises:
        WorkspaceError: The text is not TOML, or of a newer version.
        SpecError: Keys or values are wrong; `findings` has every one.
    """
    try:
        document = parse(text)
    except ValueError as error:
        reason = str(error).rstrip(".")
        raise WorkspaceError(
            f"{where} cannot be read: {reason[:300]}.",
            hint="Repair that place or put back an earlier copy; a file that ends in "
            "the middle was cut off when it was copied or edited.",
            where=where,
        ) from error
    _check_version(document, where)
    problems: list[Problem] = []
    project = _project(TableReader(document, (), problems))
    if problems or project is None:
        raise refusal(SpecError, problems, where, text)
    return project


def _check_version(document: dict, where: str) -> None:
    schema = document.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise WorkspaceError(
            f"{where} has schema = {shown(schema)}; this Mixwright reads {SCHEMA}.",
            hint="Update Mixwright, or set schema = 1 if you wrote the file by hand.",
            where=where,
        )


def _project(root: TableReader) -> Project | None:
    root.any("schema")
    name = root.text("name", "")
    currency = root.text("currency", "")
    locale = root.choice("locale", tuple(LOCALES), STANDARD)
    report = root.child("report")
    language = report.choice("language", tuple(LANGUAGES), SOURCE)
    report.finish()
    data = root.child("data")
    channels = [read_channel(table) for table in root.children("channel")]
    columns = tuple(columns for columns, _ in channels)
    specs = _once_each(root, [spec for _, spec in channels])
    funnels = read_funnels(root, columns)
    columns, specs = with_mediators(funnels, columns, specs, root.table.get("model"))
    query = read_query(data)
    file, mapping, layout = _data(data, columns)
    kinds = _kinds(root)
    spec = read_model(root.child("model"), specs)
    experiments = tuple(_experiment(table) for table in root.children("experiment"))
    sampler = _sampler(root.child("sampler"))
    root.finish()
    if root.has_problems:
        return None
    _check_names(root, mapping, spec)
    check_funnels(root, funnels, mapping)
    return Project(
        *(name, currency, file, mapping, spec, sampler, experiments, layout, query),
        locale=locale,
        language=language,
        kinds=kinds,
        funnels=funnels,
    )


def _kinds(root: TableReader) -> tuple[tuple[str, str], ...]:
    """Kinds of channels whose names say something else."""
    stated = root.any("kinds")
    if stated is None:
        return ()
    wrong = not isinstance(stated, dict) or [
        kind for kind in stated.values() if kind not in tuple(ALL)
    ]
    if wrong:
        root.problem(
            f"[kinds] must name channels with their kind, not {shown(stated)}.",
            f'Write lines such as "Channel 5" = "{SEARCH.name}". The kinds are '
            f"{', '.join(ALL)}.",
            "kinds",
        )
        return ()
    return tuple(stated.items())


def _data(
    table: TableReader, channels: tuple[ChannelColumns, ...]
) -> tuple[str, ColumnMapping, Layout | None]:
    own: dict[str, Own] = {
        "time": lambda table: table.required("time", "Name the column of dates."),
        "kpi": lambda table: table.required("kpi", "Name the column of the outcome."),
        "revenue_per_kpi": _revenue_per_kpi,
        "channels": lambda _: channels,
        "decimal": _decimal,
    }
    mapping = ColumnMapping(**table.options(ColumnMapping, own))
    file = table.text("file", "data.parquet") or "data.parquet"
    is_long = len(file.encode()) > LONGEST_NAME
    if "/" in file or "\\" in file or file.startswith(".") or is_long:
        table.problem(
            f"file in {table.place} must be a file beside project.toml, not "
            f"{shown(file)}.",
            "Copy the data into the project's folder and name it here.",
            "file",
        )
    layout = read_layout(table)
    table.finish()
    return file, mapping, layout


def _revenue_per_kpi(table: TableReader) -> str | float | None:
    """The column of the value of a unit, or that value."""
    return table.accepted(
        "revenue_per_kpi",
        lambda value: value if isinstance(value, str) else as_number(value),
        marked("a column or a number"),
    )


def _decimal(table: TableReader) -> tuple[tuple[str, Decimal], ...]:
    """The decimal sign of columns whose cells could be two numbers."""
    signs = table.any("decimal")
    if signs is None:
        return ()
    is_table = isinstance(signs, dict)
    if not is_table or not all(sign in (".", ",") for sign in signs.values()):
        table.problem(
            f"decimal in {table.place} must name columns with their decimal sign.",
            'Write [data.decimal], and below it lines such as TV_spend = ",".',
            "decimal",
        )
        return ()
    return tuple(signs.items())


def _once_each(
    root: TableReader, specs: list[ChannelSpec | None]
) -> tuple[ChannelSpec, ...]:
    channels: dict[str, ChannelSpec] = {}
    for index, spec in enumerate(specs):
        if spec is not None and spec.name in channels:
            problem = Problem(
                ("channel", index, "name"),
                f"Channel {spec.name} is listed twice.",
                "Give every channel its own name.",
            )
            root.problems.append(problem)
        elif spec is not None:
            channels[spec.name] = spec
    return tuple(channels.values())


def _experiment(table: TableReader) -> Entry:
    channel = table.owner = table.required("channel", "Name the channel tested.")
    own: dict[str, Own] = {"channel": lambda _: channel}
    own |= {key: partial(_day, key) for key in DAYS}
    values = table.options(Entry, own)
    for key in ("incremental_outcome", "standard_error"):
        if key not in table.table:
            table.problem(f"{table.title} lacks {key}.", key=key)
    table.finish()
    return Entry(**values)


def _day(key: str, table: TableReader) -> str | None:
    value = table.any(key)
    date = None if value is None else iso_date(value)
    if date is None:
        wanted = marked("a date like 2024-01-31")
        said = marked("it is missing") if value is None else f"not {shown(value)}"
        table.problem(f"{key} in {table.place} must be {wanted}; {said}.", key=key)
    return date


def _sampler(table: TableReader) -> SamplerSettings | None:
    values = table.options(SamplerSettings)
    table.finish()
    if table.has_problems:
        return None
    return build(SamplerSettings, table, **values)


def _check_names(root: TableReader, mapping: ColumnMapping, spec: ModelSpec) -> None:
    """Names in the model options must be those of the data and the channels."""
    model = TableReader(root.table.get("model", {}), ("model",), root.problems)
    treatments = tuple(channel.name for channel in mapping.of_kind("non_media"))
    for key, available, what in (
        ("population_scaled_controls", mapping.controls, "control"),
        ("population_scaled_non_media", treatments, "non-media treatment"),
    ):
        for name in getattr(spec, key):
            if name not in available:
                hint = f"This project has {', '.join(available) or 'none'}."
                model.problem(f"{key}: there is no {what} {name}.", hint, key)
