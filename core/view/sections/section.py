"""Section: one thing that is said, as notes, tables and figures for any medium."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from core.view.sections.headline import Headline

#: Where a section is drawn.
Medium = Literal["text", "page", "workbook", "slides", "screen"]


@dataclass(frozen=True)
class Note:
    """A paragraph.

    Attributes:
        text: Sentences.
        about: What they are about, before them in bold; may be empty.
        weight: `lead` is the finding itself; `small` is what is to be known with it.
    """

    kind: ClassVar[str] = "note"
    text: str
    about: str = ""
    weight: Literal["lead", "text", "small"] = "text"


@dataclass(frozen=True)
class Table:
    """A table of any number of columns.

    Attributes:
        title: Above it; may be empty.
        heads: Of the columns.
        rows: Cells as text.
        texts: The number of first columns that are no numbers.
        note: Below it; may be empty.
        of_channels: Whether its rows are channels.
        wraps: Whether a screen draws it as wide as the page, in cells of several lines.
        helps: What some heads mean, where a medium can explain them.
        claim: What it shows, as the title of a slide; may be empty.
    """

    kind: ClassVar[str] = "table"
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int
    note: str = ""
    of_channels: bool = False
    wraps: bool = False
    helps: Mapping[str, str] = field(default_factory=dict)
    claim: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure, drawn where there are pictures.

    Attributes:
        draw: Draws it, with Plotly, in the theme in force.
        of: All that it shows, which its `repr` tells.
        table: The same in numbers, for media without pictures; None where another
            block has them.
    """

    kind: ClassVar[str] = "figure"
    draw: Callable[[], Any]
    of: Any
    table: Table | None = None


@dataclass(frozen=True)
class Cards:
    """Numbers in a row, each with its label and its interval."""

    kind: ClassVar[str] = "cards"
    cards: Sequence[Headline]


Block = Note | Table | Figure | Cards


@dataclass(frozen=True)
class Section:
    """What is said of one thing, once for every medium.

    Attributes:
        name: In addresses and files, unlike any other's.
        title: Above it.
        blocks: What it says, in order.
        elsewhere: Media that do not draw it, and why.
        claim: What it finds, as the title of a slide; may be empty.
    """

    name: str
    title: str
    blocks: Sequence[Block]
    elsewhere: Mapping[Medium, str] = field(default_factory=dict)
    claim: str = ""

    @property
    def words(self) -> list[Note | Table | Cards]:
        """What it says where no picture is drawn: tables in place of figures."""
        blocks = [
            block.table if isinstance(block, Figure) else block for block in self.blocks
        ]
        return [block for block in blocks if block is not None]


def drawn_in(medium: Medium, sections: Iterable[Section | None]) -> list[Section]:
    """The sections that a medium draws.

    Args:
        medium: Where they are drawn.
        sections: In order; None for what has nothing to say.
    """
    return [
        each for each in sections if each is not None and medium not in each.elsewhere
    ]
