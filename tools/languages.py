"""Catalogues of languages: take messages from the source, merge, compile, report.

    .venv/bin/python tools/languages.py          update .po from the source, compile .mo
    .venv/bin/python tools/languages.py --check  say what is missing; change nothing

Messages are the texts of `say`, `say_count`, `marked` and `counted` in core, screens
and app, and of `say` in the template of the HTML report.
"""

import argparse
import ast
import io
import itertools
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core.text.languages.language import CATALOGUES, LANGUAGES, SOURCE  # noqa: E402

#: Where a message stands, and its one text or both its forms.
Message = tuple[str, str | tuple[str, str]]
#: A date that is always the same, in the heads of compiled catalogues.
_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
_PLACE = re.compile(r"\{(\w*)\}")
_TEMPLATE = re.compile(r'say\("((?:[^"\\]|\\.)+)"')


@cache
def messages() -> list[Message]:
    """Every message of the source, in its order."""
    found: dict[str | tuple[str, str], str] = {}
    rooms = [(ROOT / room).rglob("*.py") for room in ("core", "pages")]
    for path in sorted({ROOT / "app.py", *itertools.chain(*rooms)}):
        for text in _of_module(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(text, path.relative_to(ROOT).as_posix())
    for path in sorted((ROOT / "core/report/templates").glob("*.html")):
        for text in _TEMPLATE.findall(path.read_text(encoding="utf-8")):
            found.setdefault(text, path.relative_to(ROOT).as_posix())
    return [(where, text) for text, where in found.items()]


def _of_module(tree: ast.Module) -> Iterator[str | tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else ""
        name = called.id if isinstance(called, ast.Name) else name
        texts = [_text(argument) for argument in node.args]
        if name in ("say", "marked", "Later") and texts and texts[0]:
            yield texts[0]
        elif name == "counted" and len(texts) == 2 and all(texts):
            yield texts[0], texts[1]
        elif name == "say_count" and len(texts) == 3 and texts[1] and texts[2]:
            yield texts[1], texts[2]


def _text(node: ast.expr) -> str:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else ""


def updated(name: str) -> Catalog:
    """The catalogue of a language with the messages of the source, and no others."""
    path = CATALOGUES / f"{name}.po"
    old = Catalog(locale=name)
    if path.is_file():
        old = read_po(io.BytesIO(path.read_bytes()), locale=name)
    new = Catalog(
        locale=name,
        project="Mixwright",
        header_comment="# Words of reports and screens; terms are in glossary.csv.",
        fuzzy=False,
    )
    for where, text in messages():
        before = old.get(text if isinstance(text, str) else text[0])
        said = before.string if before is not None and before.id == text else ""
        new.add(text, said or None, locations=[(where, None)])
    return new


def problems(name: str, catalogue: Catalog) -> list[str]:
    """What is missing in a catalogue or broken, message by message."""
    found = []
    for message in catalogue:
        if not message.id:
            continue
        forms = (message.id,) if isinstance(message.id, str) else message.id
        said = message.string
        said = (said,) if isinstance(said, str) else tuple(said or ())
        if not said or not all(said):
            found.append(f"{name}: not translated: {forms[0]}")
            continue
        # A form of one may leave its number out: "a week".
        wanted = {frozenset(_PLACE.findall(form)) for form in forms}
        if any(frozenset(_PLACE.findall(form)) not in wanted for form in said):
            found.append(f"{name}: places differ: {forms[0]}")
    return found


def po_bytes(catalogue: Catalog) -> bytes:
    """A catalogue as translators edit it."""
    file = io.BytesIO()
    write_po(file, catalogue, width=88, no_location=True, sort_output=True)
    # Dates would differ between two runs that say the same.
    lines = file.getvalue().decode().splitlines(keepends=True)
    dated = (
        *('"POT-Creation-Date', '"PO-Revision-Date', '"Last-Translator'),
        *('"Report-Msgid-Bugs-To', '"Language-Team', '"Generated-By'),
        '"Project-Id-Version',
    )
    return "".join(line for line in lines if not line.startswith(dated)).encode()


def mo_bytes(po: bytes, name: str) -> bytes:
    """The same compiled, as it is read."""
    file = io.BytesIO()
    catalogue = read_po(io.BytesIO(po), locale=name)
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    write_mo(file, catalogue)
    return file.getvalue()


def main() -> int:
    """Update and compile every catalogue; 1 where one is not complete."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    found = []
    for name in LANGUAGES:
        if name == SOURCE:
            continue
        catalogue = updated(name)
        found += problems(name, catalogue)
        po = po_bytes(catalogue)
        if not options.check:
            (CATALOGUES / f"{name}.po").write_bytes(po)
            (CATALOGUES / f"{name}.mo").write_bytes(mo_bytes(po, name))
    print(*found, sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
