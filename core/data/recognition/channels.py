"""Channels: which columns of numbers are media, spend, treatments and controls.

Columns with the same name but for the word that says what is measured belong to one
channel: `TV_impressions`, `TV_spend`. Media without spend is organic; spend without
media stands for both.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from core.data.cells import words as vocabulary
from core.data.cells.words import word_set, words
from core.data.recognition.evidence import Evidence
from core.data.recognition.naming import Measure, Name, media_rank
from core.data.recognition.outcomes import is_generic
from core.data.recognition.roles import ColumnRole, Role
from core.data.recognition.without_media import OF_A_TEST
from core.text.languages.language import marked

_CALLED: dict[Measure, str] = {
    "spend": marked("cost"),
    "media": marked("media units"),
    "reach": marked("reach"),
    "frequency": marked("frequency"),
    "control": marked("a control"),
}
#: Why a column is not used that says what another one was meant to be.
PLAN_OF = "It is the plan of {other}."
#: Why a column that media move is no control, and no channel.
MEDIATOR = "Media move it, so as a control it would take their credit."
#: Why a column that nothing tells about is a control.
NAMELESS = "Its name says nothing, and other columns are the media."
_NO_CAUSE = (
    (vocabulary.IDENTIFIER, "It names records."),
    (vocabulary.AWARENESS, MEDIATOR),
)
_PLAN = word_set("channels.plan")
_ACTUAL = word_set("channels.actual")
_OUTCOMES = vocabulary.KPI_REVENUE | vocabulary.KPI_COUNT | vocabulary.KPI_OPEN
_COMPETITORS = word_set("channels.competitors")
_LIKE_CONTROL = _COMPETITORS | {"index"}
#: Words of search, in which a competitor is a word that is bid on.
_SEARCH_ADS = vocabulary.SEARCHES | word_set("channels.search_ads")


def planned(names: Sequence[str]) -> dict[str, str]:
    """Columns that are the plan or budget of another one, and that one.

    `TV spend plan` beside `TV spend`, `TV budget` beside `TV actual`: only where the
    names are the same but for those words.
    """
    plans: dict[tuple[str, ...], list[str]] = {}
    actuals: dict[tuple[str, ...], str] = {}
    for name in names:
        lines = [word.text for word in words(name)]
        rest = tuple(w for w in lines if w not in _PLAN | _ACTUAL | vocabulary.SPEND)
        if not rest and not set(lines) & vocabulary.SPEND:
            continue
        if set(lines) & _PLAN:
            plans.setdefault(rest, []).append(name)
        elif set(lines) & (_ACTUAL | vocabulary.SPEND | _OUTCOMES):
            actuals.setdefault(rest, name)
    return {
        name: actuals[rest]
        for rest, several in plans.items()
        if rest in actuals
        for name in several
    }


#: Why taxes, returns and discounts of a shop are no causes.
PART_OF_ORDERS = "A part of what orders come to, not a cause."


def channel_roles(
    remaining: dict[str, Evidence], *, kpi: str | None, has_geos: bool = False
) -> dict[str, ColumnRole]:
    """Roles of the numeric columns that are neither time, geo, KPI nor population.

    Args:
        remaining: What is known about them, in the order of the table.
        kpi: The KPI, to name the other outcomes' reason.
        has_geos: Whether the table has geos: spend alone that names no channel is
            then a geo test's.
    """
    roles: dict[str, ColumnRole] = {}
    measured: dict[str, Evidence] = {}
    silent: dict[str, Evidence] = {}
    is_search = _has_kinds_of_search(remaining)
    are_orders = any(
        map(_is_part_of_orders, (each.name for each in remaining.values()))
    )
    for column, facts in remaining.items():
        role, reason = _by_word(facts, kpi)
        if _is_given_off(facts, beside_parts=are_orders):
            role, reason = "ignored", PART_OF_ORDERS
        word = None if is_search else _competitor(facts.name)
        if role is None and word is not None:
            role, reason = "control", f'Its name says "{word}".'
        if role is not None:
            roles[column] = ColumnRole(column, role, reason=reason)
        elif (
            facts.name.measure is not None
            or _is_media_name(facts)
            or facts.name.has(_ACTUAL)  # what became of a plan
        ):
            measured[column] = facts
        else:
            silent[column] = facts
    measured |= _beside_media(silent, measured)
    is_test = has_geos and _is_spend_alone(measured)
    if is_test:
        roles |= {name: ColumnRole(name, "ignored", "", OF_A_TEST) for name in measured}
    else:
        roles |= _group(measured)
    has_channels = is_test or any(
        entry.role in ("media", "spend") for entry in roles.values()
    )
    for column, facts in silent.items():
        if column in roles:
            continue
        roles[column] = _silent(column, facts, has_channels=has_channels)
    return _unique_names(roles)


def _beside_media(
    silent: dict[str, Evidence], measured: dict[str, Evidence]
) -> dict[str, Evidence]:
    """Columns whose name is that of media beside them: `Falcon`, `Falcon clicks`."""
    names = [facts.name for facts in measured.values()]
    keys = {name.key for name in names if name.measure in ("media", "reach")}
    keys -= {name.key for name in names if name.measure == "spend"} | {""}
    return {
        column: facts
        for column, facts in silent.items()
        if facts.name.key in keys and not (facts.is_signed or facts.is_flag)
    }


def _by_word(facts: Evidence, kpi: str | None) -> tuple[Role | None, str]:
    """The role that a word in the name gives, and the reason; None for channels."""
    name = facts.name
    marks = (name.words[0], name.words[-1]) if name.words else ()
    if name.has(vocabulary.DERIVED):
        return "ignored", "Another model has worked it out."
    for mark in marks:
        if mark in vocabulary.CONTROL_MARK:
            return "control", f'Its name says "{mark}".'
    if name.measure == "control":
        return "control", f'Its name ends in "{name.marker}".'
    if name.measure is None:
        for known, reason in _NO_CAUSE:
            if name.has(known):
                return "ignored", reason
        is_branded = name.has(vocabulary.BRANDED) and name.has(vocabulary.SEARCHES)
        if is_branded and not name.has(_ACTUAL):
            return "ignored", MEDIATOR
    if _is_ratio(name):
        return "ignored", "A ratio, not a cause."
    if _is_part_of_orders(name):
        return "ignored", PART_OF_ORDERS
    if name.measure == "spend" and vocabulary.is_cost_of_goods(name.words):
        return "ignored", "What the goods cost, not media."
    if name.is_all(vocabulary.CALENDAR) or facts.is_counter:
        return "ignored", "It counts time, which the baseline models."
    if name.measure is not None:
        outcomes = {"page", "site", "website", "web", "seiten"}
        if name.measure == "media" and outcomes.issuperset(name.key.split()):
            return ("ignored", "An outcome, not a cause.") if name.key else (None, "")
        return None, ""
    for word in name.words:
        if word in _LIKE_CONTROL:
            return "control", f'Its name says "{word}".'
    for word in name.words:
        if word in vocabulary.NON_MEDIA:
            return "non_media", f'Its name says "{word}".'
    for word in name.words:
        if word in vocabulary.CONTROL:
            return "control", f'Its name says "{word}".'
    if _is_outcome(name) and facts.is_flag and not facts.is_constant:
        return "control", "It is zero or one."
    if _is_outcome(name):
        other = f"Another outcome; the KPI is {kpi}." if kpi else "An outcome."
        return "ignored", other
    return None, ""


def _competitor(name: Name) -> str | None:
    """The word by which media or spend is a competitor's; None where it is one's own.

    Search that is bought on the names of competitors is one's own.
    """
    if name.measure is None or name.has(_SEARCH_ADS):
        return None
    return next((word for word in name.words if word in _COMPETITORS), None)


def _has_kinds_of_search(remaining: dict[str, Evidence]) -> bool:
    """Whether columns tell kinds of search apart: brand, generic, competitor."""
    kinds = frozenset("brand branded generic nonbrand nonbranded".split())
    return any(facts.name.has(kinds) for facts in remaining.values())


def _is_ratio(name: Name) -> bool:
    """Whether a name says one number per another: `cpm`, `cost_per_click`."""
    per = [at for at, word in enumerate(name.words) if word in vocabulary.PER]
    after = name.words[per[0] + 1] if per and per[0] + 1 < len(name.words) else ""
    if name.measure is None and name.has(vocabulary.CONTROL):
        return name.has(vocabulary.RATIO - {"rate"})  # `Unemployment rate` is a cause
    return name.has(vocabulary.RATIO) or bool(after and after not in vocabulary.TIME)


def _is_order(name: Name) -> bool:
    """Whether a name is of parts of orders and their amounts alone."""
    amounts = _OUTCOMES | vocabulary.FILLER | vocabulary.CURRENCY | vocabulary.TOTAL
    return name.is_all(vocabulary.ORDER_PART | amounts | vocabulary.VALUE_MARK)


def _is_part_of_orders(name: Name) -> bool:
    """Whether a name is of what orders come to beside their sales: taxes, returns."""
    is_part = name.measure is None and name.has(vocabulary.ORDER_PART)
    return is_part and _is_order(name)


def _is_given_off(facts: Evidence, *, beside_parts: bool) -> bool:
    """Whether a column is what orders were reduced by, which grows with what is sold.

    Below zero, or beside taxes, returns and the like; else it may be how deep a
    promotion cut prices, which is a cause.
    """
    name = facts.name
    amounts = vocabulary.ORDER_DISCOUNT | vocabulary.FILLER | vocabulary.CURRENCY
    amounts |= vocabulary.TOTAL | vocabulary.VALUE_MARK
    is_one = name.has(vocabulary.ORDER_DISCOUNT) and name.is_all(amounts)
    return is_one and (beside_parts or facts.is_signed)


def _is_outcome(name: Name) -> bool:
    if name.has(vocabulary.OUTCOME_LIKE):
        return not name.has(vocabulary.ORGANIC)
    outcomes = vocabulary.KPI_REVENUE | vocabulary.KPI_COUNT | vocabulary.KPI_OPEN
    return is_generic(name) or name.has(outcomes)


def _is_media_name(facts: Evidence) -> bool:
    """Whether a name without a measure is that of media: `tv`, `newsletter`."""
    if facts.is_signed:
        return False
    name = facts.name
    return name.has_currency or name.has(vocabulary.MEDIA_NAME | vocabulary.ORGANIC)


def _is_spend_alone(measured: dict[str, Evidence]) -> bool:
    """Whether the only word of media in a table is spend, of no channel."""
    names = [facts.name for facts in measured.values()]
    return bool(names) and all(
        name.measure == "spend" and not name.key for name in names
    )


def _group(measured: dict[str, Evidence]) -> dict[str, ColumnRole]:
    """Columns of channels, gathered by channel."""
    groups: dict[str, dict[str, Name]] = {}
    for column, facts in measured.items():
        groups.setdefault(facts.name.key, {})[column] = facts.name
    nameless = groups.pop("", {})
    roles: dict[str, ColumnRole] = {}
    if any(
        name.measure == "spend" for names in groups.values() for name in names.values()
    ):
        reason = "It names no channel beside others that do, so it is a total."
        roles |= {name: ColumnRole(name, "ignored", "", reason) for name in nameless}
    elif len(nameless) > 1:
        roles |= _one_channel(nameless, channel="Media")
    elif nameless:
        roles |= _one_channel(nameless)
    totals = {
        key
        for key, names in groups.items()
        if len(groups) > 1
        and (key in vocabulary.TOTAL or all(map(_is_total, names.values())))
    }
    for key, names in groups.items():
        if key in totals:
            reason = "A total of other columns."
            roles |= {name: ColumnRole(name, "ignored", "", reason) for name in names}
        else:
            for own in _apart(names):
                roles |= _one_channel(own)
    return roles


#: Spellings of a channel, from loose to strict: `TV 1` and `tv_1`, `TV 1` and `tv 1`.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda channel: re.sub(r"[\W_]+", " ", channel).strip().casefold(),
    str.casefold,
    str,
)


def _apart(
    names: dict[str, Name], spellings: Sequence[Callable[[str], str]] = _SPELLINGS
) -> list[dict[str, Name]]:
    """Columns under one key, by channel: more than one where spellings tell apart.

    `TV 1_spend` and `TV1_spend` share a key. Two columns that measure the same are of
    two channels if their spellings differ; else `TV 1_spend` and `tv1 impressions`
    are one channel's.
    """
    if not spellings or not _is_measured_twice(names):
        return [names]
    spelling, *stricter = spellings
    parts: dict[str, dict[str, Name]] = {}
    for column, name in names.items():
        parts.setdefault(spelling(name.channel), {})[column] = name
    return [own for part in parts.values() for own in _apart(part, stricter)]


def _is_measured_twice(names: dict[str, Name]) -> bool:
    """Whether two columns measure the same, by the same word or both as spend."""
    counts = Counter(
        (name.measure, "" if name.measure == "spend" else name.marker.casefold())
        for name in names.values()
    )
    return max(counts.values()) > 1


def _is_total(name: Name) -> bool:
    """Whether a name says that it is of all media: `Total media`."""
    total = vocabulary.TOTAL
    return name.has(total) and name.is_all(total | vocabulary.ADVERTISING)


def _one_channel(names: dict[str, Name], *, channel: str = "") -> dict[str, ColumnRole]:
    """The columns of one channel: the best of each measure, the others ignored.

    Its name is the shortest that a column gives it, where none is said.
    """
    by_measure: dict[Measure, list[str]] = {}
    for column, name in names.items():
        by_measure.setdefault(_measure(name, names), []).append(column)
    by_measure.get("media", []).sort(key=lambda column: media_rank(names[column]))
    channel = channel or min((name.channel for name in names.values()), key=len)
    chosen: dict[Measure, str] = {
        measure: columns[0] for measure, columns in by_measure.items()
    }
    if "reach" in chosen and "frequency" in chosen:
        chosen.pop("media", None)
    elif "reach" in chosen and "media" not in chosen:
        chosen["media"] = chosen.pop("reach")
    if not ("reach" in chosen and "frequency" in chosen):
        chosen.pop("reach", None)
        chosen.pop("frequency", None)
    roles = {column: measure for measure, column in chosen.items()}
    best = chosen.get("media") or chosen.get("reach") or chosen.get("spend")
    entries = {}
    for column, name in names.items():
        if column not in roles:
            reason = f"{channel} is already measured by {best}."
            if best is None:
                reason = "Without reach it says nothing of a channel."
            entries[column] = ColumnRole(column, "ignored", "", reason)
            continue
        reason = _reason(name, roles[column], chosen)
        entries[column] = ColumnRole(column, roles[column], channel, reason)
    return entries


def _measure(name: Name, names: dict[str, Name]) -> Measure:
    """What a column of a channel measures, judged with the channel's other columns."""
    if name.measure is not None:
        return name.measure
    others = {other.measure for other in names.values()}
    if "spend" in others:
        return "media"
    if name.has_currency or "media" in others or "reach" in others:
        return "spend"
    return "media" if name.has(vocabulary.ORGANIC) else "spend"


