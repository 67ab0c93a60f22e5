"""Shapes of slides: text, cards, native tables; what goes on over several slides.

Names come from uploaded files: control characters are dropped.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from typing import Any

from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

from core import text as fmt
from core.report.deck.theme import ACROSS, BOTTOM, LEFT, TOP, WHOLE, Box, write
from core.text.escaping import printable
from core.text.languages.language import say
from core.view.sections.headline import Headline
from core.view.sections.section import Table

#: Adds a slide with a title and the line above it.
Add = Callable[[str, str], Any]
#: Heads with their sentences.
Parts = Sequence[tuple[str, Sequence[str]]]
#: Rows of a table that fit on a slide, below its heads.
MOST_ROWS = 14
#: Height of a row, inches: the least, and the most that few rows take.
_ROW, _MOST_ROW = 0.335, 0.46
#: Size of the letters of a row, points: of its height, and the largest.
_OF_ROW, _LARGEST = 36, 16
#: From so many cards on they are narrow.
_MANY_CARDS = 5
#: Height of the note below a table, inches.
_NOTE = 0.3
#: Of a table: none, its cells say what they have.
_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
_LINE = (
    '<a:lnB xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" w="9525">'
    '<a:solidFill><a:schemeClr val="bg2"><a:lumMod val="85000"/></a:schemeClr>'
    "</a:solidFill></a:lnB>"
)
#: Width of a bold letter, in letters.
_BOLD = 1.2
#: Sizes of sentences over a whole slide, points; they go on rather than be smaller.
SIZES = (16, 14, 12)
#: Sizes of sentences beside a chart.
BESIDE = (14, 12, 11, 10)
#: Width of a letter and height of a line, in sizes of the font.
_LETTER, _LINE_HIGH = 0.5, 1.22
#: Letters of a title that leave room to say that it goes on.
_MOST_CLAIM = 104
#: Names in a table are cut here, so that a row stays one line high.
_MOST_LETTERS = 34


def cards(slide: Any, headlines: Sequence[Headline], top: float) -> None:
    """Numbers in a row: value, label, interval."""
    width = (ACROSS + 0.2) / max(len(headlines), 1)
    longest = max((len(card.value) for card in headlines), default=1)
    size = int(min(24, max(12, (width - 0.5) * 72 / (0.6 * longest))))
    for place, card in enumerate(headlines):
        box = Box(LEFT + place * width, top, width - 0.2, 1.2)
        lines = [f"{card.value} ", f"{card.ci} ", card.label]
        frame = text_box(slide, lines, box, 12)
        write(frame.paragraphs[0], size, bold=True)
        small = 11 if len(headlines) < _MANY_CARDS else 9  # labels of three lines
        write(frame.paragraphs[2], small, colour="TEXT_2")
        frame.margin_left = frame.margin_right = Inches(0.12)
        frame.auto_size = MSO_AUTO_SIZE.NONE  # all cards are of one height
        fill = slide.shapes[-1].fill
        fill.solid()
        fill.fore_color.theme_color = MSO_THEME_COLOR.BACKGROUND_2


def text_box(
    slide: Any, lines: Sequence[str], box: Box, size: int, colour: str = "TEXT_1"
) -> Any:
    """Lines of text, at the left edge of the box."""
    shape = slide.shapes.add_textbox(*map(Inches, box))
    frame = shape.text_frame
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = 0
    for place, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if place == 0 else frame.add_paragraph()
        paragraph.text = printable(line)
        paragraph.space_after = Pt(size / 3)
        write(paragraph, size, colour=colour)
    return frame


def headed(slide: Any, parts: Parts, box: Box, size: int) -> None:
    """Texts below their heads, one after another."""
    lines = [line for head, texts in parts for line in (head, *texts)]
    frame = text_box(slide, lines, box, size)
    place = 0
    for head, texts in parts:
        paragraph = frame.paragraphs[place]
        write(paragraph, size, bold=True, colour="ACCENT_1")
        paragraph.space_before = Pt(size / 2 if place and head else 0)
        paragraph.space_after = Pt(1)
        place += 1 + len(texts)


def headed_within(slide: Any, parts: Parts, box: Box) -> None:
    """The same, as large as there is room for.

    Args:
        slide: Where to.
        parts: Heads with their texts.
        box: The room.
    """
    fitting = (size for size in BESIDE if _high(parts, size, box.width) <= box.height)
    headed(slide, parts, box, next(fitting, BESIDE[-1]))


def headed_on(
    add: Add, slide: Any, parts: Parts, box: Box, following: tuple[str, str]
) -> None:
    """Heads and their sentences on a slide; those without room there go on after it.

    Args:
        add: See `table_slides`.
        slide: Where to begin.
        parts: A head and its sentences each.
        box: The room on the first slide.
        following: Title and the line above it of slides that these go on over.
    """
    sizes = (*SIZES, *BESIDE[-2:])
    fitting = (size for size in sizes if _high(parts, size, box.width) <= box.height)
    size = next(fitting, sizes[-1])
    here, *more = _cut(parts, size, box, is_whole=False)
    headed(slide, here, box, size)
    rest: list[tuple[str, list[str]]] = []
    for head, texts in chain.from_iterable(more):
        rest = _with(rest, head, texts)
    if rest:
        headed_slides(add, *following, rest)


def _with(parts: Parts, head: str, more: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Parts with further sentences, below their head."""
    longer = [(name, list(texts)) for name, texts in parts]
    if longer and longer[-1][0] == head:
        longer[-1][1].extend(more)
    else:
        longer.append((head, list(more)))
    return longer


