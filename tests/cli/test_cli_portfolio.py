"""One budget over the fits of several projects, through the command line."""

import html
import io
import json
from dataclasses import replace

import numpy as np
import openpyxl
import pypdf
import pytest
import xarray as xr
from pptx import Presentation

from core import text as fmt
from core.errors import MMMError
from core.project.plans.plans import list_plans
from core.service.portfolio import markets
from core.team import identity
from tests.cli.clicks import kept, with_clicks, written
from tests.pages import worlds

FILE = """
currency = "EUR"
[project."North Europe"]
[project."South brands"]
max = "55 %"
"""


@pytest.fixture
def fits(home):
    """Two projects with a finished fit each."""
    folders = [worlds.project(name) for name in ("North Europe", "South brands")]
    return [worlds.fit(folder) for folder in folders]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "portfolio.toml"
    path.write_text(FILE)
    return path


def test_a_plan_over_two_projects(say, fits, file):
    said = say("portfolio", "plan", file, "--json")
    assert said.code == 0, said.err
    plan = said.data
    assert plan["bound"]["gap"] <= 1e-3 and plan["verdict"] == "trustworthy"
    north, south = plan["projects"]
    assert north["planned"] + south["planned"] == pytest.approx(plan["budget"])
    assert south["planned"] <= 0.55 * plan["budget"] * (1 + 1e-9)
    names = {line["name"] for line in plan["channels"]}
    assert {"North Europe: TV", "South brands: TV"} <= names
    assert north["run_id"] == fits[0].name
    for part in plan["projects"]:
        of_lines = [
            line["planned"]
            for line in plan["channels"]
            if line["name"].startswith(f"{part['name']}: ")
        ]
        assert sum(of_lines) == pytest.approx(part["planned"])
    assert say("portfolio", "plan", file, "--json").out == said.out


def test_each_project_gets_its_part(say, fits, file, tmp_path):
    outs = [tmp_path / "plan.xlsx", tmp_path / "plan.json"]
    files = [word for out in outs for word in ("--out", out)]
    said = say("portfolio", "plan", file, "--save", "2027", *files, "--json")
    assert said.code == 0, said.err
    assert all(out.is_file() for out in outs)
    for fit, part in zip(fits, said.data["projects"], strict=True):
        (saved,) = list_plans(fit.parent.parent)
        assert saved.name == "2027" and saved.run_id == fit.name
        assert "North Europe, South brands" in saved.notes
        assert saved.money == pytest.approx(part["spend"], abs=0.01)
        assert saved.outcome.planned.mean == pytest.approx(
            part["outcome"]["planned"]["mean"], rel=1e-6
        )
    book = openpyxl.load_workbook(outs[0])
    rows = list(book["Projects"].values)
    assert [row[0] for row in rows] == ["Project", "North Europe", "South brands"]
    assert rows[1][2] == pytest.approx(said.data["projects"][0]["planned"])


def test_a_draft_is_a_file_that_plans(say, fits, tmp_path):
    path = tmp_path / "p.toml"
    assert (
        say("portfolio", "init", "North Europe", "South brands", "--out", path).code
        == 0
    )
    assert say("portfolio", "plan", path).code == 0
    assert "worth" not in path.read_text()  # the KPI of both is money already
    again = say("portfolio", "init", "North Europe", "--out", path)
    assert again.code == 1 and "is there already" in again.err


def test_fits_that_are_not_trustworthy_are_named(say, file, home):
    worlds.fit(worlds.project("North Europe"), "doubtful")
    worlds.fit(worlds.project("South brands"))
    said = say("portfolio", "plan", file)
    assert said.code == 0, said.err
    assert "The fit of North Europe is doubtful." in said.out
    assert "see python -m core summary." not in said.out  # of which project?


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("South brands", "Nowhere", "There is no project Nowhere", "Projects of the"),
        ("South brands", "North Europe", "not TOML", "Compare"),
        ('max = "55 %"', "rate = 2", "has the rate 2", "Take rate out"),
        ('max = "55 %"', 'max = "5 %"', "project South brands", ""),
        ('currency = "EUR"', 'currency = "USD"', "the portfolio in USD", "rate ="),
        ('max = "55 %"', 'run = "20200101-000000-00000000"', "", ""),
        ('max = "55 %"', '[channel."North Europe: TVs"]\nlock = true', "TVs", "mean"),
        (
            'max = "55 %"',
            '[shared.TV]\nchannels = ["North Europe: TV", "North Europe: Search"]',
            "Shared spend TV has several channels of North Europe",
            "Share one channel of each project",
        ),
        ("currency", "colour = 3\ncurrency", "portfolio has an unknown key", "kind"),
        ("currency", "budget = inf\ncurrency", "budget is not a number", "above 0"),
    ],
)
def test_what_cannot_be_planned_together_is_refused(
    say, fits, file, old, new, message, hint
):
    file.write_text(FILE.replace(old, new))
    said = say("portfolio", "plan", file)
    assert said.code == 1, said.out
    assert message in said.err and hint in said.err


