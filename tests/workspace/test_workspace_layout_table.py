"""[data.layout] of project.toml: written, read back, and refused with its line."""

from dataclasses import replace

import pytest

from core.data.layout.recipe import Layout, Source
from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import SpecError
from core.fit.settings import SamplerSettings
from core.project.settings.defaults import default_spec
from core.project.settings.definition import Project, spec_sha256
from core.project.settings.project import load_project, render_project, save_project
from core.project.settings.project_file import parse_project

ADS = Source(
    "ads.csv",
    "campaigns",
    "Day",
    geo="Region",
    part="Sheet 1",
    channel=("Platform", "Campaign"),
    pattern="^([a-z]+)",
    prefix="Google",
    groups=(("Brand", ("brand*", "Marke")),),
    amounts=(("spend", "Cost"), ("clicks", "Clicks")),
    currency="USD",
    currency_column="Currency code",
    money=("Cost",),
)
KPI = Source(
    "ads.csv",
    "table",
    "Day",
    repeats=True,
    amounts=(("sales", "sales"),),
    averages=("price",),
    texts=("events",),
)
FLAT = Source(
    "flat.csv",
    "variables",
    "Period",
    date_is_end=True,
    variable="VariableName",
    value="VariableValue",
)
SHOP = Source("shop.csv", "orders", "created", amounts=(("revenue", "x"),), count="n")
LAYOUT = Layout(
    (ADS, KPI, FLAT, SHOP),
    period="week",
    week_begins="sunday",
    geos="summed",
    outside="zero",
    overlap="newest",
    geo_columns="places",
    cancelled="left_out",
    currency="EUR",
    rates=(("USD", 0.92),),
)


def project(layout: Layout | None = LAYOUT) -> Project:
    channel = ChannelColumns("A", "media", "A_clicks", spend="A_spend")
    mapping = ColumnMapping("week", "sales", channels=(channel,))
    return Project(
        name="market",
        currency="EUR",
        file="data.parquet",
        mapping=mapping,
        spec=default_spec(mapping),
        sampler=SamplerSettings(),
        layout=layout,
    )


def test_every_field_is_written_and_read_back():
    assert parse_project(render_project(project())) == project()


def test_a_project_of_one_file_as_it_lies_says_nothing():
    text = render_project(project(None))
    assert "layout" not in text
    assert parse_project(text).layout is None


@pytest.mark.parametrize(
    "changed",
    [
        replace(LAYOUT, period="month"),
        replace(LAYOUT, sources=(ADS, SHOP)),
        replace(LAYOUT, sources=(SHOP, KPI, ADS), rates=()),
        None,
    ],
)
def test_an_edit_keeps_comments_and_loses_nothing(tmp_path, changed):
    (tmp_path / "project.toml").write_text(f"# by hand\n{render_project(project())}")
    save_project(tmp_path, project(changed))
    text = (tmp_path / "project.toml").read_text()
    assert text.startswith("# by hand\n")
    assert load_project(tmp_path).layout == changed
    save_project(tmp_path, project())
    assert load_project(tmp_path).layout == LAYOUT


def test_what_a_fit_estimates_does_not_depend_on_the_layout():
    assert spec_sha256(project()) == spec_sha256(project(None))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "orders"', 'kind = "ordres"', "Did you mean 'orders'?"),
        ('week_begins = "sunday"', 'week_begins = "sun"', "week_begins"),
        ("rates = {USD = 0.92}", "rates = {USD = 0}", "what they are worth"),
        ('variable = "VariableName"\n', "", "lacks variable or value"),
        ("amounts = {revenue = ", "amounts = {revenue = 3, x = ", "names with columns"),
        ('prefix = "Google"', 'prefx = "Google"', "Did you mean prefix?"),
        ('date = "created"\n', "", "lacks date"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old, new, said):
    text = render_project(project())
    assert old in text
    with pytest.raises(SpecError) as raised:
        parse_project(text.replace(old, new))
    assert said in str(raised.value)
    assert "line" in raised.value.where
