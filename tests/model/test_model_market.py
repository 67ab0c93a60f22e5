"""What screens of assumptions say of a market is what the model is given."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.assemble import assemble
from core.data.mapping import ChannelColumns, ColumnMapping
from core.model.market import market
from core.model.shares.default import parameter_prior
from core.model.shares.settled import TREATMENT, default_of
from core.model.shares.totals import totals
from core.model.spec import ChannelSpec, ModelSpec

HISTORY = 20


def table(n_geos: int = 1, seed: int = 0) -> pd.DataFrame:
    """Weeks of two geos or one, the first of which have media and no KPI."""
    rng = np.random.default_rng(seed)
    weeks = pd.date_range("2022-01-03", periods=120, freq="W-MON").strftime("%Y-%m-%d")
    rows = []
    for geo in range(n_geos):
        kpi = rng.gamma(9.0, 100.0, len(weeks))
        kpi[:HISTORY] = np.nan
        media = rng.gamma(2.0, 100.0, len(weeks))
        rows.append(
            pd.DataFrame(
                {
                    "week": weeks,
                    "geo": f"g{geo}",
                    "orders": kpi,
                    "value": rng.uniform(1.0, 2.0, len(weeks)),
                    "tv": media,
                    "tv_spend": media * 0.1,
                    "tv_total": 5000.0,
                    "tv_week": 50.0 + np.arange(len(weeks)),
                }
            )
        )
    return pd.concat(rows, ignore_index=True)


def mapping(level: str = "geo_time", value: object = None) -> ColumnMapping:
    column = {"geo_time": "tv_spend", "total": "tv_total", "time": "tv_week"}[level]
    tv = ChannelColumns("TV", "media", media="tv", spend=column, spend_level=level)
    return ColumnMapping(
        "week",
        "orders",
        geo="geo",
        channels=(tv,),
        kpi_type="revenue" if value is None else "non_revenue",
        revenue_per_kpi=value,
    )


@pytest.mark.parametrize("level", ["geo_time", "time", "total"])
@pytest.mark.parametrize("value", [None, 12.5, "value"])
@pytest.mark.parametrize("n_geos", [1, 3])
def test_spend_and_outcome_are_those_of_the_model(n_geos, value, level):
    frame, columns = table(n_geos), mapping(level, value)
    shown, data = market(frame, columns, "EUR"), assemble(frame, columns)
    given = totals(data)
    assert shown.totals == given
    assert shown.totals.outcome == pytest.approx(float(data.outcome.sum()))
    assert shown.n_times == data.n_times == 120 - HISTORY
    assert shown.dates[0] == str(data.times[0])


def test_a_prior_on_screen_is_the_model_s():
    """Weeks with media only are no spend of the KPI's periods."""
    frame, columns = table(), replace(mapping(), kpi_type="non_revenue")
    channel = ChannelSpec("TV", "media", prior_kind="roi")
    spec = ModelSpec(channels=(channel,))
    on_screen = market(frame, columns, "EUR").totals
    shown = default_of(spec, channel, TREATMENT, on_screen)
    assert shown == parameter_prior(spec, channel, totals(assemble(frame, columns)))
    everything = {"TV": float(frame["tv_spend"].sum())}
    wrong = default_of(spec, channel, TREATMENT, replace(on_screen, spend=everything))
    apart = shown.parameters()["loc"] - wrong.parameters()["loc"]
    assert apart == pytest.approx(np.log(everything["TV"] / on_screen.spend["TV"]))
    assert apart > 0.1


def test_a_table_that_cannot_be_read_is_an_empty_market():
    frame = table().drop(columns="orders")
    shown = market(frame, mapping(), "EUR")
    assert (shown.n_times, shown.geos, dict(shown.totals.spend)) == (0, (), {})


def test_findings_do_not_hide_the_market():
    """A negative cell blocks a fit; the screen still says how much was spent."""
    frame = table()
    frame.loc[50, "tv"] = -5.0
    assert market(frame, mapping(), "EUR").totals.outcome > 0
