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


def edition(at: AppTest, name: str) -> int:
    """The number in the key of an editor."""
    key = f"draft.edition.{name}"
    return at.session_state[key] if key in at.session_state else 0
