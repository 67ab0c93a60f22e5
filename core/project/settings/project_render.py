"""project.toml, written: a `Project` as text, and an old text brought up to date.

Defaults are left out, except those that help a reader. Where a file is there, what
did not change keeps its comments, its order and its wording: a prior that someone
wrote as a range stays a range.
"""

from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.items import AoT, InlineTable, Item, Table

from core.project.settings.definition import Project
from core.project.settings.prior_table import KEYS as PRIOR_KEYS
from core.project.settings.prior_table import prior_of
from core.project.settings.project_table import project_table

#: Tables that are written in one line.
_INLINE = ("parameters", "holdout", "amounts", "groups", "rates", "price_index")


def render_project(project: Project) -> str:
    """The project as the text of a new project.toml."""
    document = tomlkit.document()
    for key, value in project_table(project).items():
        document.append(key, _item(value))
    return tomlkit.dumps(document).strip() + "\n"


def updated_text(text: str, project: Project) -> str:
    """An existing project.toml with the project's values, comments kept."""
    document = tomlkit.parse(text)
    full = project_table(project, "full")
    _update(document, full, project_table(project, "least"))
    return tomlkit.dumps(document)


def _item(value: Any, key: str = "") -> Item:
    if isinstance(value, dict) and key in _INLINE:
        inline = tomlkit.inline_table()
        inline.update(value)
        return inline
    if isinstance(value, dict):
        table = tomlkit.table(is_super_table=key == "priors")
        for name, entry in value.items():
            table.append(name, _item(entry, name))
        return table
    if isinstance(value, list) and value and isinstance(value[0], dict):
        array = tomlkit.aot()
        for entry in value:
            array.append(_item(entry))
        return array
    if key == "query" and "\n" in value:
        return tomlkit.string(value, multiline=True, escape=True)
    item = tomlkit.item(value)
    if isinstance(value, list) and len(str(value)) > 70:
        item.multiline(True)
    return item


def _update(
    old: Container | Table | InlineTable, full: dict[str, Any], least: dict[str, Any]
) -> None:
    """Bring a parsed table up to date, touching only what differs.

    Args:
        old: The table as parsed, changed in place.
        full: Every value: what is there is compared with it.
        least: What must be written where it is not there.
    """
    for key in [key for key in old if key not in full]:
        del old[key]
    for key, value in full.items():
        present = old.get(key)
        if present is None:
            if key in least:
                _insert(old, key, least[key])
        elif key == "layout":
            if _unwrapped(present) != value:
                old[key] = _item(value, key)
                old[key]["source"][-1].add(tomlkit.nl())
        elif isinstance(value, dict) and isinstance(present, dict):
            if not _same_prior(_unwrapped(present), value):
                _update(present, value, least.get(key, {}))
        elif isinstance(value, list) and isinstance(present, AoT):
            _update_tables(present, value, least[key])
        elif _unwrapped(present) != value:
            old[key] = value if isinstance(old, InlineTable) else _item(value, key)


def _insert(old: Container | Table | InlineTable, key: str, value: Any) -> None:
    """Add a key; plain values go above the tables that a table holds."""
    if isinstance(old, InlineTable):
        old[key] = value
        return
    item = _item(value, key)
    is_plain = not isinstance(item, Table | AoT)
    below = {}
    if is_plain:
        below = {name: old[name] for name in old if isinstance(old[name], Table | AoT)}
    for name in below:
        del old[name]
    old.append(key, item)
    for name, table in below.items():
        old.append(name, table)


def _update_tables(
    old: AoT, full: list[dict[str, Any]], least: list[dict[str, Any]]
) -> None:
    """Bring an array of tables up to date, matched by name."""
    key = next(name for name in ("name", "channel", "mediator") if name in full[0])
    present = {str(table.get(key)): table for table in old}
    in_place = [str(table.get(key)) for table in old] == [x[key] for x in full]
    tables = []
    for entry, short in zip(full, least, strict=True):
        table = present.pop(entry[key], None)
        if table is None:
            table = _item(short)
        else:
            _update(table, entry, short)
        tables.append(table)
    if not in_place:
        while len(old):
            del old[0]
        for table in tables:
            old.append(table)


def _same_prior(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether an old prior table says the same, in whatever words."""
    if not set(PRIOR_KEYS) & set(old) & {"family", "low", "mean"}:
        return False
    return old.get("kind") == new.get("kind") and prior_of(old) == prior_of(new)


def _unwrapped(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value
