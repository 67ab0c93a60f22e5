"""More limits of a plan: groups, steps, channels that may be off, budgets to be found.

They are edited beside the limits. What is typed there stays in its editors until a plan
is loaded or the screen is left; then it becomes the new base, as with the limits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.service.planning.scenario import beliefs_of, groups_of, stated
from core.service.planning.switches import CONTROLS, Switches, of_table
from core.service.records.fit import Run
from core.service.records.plan import Belief, Find, Group, Horizon, ResponseCurves
from core.service.suggestions.prices import (
    LARGEST,
    best_frequencies,
    bought_of,
    gammas_of,
)
from core.text.languages.language import marked, say
from core.view.advice import switch_label
from core.view.suggestions import price_words
from pages.plan.rare import beliefs as plan_beliefs
from pages.plan.rare import dated as plan_dated
from pages.plan.rare import groups as plan_groups
from pages.plan.rare.dated import Dated
from pages.ui import navigation, planning, state, tables, words
from pages.ui.fields import bought as plan_bought
from pages.ui.fields.amount import amount_field
from pages.ui.fields.bought import Shares
from pages.ui.findings import plain

_Numbers = tuple[tuple[str, float], ...]

_FINDS = {
    "fixed": marked("is fixed"),
    "profit": marked("for the largest profit"),
    "roi": marked("the largest with a target ROI"),
    "mroi": marked("up to a target marginal ROI"),
    "outcome": marked("the smallest that brings an amount"),
}
#: Columns of numbers in the editor of channels.
_NUMBERS = ("step", "gamma", "price")


@dataclass(frozen=True, kw_only=True)
class More(Switches):
    """What a scenario has beside limits of single channels, switches among it.

    Attributes:
        find: What the budget is found for; None for a fixed one.
        may_be_off: Channels that may spend nothing.
        steps: Channels that are bought in steps, and the steps.
        gammas: Channels that get dearer with volume, and how much.
        prices: Channels whose units cost otherwise than last year, and how much.
        at_best: Channels whose reach is bought at the best frequency.
        bought: Mediators whose demand is paid for, and the share that is bought.
        groups: Joint limits.
        dated: Prices over last year's from a date on.
        beliefs: Channels that the fit has never seen run.
    """

    find: Find | None = None
    may_be_off: tuple[str, ...] = ()
    steps: tuple[tuple[str, float], ...] = ()
    gammas: tuple[tuple[str, float], ...] = ()
    prices: tuple[tuple[str, float], ...] = ()
    at_best: tuple[str, ...] = ()
    bought: Shares = ()
    groups: tuple[Group, ...] = ()
    dated: tuple[Dated, ...] = ()
    beliefs: tuple[Belief, ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        parts = (self.find is not None) + len(self.chosen())
        numbers = (self.steps, self.gammas, self.prices)
        named = {
            *self.may_be_off,
            *self.at_best,
            *(name for each in numbers for name, _ in each),
        }
        rows = (self.groups, self.bought, self.dated, self.beliefs)
        return parts + len(named) + sum(map(len, rows))


def load(table: Mapping[str, Any], horizon: Horizon) -> None:
    """Take up what a saved plan's scenario has, of its periods."""
    asked, find = stated(table), table.get("find")
    put(
        More(
            find=Find(**find) if find else None,
            **of_table(table),
            may_be_off=tuple(n for n, row in asked.channel.items() if row.may_be_off),
            steps=tuple(
                (n, row.step)
                for n, row in asked.channel.items()
                if row.step is not None
            ),
            gammas=tuple(gammas_of(table).items()),
            **plan_dated.of_table(table, horizon),
            beliefs=beliefs_of(table),
            at_best=best_frequencies(table),
            bought=tuple(bought_of(table).items()),
            groups=groups_of(table),
        )
    )


def put(more: More) -> None:
    """Set the editors to this."""
    state.keep("more.now", more)
    _rebase()


def _rebase() -> None:
    state.keep("more", state.draft("more.now", More()))
    state.start_afresh("more")