def _reason(name: Name, role: Role, chosen: dict[Measure, str]) -> str:
    """Why a column of a channel has its role."""
    alone = ""
    if role == "spend" and not {"media", "reach"} & set(chosen):
        alone = "No other column measures it, so cost stands for media too."
    if role in ("media", "reach") and "spend" not in chosen:
        alone = "It has no cost, so it is organic."
    if name.measure is not None:
        at_end = name.column.rstrip(" )]").endswith(name.marker)
        called = _CALLED[name.measure]
        why = f'Its name says "{name.marker}": {called}.'
        if at_end:
            why = f'Its name ends in "{name.marker}": {called}.'
    elif name.has_currency:
        why = "Its name says a currency."
    else:
        why = "Its name is that of media."
    return f"{why} {alone}".rstrip()


def _silent(column: str, facts: Evidence, *, has_channels: bool) -> ColumnRole:
    """The role of a column whose name says nothing."""
    if facts.is_constant:
        return ColumnRole(column, "ignored", reason="It is the same in every row.")
    if facts.is_flag:
        return ColumnRole(column, "control", reason="It is zero or one.")
    if facts.is_signed:
        return ColumnRole(column, "control", reason="It has values below zero.")
    if has_channels:
        return ColumnRole(column, "control", reason=NAMELESS)
    reason = "No name tells media, so every positive column is taken for spend."
    return ColumnRole(column, "spend", column, reason)


def _unique_names(roles: dict[str, ColumnRole]) -> dict[str, ColumnRole]:
    """Roles in which no channel is called like a control or a treatment.

    Treatments are called after their columns; a channel that would share a name takes
    that of its column of spend.
    """
    singles = {
        column.casefold()
        for column, entry in roles.items()
        if entry.role in ("control", "non_media")
    }
    fuller = {
        entry.channel: column
        for column, entry in roles.items()
        if entry.channel.casefold() in singles and entry.role in ("spend", "media")
    }
    renamed = {}
    for column, entry in roles.items():
        channel = fuller.get(entry.channel, entry.channel)
        if entry.role == "non_media":
            channel = column
        renamed[column] = ColumnRole(column, entry.role, channel, entry.reason)
    return renamed
