"""Currencies: money of one currency only, or converted by a rate that was given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.data.layout.kinds.exports import File
from core.data.layout.kinds.money import codes_of, is_same, rate_of
from core.data.layout.kinds.vocabulary import is_money
from core.data.layout.recipe import Layout, Source
from core.data.reading.findings import Finding
from core.text.sentences import count, listed, verb

#: A code to type for a sign that several countries have.
_EXAMPLES = {"$": "USD", "¥": "JPY", "kr": "SEK"}


def is_mixed(source: Source) -> bool:
    """Whether one file holds amounts of several currencies."""
    in_rows = bool(source.currency_column) and not source.currency
    return bool(source.money) and (in_rows or bool(source.currencies))


def factors(
    source: Source, file: File, layout: Layout, faults: list[Finding]
) -> dict[str, Any]:
    """What money is multiplied by: a number, or one of each row; by column.

    A column that stays as it is has none. A currency without a rate is noted as a
    fault: money of two currencies is never summed.
    """
    rates = dict(layout.rates)
    own = dict(source.currencies)
    codes, rows = _codes_of_rows(source, file)
    target = layout.currency or (codes[0] if codes else "")
    factors: dict[str, Any] = {}
    unrated: dict[tuple[str, ...], list[str]] = {}
    for column in source.money:
        if column in own:
            named, worth = [own[column]], _worth(own[column], target, rates)
        elif rows is None:
            named, worth = codes, _worth(source.currency or "", target, rates)
        else:
            of_code = {code: _worth(code, target, rates) for code in codes}
            named, worth = codes, None
            if None not in of_code.values():
                # A file of one currency has it in every row.
                only = of_code[codes[0]] if len(codes) == 1 else 1.0
                worth = rows.map(of_code).fillna(only).to_numpy()
        if worth is None:
            unrated.setdefault(tuple(named), []).append(column)
        elif not np.all(worth == 1.0):
            factors[column] = worth
    faults += _without_code(source, file, rows, codes)
    for named, columns in unrated.items():
        faults.append(_fault(source, file, columns, named, (target, rates)))
    if source.kind == "variables" and factors:
        variables = file.frame[str(source.variable)].astype("str")
        money = variables.map(is_money).to_numpy()
        factors = {name: np.where(money, by, 1.0) for name, by in factors.items()}
    return factors


def _without_code(
    source: Source, file: File, rows: pd.Series | None, codes: Sequence[str]
) -> list[Finding]:
    """Amounts without a currency among those of several."""
    own = dict(source.currencies)
    columns = [name for name in source.money if name not in own]
    if rows is None or len(codes) < 2 or not columns:
        return []
    amounts = file.frame[columns].apply(pd.to_numeric, errors="coerce")
    n = int((rows.isna() & (amounts.fillna(0.0) != 0).any(axis=1)).sum())
    if not n:
        return []
    message = (
        f"{listed(columns, limit=4)} of {file.called} {verb(len(columns), 'are')} in "
        f"{listed(list(codes))}, and {count(n, 'row')} with amounts "
        f"{verb(n, 'have')} no currency."
    )
    hint = f"Fill in {source.currency_column} in these rows, or take them out."
    return [Finding("error", file.where(str(source.currency_column)), message, hint)]


def _worth(code: str, target: str, rates: dict[str, float]) -> float | None:
    """What one unit is worth in the target; None where nobody has said."""
    if not code or not target or is_same(code, target):
        return 1.0
    return rate_of(code, rates)


def _codes_of_rows(source: Source, file: File) -> tuple[list[str], pd.Series | None]:
    """The codes of a file, and that of each row where a column has them."""
    if not source.currency_column:
        return [code for code in [source.currency] if code], None
    rows = codes_of(file.frame[source.currency_column])
    return [str(code) for code in rows.dropna().unique()], rows


def codes_in(source: Source, file: File) -> list[str]:
    """Every currency of a file's amounts."""
    if not source.money:
        return []
    codes, _ = _codes_of_rows(source, file)
    return list(dict.fromkeys([*codes, *(code for _, code in source.currencies)]))


