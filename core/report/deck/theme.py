"""The look of the slides: fonts, colours, one grid, a footer with the page number.

The default template of python-pptx is made ours when a deck is written: its theme part
gets our fonts and colours, its master our grid, and of its layouts one stays. Charts
and tables name colours of the theme, so that a house can put its own theme on a deck.
"""

import re
from copy import deepcopy
from typing import Any, NamedTuple

from lxml import etree
from pptx import Presentation
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import MSO_ANCHOR
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

from core.charts.drawing.style import COLORWAY, palette
from core.text.escaping import printable

#: Size of a slide, inches.
WIDE, HIGH = 13.333, 7.5
#: The grid: left margin, first line of the contents and their end, width, gutter.
LEFT, TOP, BOTTOM, GUTTER = 0.6, 1.7, 6.85, 0.35
ACROSS = WIDE - 2 * LEFT
#: Everybody has it, and it has the width that the grid is drawn for.
FONT = "Arial"
#: Place of the layout that stays, a title and nothing else.
_TITLE_ONLY = 5
_NS = {"a": "http://schemas.openxmlformats.org/drawingml/2006/main"}
_NS["p"] = "http://schemas.openxmlformats.org/presentationml/2006/main"


#: A space that no line of a title may end at.
_PARTED = re.compile(r"(?<=\d) (?=%)|(?<=\S) (?=[:;?!»])|(?<=«) ")


class Box(NamedTuple):
    """A place on a slide, inches."""

    left: float
    top: float
    width: float
    height: float


#: The room for a table and the note below it.
WHOLE = Box(LEFT, TOP, ACROSS, BOTTOM - TOP + 0.2)
_TITLE = Box(LEFT, 0.68, ACROSS, 0.9)
_KICKER = Box(LEFT, 0.36, ACROSS, 0.3)
_FOOTER = {"FOOTER": Box(LEFT, 7.02, 9.0, 0.3)}
_FOOTER["SLIDE_NUMBER"] = Box(WIDE - LEFT - 1.5, 7.02, 1.5, 0.3)


def theme_colours() -> dict[str, str]:
    """Colours of the theme by their names in it, RRGGBB."""
    tones = palette("light")
    accents = (tones.accent, tones.faint, COLORWAY[2], COLORWAY[1])
    accents += (COLORWAY[0], COLORWAY[3])
    colours = {"dk1": tones.ink, "lt1": tones.background, "dk2": tones.muted}
    colours["lt2"] = "#f1f4f8"
    colours |= {f"accent{i}": each for i, each in enumerate(accents, start=1)}
    colours |= {"hlink": tones.accent, "folHlink": tones.muted}
    return {name: colour.lstrip("#").upper() for name, colour in colours.items()}


def presentation(footer: str) -> Any:
    """A deck without slides.

    Args:
        footer: What stands at the foot of every slide, beside its number.
    """
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(WIDE), Inches(HIGH)
    for place, layout in reversed(list(enumerate(deck.slide_layouts))):
        if place != _TITLE_ONLY:
            deck.slide_layouts.remove(layout)
    _paint(deck.slide_master)
    _draw(deck.slide_master, Box(0, 0, WIDE, 0.09), "accent1", 90)
    _draw(deck.slide_master, Box(LEFT, 6.98, ACROSS, 0.012), "bg2", 91)
    _lay_out(deck.slide_master, footer)
    _lay_out(deck.slide_layouts[0], footer)
    return deck


def add_slide(deck: Any, title: str, kicker: str) -> Any:
    """A slide with its title, a small line above it, footer and page number.

    Args:
        deck: From `presentation`.
        title: The claim, two lines at most.
        kicker: What the slide is about.
    """
    layout = deck.slide_layouts[0]
    slide = deck.slides.add_slide(layout)
    slide.shapes.title.text_frame.text = unbroken(title)
    box = slide.shapes.add_textbox(*map(Inches, _KICKER))
    frame = box.text_frame
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = 0
    frame.text = printable(kicker)
    write(frame.paragraphs[0], 12, colour="TEXT_2")
    for shape in layout.placeholders:
        if shape.placeholder_format.type.name in _FOOTER:
            copied = deepcopy(shape._element)
            copied.nvSpPr.cNvPr.set("id", str(slide.shapes._next_shape_id))
            slide.shapes._spTree.append(copied)
    return slide