def choose(
    run: Run, curves: ResponseCurves, units: fmt.Units, place: DeltaGenerator
) -> More:
    """Draw the editors; returns what is chosen in them.

    Args:
        run: The fit.
        curves: Of the periods planned.
        units: Words for the units.
        place: Where to draw them; what few plans need is one click further.
    """
    if state.draft("more") is None or not state.has(_key("find")):
        _rebase()
    base: More = state.draft("more")
    with place:
        with st.container(horizontal=True, vertical_alignment="top"):
            find = _find(base, curves, units)
        switched = {
            switch.name: st.checkbox(
                switch_label(switch),
                getattr(base, switch.name),
                key=_key(switch.name),
                help=navigation.explained(say(switch.help)),
            )
            for switch in CONTROLS
        }
    n_rare = _rare(state.draft("more.now", More()))
    label = say("Pauses, steps, prices and groups") + (f" ({n_rare})" if n_rare else "")
    with st.expander(label, key="plan.rare"):
        flags, numbers = _channels(base, curves, units)
        _prices(run, numbers[1])
        dated = plan_dated.prices(base.dated, curves, _key("dated"))
        beliefs = plan_beliefs.choose(base.beliefs, units, _key("beliefs"))
        names = (*curves.names, *(belief.name for belief in beliefs))
        groups = plan_groups.choose(base.groups, names, units, _key("groups"))
        bought = plan_bought.choose(base.bought, curves, _key, _take_bought)
    more = More(
        find=find,
        groups=groups,
        bought=bought,
        dated=dated,
        beliefs=beliefs,
        **switched,
        **dict(zip(("may_be_off", "at_best"), flags, strict=True)),
        **dict(zip(("steps", "gammas", "prices"), numbers, strict=True)),
    )
    state.keep("more.now", more)
    return more


def paid(curves: ResponseCurves) -> ResponseCurves:
    """The curves in the money of what is chosen: with spend on mediators, or without.

    Args:
        curves: Of own spend.
    """
    return plan_bought.paid(curves, dict(state.draft("more.now", More()).bought))


def _take_bought(bought: Shares) -> None:
    put(replace(state.draft("more.now", More()), bought=bought))


def _rare(more: More) -> int:
    """How much of it is what few plans need."""
    return more.count - (more.find is not None) - len(more.chosen())


def finds_budget() -> bool:
    """Whether the budget is to be found, before the editors are drawn."""
    usual = state.draft("more.now", More()).find is not None
    kind = state.widget(_key("find"), None)
    return usual if kind is None else kind != "fixed"


def _key(name: str) -> str:
    return f"plan.more.{name}.{state.edition('more')}"


def _find(base: More, curves: ResponseCurves, units: fmt.Units) -> Find | None:
    """What the budget is found for, with its number."""
    kinds = list(_FINDS)
    kind = st.selectbox(
        say("The budget"),
        kinds,
        index=kinds.index(base.find.kind) if base.find else 0,
        format_func=words.said(_FINDS),
        key=_key("find"),
    )
    if kind == "fixed":
        return None
    find = base.find if base.find and base.find.kind == kind else None
    if kind == "profit":
        margin = st.number_input(
            fmt.titled(say("Margin"), units.per_unit),
            min_value=0.0001,
            value=find.margin if find else 0.4,
            key=_key("margin"),
            help=navigation.explained(
                say(
                    "Margin on each unit of {kpi}, before the cost of media.",
                    kpi=units.outcome_in_text,
                )
            ),
        )
        least, most = _range(find, units)
        return Find("profit", margin=float(margin), least=least, most=most)
    label = (
        fmt.titled(
            say("{outcome} from paid media", outcome=units.outcome_name),
            units.symbol if units.is_money else "",
        )
        if kind == "outcome"
        else fmt.titled(say("Target"), units.roi)
    )
    if kind == "outcome":
        today = float(curves.total(curves.spend[None]).mean())
        first = float(find.target) if find else max(1.0, float(f"{today:.2g}"))
        target = amount_field(
            label, _key("target.outcome"), first, least=1.0, currency=units.currency
        )
        return Find(kind, float(target or first))
    target = st.number_input(
        label,
        min_value=0.0001,
        value=float(find.target) if find else 1.0,
        key=_key(f"target.{kind}"),
    )
    return Find(kind, float(target))