def _cut(
    parts: Parts, size: int, box: Box, *, is_whole: bool
) -> list[list[tuple[str, list[str]]]]:
    """Heads and their sentences by the box that they have room in.

    Args:
        parts: A head and its sentences each.
        size: Of the letters.
        box: Every box.
        is_whole: Whether a part that fits into one box stays in it.
    """
    boxes: list[list[tuple[str, list[str]]]] = [[]]
    for head, texts in parts:
        stays = is_whole and _high([(head, texts)], size, box.width) <= box.height
        for some in [texts] if stays else [[text] for text in texts]:
            longer = _with(boxes[-1], head, some)
            if boxes[-1] and _high(longer, size, box.width) > box.height:
                boxes.append([(head, list(some))])
            else:
                boxes[-1] = longer
    return boxes


def headed_slides(add: Add, claim: str, kicker: str, parts: Parts) -> None:
    """Heads and their sentences, as large as there is room for, over several slides.

    Args:
        add: See `table_slides`.
        claim: The title of each.
        kicker: The line above it.
        parts: A head and its sentences each; a part that fits on one slide stays on it.
    """
    box = Box(LEFT, TOP, ACROSS, BOTTOM - TOP)
    fitting = (size for size in SIZES if _high(parts, size) <= box.height)
    size = next(fitting, SIZES[-1])
    slides = _cut(parts, size, box, is_whole=True)
    for slide, (some,) in on_slides(add, claim, kicker, slides, 1):
        headed(slide, some, box, size)


def _high(parts: Parts, size: int, width: float = ACROSS) -> float:
    """Inches that `headed` takes in some width, nearly."""
    letters = width * 72 / (_LETTER * size)
    lines = sum(
        1 + sum(math.ceil(len(text) / letters) for text in texts) for _, texts in parts
    )
    gaps = sum(size / 2 + 1 + len(texts) * size / 3 for _, texts in parts)
    return (lines * _LINE_HIGH * size + gaps) / 72


