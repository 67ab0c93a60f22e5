"""Help: how do I do this, and what does that mean?"""

import re
from pathlib import Path

import pandas as pd
import streamlit as st

from core.text.glossary import TERMS
from core.workspace.fits.run_inputs import versions
from pages.ui import layout, navigation

_GUIDES = Path(__file__).parents[2] / "docs" / "guides"
#: Of text and pictures, px: lines that the eye finds its way back from.
_WIDE = 900
#: A line that is a picture, and links to other files, which only a clone has.
_PICTURE = re.compile(r"^!\[(?P<about>[^\]]*)\]\((?P<path>[^)]+)\)$")
_FILE = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")


def render() -> None:
    """Draw the screen."""
    layout.header(navigation.HELP)
    marketers, analysts, glossary = st.tabs(
        ["Ten questions", "For analysts", "Glossary"]
    )
    with marketers.container(width=_WIDE):
        _guide("marketers.md")
    with analysts.container(width=_WIDE):
        _guide("analysts.md")
    with glossary.container(width=_WIDE):
        _glossary()
    st.caption(f"Mixwright {versions().get('mixwright') or ''}".rstrip())


def _guide(name: str) -> None:
    """A guide, with its pictures where this installation has them."""
    path = _GUIDES / name
    if not path.is_file():
        st.caption(f"docs/guides/{name} is not part of this installation.")
        return
    text: list[str] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:  # the tab has its title
        picture = _PICTURE.match(line)
        if picture is None:
            text.append(_FILE.sub(r"\1", line))
            continue
        st.markdown("\n".join(text))
        text = []
        image = (path.parent / picture["path"]).resolve()
        if image.is_file():
            about = picture["about"]
            st.image(str(image), caption=about, width="stretch", alt=about)
    st.markdown("\n".join(text))


def _glossary() -> None:
    frame = pd.DataFrame({"Term": list(TERMS), "Meaning": list(TERMS.values())})
    st.table(frame.set_index("Term"), border="horizontal", alt="Glossary")