def unbroken(title: str) -> str:
    """A title whose intervals, percentages and signs are not parted by a line's end.

    Translations have a plain space there, French before a colon and inside its quotes,
    too.
    """
    text = printable(title).replace(" – ", "\u00a0–\u00a0")
    return _PARTED.sub("\u00a0", text)


def write(
    paragraph: Any, size: int, *, bold: bool = False, colour: str = "TEXT_1"
) -> None:
    """Size, weight and colour of a paragraph.

    Args:
        paragraph: To change.
        size: Points.
        bold: Whether it is.
        colour: By its name in `MSO_THEME_COLOR`.
    """
    paragraph.font.size, paragraph.font.bold = Pt(size), bold
    paragraph.font.color.theme_color = MSO_THEME_COLOR[colour]


def _paint(master: Any) -> None:
    """Fonts and colours of the theme part, type of titles."""
    part = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    theme = etree.fromstring(part.blob)
    theme.set("name", "Mixwright")
    for name, colour in theme_colours().items():
        slot = theme.find(f".//a:clrScheme/a:{name}", _NS)
        slot.clear()
        etree.SubElement(slot, f"{{{_NS['a']}}}srgbClr").set("val", colour)
    for which in ("majorFont", "minorFont"):
        theme.find(f".//a:{which}/a:latin", _NS).set("typeface", FONT)
    for scheme in ("clrScheme", "fontScheme"):
        theme.find(f".//a:{scheme}", _NS).set("name", "Mixwright")
    part._blob = etree.tostring(
        theme, xml_declaration=True, encoding="UTF-8", standalone=True
    )
    level = master._element.find(".//p:titleStyle/a:lvl1pPr", _NS)
    level.set("algn", "l")
    type_ = level.find("a:defRPr", _NS)
    type_.set("sz", "2400")
    type_.set("b", "1")


def _draw(master: Any, box: Box, colour: str, place: int) -> None:
    """A bar behind everything on every slide."""
    left, top, width, height = map(Inches, box)
    bar = parse_xml(
        f'<p:sp xmlns:p="{_NS["p"]}" xmlns:a="{_NS["a"]}"><p:nvSpPr>'
        f'<p:cNvPr id="{place}" name="Bar {place}"/><p:cNvSpPr/><p:nvPr userDrawn="1"/>'
        f'</p:nvSpPr><p:spPr><a:xfrm><a:off x="{left}" y="{top}"/>'
        f'<a:ext cx="{width}" cy="{height}"/></a:xfrm>'
        f'<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
        f'<a:solidFill><a:schemeClr val="{colour}"/></a:solidFill><a:ln><a:noFill/>'
        f"</a:ln></p:spPr></p:sp>"
    )
    master.shapes._spTree.insert_element_before(bar, "p:extLst")


def _lay_out(page: Any, footer: str) -> None:
    """Places of the placeholders of the master or of the layout."""
    for shape in list(page.placeholders):
        kind = shape.placeholder_format.type.name
        if kind == "TITLE":
            place_at(shape, _TITLE)
            shape.text_frame.vertical_anchor = MSO_ANCHOR.TOP
        elif kind in _FOOTER:
            place_at(shape, _FOOTER[kind])
            if kind == "FOOTER":
                shape.text_frame.text = printable(footer)
            _small(shape, "l" if kind == "FOOTER" else "r")
        elif kind == "BODY":
            place_at(shape, Box(LEFT, TOP, ACROSS, BOTTOM - TOP))
        else:
            shape._element.getparent().remove(shape._element)
            continue
        shape.text_frame.margin_left = shape.text_frame.margin_right = 0


def _small(shape: Any, side: str) -> None:
    """A footer's type: its paragraph says it, whatever the master's list style has."""
    paragraph = shape.text_frame.paragraphs[0]
    paragraph._p.get_or_add_pPr().set("algn", side)
    for run in paragraph._p.findall("a:r", _NS) + paragraph._p.findall("a:fld", _NS):
        type_ = run.find("a:rPr", _NS)
        if type_ is None:
            type_ = etree.SubElement(run, f"{{{_NS['a']}}}rPr")
            run.insert(0, type_)
        type_.set("sz", "1000")


def place_at(shape: Any, box: Box) -> None:
    """Move a shape."""
    shape.left, shape.top, shape.width, shape.height = map(Inches, box)