def test_a_deleted_fit_is_said(say, fits, file):
    (fits[0] / "result" / "summary.json").unlink()
    said = say("portfolio", "plan", file)
    assert said.code == 1 and "summary" in said.err


def test_a_fit_that_is_gone_is_named_with_its_project(say, fits, file):
    file.write_text(FILE.replace('max = "55 %"', 'run = "20200101-000000-00000000"'))
    said = say("portfolio", "plan", file).err.replace("\n", " ")
    assert "South brands" in said and "20200101-000000-00000000" in said


@pytest.mark.parametrize(
    ("start", "every", "message"),
    [
        ("2019-01-01", 1, "periods differ: North Europe weekly, South brands daily"),
        ("2015-01-05", 7, "The data of South brands end with the period"),
    ],
)
def test_other_periods_are_said(say, fits, file, monkeypatch, start, every, message):
    usual = markets.data_times

    def times(fit):
        own = usual(fit)
        if fit.folder != fits[1]:
            return own
        return np.datetime64(start) + every * np.arange(len(own))

    monkeypatch.setattr(markets, "data_times", times)
    said = say("portfolio", "plan", file)
    assert said.code == 1 and message in said.err.replace("\n", " ")


def test_an_outcome_without_a_worth_is_said(say, fits, file):
    changed(fits[1], lambda curves: curves.assign_attrs(outcome_unit="kpi"))
    said = say("portfolio", "plan", file).err.replace("\n", " ")
    assert "South brands counts" in said and "worth = " in said
    file.write_text(FILE.replace('max = "55 %"', "worth = 2"))
    assert say("portfolio", "plan", file).code == 0


def test_a_member_who_may_not_see_a_project_plans_nothing(home, fits):
    (home / "access.toml").write_text('sign_in = "oidc"\nadmins = ["b@x.org"]\n')
    for fit, person in zip(fits, ("eve", "anna"), strict=True):
        members = fit.parents[1] / "members.toml"
        members.write_text(f'[members]\n"{person}@x.org" = "planner"')
    identity.set_sign_in(lambda: identity.Person("eve@x.org", "sign-in"))
    try:
        with pytest.raises(MMMError, match="South brands"):
            markets.markets(markets.portfolio_of(FILE))
    finally:
        identity.set_sign_in(None)
    assert markets.markets(markets.portfolio_of(FILE)).fits


def test_the_value_of_a_kpi_unit_holds_for_every_project(say, fits, file, monkeypatch):
    asked, usual = [], markets.curves

    def curves(fit, horizon, watch):
        asked.append(horizon.value)
        return usual(fit, replace(horizon, value=()), watch)

    monkeypatch.setattr(markets, "curves", curves)
    file.write_text(f"{FILE}\n[horizon]\nvalue = 1.1\n")
    said = say("portfolio", "plan", file)
    assert said.code == 0, said.err
    assert asked == [(1.1,), (1.1,)]


def test_json_is_what_is_read(say, fits, file, tmp_path):
    out = tmp_path / "plan.json"
    said = say("portfolio", "plan", file, "--out", out, "--json")
    assert json.loads(out.read_text()) == said.data


def changed(fit, change):
    """The stored curves of a fit, changed."""
    for path in (fit / "result").glob("*curves.nc"):
        with xr.open_dataset(path) as file:
            curves = file.load()
        if "outcome_unit" in curves.attrs:
            kept(path, change(curves))


