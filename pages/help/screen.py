"""Help: how do I do this, and what does that mean?"""

import re
from collections.abc import Mapping

import streamlit as st

from core import text as fmt
from core.service.fits import versions
from core.text.languages.language import SOURCE, language, say
from pages.help import documents
from pages.help.documents import GLOSSARY, Document, Section
from pages.ui import layout, navigation
from pages.ui.findings import plain

#: Of text and pictures, px: lines that the eye finds its way back from.
_WIDE = 860
#: Sections that a search shows whole; after that, only their titles.
_SHOWN = 6
#: A line that is a picture; links to other files.
_PICTURE = re.compile(r"^!\[(?P<about>[^\]]*)\]\((?P<path>[^)]+)\)$")
#: The number of one of the ten questions, which says nothing among some of them.
_NUMBER = re.compile(r"^\d+\. ")
_FILE = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.HELP)
    words = actions.text_input(
        say("Search help"),
        key="help.search",
        placeholder=say("Search help"),
        label_visibility="collapsed",
        icon=":material/search:",
        width=280,
    )
    contents, page = st.columns([2, 5], gap="large")
    name = _chosen(contents)
    with page.container(width=_WIDE):
        if words.strip():
            _found(words)
        elif name == _ABOUT:
            _about(_screen())
        else:
            document = documents.documents()[name]
            st.header(plain(document.title), anchor=False)
            if name != GLOSSARY:
                _in_english()
            _document(document)
    st.caption(f"Mixwright {versions().get('mixwright') or ''}".rstrip())


#: What the list of pages calls the sections about the screen that help was asked on.
_ABOUT = "about"


def _screen() -> str:
    """Title of the screen that help was asked on; empty where it was none."""
    name = navigation.asked("about")
    titles = (screen.title for screen in navigation.SCREENS if screen.name == name)
    return next(titles, "")


def _chosen(contents) -> str:
    """The page that is open; the address holds it."""
    pages = documents.documents()
    titles = {name: page.title.partition(":")[0] for name, page in pages.items()}
    if documents.about(_screen()):
        titles = {_ABOUT: say("On {screen}", screen=say(_screen()))} | titles
    in_address = navigation.asked("read")
    first = in_address if in_address in titles else next(iter(titles))
    name = contents.radio(
        say("Pages"),
        list(titles),
        index=list(titles).index(first),
        format_func=titles.__getitem__,
        key=f"help.page.{_screen()}",
        label_visibility="collapsed",
    )
    navigation.remember("read", None if name == next(iter(titles)) else name)
    return name


def _found(words: str) -> None:
    """What a search found: the first sections whole, the others to be opened."""
    results = list(documents.search(words))
    if not results:
        layout.remark("Nothing found. Try one word, such as carryover, or open a page.")
        return
    st.caption(fmt.count(len(results), "section"))
    for place, (document, section) in enumerate(results):
        title = section.title or document.title
        if place < _SHOWN:
            st.header(_plain(title), anchor=False)
            st.caption(document.title)
            _body(document, section.text)
        else:
            _folded(document, section)


def _about(screen: str) -> None:
    """What guides say of the screen, its terms, and a click away what is more.

    Whoever asked on it needs no picture of it.
    """
    _in_english()
    sections = documents.about(screen)
    for document, section in sections:
        st.header(_NUMBER.sub("", _plain(section.title)), anchor=False)
        lines = section.text.splitlines()
        _body(document, "\n".join(line for line in lines if not _PICTURE.match(line)))
    if more := documents.detail(screen):
        st.header(say("In detail"), anchor=False)
        for document, section in more:
            _folded(document, section)
    if terms := documents.terms(" ".join(section.text for _, section in sections)):
        st.header(say("Glossary"), anchor=False)
        _terms(terms)


def _in_english() -> None:
    """Guides have no translation: say so to readers of other languages."""
    if language() != SOURCE:
        layout.remark("This guide is in English.")


def _folded(document: Document, section: Section) -> None:
    """A section of a page, a click away."""
    page = document.title.partition(":")[0]
    with st.expander(f"{_plain(section.title)} · {page}"):
        _body(document, section.text)


def _terms(terms: Mapping[str, str]) -> None:
    """Terms and what they mean, as a table."""
    rows = [f"| {term} | {about} |" for term, about in terms.items()]
    st.markdown("\n".join((say("| Term | Meaning |"), "|---|---|", *rows)))


def _document(document: Document) -> None:
    if document.name == GLOSSARY:
        _terms({section.title: section.text for section in document.sections})
        return
    for section in document.sections:
        _section(document, section)


def _section(document: Document, section: Section) -> None:
    if section.title:
        st.subheader(_plain(section.title), anchor=False)
    _body(document, section.text)


def _plain(title: str) -> str:
    return _FILE.sub(r"\1", title)


def _body(document: Document, text: str) -> None:
    """Markdown, its pictures a click away where this installation has them."""
    lines: list[str] = []
    for line in text.splitlines():
        picture = _PICTURE.match(line)
        if picture is None:
            lines.append(_FILE.sub(r"\1", line))
            continue
        st.markdown("\n".join(lines))
        lines = []
        about, path = picture.group("about", "path")
        image = (document.folder / path).resolve()
        if image.is_file():
            with st.expander(plain(about), icon=":material/image:"):
                st.image(str(image), width="stretch", alt=about)
    st.markdown("\n".join(lines))
