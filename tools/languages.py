"""Catalogues of languages: take messages from the source, merge, compile, report.

    .venv/bin/python tools/languages.py          update .po from the source, compile .mo
    .venv/bin/python tools/languages.py --check  say what is missing; change nothing

Messages are the texts of `say`, `tip`, `remark`, `say_count`, `marked`, `counted` and
`count` in core, screens and app, and of `say` in the template of the HTML report. What
is raised, found or kept as an English sentence, to be reworded where it is shown, is
taken as it stands in the folders of `KEPT`: the places of an f-string are named after
what fills them.
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
#: Where sentences are made that screens reword: errors, findings, reasons, states.
KEPT = ("core/data/checks", "core/data/recognition", "core/data/demand")
KEPT += ("core/analysis/learning", "core/store/run_state.py", "core/project/fits")
KEPT += ("core/plan", "core/experiments", "core/fit", "core/jobs", "core/model")
KEPT += tuple(f"core/data/{room}" for room in ("ahead", "cells", "experiments"))
KEPT += tuple(f"core/data/{room}" for room in ("files", "layout", "query", "reading"))
KEPT += ("core/data/currency.py", "core/data/price.py", "core/analysis/ahead")
KEPT += tuple(f"core/project/{room}" for room in ("comparing", "elsewhere", "history"))
KEPT += tuple(f"core/project/{room}" for room in ("learnt", "lift_tests", "plans"))
KEPT += tuple(f"core/project/{room}" for room in ("promises", "refresh", "settings"))
KEPT += ("core/project/shelf", "core/store", "core/toml")
KEPT += tuple(f"core/service/{room}" for room in ("planning", "portfolio", "projects"))
KEPT += ("core/service/ask.py", "core/service/forecasts.py", "core/service/horizons.py")
KEPT += (
    "core/service/experiments/lift_tests.py",
    "core/service/plans.py",
    "core/service/data",
)
KEPT += ("core/service/refreshes.py", "core/service/tables.py")
KEPT += ("core/service/suggestions", "core/view/suggestions", "core/view/progress.py")
KEPT += ("core/view/weeks/week_reasons.py",)
KEPT += ("core/team", "core/__init__.py", "core/project/backup", "core/report/paper")
KEPT += tuple(f"core/service/{room}.py" for room in ("fits", "reports", "scenarios"))
#: What no screen shows of these, errors apart: logs, queries, measures for machines.
_UNSEEN = ("core/jobs/operation", "core/data/query/databases.py")
_UNSEEN += ("core/data/cells/scales.py", "core/project/shelf/erasure.py")
#: Faces that speak English only.
_ENGLISH = {("core", "cli"), ("core", "mcp"), ("core", "notebook")}
#: Calls that take a sentence, whatever it looks like.
_TAKES_SENTENCE = re.compile(r"(Error|Finding)$")
#: A sentence of several words, with its full stop.
_SENTENCE = re.compile(r"""^[A-Z"'{].* .*[.?!]$""", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{2,}")
_PLACE = re.compile(r"\{(\w*)\}")
#: Calls whose first argument is a message.
_SAYS = ("say", "marked", "Later", "tip", "remark")
_TEMPLATE = re.compile(r'say\("((?:[^"\\]|\\.)+)"')


@cache
def messages() -> list[Message]:
    """Every message of the source, in its order."""
    found: dict[str | tuple[str, str], str] = {}
    rooms = [(ROOT / room).rglob("*.py") for room in ("core", "pages")]
    keeping = {path for part in KEPT for path in _python(ROOT / part)}
    sentences: list[tuple[str, str]] = []
    for path in sorted({ROOT / "app.py", *itertools.chain(*rooms)}):
        if path.relative_to(ROOT).parts[:2] in _ENGLISH:
            continue
        where = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for text in _of_module(tree):
            found.setdefault(text, where)
        if path in keeping:
            seen = refusals(tree) if where.startswith(_UNSEEN) else tree
            sentences += [(text, where) for text in kept(seen)]
    forms = {form for text in found for form in _forms(text)}
    for text, where in sentences:
        if "{}" not in text and text not in forms:
            forms.add(text)
            found[text] = where
    for path in sorted((ROOT / "core/report/templates").glob("*.html")):
        for text in _TEMPLATE.findall(path.read_text(encoding="utf-8")):
            found.setdefault(text, path.relative_to(ROOT).as_posix())
    return [(where, text) for text, where in found.items()]


def _forms(message: str | tuple[str, str]) -> tuple[str, ...]:
    return (message,) if isinstance(message, str) else message


def _of_module(tree: ast.Module) -> Iterator[str | tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else ""
        name = called.id if isinstance(called, ast.Name) else name
        texts = [_text(argument) for argument in node.args]
        if name in _SAYS and node.args:
            yield from filter(None, map(_text, _branches(node.args[0])))
        elif name == "counted" and len(texts) == 2 and all(texts):
            yield texts[0], texts[1]
        elif name == "count" and len(texts) > 1 and texts[1]:
            several = texts[2] if len(texts) > 2 and texts[2] else f"{texts[1]}s"
            yield f"{{number}} {texts[1]}", f"{{number}} {several}"
        elif name == "say_count" and len(texts) == 3 and texts[1] and texts[2]:
            yield texts[1], texts[2]


def _branches(node: ast.expr) -> list[ast.expr]:
    """What `a if b else c` may be: each message of it is one of the source's."""
    if isinstance(node, ast.IfExp):
        return [*_branches(node.body), *_branches(node.orelse)]
    return [node]


def refusals(tree: ast.AST) -> ast.Module:
    """What a module raises, alone."""
    raised = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return ast.Module(body=list(raised), type_ignores=[])


def _python(path: Path) -> list[Path]:
    return [path] if path.suffix == ".py" else list(path.rglob("*.py"))


def kept(tree: ast.AST, *, wanted: bool = False) -> Iterator[str]:
    """Sentences that are put together in English and kept."""
    for node in ast.iter_child_nodes(tree):
        is_asked = wanted
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("say", "say_count", "marked", "counted"):
                continue
            is_asked = is_asked or bool(_TAKES_SENTENCE.search(name))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        text = _template(node)
        bare = _PLACE.sub("", text)
        is_long = isinstance(node, ast.JoinedStr) and len(_WORD.findall(bare)) > 1
        is_wanted = is_long or bool(_SENTENCE.match(text)) or is_asked
        if is_wanted and _WORD.search(bare) and " " in text and "\\" not in text:
            yield text
        elif not isinstance(node, ast.JoinedStr):
            yield from kept(node, wanted=is_asked)


def _template(node: ast.AST) -> str:
    """A text, or an f-string with names for its places."""
    if not isinstance(node, ast.JoinedStr):
        return _text(node)
    text, names = "", {}
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += part.value.replace("{", "{{").replace("}", "}}")
            continue
        filled = ast.unparse(part.value)
        if filled not in names:
            name = _name(part.value)
            taken = sum(
                re.fullmatch(rf"{name}\d*", each) is not None for each in names.values()
            )
            names[filled] = f"{name}{taken + 1}" if taken else name
        text += f"{{{names[filled]}}}"
    return text


def _name(node: ast.AST) -> str:
    """What a place is called: the last name in what fills it."""
    if isinstance(node, ast.Call) and node.args:
        return _name(node.args[0])
    if isinstance(node, ast.Call):
        return _name(node.func.value) if isinstance(node.func, ast.Attribute) else "it"
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_")
    if isinstance(node, ast.Name):
        return node.id.strip("_")
    if isinstance(node, ast.Subscript):
        key = node.slice
        is_named = isinstance(key, ast.Constant) and str(key.value).isidentifier()
        return str(key.value) if is_named else _name(node.value)
    if isinstance(node, ast.BinOp):
        return _name(node.left)
    return "it"


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
        forms = _forms(message.id)
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
