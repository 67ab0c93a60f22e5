"""Records of what a workspace's files hold, whoever wrote them.

Files of a workspace are not trusted, and an older version may have written them: a
field that is missing, or holds something else, keeps its default. Standard library
only, for the processes that supervise runs.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

_Record = TypeVar("_Record")


def lenient(content: Any, kind: type[_Record]) -> _Record:
    """A record of a JSON object.

    Args:
        content: The object; anything else is an empty one.
        kind: A dataclass whose fields all have defaults.
    """
    mapping = content if isinstance(content, Mapping) else {}
    values = {}
    for field in fields(kind):
        value = mapping.get(field.name)
        if is_dataclass(field.type):
            values[field.name] = lenient(value, field.type)
        elif (base := _base_of(value, field.type)) is not None:
            values[field.name] = float(value) if base is float else value
    return kind(**values)


def _base_of(value: Any, annotation: Any) -> type | None:
    """The type of an annotation that a value is of; None where it is of none."""
    is_union = isinstance(annotation, UnionType)
    for each in get_args(annotation) if is_union else (annotation,):
        base = get_origin(each) or each
        if value is None or isinstance(value, bool) and base is not bool:
            continue
        if isinstance(value, base) or (base is float and isinstance(value, int)):
            return base
    return None
