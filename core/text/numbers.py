"""Numbers: three significant digits, an interval in brackets after its estimate.

Signs and words are the locale's (`core.text.languages.locale`), money has its currency
(`core.text.currency`), shares and probabilities are whole
percent, ratios have two decimals and returns as many as tell them from nothing.
"""

import math
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from numbers import Real
from typing import Any, Literal

from core.text.currency import currency_symbol, scaled_unit, with_unit
from core.text.languages.locale import Locale, locale

Kind = Literal["money", "number", "ratio", "share", "probability"]

#: Shown where a number does not exist.
NONE = "–"
#: The smallest amount that has a digit: less than half of it reads as nothing.
_LEAST = 1e-6
#: Beyond, an amount in full is nothing but digits.
_MOST_IN_FULL = 1e16
_SPACE = "\u00a0"


def scale(largest: Real) -> tuple[float, str]:
    """Divisor and prefix (k, M, bn) with which numbers up to `largest` read well."""
    size = abs(largest)
    if not math.isfinite(size) or size == 0:
        return 1.0, ""
    size = float(f"{size:.2e}")  # 999.6 is shown as 1.00 k
    return next(((d, p) for d, p in _scales(locale()) if size >= d), (1.0, ""))


def _scales(how: Locale) -> tuple[tuple[float, str], ...]:
    return (1e9, how.billion), (1e6, how.million), (1e3, how.thousand)


def _is_number(value: Real | None) -> bool:
    return value is not None and math.isfinite(value)


def number(value: Real, *, signed: bool = False) -> str:
    """Three significant digits with k, M or bn: `12.4 M`."""
    return amount(value, "", signed=signed)


def money(value: Real | None, currency: str, *, signed: bool = False) -> str:
    """Money with three significant digits: `12.4 M €`, `$12.4M`; a dash for none."""
    return amount(value, currency_symbol(currency), signed=signed)


def amount(value: Real | None, unit: str, *, signed: bool = False) -> str:
    """A number of any unit with three significant digits: `12.3 k orders`."""
    if not _is_number(value):
        return NONE
    divisor, prefix = scale(value)
    text = _significant(value / divisor)
    plus = "+" if signed and value > 0 and text != "0" else ""
    return with_unit(plus + text, scaled_unit(prefix, unit))


def in_scale(value: Real, largest: Real, unit: str, *, signed: bool = False) -> str:
    """A number in the scale of a larger one beside it: `−0.35 M €` under `641 M €`.

    What has no two digits there, with two decimals at most, keeps a scale of its own.
    """
    divisor, prefix = scale(largest)
    size = value / divisor
    if not 0.1 <= abs(size) < 1:
        return amount(value, unit, signed=signed)
    text = locale().written(f"{size:{'+' if signed else ''}.2f}")
    return with_unit(text, scaled_unit(prefix, unit))


def exact(value: Real | None, unit: str = "", *, decimals: int | None = None) -> str:
    """The number in full with grouped thousands: `12,431,022 €`; a dash for none."""
    if not _is_number(value):
        return NONE
    if decimals is None:
        decimals = max(0, 3 - _leading(value)) if abs(value) < 100 else 0
    return with_unit(
        locale().written(f"{_half_up(value, decimals):,.{decimals}f}"), unit
    )


def _half_up(value: Real, decimals: int) -> Decimal | Real:
    """A number to some decimals, a half away from zero: as workbooks and charts do.

    Python rounds a half to the even digit, and what looks like a half where it is
    written may lie a hair below.
    """
    if not abs(value) < _MOST_IN_FULL:
        return value
    decimal = Decimal(repr(float(value)))
    rounded = decimal.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return rounded + 0  # no minus before zero


def table_amount(value: Real) -> str:
    """A whole amount for a table: `12,431`; three digits below 100, as in thousands."""
    is_small = math.isfinite(value) and 0 < abs(value) < 100
    if is_small and round(value, 6) != round(value):
        return _significant(value)
    return exact(value, decimals=0)


