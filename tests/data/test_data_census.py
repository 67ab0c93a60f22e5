"""Every table of the reference: ready as it lies, the answers it needs, and its roles.

The answers are what a person is asked for; nothing in a file is edited.
"""

from dataclasses import dataclass, field, replace

import pytest

from core.data.layout.opening import open_files
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.data.recognition.roles import roles_of
from core.data.recognition.without_media import with_paid
from core.errors import SchemaError
from core.model.readiness import readiness
from core.project.settings.defaults import default_spec
from tests.reference import REFERENCE

pytestmark = pytest.mark.skipif(
    not (REFERENCE / "public").is_dir(), reason=f"no public tables at {REFERENCE}"
)

#: Answers that the issue allows.
MOST = 3


@dataclass(frozen=True)
class Market:
    """Files of one market, the answers it takes, and the roles that are right.

    A role of channels is `paid`, `organic` or `treatment`; columns that are not named
    are not used.
    """

    files: tuple[str, ...]
    time: str
    kpi: str
    paid: tuple[str, ...] = ()
    organic: tuple[str, ...] = ()
    treatments: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    geo: str | None = None
    answers: StatedColumns = field(default_factory=StatedColumns)
    spend_unit: str | None = None
    exposure_is_paid: tuple[str, ...] = ()

    @property
    def n_answers(self) -> int:
        """How many questions somebody has to answer."""
        said = [getattr(self.answers, name) for name in self.answers.__struct_fields__]
        return sum(map(bool, [*said, self.spend_unit, self.exposure_is_paid]))


def numbered(n):
    return tuple(f"Channel{at}" for at in range(n))


SENTIMENT = "sentiment_score_control"
ACTIVITY = ("competitor_activity_score_control", SENTIMENT)
COMPETITOR = ("competitor_sales_control", SENTIMENT)
ALL = {"organic": ("Organic_channel0",), "treatments": ("Promo",)}
DATA = "data/{}.csv".format
PUBLIC = "public/{}.csv".format
HOLIDAYS = (
    "Black Friday,Christmas Day,Christmas Eve,Columbus Day,Cyber Monday,Day after "
    "Christmas,Easter,Father's Day,Green Monday,July 4th,Labor Day,MLK,Memorial Day,"
    "Mother's Day,NYE,New Year's Day,Pre Thanksgiving,Presidents Day,Prime Day,"
    "Thanksgiving,Valentine's Day,Veterans Day"
).split(",")
MARKETS = {
    "geo_all_channels": Market(
        (DATA("geo_all_channels"),),
        *("time", "conversions", numbered(5)),
        **ALL,
        controls=COMPETITOR,
        geo="geo",
    ),
    "geo_full_funnel": Market(
        (DATA("geo_full_funnel_data"),),
        *("time", "conversions"),
        ("AwarenessVideo", "PerformanceDisplay", "PerformanceNative"),
        controls=("BrandedGQV_control", "GenericGQV_control"),
        geo="geo",
    ),
    "geo_media": Market(
        (DATA("geo_media"),),
        *("time", "conversions", numbered(4)),
        controls=ACTIVITY,
        geo="geo",
    ),
    "geo_media_rf": Market(
        (DATA("geo_media_rf"),),
        *("time", "conversions", numbered(4)),
        controls=ACTIVITY,
        geo="geo",
    ),
    "national_all_channels": Market(
        (DATA("national_all_channels"),),
        *("time", "conversions", numbered(5)),
        **ALL,
        controls=COMPETITOR,
    ),
    "national_media": Market(
        (DATA("national_media"),),
        *("time", "conversions", numbered(4)),
        controls=ACTIVITY,
    ),
    "national_media_rf": Market(
        (DATA("national_media_rf"),),
        *("time", "conversions", numbered(4)),
        controls=ACTIVITY,
    ),
    "augur": Market(
        (PUBLIC("augur_geo_mff"),),
        *("Period", "Sales", ("TV", "Search", "Social", "Display")),
        treatments=("Price",),
        geo="Geography",
    ),
    "fivetran": Market(
        (PUBLIC("fivetran_ad_report"), PUBLIC("fivetran_shopify_orders")),
        *("date", "revenue", ("Google Ads", "Facebook Ads", "TikTok Ads")),
        answers=StatedColumns(rate=(("USD", 0.92),), cancelled="counted"),
    ),
    "mixlift": Market(
        (PUBLIC("mixlift_demo"),),
        *("date", "revenue", ("google_search", "meta_prospecting", "tiktok")),
    ),
    "mmm_stan": Market(
        (PUBLIC("mmm_stan_data"),),
        *("wk_strt_dt", "sales"),
        tuple("dm inst nsp auddig audtr vidtr viddig so on sem".split()),
        organic=("em", "sms", "aff"),
        treatments=("mrkdn_valadd_edw", "mrkdn_pdm"),
        controls=(
            *("me_ics_all", "me_gas_dpg", "st_ct"),
            *(f"va_pub_0.{share}" for share in ("15", "2", "25", "3")),
            *(f"hldy_{day}" for day in HOLIDAYS),
            *(f"seas_prd_{at}" for at in (*range(1, 10), 12)),
            *(f"seas_week_{at}" for at in range(40, 49)),
        ),
    ),
    "credibility": Market(
        (
            PUBLIC("pymc_credibility_campaign_daily_metrics"),
            PUBLIC("pymc_credibility_mmm_input_data"),
        ),
        *("date", "y"),
        paid=("social", "search"),
        answers=StatedColumns(group=(("social", ("*",)),)),
    ),
    "credibility_wide": Market(
        (PUBLIC("pymc_credibility_mmm_input_data"),),
        *("date", "y", ("social", "search")),
    ),
    "funnel": Market(
        (PUBLIC("pymc_funnel_data"),),
        *("date", "target_var", ("x1", "x2", "x3", "x4")),
        controls=tuple(
            f"event_{at}"
            for at in ("2020_09", "2020_12", "2021_09", "2021_12", "2022_09")
        ),
        exposure_is_paid=("impressions_*",),
    ),
    "tvp": Market(
        (PUBLIC("pymc_media_tvp_data"),),
        *("date_week", "y", ("x1", "x2")),
        controls=("event_1", "event_2"),
    ),
    "pymc_example": Market(
        (PUBLIC("pymc_mmm_example"),),
        *("date_week", "y", ("x1", "x2")),
        controls=("event_1", "event_2"),
        spend_unit="other",
    ),
    "mock_cgp": Market(
        (PUBLIC("pymc_mock_cgp_data"),),
        *("Weeks", "target1"),
        tuple("Google Search,DV360,Facebook,AMS,TV,VOD,OOH,Radio".split(",")),
        treatments=("RSP", "Promotion"),
        controls=("Numeric Distribution",),
        spend_unit="other",
    ),
    "robyn": Market(
        (PUBLIC("robyn_dt_simulated_weekly"),),
        *("DATE", "revenue", ("tv", "ooh", "print", "facebook", "search")),
        organic=("newsletter",),
        controls=("competitor_sales_B",),
    ),
}
#: Rows of geo tests.
WITHOUT_MEDIA = (
    "geolift_pretest",
    "geolift_test",
    "geox_example_design_data_single_cell",
    "geox_example_analysis_data_single_cell_holdback",
)
#: No market: spend of a future without its KPI.
WITHOUT_KPI = ("data/hypothetical_geo_all_channels.csv",)


