"""Rows of a plan: budgets and forecasts in one file with what was spent.

A report of a finance department has each amount twice, as Actual and as Plan. Only a
column that says both words is believed: a campaign may be called Plan.
"""

from dataclasses import replace

from core.data.layout.kinds.exports import File
from core.data.reading.findings import Finding
from core.data.reading.words import words
from core.text.sentences import count, listed, verb

_ACTUAL = frozenset(
    "actual actuals ist istwert istwerte real reals realised realized reel reels "
    "realise realises effektiv effectif effettivo consuntivo realizado".split()
)
_PLAN = frozenset(
    "plan planned planwert planwerte budget budgeted forecast fc prognose soll geplant "
    "prevu prevus prevision previsions presupuesto previsto preventivo target "
    "ziel objectif objetivo planificado orcamento begroting".split()
)
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
        planned = [value for value in values if _says(value, _PLAN)]
        if not planned or not any(_says(value, _ACTUAL) for value in values):
            continue
        is_plan = column.isin(planned).to_numpy(dtype=bool)
        n_rows = int(is_plan.sum())
        message = (
            f"{count(n_rows, 'row')} of {file.called}, in which {name} is "
            f"{listed(planned)}, {verb(n_rows, 'are')} left out: a plan would count "
            "beside what was spent."
        )
        finding = Finding("info", file.where(name), message)
        frame = file.frame[~is_plan]
        return replace(file, frame=frame, findings=(*file.findings, finding))
    return file


def _says(value: str, known: frozenset[str]) -> bool:
    """Whether the first word of a value is one of some: `Plan 2024`, `Ist`."""
    return next((word.text in known for word in words(value)), False)
