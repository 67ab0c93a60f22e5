"""Periods: the horizon that response curves are of, and what ran in them before.

A plan is compared with two things, named the same wherever they stand: the spend that
ran, as it was (`as_it_ran`), and the same shares of the plan's budget, where that is
another (`SAME_SPLIT`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.text.languages.language import marked, say, say_count
from core.text.languages.locale import date
from core.text.sentences import listed, periods_name, span

#: What ran, with every amount scaled to the budget of the plan.
SAME_SPLIT = marked("the same split at the new budget")
#: What ran in the periods of a plan, by what the periods are called.
_AS_THEY_RAN = {
    "days": marked("these days as they ran"),
    "weeks": marked("these weeks as they ran"),
    "months": marked("these months as they ran"),
    "quarters": marked("these quarters as they ran"),
    "periods": marked("these periods as they ran"),
}
#: What ran a year before them.
_LAST_YEAR = {
    "days": marked("the same days last year"),
    "weeks": marked("the same weeks last year"),
    "months": marked("the same months last year"),
    "quarters": marked("the same quarters last year"),
    "periods": marked("the same periods last year"),
}
#: The same as headings.
_HEADINGS = {
    "days": marked("Same days last year"),
    "weeks": marked("Same weeks last year"),
    "months": marked("Same months last year"),
    "quarters": marked("Same quarters last year"),
    "periods": marked("Same periods last year"),
}
#: What a plan says whose data have no year before its periods.
REPEATED = marked(
    "The data are shorter than a year: their periods, in turn, stand for last year's."
)
#: What stands for that where the data are shorter than a year.
_REPEATED_RAN = {
    "days": marked("the data's days as they ran"),
    "weeks": marked("the data's weeks as they ran"),
    "months": marked("the data's months as they ran"),
    "quarters": marked("the data's quarters as they ran"),
    "periods": marked("the data's periods as they ran"),
}


@dataclass(frozen=True)
class Horizon:
    """The periods that a plan is for.

    Attributes:
        start: First day of the first period, YYYY-MM-DD; empty where unknown.
        end: First day of the last one.
        periods: How many they are.
        as_fitted: Whether they are the data's own.
        began: Channels that did not run yet in some of these periods a year earlier,
            and the first days of their first periods. What they spent lately stands
            for the spend that ran.
        value: Value of a KPI unit in each period over a year earlier's; empty for the
            same.
        is_repeated: Whether the data are shorter than a year, so that their periods
            stand in turn for those of a year earlier.
    """

    start: str = ""
    end: str = ""
    periods: int = 0
    as_fitted: bool = True
    began: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    value: tuple[float, ...] = ()
    is_repeated: bool = field(default=False, compare=False)

    @property
    def note(self) -> str:
        """What stands for what did not run a year earlier; empty where all did."""
        repeated = say(REPEATED) if self.is_repeated else ""
        return " ".join(filter(None, [repeated, self._began_since()]))

    def _began_since(self) -> str:
        """The sentence on channels that began too late; empty where none did."""
        if not self.began:
            return ""
        names = [
            say("{name} (since {day})", name=name, day=date(day))
            for name, day in self.began
        ]
        return say_count(
            len(names),
            "{names} has no spend in some of {ran}: its latest spend per period stands "
            "for it.",
            "{names} have no spend in some of {ran}: their latest spend per period "
            "stands for it.",
            names=listed(names),
            ran=self.as_it_ran,
        )

    @property
    def periods_name(self) -> str:
        """What its periods are called, such as `weeks`; `periods` where not known."""
        return periods_name(self.start, self.end, self.periods)

    @property
    def span(self) -> str:
        """How long it is: `52 weeks`; empty where that is not known."""
        return span(self.start, self.end, self.periods) if self.periods else ""

    @property
    def as_it_ran(self) -> str:
        """The spend that ran: `the same weeks last year`."""
        if self.as_fitted:
            return say(_AS_THEY_RAN[self.periods_name])
        if self.is_repeated:
            return say(_REPEATED_RAN[self.periods_name])
        return say(_LAST_YEAR[self.periods_name])

    @property
    def has_last_year(self) -> bool:
        """Whether what ran is last year's: not the data's own periods, nor repeated."""
        return not (self.as_fitted or self.is_repeated)

    @property
    def budget_that_ran(self) -> str:
        """What that spend came to: `last year's budget`."""
        return say(
            "last year's budget" if self.has_last_year else "the budget as it ran"
        )

    @property
    def heading(self) -> str:
        """The same as a heading: `Same weeks last year`."""
        return say(_HEADINGS[self.periods_name] if self.has_last_year else "As it ran")

    @property
    def brief_heading(self) -> str:
        """The same where a phone has no more room: `Last year`."""
        mark = self.compared_mark(is_scaled=False)
        return mark[:1].upper() + mark[1:]

    def compared(self, *, is_scaled: bool, is_limited: bool = False) -> str:
        """What the split of a plan is compared with.

        Args:
            is_scaled: Whether its budget is another than that of the spend that ran.
            is_limited: Whether limits, bookings or tests of the plan's weeks change
                what ran, so that it is compared as they allow it.
        """
        if is_scaled:
            return say(SAME_SPLIT)
        if is_limited:
            return say("{ran} within these limits", ran=self.as_it_ran)
        return self.as_it_ran

    def compared_mark(self, *, is_scaled: bool) -> str:
        """The same in two or three words, for a mark in a chart; see `compared`."""
        if is_scaled:
            return say("same split")
        return say("last year") if self.has_last_year else say("as it ran")

    def as_table(self) -> dict[str, Any]:
        """The horizon in the words of a scenario file."""
        if self.as_fitted:
            return {"as_fitted": True}
        value = {"value": list(self.value)} if self.value else {}
        return {"start": self.start, "periods": self.periods} | value


def horizon_to_come(about: Mapping[str, Any], days: Sequence[str]) -> Horizon:
    """The horizon of a forecast.

    Args:
        about: What its file says of it, `horizon_repeated` as `horizon_of` reads it.
        days: First days of its periods.
    """
    return Horizon(
        days[0],
        days[-1],
        len(days),
        as_fitted=False,
        is_repeated=bool(about.get("horizon_repeated", 0)),
    )


#: Parts of a horizon that a file keeps as JSON, and what they are where it has none.
_AS_JSON = {"began": "{}", "horizon_value": "[]"}


def horizon_of(about: Mapping[str, Any]) -> Horizon:
    """The horizon that a file of curves says its spend is of."""
    began, value = (
        json.loads(about.get(name, none)) for name, none in _AS_JSON.items()
    )
    return Horizon(
        start=str(about.get("horizon_start", "")),
        end=str(about.get("horizon_end", "")),
        periods=int(about.get("horizon_periods", 0)),
        as_fitted=bool(about.get("as_fitted", 1)),
        began=tuple(began.items()),
        value=tuple(value),
        is_repeated=bool(about.get("horizon_repeated", 0)),
    )


def as_they_ran(horizons: Iterable[Horizon]) -> str:
    """The spend that ran in the periods of several plans; in general where it differs.

    Args:
        horizons: Of the plans.
    """
    names = {horizon.as_it_ran for horizon in horizons}
    return names.pop() if len(names) == 1 else say("what ran")