def table(
    slide: Any,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    box: Box,
    *,
    texts: Collection[int] = (0,),
    note: str = "",
) -> None:
    """A native table of at most `MOST_ROWS` rows, columns as wide as they need.

    Args:
        slide: Where to.
        heads: Of its columns.
        rows: A text for every column.
        box: The room for it, which few rows do not fill.
        texts: Which columns are text; the others are numbers, which stand at the right.
        note: Right below it; may be empty.
    """
    place = [Inches(each) for each in box[:3]]
    n, room = len(rows) + 1, box.height - (_NOTE if note else 0.0)
    row = max(_ROW, min(_MOST_ROW, room / n))
    shape = slide.shapes.add_table(n, len(heads), *place, Inches(n * row))
    shape._element.graphic.graphicData.tbl.tblPr.find("{*}tableStyleId").text = _STYLE
    lines = [list(map(printable, cells)) for cells in (heads, *rows)]
    widths = list(map(_wide, zip(*lines, strict=True)))
    for column, width in zip(shape.table.columns, widths, strict=True):
        column.width = Inches(box.width * width / sum(widths))
    largest = min(_LARGEST, int(_OF_ROW * row))
    size = min(largest, max(8, int(box.width * 72 / (0.52 * sum(widths)))))
    for line, cells in enumerate(lines):
        for column, text in enumerate(cells):
            cell = shape.table.cell(line, column)
            _cell(cell, text, size, is_head=line == 0)
            side = PP_ALIGN.LEFT if column in texts else PP_ALIGN.RIGHT
            cell.text_frame.paragraphs[0].alignment = side
    if note:
        below = min(box.top + n * row, box.top + box.height - _NOTE)
        under = Box(box.left, below, box.width, _NOTE)
        text_box(slide, [note], under, 10, "TEXT_2")


def table_slides(
    add: Add, claim: str, kicker: str, block: Table, lead: Sequence[str] = ()
) -> None:
    """A table with its note, over as many slides as it takes.

    Args:
        add: Adds a slide with a title and the line above it.
        claim: The title of each.
        kicker: The line above it.
        block: The table.
        lead: Sentences above it, on every slide.
    """
    texts, size = range(block.texts), BESIDE[0]
    above = _high([("", lead)], size) if lead else 0.0
    box = WHOLE._replace(top=TOP + above, height=WHOLE.height - above)
    most = MOST_ROWS - math.ceil(above / _ROW)
    for slide, some in on_slides(add, claim, kicker, block.rows, most):
        if lead:
            text_box(slide, lead, WHOLE._replace(height=above), size)
        rows = [[short(row[0]), *row[1:]] for row in some]
        table(slide, block.heads, rows, box, texts=texts, note=block.note)


def _wide(column: Sequence[str]) -> float:
    """Letters that a column needs; those of its bold head are wider."""
    head, *others = map(len, column)
    return max(_BOLD * head, *others, 1) + 2


def _cell(cell: Any, text: str, size: int, *, is_head: bool) -> None:
    """A cell's text, the line below it, and the ground of a head."""
    cell.text = text
    cell.margin_top = cell.margin_bottom = Pt(2)
    cell.margin_left = cell.margin_right = Inches(0.06)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    write(cell.text_frame.paragraphs[0], size, bold=is_head)
    if is_head:
        cell.fill.solid()
        cell.fill.fore_color.theme_color = MSO_THEME_COLOR.BACKGROUND_2
    cell._tc.get_or_add_tcPr().insert(0, parse_xml(_LINE))


def short(name: object, letters: int = _MOST_LETTERS) -> str:
    """A name as a table has room for it."""
    return fmt.brief_name(printable(name), letters)


def on_slides(
    add: Add, claim: str, kicker: str, rows: Sequence[Any], most: int = MOST_ROWS
) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Slides, each with its part of some rows, parts of nearly the same length.

    Args:
        add: Adds a slide with a title and the line above it.
        claim: Title of the first; the others say that they go on.
        kicker: The line above it, which counts them.
        rows: What goes on the slides.
        most: Rows that one has room for.
    """
    n = max(1, -(-len(rows) // most))
    each = -(-len(rows) // n)
    for place in range(n):
        slide = add(*titled(claim, kicker, place, n))
        yield slide, rows[place * each : (place + 1) * each]


def titled(claim: str, kicker: str, place: int, n: int) -> tuple[str, str]:
    """Title of one of several slides with the same claim, and the line above it.

    Args:
        claim: Title of the first.
        kicker: The line above it.
        place: Of this one, from 0.
        n: How many there are.
    """
    if n > 1:
        of = say(", {place} of {number}", place=place + 1, number=n)
        kicker = f"{kicker}{of}"
    return going_on(claim) if place else claim, kicker


def going_on(claim: str) -> str:
    """The title of a slide that goes on with what another began."""
    return say("{title} (continued)", title=fmt.brief(claim, _MOST_CLAIM))
