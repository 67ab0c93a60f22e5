"""Templates of pages, with the style that they share."""

from pathlib import Path
from typing import Any

from core.text.languages.language import language, say

_FOLDER = Path(__file__).parent / "templates"


def filled(template: str, **words: Any) -> str:
    """A template as a page, in the language in force.

    Args:
        template: Name of its file.
        words: What it asks for beside style and language.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["say"] = say
    css = Markup((_FOLDER / "report.css").read_text(encoding="utf-8"))
    shared = {"css": css, "language": language()}
    return environment.get_template(template).render(shared | words)
