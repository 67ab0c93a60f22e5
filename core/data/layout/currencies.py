"""Currencies: money of one currency only, or converted by a rate that was given."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.data.checks.findings import Finding
from core.data.layout.kinds.exports import File
from core.data.layout.recipe import Layout, Source
from core.text.sentences import listed


def factors(
    source: Source, file: File, layout: Layout, faults: list[Finding]
) -> np.ndarray | None:
    """What money of each row is multiplied by; None where it stays as it is.

    A currency without a rate is noted as a fault: money of two currencies is never
    summed.
    """
    rates = {code.upper(): rate for code, rate in layout.rates}
    if layout.currency:
        rates[layout.currency.upper()] = 1.0
    if not source.currency_column:
        code = (source.currency or "").upper()
        if not code or not layout.currency or code == layout.currency.upper():
            return None
        if code not in rates:
            faults.append(_fault(source, file, [code], layout, None))
            return None
        return np.full(len(file.frame), rates[code])
    cells = file.frame[source.currency_column].astype("str").str.strip().str.upper()
    codes, names = pd.factorize(cells.where(file.frame[source.currency_column].notna()))
    if len(names) <= 1 and (not layout.currency or set(names) <= {layout.currency}):
        return None
    unknown = [str(name) for name in names if name not in rates]
    if unknown:
        column = source.currency_column
        faults.append(_fault(source, file, list(names), layout, column))
        return None
    worth = np.array([*(rates[str(name)] for name in names), 1.0])
    return worth[codes]


def _fault(
    source: Source, file: File, codes: list[str], layout: Layout, column: str | None
) -> Finding:
    known = [*dict.fromkeys([*codes, *filter(None, [layout.currency])])]
    target = layout.currency or codes[0]
    others = [
        code
        for code in known
        if code != target and code not in {name for name, _ in layout.rates}
    ]
    amounts = listed(list(source.money))
    sums = _sums(source, file) if column else ""
    if len(codes) > 1:
        message = f"{amounts} of {file.called} is in {listed(codes)}{sums}."
    else:
        message = f"{amounts} of {file.called} is in {codes[0]}, not in {target}."
    hint = (
        f"Say what one {others[0] if others else codes[0]} is worth in {target}: "
        f"a rate such as {others[0] if others else codes[0]}=0.92."
    )
    return Finding("error", file.where(column), message, hint)


def unrated(layout: Layout, files: Sequence[File]) -> list[str]:
    """Currencies of amounts that have no rate, in the order of the files."""
    known = {code.upper() for code, _ in layout.rates} | {layout.currency}
    codes: list[str] = []
    for source, file in zip(layout.sources, files, strict=True):
        if not source.money:
            continue
        if source.currency_column:
            cells = file.frame[source.currency_column].dropna().astype("str")
            codes += list(cells.str.strip().str.upper().unique())
        elif source.currency and layout.currency:
            codes.append(source.currency.upper())
    return [code for code in dict.fromkeys(codes) if code not in known]


def _sums(source: Source, file: File) -> str:
    """The amount of each currency, in words."""
    if not source.money:
        return ""
    values = pd.to_numeric(file.frame[source.money[0]], errors="coerce")
    totals = values.groupby(file.frame[str(source.currency_column)]).sum()
    shown = [f"{total:,.2f} {code}" for code, total in totals.items()]
    return f" ({listed(shown)})"


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
    if not source.money or not rates:
        return None
    if source.currency_column:
        cells = file.frame[source.currency_column].astype("str").str.strip().str.upper()
        n_rows = {str(code): int(n) for code, n in cells.value_counts().items()}
    else:
        n_rows = {(source.currency or "").upper(): len(file.frame)}
    parts = [
        f"{code} at {rates[code]:g} in {n:,} rows"
        for code, n in n_rows.items()
        if code in rates and code != layout.currency
    ]
    if not parts:
        return None
    message = (
        f"{listed(list(source.money))} of {file.called} is converted to "
        f"{layout.currency}: {listed(parts)}."
    )
    return Finding("info", file.where(source.money[0]), message)
