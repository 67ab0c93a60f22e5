"""A price index deflates what the model sees, and is the price that a plan pays."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.ahead.horizon import plan_horizon
from core.data.assemble import assemble
from core.data.mapping import ChannelColumns, ColumnMapping
from core.data.price import prices
from core.data.price_index import index_at, prices_ahead, prices_of_weeks
from core.errors import SpecError
from core.project.settings.definition import changes, spec_sha256
from core.project.settings.project import render_project, updated_text
from core.project.settings.project_file import parse_project

INDEX = (("2023-01-01", 1.0), ("2024-01-01", 1.25), ("2025-02-10", 2.0))
STATED = 'price_index = { "2024-01-01" = 1.25, "2023-01-01" = 1.0 }'
TOML = f"""name = "Index"
[data]
time = "week"
kpi = "sales"
kpi_type = "revenue"
[[channel]]
name = "TV"
spend = "TV_spend"
media = "TV_spend"
{STATED}
[[channel]]
name = "Search"
spend = "Search_spend"
media = "Search_spend"
"""


def market(index=INDEX):
    rng = np.random.default_rng(2)
    weeks = pd.date_range("2023-01-02", periods=104, freq="7D")
    spend = {f"{name}_spend": rng.gamma(4.0, 100, 104) for name in ("TV", "Search")}
    frame = pd.DataFrame({"week": weeks, "sales": rng.gamma(9, 900, 104)} | spend)
    times = weeks.to_numpy().astype("datetime64[D]")
    frame["TV_units"] = frame["TV_spend"] / index_at(INDEX, times)
    channels = (
        ChannelColumns(
            "TV", "media", media="TV_spend", spend="TV_spend", price_index=index
        ),
        ChannelColumns("Search", "media", media="Search_spend", spend="Search_spend"),
    )
    mapping = ColumnMapping("week", "sales", kpi_type="revenue", channels=channels)
    return frame, mapping


def test_media_is_what_units_of_its_own_would_be():
    frame, mapping = market()
    deflated = assemble(frame, mapping)
    tv, search = mapping.channels
    own = replace(tv, media="TV_units", price_index=())
    units = assemble(frame, replace(mapping, channels=(own, search)))
    np.testing.assert_allclose(deflated.media.units, units.media.units, rtol=1e-12)
    np.testing.assert_array_equal(deflated.media.spend, units.media.spend)
    assert deflated.price_index == (("TV", INDEX),) and not units.price_index


def test_an_index_that_never_changes_is_one_price():
    frame, mapping = market(index=(("2020-01-01", 1.0),))
    tv, search = mapping.channels
    plain = replace(mapping, channels=(replace(tv, price_index=()), search))
    one, other = assemble(frame, mapping), assemble(frame, plain)
    np.testing.assert_array_equal(one.media.units, other.media.units)
    assert prices_ahead(one, plan_horizon(one.times)) == {}
    assert prices_of_weeks(one, 0, 8, 52) == {}


def test_a_plan_pays_what_a_unit_costs_then():
    frame, mapping = market()
    data = assemble(frame, mapping)
    horizon = plan_horizon(data.times, 10)
    found = prices_ahead(data, horizon)
    # The data end in December 2024: the plan begins at 1.25 and goes on at 2.
    assert list(found) == ["TV"]
    n_before = int((horizon.times < np.datetime64("2025-02-10")).sum())
    assert 0 < n_before < 10
    np.testing.assert_allclose(found["TV"][:n_before], 1.0)
    np.testing.assert_allclose(found["TV"][n_before:], 2.0 / 1.25)
    weeks = prices_of_weeks(data, 0, 10, 52)["TV"]
    spend, units = (part[0, -52:, 0] for part in (data.media.spend, data.media.units))
    mean = spend.sum() / units.sum()
    np.testing.assert_allclose(weeks, index_at(INDEX, horizon.times) / mean)


def test_gamma_of_deflated_money_would_bend_it_twice():
    frame, mapping = market()
    tv, search = prices(assemble(frame, mapping))
    assert tv.is_money and search.is_money
    assert "price index" in tv.reason


def test_the_project_file_keeps_it_in_order_of_time():
    project = parse_project(TOML)
    tv, search = project.mapping.channels
    assert tv.price_index == (("2023-01-01", 1.0), ("2024-01-01", 1.25))
    assert search.price_index == ()
    again = parse_project(render_project(project))
    assert again.mapping == project.mapping
    dearer = replace(tv, price_index=(("2023-01-01", 1.0), ("2024-01-01", 1.5)))
    mapping = replace(project.mapping, channels=(dearer, search))
    other = replace(project, mapping=mapping)
    assert parse_project(updated_text(TOML, other)).mapping == mapping
    assert changes(project, other) and spec_sha256(project) != spec_sha256(other)
    edited = replace(mapping, channels=(replace(tv, price_index=()), search))
    assert edited.with_price_indexes(project.mapping) == project.mapping


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("price_index = 1.2", "must have days with a price above 0"),
        ('price_index = { "soon" = 1.2 }', "must have days with a price above 0"),
        ('price_index = { "2023-01-01" = 0 }', "must have days with a price above 0"),
        (f'{STATED}\nmedia = "TV_grps"', "units of its own (TV_grps)"),
        (f'{STATED}\nkind = "organic_media"', "is no paid media of one column"),
    ],
)
def test_what_is_no_index_is_refused(line, said):
    text = TOML.replace(STATED, line)
    if "media =" in line:
        text = text.replace('media = "TV_spend"\n', "", 1)
    with pytest.raises(SpecError) as caught:
        parse_project(text)
    messages = [caught.value.message, *(x.message for x in caught.value.findings)]
    assert any(said in message for message in messages)
