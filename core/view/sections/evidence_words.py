"""Evidence words: how firmly a channel's return is known, in sentences.

Once for screens, the command line and reports: how much of it is data and why not more,
what would help, what a hidden cause would do to it, and what knowing it would be worth.
"""

from collections.abc import Collection, Sequence

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import Channel, Evidence
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.text.sentences import listed, span
from core.view.sections.section import Note, Section, Table

#: Labels of evidence, each as the beginning of a sentence.
_LABELS = {
    "measured": marked("Measured"),
    "partly assumed": marked("Partly assumed"),
    "mostly assumed": marked("Mostly assumed"),
    "tested": marked("Tested"),
    "fixed": marked("Fixed"),
}
#: The same inside a sentence or a table.
_INSIDE = (marked("measured"), marked("tested"), marked("fixed"))
#: Labels of returns that no assumption is needed for.
_FIRM = ("measured", "tested", "fixed")
#: Channels that less likely follow demand are not told of.
_LEAST_DEMAND = 0.05
#: Between the parts of a reason.
_PARTS = "; "


def firmness(
    channel: Channel, units: fmt.Units, names: Collection[str] = ()
) -> list[str]:
    """How firmly a channel's return is known, in sentences; none without evidence.

    Args:
        channel: The channel.
        units: Words for the units.
        names: Of all channels, which stay as they are in any language.
    """
    if not (evidence := channel.evidence):
        return []
    lines = _why(evidence, names)
    if evidence.confounder:
        lines.append(reworded(fmt.sentence(evidence.confounder.text), names))
    if evidence.worth:
        lines.append(knowing(evidence, units))
    return [sentence for sentence in lines if sentence]


def _why(evidence: Evidence, names: Collection[str]) -> list[str]:
    """Why a return is known as firmly as it is, and what would tell more."""
    why = say(
        "{label}: {reason}.", label=_label(evidence), reason=reason(evidence, names)
    )
    return [line for line in (why, reworded(evidence.remedy, names)) if line]


def _label(evidence: Evidence) -> str:
    return say(_LABELS.get(evidence.label, evidence.label.capitalize()))


def reason(evidence: Evidence, names: Collection[str] = ()) -> str:
    """What the label rests on, to follow a colon.

    Args:
        evidence: Of a channel.
        names: Of all channels.
    """
    return _PARTS.join(reworded(part, names) for part in evidence.reason.split(_PARTS))


def knowing(evidence: Evidence, units: fmt.Units) -> str:
    """What an exact answer about a channel would bring, a sentence.

    Args:
        evidence: Of the channel.
        units: Words for the units.
    """
    return say(
        "Knowing its response exactly would be worth about {gain} to a plan of the "
        "same budget for the {periods} from {start}, and would move {share} of it.",
        gain=units.named(evidence.worth),
        periods=span(*evidence.plan_span),
        start=fmt.date(evidence.plan_start),
        share=fmt.share(evidence.moves),
    )


def section(fit: FitRecord) -> Section | None:
    """Each paid channel in a row, what matters most to a plan first, and why.

    Args:
        fit: What a fit says.
    """
    names = [channel.name for channel in fit.channels]
    channels = [channel for channel in fit.channels if channel.evidence]
    channels.sort(key=lambda channel: channel.evidence.rank)
    if not channels:
        return None
    notes = [
        Note(" ".join(_why(channel.evidence, names)), channel.name)
        for channel in channels
    ]
    on_screen = {"screen": "Channels says it of the channel that is looked at"}
    title = say("How firmly each return is known")
    blocks = [_hidden_cause_table(channels, fit.units), *notes]
    return Section("firmness", title, blocks, on_screen, claim=_claim(channels))


