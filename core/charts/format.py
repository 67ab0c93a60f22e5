"""Numbers as people read them: one spelling for screens, the command line and reports.

Money has the project's currency and three significant digits (12.4 M €), shares and
probabilities are whole percent, ROI has two decimals, an interval stands in brackets
right after its estimate. The space before a unit does not break.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date as Date
from datetime import datetime
from numbers import Real
from typing import Any, Literal

Kind = Literal["money", "number", "ratio", "share", "probability"]

#: Shown where a number does not exist.
NONE = "–"
_SPACE = "\u00a0"
#: What stands where a unit is missing: `Revenue by source,  per week`.
_NO_UNIT = re.compile(r",\s+(?=per )|(?<=,) (?=,)")
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£"}
_SCALES = ((1e9, "bn"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_WORDS = "{day} {mon} {year}"
_DATES = {
    "en-US": "{mon} {day}, {year}",
    "de": "{day:02d}.{month:02d}.{year}",
    "pl": "{day:02d}.{month:02d}.{year}",
    "fr": "{day:02d}/{month:02d}/{year}",
    "es": "{day:02d}/{month:02d}/{year}",
    "it": "{day:02d}/{month:02d}/{year}",
    "pt": "{day:02d}/{month:02d}/{year}",
    "nl": "{day:02d}-{month:02d}-{year}",
    "sv": "{year}-{month:02d}-{day:02d}",
    "zh": "{year}/{month:02d}/{day:02d}",
    "ja": "{year}/{month:02d}/{day:02d}",
    "ko": "{year}.{month:02d}.{day:02d}",
}


def currency_symbol(currency: str) -> str:
    """€, $ or £ for the three commonest codes, else the code itself."""
    return _SYMBOLS.get(currency.strip().upper(), currency.strip())


def scale(largest: Real) -> tuple[float, str]:
    """Divisor and prefix (k, M, bn) with which numbers up to `largest` read well."""
    size = abs(largest)
    if not math.isfinite(size) or size == 0:
        return 1.0, ""
    size = float(f"{size:.2e}")  # 999.6 is shown as 1.00 k
    return next(((d, p) for d, p in _SCALES if size >= d), (1.0, ""))


def number(value: Real, *, signed: bool = False) -> str:
    """Three significant digits with k, M or bn: `12.4 M`."""
    return _amount(value, "", signed=signed)


def money(value: Real, currency: str, *, signed: bool = False) -> str:
    """Money with three significant digits: `12.4 M €`."""
    return _amount(value, currency_symbol(currency), signed=signed)


def exact(value: Real, unit: str = "", *, decimals: int | None = None) -> str:
    """The number in full with grouped thousands: `12,431,022 €`."""
    if not math.isfinite(value):
        return NONE
    if decimals is None:
        decimals = max(0, 3 - _leading(value)) if abs(value) < 100 else 0
    return _unit(_minus(f"{value:,.{decimals}f}"), unit)


def ratio(value: Real, *, signed: bool = False) -> str:
    """ROI and the like, two decimals: `3.90`."""
    if not math.isfinite(value):
        return NONE
    value = round(value, 2) + 0.0  # no minus before zero
    return _minus(f"{value:+.2f}" if signed else f"{value:.2f}")


def share(value: Real, *, signed: bool = False) -> str:
    """A share as whole percent: `23 %`; small but not nothing is `< 1 %`."""
    if not math.isfinite(value):
        return NONE
    percent = round(100 * value)
    if percent == 0 and value > 0 and not signed:
        return f"<{_SPACE}1{_SPACE}%"
    text = f"{percent:+,d}" if signed else f"{percent:,d}"
    return _minus(text) + f"{_SPACE}%"


def probability(value: Real) -> str:
    """A probability as whole percent, never 0 % or 100 %: `< 1 %`, `> 99 %`."""
    if not math.isfinite(value):
        return NONE
    percent = round(100 * value)
    if percent < 1:
        return f"<{_SPACE}1{_SPACE}%"
    if percent > 99:
        return f">{_SPACE}99{_SPACE}%"
    return f"{percent}{_SPACE}%"


def value(given: Real, kind: Kind, currency: str = "", *, signed: bool = False) -> str:
    """One number of the given kind."""
    if kind == "money":
        return money(given, currency, signed=signed)
    if kind == "probability":
        return probability(given)
    return {"number": number, "ratio": ratio, "share": share}[kind](
        given, signed=signed
    )


def interval(low: Real, high: Real, kind: Kind, currency: str = "") -> str:
    """Both ends in brackets with their unit: `(36.0 – 47.1 M €)`."""
    if kind == "ratio":
        return _bracket(ratio(low), ratio(high))
    if kind in ("share", "probability"):
        return _bracket(_percent(low), _percent(high), "%")
    divisor, prefix = scale(max(abs(low), abs(high)))
    unit = currency_symbol(currency) if kind == "money" else ""
    ends = (_significant(low / divisor), _significant(high / divisor))
    return _bracket(*ends, _join(prefix, unit))


def estimate(
    given: Mapping[str, Any],
    kind: Kind,
    unit: str = "",
    *,
    centre: Literal["mean", "median"] = "mean",
    signed: bool = False,
) -> str:
    """Estimate and interval, unit once: `41.2 M € (36.0 – 47.1)`.

    Args:
        given: An estimate with `lo`, `hi` and the centre.
        kind: What kind of number it is.
        unit: Currency code of money, or the unit of a number.
        centre: The number shown before the brackets.
        signed: Show a plus sign on the estimate.
    """
    middle, low, high = given[centre], given["lo"], given["hi"]
    if kind == "ratio":
        return f"{ratio(middle, signed=signed)} {interval(low, high, kind)}"
    if kind in ("share", "probability"):
        ends = _bracket(_percent(low), _percent(high))
        return f"{value(middle, kind, signed=signed)} {ends}"
    largest = max(abs(low), abs(high))
    divisor, prefix = scale(middle)
    if not largest / divisor < 1e4:  # an estimate near zero within a wide interval
        divisor, prefix = scale(largest)
    plus = "+" if signed and middle > 0 else ""
    unit = currency_symbol(unit) if kind == "money" else unit
    text = _unit(plus + _significant(middle / divisor), _join(prefix, unit))
    return (
        f"{text} {_bracket(_significant(low / divisor), _significant(high / divisor))}"
    )


def date(given: Date | datetime | str, locale: str | None = None) -> str:
    """A date as the reader's locale writes it; `23 Aug 2021` where it is unknown.

    Args:
        given: A date, or a text that begins with an ISO date (NumPy's dates too).
        locale: BCP 47 tag such as `en-US` or `de`.
    """
    if isinstance(given, str):
        given = Date.fromisoformat(given[:10])
    tag = (locale or "").replace("_", "-")
    pattern = _DATES.get(tag) or _DATES.get(tag.split("-")[0], _WORDS)
    return pattern.format(
        day=given.day,
        month=given.month,
        mon=_MONTHS[given.month - 1],
        year=given.year,
    )


@dataclass(frozen=True)
class Units:
    """Words for the units of one project.

    Attributes:
        outcome_unit: `revenue` where the outcome is money, else `kpi`.
        currency: Currency code of spend, and of revenue; empty where nobody has said.
        kpi_name: What the KPI counts.
        has_value: Whether the outcome is the KPI times the value of its units.
    """

    outcome_unit: Literal["revenue", "kpi"] = "revenue"
    currency: str = ""
    kpi_name: str = "KPI"
    has_value: bool = True

    @property
    def symbol(self) -> str:
        """Sign of the currency; empty where nobody has said which it is."""
        return currency_symbol(self.currency)

    @property
    def is_money(self) -> bool:
        """Whether the outcome is money."""
        return self.outcome_unit == "revenue"

    @property
    def outcome(self) -> str:
        """Unit of the outcome: the currency sign, or the KPI's name."""
        return self.symbol if self.is_money else self.kpi_name

    @property
    def outcome_name(self) -> str:
        """Name of the outcome: the KPI's name, or `Revenue` where its units have value.

        Where the KPI is money itself, a name in lower case begins with a capital.
        """
        if not self.is_money:
            return self.kpi_name
        if self.has_value:
            return "Revenue"
        name = self.kpi_name
        return name.capitalize() if len(name) > 2 and name.islower() else name

    @property
    def roi(self) -> str:
        """Unit of ROI and marginal ROI; in words while no currency is known."""
        named = "revenue" if self.is_money and self.has_value else self.kpi_name
        return f"{self.outcome or named} per {self.symbol or 'unit of spend'}"

    def show(self, given: Real, *, signed: bool = False) -> str:
        """An outcome with its unit."""
        return _amount(given, self.outcome, signed=signed)


def units(attrs: Mapping[str, object]) -> Units:
    """Units of a view model from its attributes or its summary."""
    kind = "revenue" if attrs.get("outcome_unit", "revenue") == "revenue" else "kpi"
    currency = str(attrs.get("currency") or "")
    name = str(attrs.get("kpi_name") or "KPI")
    return Units(kind, currency, name, bool(attrs.get("has_value", True)))


def titled(name: str, unit: str) -> str:
    """A name with its unit: `Budget, €`; the name alone where there is no unit."""
    return f"{name}, {unit}" if unit else name


def tidy(title: str) -> str:
    """A title without what is left of a unit that nobody has said."""
    text = _NO_UNIT.sub(" ", title)
    return re.sub(r"[,\s]+$", "", text).lstrip()


def _amount(given: Real, unit: str, *, signed: bool) -> str:
    if not math.isfinite(given):
        return NONE
    divisor, prefix = scale(given)
    text = _significant(given / divisor)
    return _unit(f"+{text}" if signed and given > 0 else text, _join(prefix, unit))


def _significant(given: Real) -> str:
    if given == 0 or not math.isfinite(given):
        return "0" if given == 0 else NONE
    given = float(f"{given:.2e}")
    return _minus(f"{given:,.{min(6, max(0, 2 - _leading(given)))}f}")


def _leading(given: Real) -> int:
    return math.floor(math.log10(abs(given))) if given else 0


def _percent(given: Real) -> str:
    return _minus(f"{round(100 * given):,d}") if math.isfinite(given) else NONE


def _bracket(low: str, high: str, unit: str = "") -> str:
    return f"({_unit(f'{low} – {high}', unit)})"


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _join(prefix: str, unit: str) -> str:
    return _SPACE.join(part for part in (prefix, unit) if part)


def _unit(text: str, unit: str) -> str:
    return f"{text}{_SPACE}{unit}" if unit else text