def table_of(names, answers=None):
    sources = [(REFERENCE / name, name.rpartition("/")[2]) for name in names]
    return read_files(open_files(sources), answers or StatedColumns())


@pytest.mark.parametrize("name", MARKETS)
def test_every_market_is_ready_with_right_roles(name):
    market = MARKETS[name]
    assert market.n_answers <= MOST
    table = table_of(market.files, market.answers)
    mapping = replace(mapping_of_table(table), spend_unit=market.spend_unit)
    mapping = with_paid(mapping, market.exposure_is_paid)
    names = {
        kind: {channel.name for channel in mapping.of_kind(*kinds)}
        for kind, kinds in {
            "paid": ("media", "reach_frequency"),
            "organic": ("organic_media", "organic_reach_frequency"),
            "treatments": ("non_media",),
        }.items()
    }
    assert (mapping.time, mapping.kpi, mapping.geo) == (
        *(market.time, market.kpi, market.geo),
    )
    assert {kind: set(getattr(market, kind)) for kind in names} == names
    assert set(mapping.controls) == set(market.controls)
    found = readiness(table.frame, mapping, default_spec(mapping))[1]
    if name == "fivetran":  # a few days: a layout, no market
        return
    assert [one.message for one in found if one.severity == "error"] == []


@pytest.mark.parametrize("name", WITHOUT_MEDIA)
def test_rows_of_a_geo_test_are_no_market(name):
    table = table_of([PUBLIC(name)])
    mapping = mapping_of_table(table)
    assert mapping.channels == ()
    roles = {one.column: one.role for one in roles_of(table.frame.columns, mapping)}
    assert roles.get("spend", "ignored") == "ignored"
    found = readiness(table.frame, mapping, default_spec(mapping))[1]
    first = found[0]
    assert (first.severity, first.where) == ("error", "channels")
    assert "no media" in first.message
    assert "core tests read" in first.hint


@pytest.mark.parametrize("name", WITHOUT_KPI)
def test_a_table_without_a_kpi_asks_for_it(name):
    with pytest.raises(SchemaError, match="No column looks like a KPI"):
        mapping_of_table(table_of([name]))


def test_no_table_is_forgotten():
    known = {name for market in MARKETS.values() for name in market.files}
    known |= {PUBLIC(name) for name in WITHOUT_MEDIA} | set(WITHOUT_KPI)
    present = {
        f"{folder}/{path.name}"
        for folder in ("data", "public")
        for path in (REFERENCE / folder).glob("*.csv")
    }
    assert present == known