def _claim(channels: Sequence[Channel]) -> str:
    """How many returns the data tell, and which ones they tell least of."""
    if len(channels) == 1:
        (only,) = channels
        return fmt.named(_label(only.evidence), only.name)
    firm = sum(channel.evidence.label in _FIRM for channel in channels)
    weak = [
        fmt.brief_name(channel.name, 24)
        for channel in channels
        if channel.evidence.label == "mostly assumed"
    ]
    places = {"number": firm, "all": len(channels)}
    if firm == len(channels):
        return say("All {all} returns are measured or tested", **places)
    if not weak:
        return say(
            "{number} of {all} returns are measured or tested, the others partly "
            "assumed",
            **places,
        )
    return say(
        "{number} of {all} returns are measured or tested; mostly assumed: {names}",
        names=listed(weak, limit=2),
        **places,
    )


def _worth_most(channels: Sequence[Channel], units: fmt.Units) -> str:
    """Which return is worth knowing most; empty where none is worth anything."""
    worth = [channel for channel in channels if channel.evidence.worth]
    if not worth:
        return ""
    most = max(worth, key=lambda channel: channel.evidence.worth)
    return say(
        "Knowing {channel} exactly would be worth most to a plan: {gain}",
        channel=fmt.brief_name(most.name, 30),
        gain=units.named(most.evidence.worth),
    )


def _hidden_cause_table(channels: Sequence[Channel], units: fmt.Units) -> Table:
    """What a hidden cause would do to each return, and what knowing it is worth."""
    columns = {
        say("Channel"): [channel.name for channel in channels],
        say("Evidence"): [_label(channel.evidence) for channel in channels],
        say("Follows demand"): [_follows(channel) for channel in channels],
        say("Hidden cause moves ROI"): [
            _moved(channel.evidence) for channel in channels
        ],
        say("Worth knowing"): [
            units.show(each.evidence.worth or None) for each in channels
        ],
        say("Budget it would move"): [
            fmt.share(channel.evidence.moves if channel.evidence.worth else None)
            for channel in channels
        ],
    }
    columns = {
        head: cells
        for head, cells in columns.items()
        if any(cell != fmt.NONE for cell in cells)
    }
    rows = list(zip(*columns.values(), strict=True))
    notes = [_causes(channels), _plan(channels)]
    note, claim = " ".join(filter(None, notes)), _worth_most(channels, units)
    return Table("", list(columns), rows, 2, note=note, claim=claim)


def _follows(channel: Channel) -> str:
    """How likely its spend follows demand; a dash where it hardly may."""
    demand = channel.demand
    if demand is None or demand.probability < _LEAST_DEMAND:
        return fmt.NONE
    return fmt.probability(demand.probability)


def _moved(evidence: Evidence) -> str:
    """Share of a return that a hidden cause would move."""
    if not (confounder := evidence.confounder):
        return fmt.NONE
    most = fmt.share(1.0)
    return f">\u00a0{most}" if confounder.share > 1 else fmt.share(confounder.share)


def _causes(channels: Sequence[Channel]) -> str:
    """How strong the hidden cause is that a table speaks of."""
    of_cause: dict[str, list[str]] = {}
    for channel in channels:
        if confounder := channel.evidence.confounder:
            of_cause.setdefault(confounder.cause, []).append(channel.name)
    causes = {
        say("the season") if cause == "season" else cause: names
        for cause, names in of_cause.items()
    }
    if not causes:
        return ""
    if len(causes) == 1:
        return say(
            "The hidden cause is as strong as {cause}.", cause=next(iter(causes))
        )
    each = [
        say("{cause} for {channels}", cause=cause, channels=listed(names))
        for cause, names in causes.items()
    ]
    return say(
        "The hidden cause is as strong as the known one that would move it most: "
        "{causes}.",
        causes="; ".join(each),
    )


def _plan(channels: Sequence[Channel]) -> str:
    """What knowing a return exactly is worth to."""
    worth = [channel.evidence for channel in channels if channel.evidence.worth]
    if not worth:
        return ""
    return say(
        "Worth knowing: what its exact response would bring to a plan of the same "
        "budget for the {periods} from {start}.",
        periods=span(*worth[0].plan_span),
        start=fmt.date(worth[0].plan_start),
    )
