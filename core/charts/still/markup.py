"""What Plotly writes as markup, as pieces of text that other media can set.

Titles, notes and labels of figures hold `<b>`, `<br>` and `<span style="color:…">`;
what users typed is escaped in them.
"""

import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser

_STYLE = re.compile(r"(color|opacity)\s*:\s*([^;]+)")


@dataclass(frozen=True)
class Piece:
    """Text of one look.

    Attributes:
        text: What is read.
        bold: Whether it stands out.
        colour: `#rrggbb`; empty for the colour of what is around.
        opacity: From 0 to 1.
    """

    text: str
    bold: bool = False
    colour: str = ""
    opacity: float = 1.0


def lines(markup: str) -> list[list[Piece]]:
    """The pieces of each line of a text that Plotly would draw."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader.lines


def plain(markup: str) -> str:
    """The words alone; a space where a line ends."""
    rows = ("".join(piece.text for piece in line) for line in lines(markup))
    return " ".join(" ".join(rows).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[list[Piece]] = [[]]
        self._looks = [Piece("")]

    def handle_starttag(self, tag, attrs) -> None:
        if tag == "br":
            self.lines.append([])
            return
        look = self._looks[-1]
        if tag == "b":
            look = replace(look, bold=True)
        styled = dict(_STYLE.findall(dict(attrs).get("style") or ""))
        if "color" in styled:
            look = replace(look, colour=styled["color"].strip())
        if "opacity" in styled:
            look = replace(look, opacity=float(styled["opacity"]))
        self._looks.append(look)

    def handle_endtag(self, tag) -> None:
        if tag != "br" and len(self._looks) > 1:
            self._looks.pop()

    def handle_data(self, data) -> None:
        self.lines[-1].append(replace(self._looks[-1], text=data))