def _range(find: Find | None, units: fmt.Units) -> tuple[float | None, float | None]:
    """The least and most budget between which profit decides; None for the limits'."""
    known = (None, None) if find is None else (find.least, find.most)
    least, most = (
        amount_field(
            label,
            _key(f"profit.{key}"),
            first,
            least=0.0,
            placeholder=say("as the limits allow"),
            currency=units.currency,
        )
        for label, key, first in (
            (say("Least budget"), "least", known[0]),
            (say("Largest budget"), "most", known[1]),
        )
    )
    if least is not None and most is not None and least > most:
        return most, least
    return least, most


def _channels(
    base: More, curves: ResponseCurves, units: fmt.Units
) -> tuple[list[tuple[str, ...]], list[_Numbers]]:
    """Channels that may be off or at their best frequency; steps, gammas, prices."""
    steps, gammas, prices = map(dict, (base.steps, base.gammas, base.prices))
    frame = pd.DataFrame(
        {
            "channel": list(curves.names),
            "off": [name in base.may_be_off for name in curves.names],
            "often": [name in base.at_best for name in curves.names],
            "step": [steps.get(name) for name in curves.names],
            "gamma": [gammas.get(name) for name in curves.names],
            "price": [prices.get(name) for name in curves.names],
        }
    ).astype(dict.fromkeys(_NUMBERS, "float64"))
    edited = st.data_editor(
        frame,
        key=_key("channels"),
        column_config=_columns(units, has_frequency=bool(curves.frequencies)),
        hide_index=True,
        height=tables.height(len(frame)),
        placeholder="",
        alt=say("Channels that can be paused, are bought in steps or get dearer"),
    )
    channels = edited.to_dict("records")
    flags = [
        tuple(row["channel"] for row in channels if row[key])
        for key in ("off", "often")
    ]
    numbers = [
        tuple(
            (row["channel"], float(row[key]))
            for row in channels
            if row[key] and row[key] > 0 and (key, row[key]) != ("price", 1.0)
        )
        for key in _NUMBERS
    ]
    return flags, numbers


def _columns(units: fmt.Units, *, has_frequency: bool) -> dict[str, Any]:
    """Columns of the editor of channels."""
    often = st.column_config.CheckboxColumn(
        say("Best frequency"),
        help=say("Reach people as often as pays most, for the same impressions."),
    )
    return {
        "channel": st.column_config.TextColumn(say("Channel"), disabled=True),
        "off": st.column_config.CheckboxColumn(
            say("Can be paused"), help=say("Spends nothing, or at least its minimum.")
        ),
        "often": often if has_frequency else None,
        "step": st.column_config.NumberColumn(
            fmt.titled(say("Buy in steps of"), units.symbol),
            min_value=0.0,
            format="localized",
        ),
        "gamma": st.column_config.NumberColumn(
            say("Dearer with volume"),
            min_value=0.0,
            max_value=LARGEST,
            step=0.01,
            help=say(
                "gamma: what a channel buys grows with its spend to the power 1 - "
                "gamma. 0.2: twice the units cost 2.4 times as much. Empty: one price."
            ),
        ),
        "price": st.column_config.NumberColumn(
            say("Price over last year's"),
            min_value=0.01,
            max_value=100.0,
            step=0.01,
            help=say(
                "1.05: a unit of media costs 5 % more than last year (fees, VAT, a "
                "rate of exchange). Empty: last year's price."
            ),
        ),
    }


def _prices(run: Run, gammas: _Numbers) -> None:
    """What the data say about prices that rise with volume, to be taken over."""
    suggested = planning.prices_of(run)
    rising = {
        price.channel: price
        for price in suggested
        if price.interval is not None and price.interval[0] > 0
    }
    if not rising:
        return
    said = ", ".join(
        f"{name} {price_words.estimated(price)}" for name, price in rising.items()
    )
    st.caption(say("Dearer with volume, by the data: {said}.", said=plain(said)))
    wanted = {name: price.suggestion for name, price in rising.items()}
    if wanted != dict(gammas):
        st.button(
            say("Use these"),
            key=_key("prices"),
            on_click=_take_prices,
            args=(tuple(wanted.items()),),
            help=say(
                "The plan then pays what the volume costs. Estimated from log price "
                "on log spend within each channel."
            ),
        )


def _take_prices(gammas: _Numbers) -> None:
    put(replace(state.draft("more.now", More()), gammas=gammas))
