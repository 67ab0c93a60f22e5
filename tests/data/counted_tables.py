"""Files in which something could count twice, or be lost, with the sums that are true.

    python -m tests.data.counted_tables            2,000 markets of fixed seeds
    python -m tests.data.counted_tables 300 5000   300 markets from seed 5000 on

Every family has a fault in several layouts. A market passes if its sums are the truth
without an answer, if it is asked and the proposal gives the truth, or if it is refused.
Its twin without the fault has to be read without a question.
"""

import io
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from core.data.files.load import load_table
from core.data.layout.kinds.exports import Doubtful
from core.data.layout.opening import opened
from core.data.layout.reading import Table, mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import MMMError

FILES = 2000


@dataclass(frozen=True)
class Market:
    """Some files and what they sum to.

    Attributes:
        files: Name and table of each.
        truth: Sum of a column of the wide table; of all columns that contain a text.
        asks: Whether a question is right.
        channels: How many columns the text gives, where that matters.
    """

    files: tuple[tuple[str, pd.DataFrame], ...]
    truth: dict[str, float]
    asks: bool = False
    channels: dict[str, int] = field(default_factory=dict)


def _days(rng: np.random.Generator, number: int) -> pd.DatetimeIndex:
    first = pd.Timestamp("2023-01-02") + pd.Timedelta(7 * int(rng.integers(20)), "D")
    return pd.date_range(first, periods=number)


def _ads(rng, days, names, spend="Cost") -> pd.DataFrame:
    n = len(days) * len(names)
    return pd.DataFrame(
        {
            "Day": np.repeat(days.strftime("%Y-%m-%d"), len(names)),
            "Campaign": list(names) * len(days),
            spend: rng.uniform(10, 500, n).round(2),
            "Impressions": rng.integers(1000, 90000, n),
        }
    )


def _sales(rng, days) -> pd.DataFrame:
    revenue = rng.uniform(900, 1500, len(days)).round(2)
    return pd.DataFrame({"date": days.strftime("%Y-%m-%d"), "revenue": revenue})


def _names(rng) -> list[str]:
    every = ["Brand", "Generic", "Summer", "Retargeting", "Prospecting"]
    return list(rng.permutation(every)[: int(rng.integers(2, 5))])


