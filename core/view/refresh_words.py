"""Refresh in words: what moved since the last fit, by how much and why."""

from core.project.refresh.record import Moved, RefreshRecord
from core.text.fits.two_fits import within
from core.text.languages.language import marked, say
from core.text.languages.locale import date
from core.text.languages.reworded import reworded
from core.text.numbers import NONE, estimate, probability, ratio, ratio_change
from core.text.sentences import count, listed
from core.text.units import Units
from core.view import what_happened
from core.view.sections.section import Medium, Note, Section, Table, drawn_in

#: Moves of at least this many standard deviations are named.
_NAMED = 0.5


def sections(record: RefreshRecord, medium: Medium) -> list[Section]:
    """What moved since the fit before, and what came of the plan of record.

    Args:
        record: Of the refresh.
        medium: Where it is drawn.
    """
    units, against = record.units, record.actuals
    tells_causes = against is not None and against.tells_causes
    lines = [
        first_answer(record),
        plan_of_record(record, units),
        plan_so_far(record, units),
        what_happened.refitted(record) if tells_causes else "",
    ]
    blocks = [
        Note(moved(record), weight="lead"),
        _moves_table(record, units),
        *[Note(line, weight="small") for line in lines if line],
    ]
    claim = _most(record).rstrip(".")
    since = Section("refresh", say("Since the last fit"), blocks, claim=claim)
    beside = what_happened.section(against) if tells_causes else None
    return drawn_in(medium, [since, beside])


def moved(record: RefreshRecord) -> str:
    """The finding, in one or two sentences.

    Args:
        record: Of the refresh.
    """
    real, lines = _beyond_noise(record), [_most(record)]
    if not real:
        return lines[0]
    most = max(real, key=lambda row: abs(row.sds))
    others = [row.name for row in real if row is not most and abs(row.sds) >= _NAMED]
    if others:
        lines.append(
            say(
                "{names} moved by half of what was uncertain before, or more.",
                names=listed(others),
            )
        )
    return " ".join([*lines, because(record, most)]).rstrip()


def _beyond_noise(record: RefreshRecord) -> list[Moved]:
    """Channels that moved by more than Monte-Carlo error."""
    return [
        row
        for row in record.channels
        if row.sds is not None and row.is_beyond(record.noise)
    ]


def _most(record: RefreshRecord) -> str:
    """What moved most, in one sentence."""
    if all(row.sds is None for row in record.channels):
        return say("No channel can be compared with the last fit.")
    real = _beyond_noise(record)
    if not real:
        return say(
            "Nothing moved: every ROI is within Monte-Carlo error of the last fit's."
        )
    most = max(real, key=lambda row: abs(row.sds))
    return say(
        "{name}'s ROI moved most: {before} to {after}, {how}.",
        name=most.name,
        before=ratio(most.before.mean),
        after=ratio(most.after.mean),
        how=within(most.sds),
    )


def because(record: RefreshRecord, row: Moved) -> str:
    """Why a channel moved, in one sentence."""
    causes = record.causes
    if not causes:
        return say("Nothing that a fit depends on changed.")
    if len(causes) == 1:
        return say("The cause is {cause}.", cause=say(WORDS[causes[0]]))
    by = {cause: each for cause, each in row.by.items() if each is not None}
    if not by:
        names = listed([say(WORDS[cause]) for cause in causes])
        return say(
            "Changed together: {names}; they could not be told apart.", names=names
        )
    sd = row.before.sd
    parts = [
        say(
            "{size} by {cause}",
            size=ratio(each * sd, signed=True),
            cause=say(WORDS[name]),
        )
        for name, each in by.items()
    ]
    return say("Of that, {parts}.", parts=", ".join(parts))


WORDS = {
    "version": marked("another version of Mixwright"),
    "changed history": marked("old rows that changed"),
    "new data": marked("the new rows"),
    "specification": marked("another specification"),
}


def first_answer(record: RefreshRecord) -> str:
    """What became of the reweighted answer; empty where there was none."""
    fast = record.fast
    if fast is None:
        return ""
    if fast.is_rough:
        k_hat = say("not a number") if fast.k_hat is None else ratio(fast.k_hat)
        return say(
            "There was no first answer: the earlier draws do not reach the new data "
            "(Pareto's k-hat {known}, at most {most} is reliable; worth {draws} draws, "
            "an answer takes 50).",
            known=k_hat,
            most=ratio(fast.highest_k),
            draws=f"{fast.draws:.0f}",
        )
    if record.fast_agrees:
        return say(
            "The first answer, from reweighted draws, agrees with the fit "
            "within Monte-Carlo error."
        )
    return say("The first answer, from reweighted draws, differs from the fit.")


def _moves_table(record: RefreshRecord, units: Units) -> Table:
    """Each channel's ROI before and now, its move, and the causes."""
    causes = record.causes if len(record.causes) > 1 else []
    titles = [
        say("Channel"),
        say("Beside its uncertainty"),
        say("ROI before, {roi}", roi=units.roi),
        say("ROI now"),
        say("Move"),
    ]
    titles += [say("By {cause}", cause=say(WORDS[cause])) for cause in causes]
    rows = [
        (
            row.name,
            within(row.sds),
            estimate(row.before, "ratio"),
            estimate(row.after, "ratio"),
            *(_move(row, each) for each in (row.sds, *map(row.by.get, causes))),
        )
        for row in record.channels
    ]
    return Table("", titles, rows, texts=2, of_channels=True)


def _move(row: Moved, sds: float | None) -> str:
    """A move, or the part of it that a cause has, in units of ROI."""
    if sds is None:
        return NONE
    if sds == row.sds:
        return ratio_change(row.before, row.after)
    whole = row.after.mean - row.before.mean
    part = sds / row.sds if row.sds else 1.0
    return ratio(part * whole, signed=True)


def plan_of_record(record: RefreshRecord, units: Units) -> str:
    """What the plan of record brings by both fits, or why that is not known."""
    plan = record.plan
    if plan is None:
        reason = reworded(record.no_plan)
        if "plan of record" in record.no_plan:
            return reason
        return say("Plan of record: {reason}", reason=reason)
    was, now = (units.estimate(each, bare=True) for each in (plan.before, plan.after))
    chance = probability(plan.gain.probability_positive)
    return say(
        "Plan of record, {name}, {start} to {end}: incremental "
        "{outcome} was {was}, is {now}; it beats the split of {ran}, at the same "
        "budget, with a probability of {chance}.",
        name=plan.name,
        start=date(plan.start),
        end=date(plan.end),
        outcome=units.outcome_in_text,
        was=was,
        now=now,
        ran=plan.horizon.as_it_ran,
        chance=chance,
    )


def plan_so_far(record: RefreshRecord, units: Units) -> str:
    """What came in against the plan of record; empty where nothing did."""
    actuals = record.actuals
    if actuals is None:
        same = record.no_actuals == record.no_plan
        return (
            ""
            if same
            else say(
                "Actuals against the plan: {reason}",
                reason=reworded(record.no_actuals),
            )
        )
    return say(
        "{periods} of the plan so far: {actual}, {difference} against the plan.",
        periods=count(actuals.periods, what_happened.period(actuals)),
        actual=units.show(actuals.actual),
        difference=units.show(actuals.difference.mean, signed=True),
    )
