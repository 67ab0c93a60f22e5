"""The report's page as blocks, one after the other: texts, tables, figures, facts."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core import text as fmt
from core.charts.still import markup
from core.charts.still.picture import svg
from core.plan.record.plan_record import PlanRecord
from core.report.content import Content
from core.report.page import page
from core.view.plan_words import brought

Block = dict[str, Any]
#: Columns of a table beyond which it is set apart, from the first one on.
_COLUMNS = 9


def document(
    content: Content, plan: PlanRecord | None = None
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What the document says, as plain data, and its pictures by file name.

    Args:
        content: The run.
        plan: A plan to report with it.
    """
    words = page(content, plan)
    pictures = _Pictures()
    data = words["assumptions"]["data"]
    verdict = words["verdict"]
    return {
        "name": words["project"].name,
        "about": f"Media report, {data['Window']}, {data['Periods']}",
        "verdict": {**verdict, "title": f"{verdict['word'].capitalize()}."},
        "cards": [_card(card) for card in words["cards"]],
        "sentence": words["sentence"],
        "sections": [
            section for section in _sections(words, pictures) if section["blocks"]
        ],
        "footer": words["footer"],
    }, pictures.files


class _Pictures:
    """Pictures of figures, each under a name of its own."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def block(self, figure: go.Figure) -> Block:
        """The figure with its title and its note, which the page sets."""
        name = f"figure-{len(self.files) + 1}.svg"
        self.files[name] = svg(figure)
        title = figure.layout.title
        note = title.subtitle.text or ""
        return {
            "kind": "figure",
            "file": name,
            "title": markup.plain(title.text or ""),
            "note": [_piece(piece) for piece in _running(note)],
            "alt": ". ".join(
                part for part in (markup.plain(title.text or ""), markup.plain(note))
            ),
        }


def _running(note: str) -> list[markup.Piece]:
    """The lines of a note as one, since a page has lines of its own."""
    pieces: list[markup.Piece] = []
    for line in markup.lines(note):
        pieces += [*line, markup.Piece(" ")]
    return pieces[:-1]


def _piece(piece: markup.Piece) -> dict[str, Any]:
    return {"text": piece.text, "bold": piece.bold, "colour": piece.colour}


def _sections(words: Mapping[str, Any], pictures: _Pictures) -> list[dict[str, Any]]:
    figures, units = words["figures"], words["units"]
    returned = [pictures.block(figures["roi"]), *_channels(words)]
    made = [pictures.block(figures[name]) for name in ("waterfall", "over-time")]
    more = [_text(words["no_spend"])]
    if "responses" in figures:
        more = [pictures.block(figures["responses"])]
    tests = []
    if "experiments" in figures:
        tests = [pictures.block(figures["experiments"])]
        tests += [_text(one["text"], bold=f"{one['name']}.") for one in words["tests"]]
    frequencies = []
    for one in words["frequencies"]:
        frequencies += [pictures.block(one["figure"]), _note(one["text"])]
    sections = [
        ("Since the last fit", _refresh(words["refresh"])),
        _plan(words["plan"], units, pictures),
        ("What was promised, and what came", _promises(words["promises"], pictures)),
        ("What each channel returned", returned),
        (f"What made the {units.outcome_name.lower()}", made),
        ("How well the model follows the data", [pictures.block(figures["expected"])]),
        ("What more or less spend would bring", more),
        ("What lift tests say", tests),
        ("How often to reach people", frequencies),
        ("What this rests on", _assumptions(words["assumptions"])),
    ]
    return [{"title": title, "blocks": blocks} for title, blocks in sections]


def _refresh(refresh: Mapping[str, Any] | None) -> list[Block]:
    if refresh is None:
        return []
    lines = [_note(line) for line in refresh["lines"]]
    return [_text(refresh["sentence"]), *_grid(refresh["table"]), *lines]


def _promises(promises: Mapping[str, Any] | None, pictures: _Pictures) -> list[Block]:
    if promises is None:
        return []
    first, *others = promises["lines"]
    notes = [_note(line) for line in others]
    picture = pictures.block(promises["figure"])
    return [_text(first), picture, *_grid(promises["table"]), *notes]


def _plan(
    plan: Mapping[str, Any] | None, units: fmt.Units, pictures: _Pictures
) -> tuple[str, list[Block]]:
    if plan is None:
        return "", []
    blocks = [_text(line) for line in (*plan["advice"], plan["bound"]) if line]
    if plan["firmness"]:
        blocks.append(_note(" ".join(plan["firmness"])))
    blocks.append({"kind": "cards", "cards": [_card(card) for card in plan["cards"]]})
    blocks += [pictures.block(figure) for figure in plan["figures"]]
    for table in plan["tables"]:
        blocks += _grid(table)
    if plan["rows"]:
        heads = ("Channel", plan["ran"], "Planned", "Change", "Limits", "Direction")
        keys = ("name", "current", "planned", "change", "limits", "direction")
        blocks.append(_table(heads, plan["rows"], keys, texts=(0, 5)))
    if plan["budgets"]:
        heads = (
            "Budget",
            brought(units),
            "Gain over the same split",
            "Marginal ROI",
            "Beyond observed spend",
            "",
        )
        keys = ("budget", "outcome", "gain", "mroi", "beyond", "is_plan")
        title = "The best plan at other budgets"
        blocks.append(_table(heads, plan["budgets"], keys, texts=(4, 5), title=title))
    blocks += [_note(line) for line in (plan["origin"], plan["notes"]) if line]
    return plan["name"], blocks


def _channels(words: Mapping[str, Any]) -> list[Block]:
    units = words["units"]
    heads = ["Channel", "Spend", "Contribution", "Share"]
    keys = ["name", "spend", "contribution", "share"]
    cost = ("Cost per incremental KPI", "cpik")
    returns = [
        ("ROI", "roi"),
        ("ROI, last year", "latest"),
        ("Marginal ROI", "mroi"),
    ]
    listed = [*returns, cost] if units.is_money else [cost, *returns]
    heads += [head for head, _ in listed]
    keys += [key for _, key in listed]
    note = (
        f"In brackets: 90 % interval. ROI and marginal ROI in {units.roi}; "
        f"contribution in {units.outcome}; cost per incremental KPI is the median."
    )
    return [_table(heads, words["channels"], keys, texts=(0,)), _note(note)]


def _assumptions(about: Mapping[str, Any]) -> list[Block]:
    heads = ("Channel", "Prior on", "Prior", "90 % of it", "Carryover", "Saturation")
    keys = ("name", "about", "prior", "range", "adstock", "saturation")
    groups = [("Data", "data"), ("Model", "options"), ("Fit", "fit")]
    return [
        _table(heads, about["priors"], keys, texts=(0, 1, 2, 4, 5)),
        {
            "kind": "facts",
            "groups": [
                {"title": title, "rows": [[k, str(v)] for k, v in about[key].items()]}
                for title, key in groups
            ],
        },
    ]


def _table(
    heads: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    keys: Sequence[str],
    *,
    texts: Sequence[int],
    title: str = "",
) -> Block:
    cells = [[_cell(row[key], row if i == 0 else {}) for i, key in enumerate(keys)]
             for row in rows]  # fmt: skip
    return {
        "kind": "table",
        "title": title,
        "heads": list(heads),
        "texts": list(texts),
        "rows": cells,
    }


def _cell(cell: Any, row: Mapping[str, Any]) -> dict[str, str]:
    """What is read, its interval below it, and the colour of the channel before it."""
    colour = str(row.get("colour", ""))
    if isinstance(cell, Mapping):
        return {"text": cell["value"], "ci": cell["ci"], "colour": colour}
    return {"text": str(cell), "ci": "", "colour": colour}


def _grid(table: Mapping[str, Any]) -> list[Block]:
    """A table of many columns as as many tables as fit the page."""
    texts, heads = table["texts"], table["heads"]
    step = _COLUMNS - texts
    blocks: list[Block] = []
    for first in range(texts, len(heads), step):
        chosen = [*range(texts), *range(first, min(first + step, len(heads)))]
        blocks.append(
            {
                "kind": "table",
                "title": table["title"] if first == texts else "",
                "heads": [heads[i] for i in chosen],
                "texts": list(range(texts)),
                "rows": [[_cell(row[i], {}) for i in chosen] for row in table["rows"]],
            }
        )
    return [*blocks, _note(table["note"])] if table["note"] else blocks


def _card(card: Any) -> dict[str, str]:
    return {"label": card.label, "value": card.value, "ci": card.ci}


def _text(text: str, *, bold: str = "") -> Block:
    return {"kind": "text", "bold": bold, "text": text}


def _note(text: str) -> Block:
    return {"kind": "note", "text": text}