def overlapping(rng: np.random.Generator, *, fault: bool) -> Market:
    """Two exports of one account, whose days overlap; sometimes revised."""
    days = _days(rng, 280)
    whole = _ads(rng, days, _names(rng))
    split = int(rng.integers(120, 180))
    shared = int(rng.integers(5, 90)) if fault else 0
    stamps = pd.to_datetime(whole["Day"])
    early = (
        whole[stamps < days[split + shared]] if fault else whole[stamps < days[split]]
    )
    late = whole[stamps >= days[split]]
    revised = fault and bool(rng.integers(2))
    if revised:
        early = early.copy()
        tail = early.index[-len(early) // 40 :]
        early.loc[tail, "Cost"] = (early.loc[tail, "Cost"] * 0.8).round(2)
    files = [("ads_1.csv", early), ("ads_2.csv", late)]
    if rng.integers(2):
        files.reverse()
    truth = {"_spend": whole["Cost"].sum(), "_impressions": whole["Impressions"].sum()}
    return Market((*files, ("sales.csv", _sales(rng, days))), truth, asks=revised)


def renamed(rng: np.random.Generator, *, fault: bool) -> Market:
    """Two exports of one account, between which a campaign got another name.

    Amounts of the days that both have are the same, or were revised meanwhile. In the
    twin the campaign ended, and another began on the day after.
    """
    days = _days(rng, 280)
    names = _names(rng)
    whole = _ads(rng, days, names)
    split, shared = int(rng.integers(120, 180)), int(rng.integers(5, 60))
    stamps = pd.to_datetime(whole["Day"])
    end = days[split + shared] if fault else days[split]
    early, late = whole[stamps < end].copy(), whole[stamps >= days[split]].copy()
    name = str(rng.choice(names))
    other = str(rng.choice([f"{name} | DE", f"2024 {name}", "Evergreen"]))
    late["Campaign"] = late["Campaign"].replace({name: other})
    truth = whole["Cost"].sum()
    if rng.integers(2):
        noise = rng.uniform(0.97, 1.03, len(early))
        again = (pd.to_datetime(early["Day"]) >= days[split]).to_numpy()
        early["Cost"] = early["Cost"].where(~again, early["Cost"] * noise).round(2)
    files = [("ads_1.csv", early), ("ads_2.csv", late)]
    return Market(
        (*files, ("sales.csv", _sales(rng, days))), {"_spend": truth}, asks=fault
    )


def pasted(rng: np.random.Generator, *, fault: bool) -> Market:
    """A month that is twice in one file, sometimes revised, sometimes sorted in."""
    days = _days(rng, 280)
    whole = _ads(rng, days, _names(rng))
    if not fault:
        return Market(
            (("ads.csv", whole), ("sales.csv", _sales(rng, days))),
            {"_spend": whole["Cost"].sum()},
        )
    at, length = int(rng.integers(0, 200)), int(rng.integers(7, 45))
    stamps = pd.to_datetime(whole["Day"])
    block = whole[(stamps >= days[at]) & (stamps < days[at + length])].copy()
    revised = bool(rng.integers(2))
    if revised:
        block.iloc[:2, 2] += 7.5
    truth = whole.copy()
    truth.loc[block.index] = block
    both = pd.concat([whole, block], ignore_index=True)
    if rng.integers(2):
        both = both.sort_values("Day", kind="stable", ignore_index=True)
    files = (("ads.csv", both), ("sales.csv", _sales(rng, days)))
    return Market(files, {"_spend": truth["Cost"].sum()}, asks=revised)


def platforms(rng: np.random.Generator, *, fault: bool) -> Market:
    """Two platforms or countries with the same columns, and campaigns of one name."""
    days = _days(rng, 280)
    pair = [("google", "meta"), ("de", "fr"), ("tiktok", "snap")][rng.integers(3)]
    names = _names(rng)
    others = names if fault else [f"{name} B" for name in names]
    first, second = _ads(rng, days, names), _ads(rng, days, others)
    files = ((f"{pair[0]}.csv", first), (f"{pair[1]}.csv", second))
    truth = {"_spend": first["Cost"].sum() + second["Cost"].sum()}
    return Market(
        (*files, ("sales.csv", _sales(rng, days))),
        truth,
        asks=fault,
        channels={"_spend": 2 * len(names)},
    )


def order_lines(rng: np.random.Generator, *, fault: bool) -> Market:
    """Orders of several lines: the order's total in each, or the line's own value."""
    days = _days(rng, 250)
    rows, truth, number = [], 0.0, 1000
    for day in days:
        for _ in range(4):
            number += 1
            total = round(float(rng.uniform(20, 300)), 2)
            lines = int(rng.integers(1, 4))
            for line in range(lines):
                own = total if fault else round(float(rng.uniform(5, 90)), 2)
                truth += own if not fault or line == 0 else 0.0
                rows.append((number, day.strftime("%Y-%m-%d"), f"P{line}", own))
    name = ["order_total", "total_price", "revenue"][rng.integers(3)]
    key = ["order_id", "Order Number", "order no"][rng.integers(3)]
    frame = pd.DataFrame(rows, columns=[key, "order_date", "product", name])
    return Market((("shop.csv", frame),), {"revenue": truth})


def cancelled(rng: np.random.Generator, *, fault: bool) -> Market:
    """Orders with a status, some of which are cancelled or refunded."""
    days = _days(rng, 250)
    n = 5 * len(days)
    words = [
        ("cancelled", "refunded"),
        ("storniert", "erstattet"),
        ("Canceled", "Returned"),
        ("annulée", "remboursée"),
    ][rng.integers(4)]
    good = ["paid", "completed", "shipped"][rng.integers(3)]
    states = np.array([good, "open", *(words if fault else ("paid", "sent"))])
    status = states[rng.choice(4, n, p=[0.6, 0.2, 0.1, 0.1])]
    total = rng.uniform(20, 300, n).round(2)
    frame = pd.DataFrame(
        {
            "order_id": np.arange(n) + 10_000,
            "order_date": np.repeat(days.strftime("%Y-%m-%d"), 5),
            ["status", "financial_status", "zahlung"][rng.integers(3)]: status,
            "total": total,
        }
    )
    counts = ~np.isin(status, words) if fault else np.ones(n, dtype=bool)
    return Market((("shop.csv", frame),), {"revenue": total[counts].sum()}, asks=fault)


def total_geo(rng: np.random.Generator, *, fault: bool) -> Market:
    """Geos with a row for the country, in a wide table, campaigns or variables."""
    weeks = pd.date_range("2022-01-03", periods=110, freq="7D").strftime("%Y-%m-%d")
    geos = ["North", "South", "East", "West"][: int(rng.integers(2, 5))]
    frame = pd.DataFrame(
        {
            "week": np.tile(weeks, len(geos)),
            "region": np.repeat(geos, len(weeks)),
            "revenue": rng.uniform(900, 1500, len(weeks) * len(geos)).round(2),
            "tv_spend": rng.uniform(10, 90, len(weeks) * len(geos)).round(2),
        }
    )
    truth = {"revenue": frame["revenue"].sum(), "tv_spend": frame["tv_spend"].sum()}
    name = ["Total", "All", "Germany", "DE", "Gesamt", "0", "Nielsen X"][
        rng.integers(7)
    ]
    if len(geos) < 3:
        name = "Total"
    if fault:
        sums = frame.groupby("week")[["revenue", "tv_spend"]].sum().round(2)
        sums = sums.reset_index().assign(region=name)
        frame = pd.concat([sums, frame] if rng.integers(2) else [frame, sums])
        frame = frame[["week", "region", "revenue", "tv_spend"]]
    if rng.integers(2):
        frame = frame.melt(["week", "region"], var_name="variable", value_name="value")
    return Market((("geos.csv", frame.reset_index(drop=True)),), truth)


def alike(rng: np.random.Generator, *, fault: bool) -> Market:
    """Two channels whose names differ in spaces, signs or case only."""
    pairs = [
        ("TV 1", "TV1"),
        ("Paid_Social", "PaidSocial"),
        ("Brand-Search", "BrandSearch"),
        ("Out of Home 2", "Out of Home2"),
        ("Facebook", "Facebook Ads"),
        ("Radio_A", "RadioA"),
    ]
    one, two = pairs[rng.integers(len(pairs))]
    two = two if fault else "Newsletter"
    weeks = pd.date_range("2022-01-03", periods=110, freq="7D").strftime("%Y-%m-%d")
    measures = [["spend"], ["spend", "impressions"]][rng.integers(2)]
    frame = pd.DataFrame({"week": weeks, "revenue": rng.uniform(900, 1500, 110)})
    for name in (one, two):
        for what in measures:
            frame[f"{name}_{what}"] = rng.uniform(10, 90, 110).round(2)
    return Market((("wide.csv", frame),), {}, channels={one: 1, two: 1})


def week_ends(rng: np.random.Generator, *, fault: bool) -> Market:
    """Weeks dated with their last day, beside files of days."""
    days = _days(rng, 280)
    ads = _ads(rng, days, _names(rng))
    weeks = days[6::7] if fault else days[::7]
    sales = _sales(rng, weeks).rename(columns={"date": "week"})
    truth = {"revenue": sales["revenue"].sum(), "_spend": ads["Cost"].sum()}
    return Market((("ads.csv", ads), ("sales.csv", sales)), truth, asks=fault)


def unseen(rng: np.random.Generator, *, fault: bool) -> Market:
    """A character that nobody sees in some of the names of a channel."""
    days = _days(rng, 280)
    names = _names(rng)
    ads = _ads(rng, days, names)
    truth = {"_spend": ads["Cost"].sum()}
    if fault:
        mark = ["\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad"][rng.integers(5)]
        some = rng.random(len(ads)) < 0.3
        marked = [f"{n[:2]}{mark}{n[2:]}" for n in ads["Campaign"]]
        ads["Campaign"] = np.where(some, marked, ads["Campaign"])
    files = (("ads.csv", ads), ("sales.csv", _sales(rng, days)))
    return Market(files, truth, channels={"_spend": len(names)})


def breakdowns(rng: np.random.Generator, *, fault: bool) -> Market:
    """An export by device or level, with rows that sum up others, or repeat them."""
    days = _days(rng, 280)
    ads = _ads(rng, days, _names(rng))
    counted = ["Cost", "Impressions"]
    kind = int(rng.integers(4))
    if kind == 0 and fault:  # the same amounts for each attribution window
        windows = ["1d_click", "7d_click", "28d_click"][: int(rng.integers(2, 4))]
        parts = [ads.assign(**{"Attribution setting": each}) for each in windows]
        frame = pd.concat(parts)
    elif kind == 1 and fault:
        levels = [["Campaign", "Ad"], ["campaign", "ad set", "ad"]][rng.integers(2)]
        ones = ads[counted].mul(rng.uniform(0.2, 0.8, len(ads)), axis=0).round(0)
        halves = [ads.assign(**ones), ads.assign(**(ads[counted] - ones))]
        frame = pd.concat(
            [ads.assign(Level=levels[0])]
            + [half.assign(Level=each) for each in levels[1:] for half in halves]
        )
    else:
        column, values = [
            ("Device", ("mobile", "desktop", "tablet")),
            ("Placement", ("feed", "story")),
            ("Age", ("18-24", "25-34", "35+")),
            ("Publisher platform", ("facebook", "instagram", "messenger")),
        ][rng.integers(4)]
        shares = rng.dirichlet(np.ones(len(values)), 1 if kind == 2 else len(ads))
        shares = np.broadcast_to(shares, (len(ads), len(values)))
        if kind == 2 and len(values) == 3:
            shares = np.broadcast_to([0.5, 0.3, 0.2], shares.shape)
        rows = [
            ads.assign(**{column: value}, **ads[counted].mul(shares[:, at], axis=0))
            for at, value in enumerate(values)
        ]
        frame = pd.concat(rows)
        if fault:
            totals = ["All", "Total", "", "Gesamt", "All devices", "Overall"]
            total = totals[rng.integers(len(totals))]
            frame = pd.concat([frame, ads.assign(**{column: total})])
            frame = frame.sort_values("Day", kind="stable")
    truth = {"_spend": ads["Cost"].sum(), "_impressions": ads["Impressions"].sum()}
    frame = frame.reset_index(drop=True)
    return Market((("ads.csv", frame), ("sales.csv", _sales(rng, days))), truth)


def subtotals(rng: np.random.Generator, *, fault: bool) -> Market:
    """Cities with rows of regions, an average, or a total of the KPI alone."""
    weeks = pd.date_range("2022-01-03", periods=110, freq="7D").strftime("%Y-%m-%d")
    places = [f"City {each}" for each in "ABCDEFGHIJKL"[: int(rng.integers(4, 13))]]
    n = len(weeks) * len(places)
    frame = pd.DataFrame(
        {
            "week": np.tile(weeks, len(places)),
            "region": np.repeat(places, len(weeks)),
            "revenue": rng.uniform(900, 1500, n).round(2),
            "tv_spend": rng.uniform(10, 90, n).round(2),
        }
    )
    if not fault and rng.integers(2):  # money allocated by population
        shares = np.repeat(
            [0.5, *np.full(len(places) - 1, 0.5 / (len(places) - 1))], 110
        )
        spent = np.tile(rng.uniform(100, 900, 110), len(places))
        frame["tv_spend"] = shares * spent
    counted = ["revenue", "tv_spend"]
    truth = {name: frame[name].sum() for name in counted}
    groups = []
    if fault:
        part = frame[frame["region"].isin(places[: int(rng.integers(2, 4))])]
        kind = int(rng.integers(4))
        whole = frame if kind in (0, 1) else part
        sums = whole.groupby("week")[counted]
        sums = (sums.mean() if kind == 0 else sums.sum()).reset_index()
        sums["region"] = ["Mittelwert", "Land", "Nord", "Region 1"][kind]
        if kind == 1:
            sums["tv_spend"] = [0.0, np.nan][rng.integers(2)]
        groups = [sums]
        if kind == 3:
            every = frame.groupby("week")[counted].sum().reset_index()
            groups.append(every.assign(region="Bund"))
    frame = pd.concat([frame, *groups])[["week", "region", *counted]]
    return Market((("geos.csv", frame.reset_index(drop=True)),), truth)


def flagged(rng: np.random.Generator, *, fault: bool) -> Market:
    """Orders with a flag, a date or a reason where they came to nothing."""
    days = _days(rng, 250)
    n = 4 * len(days)
    total = rng.uniform(20, 300, n).round(2)
    bad = rng.random(n) < (0.1 if fault else 0.0)
    stamp = np.repeat(days.strftime("%Y-%m-%d"), 4)
    name, cells = [
        ("is_refunded", np.where(bad, "true", "false")),
        ("cancelled", np.where(bad, 1, 0)),
        ("storniert", np.where(bad, "ja", "nein")),
        ("Cancelled at", np.where(bad, stamp, None)),
        ("cancel_reason", np.where(bad, "customer", None)),
        ("test", np.where(bad, "yes", "no")),
        ("state", np.where(bad, "void", "paid")),
    ][rng.integers(7)]
    frame = pd.DataFrame(
        {
            "order_id": np.arange(n) + 10_000,
            "order_date": stamp,
            name: cells,
            "total": total,
        }
    )
    if rng.integers(2):
        frame["status"] = "paid"
    return Market((("shop.csv", frame),), {"revenue": total[~bad].sum()}, asks=fault)


def more_columns(rng: np.random.Generator, *, fault: bool) -> Market:
    """Exports of one shop, the later with a column more; orders in both, or not."""
    days = _days(rng, 250)
    n = 4 * len(days)
    frame = pd.DataFrame(
        {
            "order_id": np.arange(n) + 10_000,
            "order_date": np.repeat(days.strftime("%Y-%m-%d"), 4),
            "total": rng.uniform(20, 300, n).round(2),
        }
    )
    cut = int(rng.integers(300, 700))
    early, late = frame[: cut + (60 if fault else 0)], frame[cut:]
    more = ["channel", "status", "coupon"][rng.integers(3)]
    late = late.assign(**{more: "web"})
    files = (("shop_1.csv", early), ("shop_2.csv", late))
    return Market(files, {"revenue": frame["total"].sum()})


def steps(rng: np.random.Generator, *, fault: bool) -> Market:
    """Months or weeks for a while, days then; sends once a week are no such thing."""
    days = _days(rng, 420)
    ads = _ads(rng, days, _names(rng))
    stamps = pd.to_datetime(ads["Day"])
    cut = days[int(rng.integers(150, 220))]
    cut += pd.Timedelta(int(-cut.weekday() % 7), "D")
    early, late = ads[stamps < cut], ads[stamps >= cut]
    kind = int(rng.integers(3))
    if kind == 0:
        cut = (cut + pd.offsets.MonthBegin(1)).normalize()
        early, late = ads[stamps < cut], ads[stamps >= cut]
        starts = pd.to_datetime(early["Day"]).dt.to_period("M").dt.start_time
    else:
        shift = [0, 1, 6][int(rng.integers(1, 3))] if fault else 0
        weeks = pd.to_datetime(early["Day"]).dt.to_period("W").dt.start_time
        starts = weeks + pd.Timedelta(shift, "D")
    sums = early.assign(Day=starts.dt.strftime("%Y-%m-%d"))
    sums = sums.groupby(["Day", "Campaign"], as_index=False).sum()
    if not fault and kind != 1:  # one send a week, as large as any day's
        early = early[
            pd.to_datetime(early["Day"]).dt.day_of_week == int(rng.integers(7))
        ]
        sums = early
    both = pd.concat([sums, late], ignore_index=True)
    both = both.sample(frac=1, random_state=1) if rng.integers(2) else both
    truth = {} if fault else {"_spend": both["Cost"].sum()}
    files = (("ads.csv", both.reset_index(drop=True)), ("sales.csv", _sales(rng, days)))
    return Market(files, truth, asks=fault)


_PLACES = (
    ("Bayern", "Hessen", "Berlin"),
    ("California", "New York", "Texas"),
    ("DE", "FR", "NL"),
    ("Nord", "Sued"),
    ("London", "North West"),
    ("A1", "A2", "A3", "A4"),
)
_SIGNS = ("{m}_{g}", "{m} {g}", "{g}_{m}", "{m} ({g})", "{g} - {m}", "{m}.{g}")


def geo_columns(rng: np.random.Generator, *, fault: bool) -> Market:
    """A column per place: of the KPI, of spend, or of both; with or without a total."""
    weeks = pd.date_range("2022-01-03", periods=110, freq="7D").strftime("%Y-%m-%d")
    kpi = ["revenue", "Umsatz", "orders", "sales"][rng.integers(4)]
    media = ["tv spend", "search_cost", "Radio Spend"][: int(rng.integers(1, 4))]
    places = _PLACES[rng.integers(len(_PLACES))]
    both = places[0] == "A1"
    which = 0 if both else int(rng.integers(3))  # both, KPI alone, spend alone
    sign = _SIGNS[rng.integers(len(_SIGNS))]
    frame = pd.DataFrame({"week": weeks})
    truth = {}
    for name in (kpi, *media):
        by_place = fault and which != (2 if name == kpi else 1)
        columns = [sign.format(m=name, g=g) for g in places] if by_place else [name]
        for column in columns:
            frame[column] = rng.uniform(10, 90, 110).round(2)
        truth[name] = frame[columns].sum().sum()
        if by_place and name == kpi and rng.integers(2):
            total = [name, sign.format(m=name, g="Total")][rng.integers(2)]
            frame[total] = frame[columns].sum(axis=1).round(2)
    if not fault:  # what differs by a word is a channel, a product, a measure
        frame[["tv impressions", "radio impressions"]] = rng.uniform(5, 9, (110, 2))
        frame[["price_online", "price_store"]] = rng.uniform(5, 9, (110, 2)).round(2)
        frame[["temp_Berlin", "temp_Hamburg"]] = rng.uniform(5, 9, (110, 2)).round(2)
        frame[["new_customers_share", "old_share"]] = rng.uniform(0, 1, (110, 2))
    return Market((("wide.csv", frame),), truth, asks=fault)


FAMILIES: dict[str, Callable[..., Market]] = {
    one.__name__: one
    for one in (
        *(overlapping, renamed, pasted, platforms, order_lines, cancelled),
        *(
            total_geo,
            alike,
            week_ends,
            unseen,
            geo_columns,
            breakdowns,
            subtotals,
            flagged,
        ),
        *(more_columns, steps),
    )
}


def outcome(family: str, seed: int, *, fault: bool) -> tuple[str, str]:
    """What became of a market: read, asked, refused, misread, needless or crashed."""
    rng = np.random.default_rng([seed, sorted(FAMILIES).index(family)])
    market = FAMILIES[family](rng, fault=fault)
    by = {"channel_by": ("Campaign",)} if family in _BY_CAMPAIGN else {}
    said: dict[str, Any] = {}
    try:
        files = [_file(name, frame, seed % 4) for name, frame in market.files]
        for _ in range(4):
            try:
                table = read_files(files, StatedColumns(**by, **said))
                break
            except Doubtful as doubt:
                said[doubt.kind] = doubt.question.choices[0][0]
        wrong = _wrong(market, table, family)
    except MMMError as error:
        return ("refused" if fault else "needless"), f"{error}"
    if wrong:
        return "misread", wrong
    if said:
        return ("asked" if market.asks else "needless"), str(said)
    return ("misread", "not asked") if market.asks else ("read", "")


_BY_CAMPAIGN = ("overlapping", "renamed", "pasted", "platforms", "week_ends", "unseen")
_BY_CAMPAIGN += ("breakdowns", "steps")


def _file(name: str, frame: pd.DataFrame, form: int):
    """A file as a reader opens it: CSV with points or commas, XLSX or Parquet."""
    content = io.BytesIO()
    if form == 1:
        frame.to_csv(content, index=False, sep=";", decimal=",")
    elif form == 2:
        frame.to_excel(content, index=False)
    elif form == 3:
        frame.to_parquet(content)
    else:
        frame.to_csv(content, index=False)
    return opened(name, load_table(content.getvalue(), name))


def _wrong(market: Market, table: Table, family: str) -> str:
    """How the table differs from the truth; empty where it does not."""
    if family == "alike":
        names = {channel.name for channel in mapping_of_table(table).channels}
        missing = set(market.channels) - names
        return f"{missing} not among {names}" if missing else ""
    for text, number in market.channels.items():
        found = [c for c in table.frame.columns if str(c).endswith(text)]
        if len(found) != number:
            return f"{len(found)} columns of {text}, not {number}: {found}"
    for text, value in market.truth.items():
        columns = [c for c in table.frame.columns if str(c).endswith(text)]
        read = float(table.frame[columns].to_numpy(dtype=float).sum())
        lost = sum(
            total.left_out
            for total in table.totals
            if text.strip("_") in total.column.casefold()
            or (text == "_spend" and "cost" in total.column.casefold())
            or (text == "revenue" and total.column not in ("orders", "units"))
        )
        if not np.isclose(read + lost, value, rtol=1e-6):
            return f"{text} is {read:,.2f} and {lost:,.2f}, not {value:,.2f}"
    return ""


def main(arguments: list[str]) -> int:
    """Read the markets and print what became of them."""
    n = int(arguments[0]) if arguments else FILES
    first = int(arguments[1]) if len(arguments) > 1 else 0
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(first, first + n // (2 * len(FAMILIES)) + 1):
        for family in FAMILIES:
            for fault in (True, False):
                kind, said = outcome(family, seed, fault=fault)
                counts[f"{family}{'' if fault else ' (without)'}", kind] += 1
                if kind in ("misread", "needless"):
                    print(f"{kind} {family} {seed} fault={fault}: {said[:300]}")
    for (family, kind), number in sorted(counts.items()):
        print(f"{family:30} {kind:10} {number:6}")
    return int(any(kind in ("misread", "needless") for _, kind in counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
