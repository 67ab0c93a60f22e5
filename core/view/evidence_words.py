"""Evidence words: how firmly a channel's return is known, in sentences.

Once for screens, the command line and reports: how much of it is data and why not more,
what would help, what a hidden cause would do to it, and what knowing it would be worth.
"""

from collections.abc import Collection

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import Channel, Evidence
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.text.sentences import span
from core.view.sections.section import Note, Section

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
    label = say(_LABELS.get(evidence.label, evidence.label.capitalize()))
    why = say("{label}: {reason}.", label=label, reason=reason(evidence, names))
    lines = [why, reworded(evidence.remedy, names)]
    if evidence.confounder:
        lines.append(reworded(fmt.sentence(evidence.confounder.text), names))
    if evidence.worth:
        lines.append(knowing(evidence, units))
    return [sentence for sentence in lines if sentence]


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


def of_demand(channel: Channel, names: Collection[str] = ()) -> str:
    """How likely a channel's spend follows demand; empty where it hardly may.

    Args:
        channel: The channel.
        names: Of all channels.
    """
    demand = channel.demand
    if demand is None or not _LEAST_DEMAND <= demand.probability < 1.0:
        return ""
    return reworded(demand.sentence, names)


def section(fit: FitRecord) -> Section | None:
    """Each paid channel with its sentences, what matters most to a plan first.

    Args:
        fit: What a fit says.
    """
    names = [channel.name for channel in fit.channels]
    known = [channel for channel in fit.channels if channel.evidence]
    known.sort(key=lambda channel: channel.evidence.rank)
    notes = [
        Note(" ".join(filter(None, sentences)), channel.name)
        for channel in known
        for sentences in [
            [*firmness(channel, fit.units, names), of_demand(channel, names)]
        ]
    ]
    if not notes:
        return None
    on_screen = {"screen": "Channels says it of the channel that is looked at"}
    return Section("firmness", say("How firmly each return is known"), notes, on_screen)
