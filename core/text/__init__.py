"""Numbers and words as people read them, the same wherever they are read.

Screens, the command line, reports and charts write numbers, money and dates in the
locale of the project (in the standard one 12,431,022, $13.3M and 23 Aug 2021). The 90 %
interval of an estimate is in brackets right after it.
"""

from core.text.currency import currency_symbol, scaled_unit
from core.text.languages.locale import (
    LOCALES,
    STANDARD,
    date,
    day_and_month,
    locale,
    set_locale,
    written_in,
)
from core.text.numbers import (
    NONE,
    Kind,
    cents,
    estimate,
    exact,
    in_scale,
    interval,
    money,
    number,
    percent,
    probability,
    ratio,
    ratio_change,
    roi,
    scale,
    share,
    table_amount,
    value,
)
from core.text.sentences import (
    brief,
    brief_name,
    count,
    listed,
    named,
    periods,
    periods_heading,
    sentence,
    verb,
)
from core.text.units import Measured, Units, spoken, tidy, titled, units
