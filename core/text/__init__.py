"""Numbers and words as people read them, the same wherever they are read.

Screens, the command line, reports and charts write English: 12,431,022 and 23 Aug 2021,
whoever opens them. Money has the sign of its currency where that currency has it
($13.3M, 13.3 M €), an estimate its 90 % interval in brackets right after it.
"""

from core.text.currency import currency_symbol, scaled_unit
from core.text.dates import date
from core.text.numbers import (
    NONE,
    Kind,
    cents,
    estimate,
    exact,
    interval,
    money,
    number,
    percent,
    probability,
    ratio,
    roi,
    scale,
    share,
    value,
)
from core.text.sentences import brief, count, listed, sentence
from core.text.units import Units, tidy, titled, units

__all__ = [
    "NONE",
    "Kind",
    "Units",
    "brief",
    "cents",
    "count",
    "currency_symbol",
    "date",
    "estimate",
    "exact",
    "interval",
    "listed",
    "money",
    "number",
    "percent",
    "probability",
    "ratio",
    "roi",
    "scale",
    "scaled_unit",
    "sentence",
    "share",
    "tidy",
    "titled",
    "units",
    "value",
]
