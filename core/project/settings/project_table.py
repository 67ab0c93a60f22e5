"""A project as plain tables, in the order and the words of project.toml."""

from dataclasses import asdict, fields, is_dataclass
from typing import Any, Literal

from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.model.spec import ChannelSpec, ModelSpec
from core.project.settings.data_query import query_entries
from core.project.settings.definition import Project
from core.project.settings.layout_table import layout_table
from core.project.settings.prior_table import prior_table
from core.text.languages.language import SOURCE
from core.text.languages.locale import STANDARD

#: `least` has what differs from the defaults, `shown` also what helps a reader,
#: `full` every value that is not None.
Detail = Literal["least", "shown", "full"]

#: The version of the format that this program reads and writes.
SCHEMA = 1

_SHOWN = ("schema", "currency", "file", "kpi_type", "kind", "chains", "warmup")
_SHOWN += ("draws", "seed", "precision", "device", "preset")


def _fields(record: type, *, but: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(record) if each.name not in but)


#: Fields that are written as they are; the others have a form of their own.
_COLUMNS = _fields(ChannelColumns, but=("name", "kind", "price_index"))
_OF_CHANNEL = ("name", "kind", "prior_kind", "prior", "priors")
_CHANNEL = ("kind", *_COLUMNS, *_fields(ChannelSpec, but=_OF_CHANNEL))
_MODEL = _fields(ModelSpec, but=("channels", "priors", "experiments"))


def project_table(project: Project, detail: Detail = "shown") -> dict[str, Any]:
    """The project as nested plain tables, as TOML holds them."""
    mapping = project.mapping
    data = {"file": project.file, **asdict(mapping)}
    del data["channels"]
    data["decimal"] = dict(project.mapping.decimal)
    standard = {"file": "data.parquet", **asdict(ColumnMapping("", "")), "decimal": {}}
    columns = {channel.name: channel for channel in mapping.channels}
    channels = [
        _channel(columns.get(spec.name), spec, detail) for spec in project.spec.channels
    ]
    top = {"schema": SCHEMA, "name": project.name, "currency": project.currency}
    top["locale"] = project.locale
    defaults = {"schema": SCHEMA, "name": "", "currency": "", "locale": STANDARD}
    origin = {} if project.query is None else query_entries(project.query)
    if project.layout is not None:
        origin["layout"] = layout_table(project.layout)
    tables = {
        "data": _pick(_order(data), standard, detail, always=("time", "kpi")) | origin,
        "channel": channels,
        "kinds": dict(project.kinds),
        "model": _model(project.spec, detail),
        "report": _pick(
            {"language": project.language}, {"language": SOURCE}, detail, always=()
        ),
        "experiment": [entry.as_table() for entry in project.experiments],
        "funnel": [
            {key: text for key, text in asdict(funnel).items() if text}
            for funnel in project.funnels
        ],
        "sampler": _pick(
            asdict(project.sampler), asdict(SamplerSettings()), detail, always=()
        ),
    }
    filled = {key: table for key, table in tables.items() if table}
    return _pick(top, defaults, detail, always=()) | filled


def _order(data: dict[str, Any]) -> dict[str, Any]:
    """The keys of [data] in the order in which people read them."""
    first = ("file", "time", "geo")
    return {key: data[key] for key in first} | data


def _pick(
    values: dict[str, Any],
    defaults: dict[str, Any],
    detail: Detail,
    *,
    always: tuple[str, ...],
) -> dict[str, Any]:
    """The values to write, lists for tuples."""
    table = {}
    for key, value in values.items():
        differs = value != defaults.get(key)
        is_shown = detail == "shown" and key in _SHOWN
        empty = value is None or value in ((), "", {}) and key not in always
        if not empty and (differs or is_shown or detail == "full" or key in always):
            table[key] = _plain(value)
    return table


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _pick(asdict(value), {}, "full", always=())
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


def _channel(
    columns: ChannelColumns | None, spec: ChannelSpec, detail: Detail
) -> dict[str, Any]:
    columns = columns or ChannelColumns(spec.name, spec.kind)
    standard = ChannelSpec("")
    values = {
        key: getattr(columns if key in _COLUMNS else spec, key) for key in _CHANNEL
    }
    defaults = asdict(ChannelColumns("", "media"))
    defaults |= {key: getattr(standard, key, defaults.get(key)) for key in _CHANNEL}
    table = {"name": spec.name} | _pick(values, defaults, detail, always=())
    if columns.price_index:
        table["price_index"] = dict(columns.price_index)
    treatment = {"kind": spec.prior_kind} if spec.prior_kind else {}
    treatment |= prior_table(spec.prior) if spec.prior else {}
    if treatment:
        table["prior"] = treatment
    if spec.priors:
        table["priors"] = {name: prior_table(prior) for name, prior in spec.priors}
    return table


def _model(spec: ModelSpec, detail: Detail) -> dict[str, Any]:
    standard = ModelSpec()
    values = {key: getattr(spec, key) for key in _MODEL}
    defaults = {key: getattr(standard, key) for key in _MODEL}
    table = _pick(values, defaults, detail, always=())
    if spec.events:
        table["events"] = [
            [event.name, event.start, event.end] for event in spec.events
        ]
    if spec.varies_by_geo == ():  # none, which is not the default
        table["varies_by_geo"] = []
    if spec.priors:
        table["priors"] = {name: prior_table(prior) for name, prior in spec.priors}
    return table
