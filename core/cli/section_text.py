"""Sections in a terminal: what every medium says, as lines of text."""

from core.cli.answer import side_by_side
from core.view.sections.section import Cards, Section, Table

#: Columns of the widest table; a wider one is left to --json and files.
_MOST_COLUMNS = 16


def section_lines(section: Section) -> list[str]:
    """A section for people: its title, notes, tables, and a line between."""
    lines = [f"{section.title}:"]
    for block in section.words:
        if isinstance(block, Cards):
            lines += [
                f"  {each.label}: {each.value} {each.ci}".rstrip()
                for each in block.cards
            ]
        elif isinstance(block, Table):
            titles, note = filter(None, [block.title]), filter(None, [block.note])
            body = f"{len(block.heads)} columns: see --json, or --out a file."
            if len(block.heads) <= _MOST_COLUMNS:
                body = side_by_side(block.heads, block.rows, texts=block.texts)
            lines += [""] * bool(lines[-1]) + [*titles, body, *note, ""]
        else:
            lines.append(f"  {block.about}. {block.text}".replace("  . ", "  "))
    return lines if not lines[-1] else [*lines, ""]


def section_text(section: Section) -> str:
    """The same as one text, without the line after it."""
    return "\n".join(section_lines(section)[:-1])
