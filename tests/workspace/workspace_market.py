"""A small project for tests, and a fake clock-free way to wait."""

import numpy as np
import pandas as pd

from core.data.experiments.entry import Entry
from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.model.inputs.events import Event
from core.model.priors.prior import prior
from core.model.spec import ChannelSpec, ModelSpec
from core.project.settings.definition import Project

MAPPING = ColumnMapping(
    time="week",
    geo="region",
    kpi="sales",
    revenue_per_kpi="price",
    population="people",
    controls=("weather", "Überlauf =1+1"),
    channels=(
        ChannelColumns("TV", "media", media="tv_views", spend="tv_cost"),
        ChannelColumns(
            "Vidéo",
            "reach_frequency",
            reach="v_r",
            frequency="v_f",
            spend="v_c",
            spend_level="time",
        ),
        ChannelColumns("Mail", "organic_media", media="mails"),
        ChannelColumns(
            "Social", "organic_reach_frequency", reach="s_r", frequency="s_f"
        ),
        ChannelColumns('=1+1 "quoted"', "non_media", column="promo"),
    ),
)

#: Every option differs from its default.
SPEC = ModelSpec(
    channels=(
        ChannelSpec(
            "TV",
            adstock="binomial",
            saturation="none",
            max_lag=5,
            prior_kind="roi",
            prior=prior("LogNormal", loc=0.1, scale=0.3),
            priors=(
                ("alpha", prior("Beta", concentration1=1.0, concentration0=3.0)),
                ("ec", prior("LogNormal", loc=0.7, scale=0.4, shift=0.1)),
            ),
            calibration=(("2024-01-01", "2024-06-24"), ("2025-01-06", "2025-02-03")),
            follows_demand=True,
        ),
        ChannelSpec(
            "Vidéo", kind="reach_frequency", prior_kind="mroi", follows_demand=False
        ),
        ChannelSpec("Mail", kind="organic_media", prior_kind="coefficient"),
        ChannelSpec("Social", kind="organic_reach_frequency"),
        ChannelSpec('=1+1 "quoted"', kind="non_media", baseline=2.5),
    ),
    preset="meridian",
    baseline="knots",
    knots=(0, 10, 51),
    seasonality=3,
    weekday=False,
    smooth=7,
    recurring=True,
    holidays="CH-ZH",
    holiday_window=(2, 1),
    events=(
        Event("Opening", "2024-02-01", "2024-02-20"),
        Event("Fair", "2024-05-06", "2024-05-06"),
    ),
    varies_by_geo=("trend",),
    media_effects="normal",
    hill_before_adstock=True,
    max_lag=12,
    unique_sigma_for_each_geo=True,
    autocorrelation=True,
    baseline_geo="North",
    holdout=(("North", "2024-01-01"), ("South", "2024-01-08")),
    population_scaled_controls=("weather",),
    population_scaled_non_media=('=1+1 "quoted"',),
    priors=(("sigma", prior("HalfNormal", scale=2.0)),),
)

FULL = Project(
    name="Großer Markt",
    currency="CHF",
    file="data.parquet",
    mapping=MAPPING,
    spec=SPEC,
    sampler=SamplerSettings(
        chains=2,
        warmup=100,
        draws=50,
        seed=9,
        precision="float64",
        device="cpu",
        target_accept=0.9,
        max_tree_depth=8,
    ),
    experiments=(
        Entry(
            channel="TV",
            geos=("North",),
            start="2024-02-05",
            end="2024-03-04",
            incremental_outcome=1000.0,
            standard_error=120.5,
        ),
    ),
)


def simple(**changes):
    """A project that can be fitted: one channel, defaults."""
    values = {
        "name": "Market",
        "currency": "EUR",
        "file": "data.parquet",
        "mapping": ColumnMapping(
            "week",
            "sales",
            channels=(ChannelColumns("TV", "media", media="tv", spend="tv_cost"),),
        ),
        "spec": ModelSpec(channels=(ChannelSpec("TV"),), knots=4),
        "sampler": SamplerSettings(),
    }
    return Project(**(values | changes))


def table(n_times=24, freq="7D"):
    """A national table of media and sales."""
    weeks = pd.date_range("2024-01-01", periods=n_times, freq=freq)
    steps = np.arange(n_times, dtype=float)
    return pd.DataFrame(
        {
            "week": weeks.strftime("%Y-%m-%d"),
            "sales": 100 + steps,
            "tv": steps % 5,
            "tv_cost": (steps % 5) * 3,
        }
    )
