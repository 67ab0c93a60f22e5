"""What a card says of a project: what media returned, what was decided, what runs."""

from core import text as fmt
from core.errors import MMMError
from core.report import findings
from core.service.projects.plans import load_plan, plan_of_record
from core.service.projects.settings import load_project
from core.service.projects.shelf import ProjectCard
from core.service.runs import latest_fit, live
from core.text.languages.language import say
from core.view.progress import seconds_left
from core.view.suggestions.next_test import next_step as step_of
from pages.ui import reading, words
from pages.ui.findings import plain

_COLOURS = {"trustworthy": "green", "doubtful": "orange"}


def found(card: ProjectCard) -> str:
    """Return, verdict and plan of record in a line; empty before the first fit."""
    with fmt.written_in(card.locale):
        return _found(card)


def _found(card: ProjectCard) -> str:
    if card.state not in ("fitted", "out_of_date", "running"):
        return ""
    try:
        run = latest_fit(card.folder)
        if run is None:
            return _first_fit(card)
        fit = reading.fit(run.folder)
        view = reading.result_dataset(run.folder, "channels")
    except MMMError:
        return say(":red-badge[the last fit is damaged]")
    tiles = findings.tiles(view, fit.units, fit.baseline_share)
    parts = []
    if len(tiles) == 4:  # without spend there is no return
        returned = tiles[2]
        text = fmt.named(returned.label, f"{returned.value} {returned.ci}".strip())
        parts.append(f"**{plain(text)}**")
    parts.append(f":{_COLOURS.get(fit.verdict, 'red')}-badge[{say(fit.verdict)}]")
    return " · ".join([*parts, _decided(card)]).rstrip(" ·")


def next_step(card: ProjectCard) -> str:
    """What to do with a project that has no result, or an old one; empty otherwise."""
    if card.state == "running":
        return ""
    mapping = None
    if card.state == "ready":
        try:
            mapping = load_project(card.folder).mapping
        except MMMError:
            return ""
    with fmt.written_in(card.locale):
        return step_of(card.state, mapping)


def state(card: ProjectCard, label: str) -> str:
    """The state of a project; of a fit that does not run yet what the side bar says.

    Args:
        card: The project.
        label: What its state is called, as long as no fit is waiting or being stopped.
    """
    run = live(card.folder, "fit") if card.state == "running" else None
    is_waiting = run is not None and run.status.state != "running"
    return words.state_of(run.status) if is_waiting else label


def is_first_fit(card: ProjectCard) -> bool:
    """Whether a project's first fit is at work, so that there is no result yet."""
    return card.state == "running" and latest_fit(card.folder) is None


def _first_fit(card: ProjectCard) -> str:
    """How long a project's first fit takes."""
    run = live(card.folder, "fit")
    if run is None:
        return ""
    if seconds_left(run.status) is None:
        return say("Open it to watch its first fit.")
    remaining = words.time_left(run.status)
    return say("Open it to watch its first fit: {left}.", left=remaining)


def _decided(card: ProjectCard) -> str:
    """The plan of record, where there is one."""
    plan_id = plan_of_record(card.folder)
    if plan_id is None:
        return ""
    return say(
        "plan of record: {title}", title=plain(load_plan(card.folder, plan_id).title)
    )
