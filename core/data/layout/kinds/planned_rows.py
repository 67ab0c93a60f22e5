"""Rows of a plan: budgets and forecasts in one file with what was spent.

A report of a finance department has each amount twice, as Actual and as Plan. Only a
column that says both words is believed: a campaign may be called Plan.
"""

from core.data.cells.words import word_set, words
from core.data.layout.kinds.exports import File
from core.text.sentences import count, listed, verb

_ACTUAL = word_set("planned_rows.actual")
_PLAN = word_set("planned_rows.plan")
#: Letters that stand for such words, of the later rows of a column that is called so.
_LETTERS = (frozenset("air"), frozenset("fp"))
_VERSIONS = word_set("planned_rows.versions")
#: A column of more values than this tells something else apart.
_VALUES = 6


def without_planned_rows(file: File) -> File:
    """The rows of what was, and what was left out."""
    for name in map(str, file.frame.columns):
        column = file.frame[name]
        if str(column.dtype) not in ("object", "str", "string", "category"):
            continue
        values = [str(value) for value in column.dropna().unique()[: _VALUES + 1]]
        if not 1 < len(values) <= _VALUES:
            continue
        planned = _planned(values, _ACTUAL, _PLAN) or _lettered(name, values)
        is_plan = column.isin(planned).to_numpy(dtype=bool)
        letters = max(map(len, planned), default=0) == 1
        if not planned or (letters and is_plan[: -is_plan.sum()].any()):
            continue
        n_rows = int(is_plan.sum())
        message = (
            f"{count(n_rows, 'row')} of {file.called}, in which {name} is "
            f"{listed(planned)}, {verb(n_rows, 'are')} left out: a plan would count "
            "beside what was spent."
        )
        frame = file.frame[~is_plan]
        return file.noted(message, name, frame=frame)
    return file


def _planned(
    values: list[str], actual: frozenset[str], plan: frozenset[str]
) -> list[str]:
    """The values that stand for a plan, where others stand for what was."""
    was = [value for value in values if _says(value, actual)]
    return [value for value in values if _says(value, plan)] if was else []


def _lettered(name: str, values: list[str]) -> list[str]:
    """The letter of a plan beside that of what was: A and F under Version."""
    is_version = _VERSIONS & {word.text for word in words(name)}
    if not is_version or len(values) != 2 or max(map(len, values)) > 1:
        return []
    return _planned(values, *_LETTERS)


def _says(value: str, names: frozenset[str]) -> bool:
    """Whether the first word of a value is one of some: `Plan 2024`, `Ist`."""
    return next((word.text in names for word in words(value)), False)