def hardly_missed(fit, channel):
    """A finished fit whose data would hardly miss a channel."""
    path = fit / "result" / "summary.json"
    summary = json.loads(path.read_text())
    line = next(each for each in summary["channels"] if each["name"] == channel)
    line["evidence"] = (line.get("evidence") or {}) | {"no_effect": 0.9}
    written(path, json.dumps(summary))


BOTH = ["North Europe", "South brands"]
SHARED = '[shared.Films]\nchannels = ["North Europe: TV", "South brands: TV"]\n'


@pytest.mark.parametrize(
    ("shared", "of", "named"),
    [
        ("", [], []),
        ("", ["North Europe"], ["North Europe: TV"]),
        ("", BOTH, [f"{name}: TV" for name in BOTH]),
        (SHARED, ["North Europe"], []),  # South's data would miss it
        (SHARED, BOTH, ["Films"]),
    ],
)
def test_channels_that_no_data_would_miss_are_named(say, fits, file, shared, of, named):
    for fit in fits:
        if fit.parents[1].name in of:
            hardly_missed(fit, "TV")
    raised = "".join(f'[channel."{name}"]\nmin = "110 %"\n' for name in named)
    members = FILE.replace('max = "55 %"\n', "")
    file.write_text(f"{members}{shared}{raised}")
    said = say("portfolio", "plan", file, "--json")
    assert said.code == 0, said.err
    assert said.data.get("unseen", []) == named
    out = say("portfolio", "plan", file).out
    assert ("brings anything is assumed" in out) == (len(named) == 1)
    assert ("bring anything is assumed" in out) == (len(named) == 2)


BOUGHT = FILE.replace('[project."South', 'bought = {Clicks = 1.0}\n[project."South')


def test_a_portfolio_pays_for_what_channels_make_a_project_spend(say, fits, file):
    own = say("portfolio", "plan", file, "--json").data
    with_clicks(fits[0])
    left_out = say("portfolio", "plan", file, "--json").data
    assert left_out["budget"] == own["budget"] and "cash" not in left_out
    said = (
        "North Europe: TV also makes us spend on Clicks, which this plan does not pay"
    )
    for reasons in (left_out["reasons"], left_out["on_split"]["reasons"]):
        assert any(reason.startswith(said) for reason in reasons)
    assert said in say("portfolio", "plan", file).out  # people read it, too
    file.write_text(BOUGHT)
    said = say("portfolio", "plan", file, "--save", "2027", "--json")
    assert said.code == 0, said.err
    plan = said.data
    lines = {line["name"]: line for line in plan["channels"]}
    tv = lines["North Europe: TV"]
    before = {line["name"]: line["current"] for line in own["channels"]}
    assert tv["current"] == pytest.approx(1.25 * before["North Europe: TV"])
    assert plan["budget"] == pytest.approx(
        own["budget"] + 0.25 * before["North Europe: TV"], abs=0.01
    )
    assert plan["cash"]["mean"] == pytest.approx(plan["budget"], abs=0.01)
    assert plan["cash"]["lo"] < plan["budget"] < plan["cash"]["hi"]
    assert tv["own"] + tv["induced"]["mean"] == pytest.approx(tv["planned"])
    assert tv["roi_of_own"]["mean"] > tv["roi_with_induced"]["mean"]
    assert "own" not in lines["South brands: TV"]
    (hidden,) = plan["hidden"]
    assert hidden["mediator"] == "North Europe: Clicks"
    assert hidden["kpi"] == "North Europe: Orders"
    assert plan["bound"]["gap"] <= 1e-3
    north, south = plan["projects"]
    assert north["bought"] == {"Clicks": 1.0} and not south.get("bought")
    (saved,) = list_plans(fits[0].parent.parent)
    assert saved.cash["mean"] == pytest.approx(north["planned"], abs=0.05)
    assert saved.outcome.planned["mean"] == pytest.approx(
        north["outcome"]["planned"]["mean"], rel=1e-6
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Clicks = 1.0", "Visits = 1.0", "Project North Europe: There is no mediator"),
        ("Clicks = 1.0", "Clicks = 1.5", "bought is 1.5, not from 0 to 1"),
        ("{Clicks = 1.0}", "1.0", "how much of which mediator is bought"),
        ("{Clicks = 1.0}", '{Clicks = "all"}', "how much of which mediator is bought"),
        (
            "bought = {Clicks = 1.0}",
            "[mediator.Clicks]\nbought = 1.0",
            "a mediator is one project's",
        ),
    ],
)
def test_what_a_portfolio_cannot_pay_is_refused(say, fits, file, old, new, message):
    with_clicks(fits[0])
    assert old in BOUGHT
    file.write_text(BOUGHT.replace(old, new))
    said = say("portfolio", "plan", file)
    assert said.code == 1, said.out
    assert message in said.err.replace("\n", " ")