def unrated(layout: Layout, files: Sequence[File]) -> list[str]:
    """Currencies of amounts that have no rate, in the order of the files."""
    if not layout.currency:
        return []
    pairs = zip(layout.sources, files, strict=True)
    codes = dict.fromkeys(code for pair in pairs for code in codes_in(*pair))
    rates = dict(layout.rates)
    return [code for code in codes if _worth(code, layout.currency, rates) is None]


def _fault(
    source: Source,
    file: File,
    columns: list[str],
    codes: Sequence[str],
    terms: tuple[str, dict[str, float]],
) -> Finding:
    target, rates = terms
    missing = next(code for code in codes if _worth(code, target, rates) is None)
    amounts = f"{listed(columns, limit=4)} of {file.called} {verb(len(columns), 'are')}"
    message = f"{amounts} in {codes[0]}, not in {target}."
    if len(codes) > 1:
        sums = _sums(source, file, columns[0]) if len(columns) == 1 else ""
        message = f"{amounts} in {listed(list(codes))}{sums}."
    example = _EXAMPLES.get(missing, missing)
    hint = (
        f"Say what one {missing} is worth in {target}: a rate such as {example}=0.92."
    )
    return Finding("error", file.where(columns[0]), message, hint)


def _sums(source: Source, file: File, column: str) -> str:
    """The amount of each currency, in words."""
    values = pd.to_numeric(file.frame[column], errors="coerce")
    totals = values.groupby(codes_of(file.frame[str(source.currency_column)])).sum()
    shown = [f"{total:,.2f} {code}" for code, total in totals.items()]
    return f" ({listed(shown)})"


def notes(source: Source, file: File, layout: Layout) -> list[Finding]:
    """What was converted, and names of amounts that their rows contradict."""
    converted = said(source, file, layout)
    return [*([converted] if converted else []), *_contradicted(source, file)]


def _contradicted(source: Source, file: File) -> list[Finding]:
    """Amounts whose name states one currency beside a column that has several."""
    if not source.currency_column or source.currency:
        return []
    codes, _ = _codes_of_rows(source, file)
    named = dict(source.currencies)
    columns = [name for name in source.money if name in named]
    if not columns or len(columns) < len(source.money):
        return []
    message = (
        f"{listed(columns)} of {file.called} {verb(len(columns), 'are')} in "
        f"{named[columns[0]]} by the name, and {source.currency_column} has "
        f"{listed(codes)}: read in {named[columns[0]]} in every row."
    )
    hint = (
        f"If rows are in the currency of {source.currency_column}, take "
        f"{named[columns[0]]} out of the name."
    )
    where = file.where(source.currency_column)
    return [Finding("warning", where, message, hint)]


def common(sources: list[Source]) -> str | None:
    """The currency of the table: that of orders, else of most files; None if unsaid."""
    codes = [source.currency for source in sources if source.currency]
    shop = [
        source.currency
        for source in sources
        if source.currency and source.kind in ("orders", "table")
    ]
    likely = shop or codes
    return max(dict.fromkeys(likely), key=likely.count, default=None)


def said(source: Source, file: File, layout: Layout) -> Finding | None:
    """What was converted, in how many rows."""
    rates = dict(layout.rates)
    if not source.money or not rates or not layout.currency:
        return None
    parts = [
        f"{column} from {code} at {rate_of(code, rates):g}"
        for column, code in source.currencies
        if rate_of(code, rates) is not None and not is_same(code, layout.currency)
    ]
    rest = [name for name in source.money if name not in dict(source.currencies)]
    codes, rows = _codes_of_rows(source, file)
    for code in codes if rest else ():
        if is_same(code, layout.currency) or rate_of(code, rates) is None:
            continue
        n_rows = len(file.frame) if rows is None else int((rows == code).sum())
        parts.append(
            f"{listed(rest)} from {code} at {rate_of(code, rates):g} in "
            f"{count(n_rows, 'row')}"
        )
    if not parts:
        return None
    message = f"Converted to {layout.currency} in {file.called}: {listed(parts)}."
    return Finding("info", file.where(source.money[0]), message)
