"""What a screen says, and whether it is sound."""

from streamlit.testing.v1 import AppTest


def texts(at: AppTest) -> str:
    """Everything that the screen says."""
    kinds = ("title", "header", "subheader", "caption", "markdown")
    alerts = ("error", "warning", "info", "success")
    said = [str(e.value) for kind in (*kinds, *alerts) for e in at.get(kind)]
    said += [str(e.proto.title) for kind in alerts for e in at.get(kind)]
    said += [str(e.value) + str(e.label) for e in at.get("metric")]
    said += [str(e.label) for e in at.get("button")]
    return "\n".join(said).replace("\\", "")


def is_sound(at: AppTest) -> bool:
    """Whether nothing went wrong that should not."""
    return not at.exception and "This should not have happened" not in texts(at)


#: An address with which the Plan screen's box of constraints is open.
CONSTRAINED = {"plan.constraints": "true"}


def unfold(at: AppTest, key: str, *, is_open: bool = True) -> None:
    """Open a box, or fold it, before the screen is drawn again."""
    at.session_state[key] = is_open
    if key in CONSTRAINED and is_open:
        at.query_params[key] = "true"
    elif key in CONSTRAINED:
        at.query_params.pop(key, None)


#: Boxes of the Plan screen whose editors are drawn only while they are open.
BOXES = ("plan.constraints", "plan.rare")
BOXES += ("flight.bookings", "flight.limited", "flight.amounts")


def unfolded(at: AppTest) -> AppTest:
    """The Plan screen with all of its editors."""
    for key in BOXES:
        unfold(at, key)
    return at.run()


def edition(at: AppTest, name: str) -> int:
    """The number in the key of an editor."""
    key = f"draft.edition.{name}"
    return at.session_state[key] if key in at.session_state else 0
