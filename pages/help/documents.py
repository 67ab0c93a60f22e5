"""Documents: the pages of docs/ as titled sections that can be searched."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.text.glossary import TERMS
from core.text.languages.language import say

DOCS = Path(__file__).parents[2] / "docs"
#: Address of each page, in the order in which a reader meets them.
PAGES = {
    "marketers": "guides/marketers.md",
    "analysts": "guides/analysts.md",
    "data": "data.md",
    "roles": "roles.md",
    "model": "model.md",
    "experiments": "experiments.md",
    "planning": "planning.md",
    "funnels": "funnels.md",
    "forecast": "forecast.md",
    "refresh": "refresh.md",
    "team": "team.md",
    "agents": "agents.md",
    "server": "server.md",
    "privacy": "privacy.md",
    "reliability": "reliability.md",
}
GLOSSARY = "glossary"
#: Letters that a search needs before it narrows anything down.
SHORTEST = 2
_HEADING = re.compile(r"^## +(?P<title>.+)$")
_FENCE = re.compile(r"^(```|~~~)")


@dataclass(frozen=True)
class Section:
    """A part of a page under one heading.

    Attributes:
        title: Its heading; empty for what stands before the first.
        text: Markdown without the heading.
    """

    title: str
    text: str


@dataclass(frozen=True)
class Document:
    """One page.

    Attributes:
        name: What the address calls it.
        title: Its heading.
        folder: Where it lies: links and pictures are relative to it.
        sections: In the order of the page.
    """

    name: str
    title: str
    folder: Path
    sections: tuple[Section, ...]


def documents() -> dict[str, Document]:
    """The pages that this installation has, and the glossary, by name."""
    terms = tuple(Section(say(term), say(about)) for term, about in TERMS.items())
    return guides() | {GLOSSARY: Document(GLOSSARY, say("Glossary"), DOCS, terms)}


@cache
def guides() -> dict[str, Document]:
    """The pages of docs/ that this installation has, in English, by name."""
    return {
        name: _document(name, DOCS / path)
        for name, path in PAGES.items()
        if (DOCS / path).is_file()
    }


def search(words: str) -> Iterator[tuple[Document, Section]]:
    """Sections that hold every word, those that have all in their title first.

    Args:
        words: As typed. One letter alone finds nothing.
    """
    parts = words.casefold().split()
    if sum(map(len, parts)) < SHORTEST:
        return
    holding = [
        (document, section)
        for document in documents().values()
        for section in document.sections
        if _holds(f"{section.title}\n{section.text}", parts)
    ]
    yield from sorted(holding, key=lambda hit: not _holds(hit[1].title, parts))


def about(screen: str) -> list[tuple[Document, Section]]:
    """Sections of the two guides that name a screen, by its title."""
    named = re.compile(rf"\*\*{re.escape(screen)}\*\*")
    return [each for each in _titled(guides=True) if named.search(each[1].text)]


def detail(screen: str) -> list[tuple[Document, Section]]:
    """Sections of the other pages that name a screen, the page with most first."""
    title = re.escape(screen)
    named = re.compile(rf"\*\*{title}\*\*|\b[Oo]n {title}\b|\b{title} screen\b")
    hits = [each for each in _titled(guides=False) if named.search(each[1].text)]
    names = [document.name for document, _ in hits]
    return sorted(hits, key=lambda each: -names.count(each[0].name))


def terms(text: str) -> dict[str, str]:
    """Terms of the glossary that a text in English has, and what they mean."""
    return {
        say(term): say(about)
        for term, about in TERMS.items()
        if re.search(rf"\b{re.escape(term)}", text, re.IGNORECASE)
    }


def _titled(*, guides: bool) -> Iterator[tuple[Document, Section]]:
    """Sections with a title of the two guides for people, or of the other pages."""
    for name, document in documents().items():
        if name != GLOSSARY and (name in ("marketers", "analysts")) is guides:
            yield from (
                (document, section) for section in document.sections if section.title
            )


def _holds(text: str, words: list[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _document(name: str, path: Path) -> Document:
    title, *lines = path.read_text(encoding="utf-8").splitlines()
    sections, heading, body, in_code = [], "", [], False
    for line in lines:
        in_code ^= bool(_FENCE.match(line))
        new = None if in_code else _HEADING.match(line)
        if new is None:
            body.append(line)
            continue
        sections.append(Section(heading, "\n".join(body).strip()))
        heading, body = new["title"], []
    sections.append(Section(heading, "\n".join(body).strip()))
    parts = tuple(part for part in sections if part.title or part.text)
    return Document(name, title.lstrip("# "), path.parent, parts)
