"""The form of a portfolio: which projects, what their outcome is worth, the limits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.portfolio.members import Candidate, file_of
from core.text.languages.language import marked, say
from pages.ui import layout, navigation, state, tables, words
from pages.ui.fields.amount import amount_field

_OBJECTIVES = {
    "mean": marked("Expected revenue"),
    "p10": marked("Revenue reached in 9 of 10 cases"),
    "cvar10": marked("Cautious: mean of the worst tenth"),
}
#: Projects that a portfolio has at least.
NEEDED = 2
_CURRENCY = "portfolio.currency"
_MORE = """[kind."booked ahead"]
max = "40 %"
"""


@dataclass(frozen=True)
class Brief:
    """What the row above the plan says.

    Attributes:
        currency: Of all amounts.
        scenario: Budget, limits and objective, in the words of the portfolio file.
    """

    currency: str
    scenario: dict[str, Any]


def brief(candidates: Sequence[Candidate], here: str) -> Brief:
    """Draw budget, limits and objective, beside the control of the periods.

    Args:
        candidates: Projects that can share a budget.
        here: The open project, whose currency it is at first.
    """
    own = next((each for each in candidates if each.name == here), candidates[0])
    state.setdefault(_CURRENCY, own.currency or "EUR")
    currency = str(state.widget(_CURRENCY, "")).strip()
    has_last_year = all(each.has_last_year for each in candidates)
    return Brief(currency, _brief(currency, has_last_year=has_last_year))


def projects(
    candidates: Sequence[Candidate], here: str, asked: Brief, periods: int | None
) -> tuple[str, list[str]]:
    """Draw which projects share the budget, folded where at least two do.

    Args:
        candidates: Projects that can share a budget.
        here: The open project, which is one of them at first.
        asked: What the row above says.
        periods: How many to plan; None for a year of them.

    Returns:
        The portfolio file that the form says, and the projects in it.
    """
    first = _first(candidates, here, asked.currency)
    with st.expander(
        say("Projects and their limits"),
        icon=":material/tune:",
        expanded=len(first) < NEEDED,
        key="portfolio.projects",
    ):
        layout.remark(
            "One budget over the newest fits of several projects: each KPI in "
            "money, limits per project and per channel. Saving keeps each "
            "project's part in that project."
        )
        members = _members(candidates, first, asked.currency)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _currency()
            more = _more()
    scenario = asked.scenario | {"horizon": None}
    if periods is not None:
        scenario["horizon"] = {"periods": periods}
    return file_of(asked.currency, members, scenario, more), list(members)


def _currency() -> None:
    """The currency of all amounts."""
    st.text_input(
        say("Currency"),
        key=_CURRENCY,
        max_chars=20,
        width=120,
        help=navigation.tip("Of all amounts of the plan, such as EUR."),
    )


def _more() -> str:
    """Limits that the table has no column for, as a part of the portfolio file."""
    with st.popover(say("More limits"), icon=":material/tune:"):
        return st.text_area(
            say("Further tables of the portfolio file"),
            key="portfolio.more",
            height=160,
            placeholder=_MORE,
            max_chars=20_000,
            help=navigation.tip(
                "Limits on kinds of channels, spend that several projects share, "
                "single channels, periods: Help, Portfolios has all of them."
            ),
        )


def _brief(currency: str, *, has_last_year: bool) -> dict[str, Any]:
    """Budget, limits of every channel and what is maximised."""
    with st.container(width=215):
        budget = amount_field(
            say("Budget, {currency}", currency=currency),
            "portfolio.budget",
            None,
            least=0.01,
            decimals=2,
            placeholder=say("as last year") if has_last_year else say("as it ran"),
            help=navigation.explained(
                say("For all projects together. Empty: what they spent last year.")
                if has_last_year
                else say("For all projects together. Empty: as much as they spent.")
            ),
            currency=currency,
        )
    with st.container(width=150):
        spread = st.number_input(
            say("Limits, ± %"),
            0,
            100,
            30,
            step=10,
            key="portfolio.spread",
            help=navigation.tip("How far every channel may move from what it spent."),
        )
    with st.container(width=215):
        objective = st.selectbox(
            say("Maximise"),
            list(_OBJECTIVES),
            format_func=words.said(_OBJECTIVES),
            key="portfolio.objective",
        )
    return {
        "budget": budget,
        "bounds": [1 - spread / 100, 1 + spread / 100],
        "objective": None if objective == "mean" else objective,
    }


def _members(
    candidates: Sequence[Candidate], first: Collection[str], currency: str
) -> Mapping[str, dict[str, Any]]:
    """The table of projects, as it was edited."""
    rows = [
        {
            "in": each.name in first,
            "project": each.name,
            "counts": fmt.titled(fmt.spoken(each.counts), each.currency),
            "worth": None,
            "rate": None,
            "min": "",
            "max": "",
            "bought": None,
        }
        for each in candidates
    ]
    columns = _columns(currency)
    if not any(each.mediators for each in candidates):
        del columns["bought"]
        rows = [{key: row[key] for key in columns} for row in rows]
    numbers = {key: float for key in ("worth", "rate", "bought") if key in columns}
    edited = tables.edit(
        pd.DataFrame(rows).astype(numbers),
        say("Projects of the portfolio"),
        columns,
        key="portfolio.members",
    )
    mediators = {each.name: each.mediators for each in candidates}
    members = {}
    for row in edited.to_dict("records"):
        if row["in"]:
            members[row["project"]] = {
                "worth": _number(row["worth"]),
                "rate": _number(row["rate"]),
                "min": _amount(row["min"]),
                "max": _amount(row["max"]),
                "bought": _bought(mediators[row["project"]], row.get("bought")),
            }
    return members


def _columns(currency: str) -> dict[str, Any]:
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "in": st.column_config.CheckboxColumn(say("In"), width=50),
        "project": text(say("Project"), disabled=True, pinned=True),
        "counts": text(say("Counts"), disabled=True),
        "worth": number(
            say("Worth, {currency}", currency=currency),
            min_value=0.0,
            format="%.6g",
            help=say(
                "Money that one unit of the KPI is worth; for revenue the share "
                "of it that counts (empty: all of it)."
            ),
        ),
        "rate": number(
            say("Rate"),
            min_value=0.0,
            format="%.6g",
            help=say(
                "{currency} for one unit of the project's currency; empty where it is "
                "the same.",
                currency=currency,
            ),
        ),
        "min": text(
            say("At least"), help=say("Money, or a share of the budget: 20 %.")
        ),
        "max": text(say("At most"), help=say("Money, or a share of the budget: 60 %.")),
        "bought": number(
            say("Bought, %"),
            min_value=0.0,
            max_value=100.0,
            format="%.0f",
            help=say(
                "Share of the demand that channels cause at a mediator which is bought "
                "and paid from the budget. Empty: amounts are the channels' own media."
            ),
        ),
    }


def _first(candidates: Sequence[Candidate], here: str, currency: str) -> set[str]:
    """The projects that are in at first: the open one, and what fits without a word.

    A market that was made up, as the demo is, shares no budget with one that is real.
    """
    is_simulated = any(each.is_simulated for each in candidates if each.name == here)
    fitting = {
        each.name
        for each in candidates
        if each.is_money
        and each.currency == currency
        and each.is_simulated == is_simulated
    }
    return fitting | {each.name for each in candidates if each.name == here}


def _bought(mediators: Sequence[str], share: Any) -> dict[str, float] | None:
    """The share that is bought, of every mediator that costs money."""
    stated = _number(share)
    if stated is None or not mediators:
        return None
    return dict.fromkeys(mediators, stated / 100)


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def _amount(value: Any) -> str | float | None:
    """A limit as the file has it: a number, or a text such as `60 %`."""
    text = "" if value is None or pd.isna(value) else str(value).strip()
    try:
        # Thousands as people type them; a share such as "60 %" stays a text.
        return float(text.replace(",", "")) if text else None
    except ValueError:
        return text
