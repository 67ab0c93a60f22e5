"""What is wrong with the cells of an edited workbook: file, cell and remedy."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.data.cells.cell_formats import scale_of_format
from core.data.reading.findings import Finding
from core.plan.limits.channels import Money
from core.plan.limits.findings import fault, unknown
from core.plan.scenario.workbook.changes import is_answer
from core.plan.scenario.workbook.sheet import (
    ALL_CHANNELS,
    BUDGET,
    CHANNEL,
    CURRENCY,
    LEAST,
    LOCKED,
    MOST,
    PLANNED,
    Cell,
    Sheet,
)
from core.text.currency import currency_symbol

_SIGNS = ("€", "$", "£", "¥", "₹")


@dataclass(frozen=True)
class CellCheck:
    """What is wrong with the cells of a sheet."""

    filename: str
    sheet: Sheet
    currency: str

    def fault(self, cell: Cell, said: str, hint: str) -> Finding:
        """What is wrong, with the file, the sheet and the cell."""
        where = f"{self.filename}, sheet {self.sheet.title}, cell {cell.ref}"
        return fault(f"{self.sheet.title}!{cell.ref}", f"{where}: {said}", hint)

    def currency_of(self, origin: Sheet | None) -> Iterator[Finding]:
        """A plan in another currency than the fit."""
        cell = Cell("", None) if origin is None else origin.about.get(CURRENCY)
        code = "" if cell is None else cell.text
        if code and self.currency and code.upper() != self.currency.upper():
            own = self.currency
            message = f"{self.filename} is a plan in {code}; this fit is in {own}."
            hint = f"Convert its amounts, in a plan of this fit in {own}."
            yield fault(self.filename, message, hint)

    def names(
        self, head: str, names: Sequence[str], needed: Sequence[str]
    ) -> Iterator[Finding]:
        """Rows that the fit does not know, that come twice, or that are missing.

        Args:
            head: Of the column with the names: what a row is of.
            names: That the fit knows.
            needed: That the sheet has to have.
        """
        kind, present = head.lower(), set()
        yield from self.hidden(head)
        yield from self.locks()
        for name, line in self.sheet.lines:
            if name not in names:
                why = unknown(kind, name, tuple(names))
                yield self.fault(line[head], why.message, why.hint)
            elif name in present:
                message = f"{kind} {name} has a second row."
                yield self.fault(line[head], message, "Delete one of them.")
            present.add(name)
        for name in needed:
            if name not in present:
                yield self._missing(name, f"row for {kind}")

    def locks(self) -> Iterator[Finding]:
        """Cells that say neither yes nor no to what is locked."""
        for name, line in self.sheet.lines:
            if LOCKED in line and not is_answer(line[LOCKED]):
                said = line[LOCKED].text[:40]
                message = f"{name} is locked with {said!r}, which is not yes or no."
                hint = "Type yes, or leave the cell empty."
                yield self.fault(line[LOCKED], message, hint)

    def hidden(self, head: str) -> Iterator[Finding]:
        """Rows that are hidden or filtered out: nobody says whether they count.

        Args:
            head: Of the column with the names: what a row is of.
        """
        for name, line in self.sheet.lines:
            if name in self.sheet.hidden:
                message = f"the row of {head.lower()} {name} is hidden. Does it count?"
                hint = "Show it and save the file again; 0 is an amount, too."
                yield self.fault(line[head], message, hint)

    def columns(self, names: Sequence[str], needed: Sequence[str]) -> Iterator[Finding]:
        """Columns of channels that the fit does not have, and those that are missing.

        Args:
            names: Channels of the fit.
            needed: Those that the sheet has to have.
        """
        heads = self.sheet.heads
        end = heads.index(ALL_CHANNELS) if ALL_CHANNELS in heads else len(heads)
        for name in heads[1:end]:
            if name not in names:
                yield unknown("channel", name, tuple(names))
        for name in needed:
            if name not in heads:
                yield self._missing(name, "column for channel")

    def _missing(self, name: str, what: str) -> Finding:
        message = f"{self.filename} has no {what} {name}."
        hint = f"Add one to sheet {self.sheet.title}; 0 is an amount, too."
        return fault(name, message, hint)

    def planned(self) -> Iterator[Finding]:
        """Planned amounts of channels."""
        for name, line in self.sheet.lines:
            yield from self.amount(line[PLANNED], f"planned spend of {name}")

    def limits(self) -> list[Finding]:
        """Least and most of every channel."""
        faults = []
        for name, line in self.sheet.lines:
            for head in (LEAST, MOST):
                cell = line.get(head, Cell(line[CHANNEL].ref, None))
                faults += self.amount(cell, f"{head.lower()} of {name}")
            if not faults and line[LEAST].value > line[MOST].value:
                message = f"the least of {name} is above its most ({line[MOST].ref})."
                faults.append(self.fault(line[LEAST], message, "Lower it."))
        if BUDGET in self.sheet.about:
            faults += self.amount(self.sheet.about[BUDGET], "budget")
        return faults

    def totals(self) -> list[Finding]:
        """A budget and a total that are not what the amounts add up to."""
        spent = math.fsum(self.sheet.planned().values())
        return [
            *self.sum_of("total", self.sheet.totals.get(PLANNED), spent),
            *self.sum_of("budget", self.sheet.about.get(BUDGET), spent),
        ]

    def sum_of(self, what: str, cell: Cell | None, spent: float) -> list[Finding]:
        """A cell that says another sum than its amounts do; empty cells say none."""
        if cell is None or cell.value is None:
            return []
        faults = self.amount(cell, what)
        if faults or abs(cell.value - spent) <= max(5e-7 * spent, 1e-9):
            return faults
        money = Money(self.currency)
        stated, total = money(cell.value), money(spent)
        message = f"the {what} is {stated}, the amounts add up to {total}."
        hint = f"Change the amounts, or set {cell.ref} to {total}."
        return [self.fault(cell, message, hint)]

    def amount(self, cell: Cell, what: str) -> list[Finding]:
        """A cell that is not an amount, or one in another currency."""
        if cell.value is None:
            hint = (
                "Type an amount; 0 is one, too. A formula counts once a spreadsheet "
                "program has saved the file."
            )
            return [self.fault(cell, f"the {what} is empty.", hint)]
        if not cell.is_number:
            message = f"the {what} is {cell.text[:40]!r}, which is not a number."
            hint = "Type a number, such as 75000, without words or signs."
            return [self.fault(cell, message, hint)]
        if cell.value < 0:
            message = f"the {what} is negative ({cell.value:,.2f})."
            return [self.fault(cell, message, "Spend cannot be below 0.")]
        if (scale := scale_of_format(cell.form)) != 1:
            message = f"the {what} is shown in units of {scale:,g} by its format."
            hint = "Type whole amounts, and give the cell the format of the others."
            return [self.fault(cell, message, hint)]
        sign, own = _sign(cell.form), currency_symbol(self.currency)
        if own in _SIGNS and sign and sign != own:
            message = f"the {what} is in {sign}; this fit is in {own}."
            hint = f"Convert it, and format the cell in {own}."
            return [self.fault(cell, message, hint)]
        return []


def _sign(form: str) -> str:
    """The sign of a currency in a number format; empty where there is none."""
    text = re.sub(r"\[\$([^\]-]*)[^\]]*\]", r"\1", form)  # [$€-407]: sign, locale
    return next((sign for sign in _SIGNS if sign in text), "")