def test_a_portfolio_pays_at_another_price(say, fits, file):
    """Media that costs more is paid for and causes what its units do."""
    with_clicks(fits[0])
    file.write_text(BOUGHT + '\n[channel."North Europe: TV"]\nprice = 1.1\n')
    said = say("portfolio", "plan", file, "--save", "2027", "--json")
    assert said.code == 0, said.err
    plan = said.data
    lines = {line["name"]: line for line in plan["channels"]}
    tv = lines["North Europe: TV"]
    assert plan["cash"]["mean"] == pytest.approx(plan["budget"], abs=0.01)
    assert tv["own"] + tv["induced"]["mean"] == pytest.approx(tv["planned"])
    # A quarter of last year's spend at last year's media, at last year's price of both.
    assert tv["own"] / tv["induced"]["mean"] == pytest.approx(4 * 1.1, rel=1e-3)
    assert plan["bound"]["gap"] <= 1e-3
    north, _ = plan["projects"]
    assert north["prices"] == {"TV": 1.1}
    (saved,) = list_plans(fits[0].parent.parent)
    assert saved.cash["mean"] == pytest.approx(north["planned"], abs=0.05)
    assert saved.outcome.planned["mean"] == pytest.approx(
        north["outcome"]["planned"]["mean"], rel=1e-6
    )


def test_every_kind_of_report_says_the_same(say, fits, file, tmp_path):
    with_clicks(fits[0])
    file.write_text('name = "Europe"\n' + BOUGHT)
    texts = {}
    for kind in ("html", "pdf", "pptx"):
        out = tmp_path / f"plan.{kind}"
        said = say("portfolio", "plan", file, "--out", out, "--json")
        assert said.code == 0, said.err
        texts[kind] = read(out.read_bytes(), kind)
    plan = said.data
    for kind, text in texts.items():
        # A slide's title is what it claims.
        titles = ("Europe", "Move 1." if kind == "pptx" else "What each project spends")
        assert all(title in text for title in titles), kind
        for part in plan["projects"]:
            assert f"{part['name']}: trustworthy" in text, kind
        assert "also pays for what channels make us spend elsewhere" in text, kind
        for line in plan["channels"]:
            assert line["name"] in text, kind
            assert money(line["planned"]) in text, (kind, line["name"])
        for part in plan["projects"]:
            assert money(part["planned"]) in text, (kind, part["name"])
    assert "<script>alert" not in texts["html"]


def money(amount):
    return fmt.exact(amount, decimals=0)


def read(data, kind):
    """The text of a file, with single spaces."""
    if kind == "html":
        return " ".join(html.unescape(data.decode()).split())
    if kind == "pdf":
        pages = pypdf.PdfReader(io.BytesIO(data)).pages
        return " ".join(" ".join(page.extract_text() for page in pages).split())
    said = []
    for slide in Presentation(io.BytesIO(data)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                said.append(shape.text_frame.text)
            if shape.has_table:
                rows = shape.table.rows
                said += [cell.text for row in rows for cell in row.cells]
    return " ".join(" ".join(said).split())


def test_long_names_of_projects_leave_their_channels_apart(say, file, home, tmp_path):
    long = "South brands - Austria and South Tyrol retail and online"
    for name in ("North Europe", long):
        worlds.fit(worlds.project(name))
    file.write_text(FILE.replace("South brands", long))
    out = tmp_path / "plan.pptx"
    assert say("portfolio", "plan", file, "--out", out).code == 0
    said = read(out.read_bytes(), "pptx")
    assert "…: TV" in said and "…: Search" in said
    book_at = tmp_path / "plan.xlsx"
    assert say("portfolio", "plan", file, "--out", book_at).code == 0
    book = openpyxl.load_workbook(book_at)
    for title in ("Plan", "Projects"):
        assert book[title].column_dimensions["A"].width >= len(long)
