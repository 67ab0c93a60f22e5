"""More limits of a plan: groups, steps, channels that may be off, budgets to be found.

They are edited beside the limits. What is typed there stays in its editors until a plan
is loaded or the screen is left; then it becomes the new base, as with the limits.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.service.planning.asked import CONTROLS, Switches
from core.service.planning.asked import of_table as switches_of
from core.service.planning.buying import OPTIONS, Buying, Option, bought_otherwise
from core.service.planning.scenario import (
    as_row,
    beliefs_of,
    beliefs_table,
    find_in,
    find_table,
    groups_of,
    groups_table,
    stated,
)
from core.service.records.fit import Run
from core.service.records.plan import Belief, Find, Group, Horizon, ResponseCurves
from core.service.suggestions.prices import bought_of
from core.text.languages.language import marked, say
from core.view.advice import switch_label
from core.view.suggestions import price_words
from pages.plan.rare import beliefs as plan_beliefs
from pages.plan.rare import dated as plan_dated
from pages.plan.rare import groups as plan_groups
from pages.plan.rare.dated import Dated
from pages.ui import layout, navigation, planning, state, tables, words
from pages.ui.fields import bought as plan_bought
from pages.ui.fields import folded
from pages.ui.fields.amount import amount_field
from pages.ui.fields.bought import Shares
from pages.ui.findings import plain

#: The box of what few plans need, and what that is.
_RARE = "plan.rare"
_RARELY = ("buying", "dated", "beliefs", "groups", "bought")
_FINDS = {
    "fixed": marked("is fixed"),
    "profit": marked("for the largest profit"),
    "roi": marked("the largest with a target ROI"),
    "mroi": marked("up to a target marginal ROI"),
    "outcome": marked("the smallest that brings an amount"),
}


@dataclass(frozen=True, kw_only=True)
class More(Switches):
    """What a scenario has beside limits of single channels, switches among it.

    Attributes:
        find: What the budget is found for; None for a fixed one.
        buying: Channels that are bought otherwise than usual.
        bought: Mediators whose demand is paid for, and the share that is bought.
        groups: Joint limits.
        dated: Prices over last year's from a date on.
        beliefs: Channels that the fit has never seen run.
    """

    find: Find | None = None
    buying: Mapping[str, Buying] = field(default_factory=dict)
    bought: Shares = ()
    groups: tuple[Group, ...] = ()
    dated: tuple[Dated, ...] = ()
    beliefs: tuple[Belief, ...] = ()

    def table(self) -> dict[str, Any]:
        """The same in the words of a scenario file, without prices from a date on."""
        parts = {
            "find": self.find and find_table(self.find),
            "channel": {name: row.as_row() for name, row in self.buying.items()},
            "belief": beliefs_table(self.beliefs),
            "mediator": {name: {"bought": share} for name, share in self.bought},
            "group": groups_table(self.groups),
        }
        return self.chosen() | {key: part for key, part in parts.items() if part}

    @property
    def count(self) -> int:
        """How many there are."""
        parts = (self.find is not None) + len(self.chosen())
        rows = (self.buying, self.groups, self.bought, self.dated, self.beliefs)
        return parts + sum(map(len, rows))


def of_scenario(
    table: Mapping[str, Any], horizon: Horizon, names: Sequence[str]
) -> More:
    """What a scenario's table says, prices from a date on among it.

    Args:
        table: The table.
        horizon: Its periods.
        names: Channels of the fit that are in it.
    """
    more = of_table(table, names)
    prices, dated = plan_dated.of_table(table, horizon)
    usual = Buying()
    own = {
        name: replace(more.buying.get(name, usual), price=price)
        for name, price in prices.items()
    }
    buying = bought_otherwise((dict(more.buying) | own).items())
    return replace(more, buying=buying, dated=dated)


def of_table(table: Mapping[str, Any], names: Sequence[str]) -> More:
    """What a scenario's table says, as far as that can be: anybody may have typed it.

    Args:
        table: As `More.table` writes it.
        names: Channels of the fit.
    """
    beliefs = tuple(
        each
        for each in beliefs_of(table)
        if each.name.strip() and each.name not in names
    )
    known = (*names, *(each.name for each in beliefs))
    rows = stated(table).channel
    groups = [
        replace(group, channels=tuple(n for n in known if n in group.channels))
        for group in groups_of(table)
    ]
    return More(
        find=find_in(table),
        buying=bought_otherwise(
            (name, Buying.of_row(as_row(row)))
            for name, row in rows.items()
            if name in names
        ),
        beliefs=beliefs,
        bought=tuple(
            (name, share) for name, share in bought_of(table).items() if 0 <= share <= 1
        ),
        groups=tuple(group for group in groups if group.channels),
        **switches_of(table),
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
    # Streamlit forgets fields that were not drawn, as on another screen.
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
                help=navigation.tip(switch.help),
            )
            for switch in CONTROLS
        }
    now = replace(kept(curves), find=find, **switched)
    # How much of it is what few plans need.
    n_rare = now.count - (now.find is not None) - len(now.chosen())
    label = say("Pauses, steps, prices and groups") + (f" ({n_rare})" if n_rare else "")
    box, has_content = folded.box(label, _RARE, stays=True)
    if has_content:
        with box:
            now = _typed_rare(run, now, curves, units)
    state.keep("more.now", now)
    return now


def _typed_rare(run: Run, now: More, curves: ResponseCurves, units: fmt.Units) -> More:
    """What is typed into the editors that few plans need, with what else is chosen."""
    base: More = state.draft("more")
    if not state.has(_key("channels")):  # folded until now: they begin with what is so
        rare = {name: getattr(now, name) for name in _RARELY}
        base = replace(base, **rare)
        state.keep("more", base)
    buying = _channels(base, curves, units)
    _prices(run, buying)
    dated = plan_dated.prices(base.dated, curves, _key("dated"))
    beliefs = plan_beliefs.choose(base.beliefs, units, _key("beliefs"))
    names = (*curves.names, *(belief.name for belief in beliefs))
    groups = plan_groups.choose(base.groups, names, units, _key("groups"))
    bought = plan_bought.choose(base.bought, curves, _key, _take_bought)
    values = (buying, dated, beliefs, groups, bought)
    return replace(now, **dict(zip(_RARELY, values, strict=True)))


def kept(curves: ResponseCurves) -> More:
    """What is chosen by now, while the editors are folded.

    Args:
        curves: Of the periods planned; prices from a date on are of periods to come.
    """
    now: More = state.draft("more.now", More())
    if now.dated and curves.horizon.as_fitted:
        now = replace(now, dated=())
        state.keep("more.now", now)
    return now


def paid(curves: ResponseCurves) -> ResponseCurves:
    """The curves in the money of what is chosen: with spend on mediators, or without.

    Args:
        curves: Of own spend.
    """
    return plan_bought.paid(curves, dict(state.draft("more.now", More()).bought))


def _take_bought(bought: Shares) -> None:
    put(replace(state.draft("more.now", More()), bought=bought))


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
            help=navigation.tip(
                "Margin on each unit of {kpi}, before the cost of media.",
                kpi=units.outcome_in_text,
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
        # Two digits: a number to be typed over, not a forecast.
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
    ends = (None, None) if find is None else (find.least, find.most)
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
            (say("Least budget"), "least", ends[0]),
            (say("Largest budget"), "most", ends[1]),
        )
    )
    # Typed the wrong way round there is one meaning only.
    if least is not None and most is not None and least > most:
        return most, least
    return least, most


def _channels(
    base: More, curves: ResponseCurves, units: fmt.Units
) -> dict[str, Buying]:
    """Channels that are bought otherwise than usual."""
    rows = [base.buying.get(name, Buying()).chosen() for name in curves.names]
    frame = pd.DataFrame({"channel": list(curves.names)})
    for option in OPTIONS:
        usual, kind = (False, bool) if option.is_flag else (None, float)
        values = [row.get(option.name, usual) for row in rows]
        # With a type: of an empty column the editor would make a field of text.
        frame[option.name] = pd.Series(values, dtype=kind)
    edited = tables.edit(
        frame,
        say("Channels that can be paused, are bought in steps or get dearer"),
        _columns(units, has_frequency=bool(curves.frequencies)),
        key=_key("channels"),
    )
    return bought_otherwise(
        (row["channel"], Buying.of(row)) for row in edited.to_dict("records")
    )


def _columns(units: fmt.Units, *, has_frequency: bool) -> dict[str, Any]:
    """Columns of the editor of channels."""
    columns = {
        "channel": st.column_config.TextColumn(say("Channel"), disabled=True),
        **{option.name: _column(option, units) for option in OPTIONS},
    }
    # Hidden, not left out: what a loaded plan has there stays in it.
    return columns if has_frequency else columns | {"at_best_frequency": None}


def _column(option: Option, units: fmt.Units) -> Any:
    """The column of one way in which channels may be bought."""
    label, meaning = say(option.label), say(option.help)
    if option.is_flag:
        return st.column_config.CheckboxColumn(label, help=meaning)
    return st.column_config.NumberColumn(
        fmt.titled(label, units.symbol) if option.is_money else label,
        min_value=option.least,
        max_value=None if math.isinf(option.most) else option.most,
        step=None if option.is_money else 0.01,
        format="localized" if option.is_money else None,
        help=meaning,
    )


def _prices(run: Run, buying: Mapping[str, Buying]) -> None:
    """What the data say about prices that rise with volume, to be taken over."""
    suggested = planning.prices_of(run)
    rising = {
        price.channel: price
        for price in suggested
        if price.suggestion is not None and price.interval[0] > 0
    }
    if not rising:
        return
    text = ", ".join(
        f"{name} {price_words.estimated(price)}" for name, price in rising.items()
    )
    layout.remark("Dearer with volume, by the data: {said}.", said=plain(text))
    gammas = {name: price.suggestion for name, price in rising.items()}
    if gammas != {name: row.gamma for name, row in buying.items() if row.gamma}:
        st.button(
            say("Use these"),
            key=_key("prices"),
            on_click=_take_prices,
            args=(gammas,),
            help=say(
                "The plan then pays what the volume costs. Estimated from log price "
                "on log spend within each channel."
            ),
        )


def _take_prices(gammas: Mapping[str, float]) -> None:
    more = state.draft("more.now", More())
    rows = dict.fromkeys(gammas, Buying()) | dict(more.buying)
    dearer = ((n, replace(row, gamma=gammas.get(n, 0.0))) for n, row in rows.items())
    put(replace(more, buying=bought_otherwise(dearer)))