def cents(value: Real, currency: str) -> str:
    """Money in full, to the cent where there are cents: `1,000 €`, `$431.01`.

    What cannot be money is shown as it is: whoever refuses it has to name it.
    """
    if not abs(value) < _MOST_IN_FULL:
        return with_unit(f"{value:.4g}", currency_symbol(currency))
    decimals = 0 if round(value, 2) == round(value) else 2
    return exact(value, currency_symbol(currency), decimals=decimals)


def ratio(value: Real | None, *, signed: bool = False, decimals: int = 2) -> str:
    """A ratio with two decimals: `3.90`; a dash where there is none."""
    if not _is_number(value):
        return NONE
    value = round(value, decimals) + 0.0  # no minus before zero
    return locale().written(f"{value:{'+' if signed else ''}.{decimals}f}")


def ratio_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The difference of two ratios as both are written: 1.914 and 1.916 are `0.00`.

    Args:
        before: An estimate of one, with `mean`, `lo` and `hi`.
        after: Of the other.
    """
    digits = [
        _decimals(max(abs(each[key]) for key in ("mean", "lo", "hi")))
        for each in (before, after)
    ]
    old, new = (
        round(each["mean"], decimals)
        for each, decimals in zip((before, after), digits, strict=True)
    )
    decimals = max(digits)
    return ratio(new - old, signed=round(new - old, decimals) != 0, decimals=decimals)


def roi(value: Real, *, signed: bool = False) -> str:
    """A return: `3.90`; three significant digits where it is small, `0.0123`."""
    return ratio(value, signed=signed, decimals=_decimals(value))


def share(value: Real | None, *, signed: bool = False) -> str:
    """A share as whole percent: `23 %`; small but not nothing is `< 1 %`."""
    if not _is_number(value):
        return NONE
    whole = round(100 * value)
    if whole == 0 and value > 0 and not signed:
        return f"<{_SPACE}1{_SPACE}%"
    text = f"{whole:+,d}" if signed and whole else f"{whole:,d}"
    return locale().written(text) + f"{_SPACE}%"


def percent(value: Real | None, *, decimals: int = 1) -> str:
    """A share as percent with decimals: `4.2 %`; a dash where there is none."""
    if not _is_number(value):
        return NONE
    return locale().written(f"{100 * value:.{decimals}f}") + f"{_SPACE}%"


def probability(value: Real | None) -> str:
    """A probability as whole percent, never 0 % or 100 %: `< 1 %`, `> 99 %`.

    Shares of draws often end in a half, which goes up as in the cells of a workbook.
    """
    if not _is_number(value):
        return NONE
    size = round(100 * value, 9)
    if size <= 0.5:
        return f"<{_SPACE}1{_SPACE}%"
    if size >= 99.5:
        return f">{_SPACE}99{_SPACE}%"
    return f"{math.floor(size + 0.5)}{_SPACE}%"


def value(size: Real, kind: Kind, currency: str = "", *, signed: bool = False) -> str:
    """One number of a kind."""
    if kind == "money":
        return money(size, currency, signed=signed)
    if kind == "probability":
        return probability(size)
    write = {"number": number, "ratio": roi, "share": share}[kind]
    return write(size, signed=signed)


def interval(low: Real, high: Real, kind: Kind, currency: str = "") -> str:
    """Both ends in brackets with their unit: `(36.0 – 47.1 M €)`."""
    if kind == "ratio":
        decimals = _decimals(max(abs(low), abs(high)))
        return _bracket(ratio(low, decimals=decimals), ratio(high, decimals=decimals))
    if kind in ("share", "probability"):
        return f"({_percent(low)} – {_percent(high)}{_SPACE}%)"
    largest = max(abs(low), abs(high))
    divisor, prefix = scale(largest)
    unit = scaled_unit(prefix, currency_symbol(currency) if kind == "money" else "")
    decimals = _places(largest / divisor)
    ends = (_rounded(low / divisor, decimals), _rounded(high / divisor, decimals))
    behind = with_unit(ends[1], unit)
    if behind.startswith(ends[1]):
        return _bracket(ends[0], behind)
    return _bracket(with_unit(ends[0], unit), behind)


def estimate(
    estimated: Mapping[str, Any] | None,
    kind: Kind,
    unit: str = "",
    *,
    centre: Literal["mean", "median"] = "mean",
    signed: bool = False,
) -> str:
    """Estimate and interval, unit once: `41.2 M € (36.0 – 47.1)`.

    The ends have the estimate's decimals, fewer where they are ten times as large; an
    estimate near zero within a wide interval has those of its ends.

    Args:
        estimated: An estimate with `lo`, `hi` and the centre; a dash where there is
            none.
        kind: What kind of number it is.
        unit: Currency code of money, or the unit of a number.
        centre: The number shown before the brackets.
        signed: Show a plus sign on the estimate.
    """
    middle, low, high = ((estimated or {}).get(key) for key in (centre, "lo", "hi"))
    if None in (middle, low, high):
        return NONE
    if kind in ("share", "probability"):
        ends = _bracket(_percent(low), _percent(high))
        return f"{value(middle, kind, signed=signed)} {ends}"
    middle, low, high = map(_digits, (middle, low, high))
    largest = max(abs(low), abs(high))
    if kind == "ratio":
        decimals = _decimals(max(largest, abs(middle)))
        ends = (ratio(end, decimals=decimals) for end in (low, high))
        return f"{ratio(middle, signed=signed, decimals=decimals)} {_bracket(*ends)}"
    divisor, prefix = scale(middle)
    of_middle = _places(middle / divisor)
    if middle == 0 or not largest / divisor < 1e4:  # near zero in a wide interval
        divisor, prefix = scale(largest)
        of_middle = _places(largest / divisor)
    decimals = min(of_middle, _places(largest / divisor) + 1)
    text = _rounded(middle / divisor, of_middle)
    plus = "+" if signed and middle > 0 and text != "0" else ""
    unit = scaled_unit(prefix, currency_symbol(unit) if kind == "money" else unit)
    ends = (_rounded(end / divisor, decimals) for end in (low, high))
    return f"{with_unit(plus + text, unit)} {_bracket(*ends)}"


def _digits(size: Real) -> Real:
    """A number, or zero where it has no digit, as after a sum of rounded parts."""
    return 0.0 if abs(size) < _LEAST / 2 else size


def _decimals(size: Real) -> int:
    """Decimals of a ratio: two, or more where two would hide it."""
    if not math.isfinite(size) or not 0 < abs(size) < 0.1:
        return 2
    return min(6, 2 - _leading(size))


def _significant(size: Real) -> str:
    if size == 0 or not math.isfinite(size):
        return "0" if size == 0 else NONE
    size = float(f"{size:.2e}")
    if abs(size) < _LEAST / 2:
        return "0"
    return _rounded(size, _places(size))


def _rounded(size: Real, decimals: int) -> str:
    if not math.isfinite(size):
        return NONE
    decimals = min(6, max(0, decimals))
    size = round(size, decimals) + 0.0  # no minus before zero
    return locale().written(f"{size:,.{decimals}f}")


def _places(size: Real) -> int:
    """Decimals that make three significant digits; fewer than none from 1,000."""
    if not math.isfinite(size) or size == 0:
        return 0
    return 2 - _leading(float(f"{size:.2e}"))


def _leading(size: Real) -> int:
    return math.floor(math.log10(abs(size))) if size else 0


def _percent(share: Real) -> str:
    return (
        locale().written(f"{round(100 * share):,d}") if math.isfinite(share) else NONE
    )


def _bracket(low: str, high: str) -> str:
    return f"({low} – {high})"
