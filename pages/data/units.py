"""Units: what the table does not say, asked in a popover of the Data screen."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from core import text as fmt
from core.service.projects.settings import Project
from core.service.records.columns import Finding, SpendUnit
from core.text.languages.language import marked, say
from pages.data.draft import Source
from pages.ui import state, words
from pages.ui.fields import gated
from pages.upload import mapping_table

_SPEND_UNITS: dict[SpendUnit | None, str] = {
    None: marked("not said"),
    "currency": marked("in the KPI's currency"),
    "other": marked("in another unit"),
}


class Answers(NamedTuple):
    """What the table does not say, as answered in the popover of units.

    Attributes:
        value: Value of one KPI unit; None where there is none.
        currency: Of spend and revenue; empty where nobody has said.
        spend_unit: What spend is counted in; None where nobody has said.
        events: Columns of text whose values become events of the model.
        locale: How numbers, money and dates are written.
    """

    value: float | None
    currency: str
    spend_unit: SpendUnit | None
    events: tuple[str, ...] = ()
    locale: str = fmt.STANDARD


def answer(checked: Sequence[Finding]) -> None:
    """Buttons that say what spend is, where the findings ask for it.

    Args:
        checked: What was found.
    """
    if not any(finding.where == "data.spend_unit" for finding in checked):
        return
    with st.container(horizontal=True):
        for unit, label in (
            ("other", say("Spend is in another unit")),
            ("currency", say("It is the same money")),
        ):
            gated.button(
                label,
                key=f"data.spend_unit.is.{unit}",
                on_click=state.put,
                args=(f"data.spend_unit.{state.edition('mapping')}", unit),
            )


def show(actions, source: Source) -> Answers:
    """Units of KPI and spend, and events in text, as edited in a popover."""
    project = source.here.project if source.here else None
    before = source.mapping or (project.mapping if project else None)
    edition = state.edition("mapping")
    with actions, st.popover(say("Units"), icon=":material/payments:"):
        currency = gated.text_input(
            say("Currency"),
            project.currency if project else source.currency,
            key=f"data.currency.{edition}",
            max_chars=8,
            placeholder=say("not known"),
            help=say(
                "Code of the currency of spend and revenue, such as EUR or USD. "
                "Without one, amounts are shown without a currency."
            ),
        )
        value = gated.number_input(
            say("Value per KPI unit"),
            value=mapping_table.value_of(source.mapping),
            min_value=0.0,
            key=f"data.value.{edition}",
            placeholder=say("none"),
            help=say(
                "What one KPI unit is worth, where no column says so. Without a "
                "value, ROI is in KPI units per unit of spend, and priors are on each "
                "channel's share of the KPI."
            ),
        )
        spend_unit = gated.selectbox(
            say("Spend is"),
            list(_SPEND_UNITS),
            list(_SPEND_UNITS).index(before.spend_unit if before else None),
            format_func=words.said(_SPEND_UNITS),
            key=f"data.spend_unit.{edition}",
            help=say(
                "If spend is in thousands, an index or scaled, its return means "
                "nothing in money: priors are then on each channel's share of the KPI."
            ),
        )
        events = _events(source, edition)
        locale = _locale(project, currency, edition)
    return Answers(value or None, currency.strip(), spend_unit, events, locale)


def _locale(project: Project | None, currency: str, edition: int) -> str:
    """How numbers, money and dates are written, each by what it looks like."""
    names = list(fmt.LOCALES)
    return gated.selectbox(
        say("Written as"),
        names,
        names.index(project.locale if project else fmt.STANDARD),
        format_func=lambda name: _sample(name, currency),
        key=f"data.locale.{edition}",
        help=say(
            "How numbers, money and dates of this project are written on screens, in "
            "charts and in exports, whoever opens them."
        ),
    )


def _sample(name: str, currency: str) -> str:
    with fmt.written_in(name):
        money = fmt.money(13.3e6, currency or "EUR")
        return f"{money} · {fmt.exact(1234.5, decimals=1)} · {fmt.date('2026-08-23')}"


def _events(source: Source, edition: int) -> tuple[str, ...]:
    """Columns of text to take as events, where there are any."""
    if not source.texts:
        return ()
    chosen = gated.multiselect(
        say("Events"),
        source.texts,
        key=f"data.events.{edition}",
        placeholder=say("none"),
        help=say(
            "Text columns with few values. Each value becomes an event of the "
            "model that may move the KPI."
        ),
    )
    return tuple(chosen)
