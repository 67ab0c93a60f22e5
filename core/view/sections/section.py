"""Section: one thing that is said, as notes and tables that any medium draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

#: Where a section is drawn.
Medium = Literal["text", "page", "workbook", "slides", "screen"]


@dataclass(frozen=True)
class Note:
    """A paragraph.

    Attributes:
        text: Sentences.
        about: What they are about, before them in bold; may be empty.
    """

    kind: ClassVar[str] = "note"
    text: str
    about: str = ""


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
    """

    kind: ClassVar[str] = "table"
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int
    note: str = ""
    of_channels: bool = False


@dataclass(frozen=True)
class Section:
    """What is said of one thing, once for every medium.

    Attributes:
        name: In addresses and files, unlike any other's.
        title: Above it.
        blocks: What it says, in order.
        elsewhere: Media that do not draw it, and why.
    """

    name: str
    title: str
    blocks: Sequence[Note | Table]
    elsewhere: Mapping[Medium, str] = field(default_factory=dict)
