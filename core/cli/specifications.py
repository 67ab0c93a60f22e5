"""Specifications side by side, and the quality of one model, as text."""

import textwrap
from collections.abc import Mapping
from typing import Any

from core.charts import format as fmt
from core.cli.answer import table


def specifications_text(told: Mapping[str, Any]) -> str:
    """The table of specifications for people."""
    rows = told["rows"]
    titles = ("Specification", "elpd ± SE", "Difference ± SE", "Bad k", "Check")
    titles += ("Backtest wMAPE", "Skill", "Worst R-hat")
    lines = [table(titles, [_row(row) for row in rows]), ""]
    lines += [f"{row['name']}: {row['verdict']}" for row in rows]
    lines += ["", *textwrap.wrap(told["note"], 88)]
    lines += told["remarks"]
    names = list(dict.fromkeys(name for row in rows for name in row["roi"]))
    returns = [
        (
            name,
            *(
                fmt.estimate(row["roi"][name], "ratio")
                if name in row["roi"]
                else fmt.NONE
                for row in rows
            ),
        )
        for name in names
    ]
    if returns:
        titles = (f"ROI, {fmt.units(told).roi}", *(row["name"] for row in rows))
        lines += ["", table(titles, returns)]
    options = list(dict.fromkeys(name for row in rows for name in row["options"]))
    if options:
        given = [
            (name, *(_short(row["options"].get(name, fmt.NONE)) for row in rows))
            for name in options
        ]
        titles = ("What differs", *(row["name"] for row in rows))
        lines += ["", table(titles, given, texts=len(titles))]
    return "\n".join(lines)


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    loo, apart, tested = row["loo"], row["difference"], row["backtest"]
    rhat = row["convergence"]["rhat_max"]
    missed = len(row["check"]["missed"]) if row["check"] else None
    return (
        f"{row['name']}: {row['run_id']}",
        score(loo),
        score(apart),
        fmt.NONE if not loo else f"{loo['n_bad_k']} of {loo['n_smoothed']}",
        fmt.NONE if missed is None else f"{missed} missed" if missed else "passed",
        fmt.NONE if not tested else f"{100 * tested['wmape']:.1f}\u00a0%",
        skills(tested),
        fmt.NONE if rhat is None else f"{rhat:.3f}",
    )


def score(given: Mapping[str, Any] | None) -> str:
    """A score with its standard error; a dash where there is none."""
    if not given:
        return fmt.NONE
    text = f"{given['elpd']:,.1f}".replace("-", "−")
    return f"{text} ± {given['se']:.1f}" if given["se"] else text


def skills(tested: Mapping[str, Any] | None) -> str:
    """Skill against last year's values and against knots."""
    if not tested:
        return fmt.NONE
    told = [
        f"{tested['skill'][key]:+.2f} {word}"
        for key, word in (("seasonal_naive", "naive"), ("knots", "knots"))
        if tested["skill"].get(key) is not None
    ]
    return ", ".join(told) or fmt.NONE


def _short(text: str) -> str:
    return textwrap.shorten(text, 30, placeholder=" …") or fmt.NONE


def quality_lines(told: Mapping[str, Any]) -> list[str]:
    """The model check of a summary, and its score; nothing for old fits."""
    check, loo = told.get("model_check"), told.get("loo")
    if not check or not loo:
        return []
    rows = [
        (
            row["label"],
            shown(row, "actual"),
            f"{shown(row, 'lo')} – {shown(row, 'hi')}",
            p_value(row["p"]),
            row["status"],
        )
        for row in check["checks"]
    ]
    titles = ("Model check", "Data", "Model, 90 %", "p", "")
    lines = [table(titles, rows)]
    lines += [
        f"  {row['label']}: {row['text']}. {row['advice']}".rstrip()
        for row in check["checks"]
        if row["status"] != "ok"
    ]
    bad = f"{loo['n_bad_k']} of {loo['n_smoothed']} with k above {loo['k_limit']:.2f}"
    lines.append(
        f"PSIS-LOO: elpd {score(loo)}, {loo['p_loo']:.0f} effective parameters, {bad}; "
        "of gaps filled in, not of forecasts"
    )
    return [*lines, *(f"  {line}" for line in loo["warnings"])]


def shown(row: Mapping[str, Any], key: str) -> str:
    """A number of a check in its unit."""
    if row["unit"] == "share":
        return fmt.share(row[key])
    if row["unit"] == "kpi":
        return fmt.number(row[key])
    return fmt.ratio(row[key], signed=row["unit"] == "correlation")


def p_value(p: float) -> str:
    """A p-value with two decimals, never 0 or 1."""
    if p < 0.005:
        return "< 0.01"
    return "> 0.99" if p > 0.995 else f"{p:.2f}"
