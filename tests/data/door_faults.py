"""What can be wrong with the files of a market, in each layout that can have it.

A fault spoils the files and leaves the truth as it is. `Skip` says that a layout cannot
have it. What follows no rule (a fault that must be asked about or named) has words in
`names`, one of which a message has to say.
"""

import unicodedata
from collections.abc import Callable

import numpy as np
import pandas as pd

from tests.data.door_markets import Market


class Skip(Exception):
    """A layout cannot have this fault."""


def _tall(made: Market) -> str:
    """A file with a row per channel."""
    names = [name for name in made.files if name in ("ads", "google", "meta")]
    if not names:
        raise Skip
    return made.pick(names)


def _one(made: Market) -> str:
    return made.pick(sorted(made.files))


def _date(made: Market, frame: pd.DataFrame) -> str:
    return str(
        frame.columns[frame.columns.isin([made.words["date"], made.words["week"]])][0]
    )


def _money(made: Market, name: str) -> list[str]:
    frame = made.files[name]
    words = (made.words["spend"], made.words["revenue"])
    return [str(c) for c in frame.columns if str(c).endswith(words)]


def none(made):
    """Nothing."""


def place_total(made):
    if len(made.places) < 2:
        raise Skip
    label = made.pick(
        [
            "Total",
            "Gesamt",
            "Deutschland",
            "FR",
            "UK",
            "España",
            "Σ",
            "National",
            "All regions",
        ]
    )
    for name, frame in made.files.items():
        place = made.words["place"]
        keys = [
            str(c)
            for c in frame.columns
            if frame[c].dtype.kind in "OMU" or str(frame[c].dtype) == "str"
        ]
        keys = [k for k in keys if k != place]
        numbers = [c for c in frame.columns if c not in (*keys, place)]
        sums = frame.groupby(keys, sort=False)[numbers].sum().reset_index()
        both = pd.concat([frame, sums.assign(**{place: label})])[list(frame.columns)]
        made.files[name] = both.reset_index(drop=True)


def channel_total_column(made):
    if made.layout not in ("wide", "variables"):
        raise Skip
    spend = made.words["spend"]
    label = made.pick(
        [
            f"Total {spend}",
            f"{spend} gesamt",
            f"Media {spend}",
            f"{spend} total",
            f"All channels {spend}",
        ]
    )
    total = sum(made.spend.values()).ravel()
    frame = made.files["market"]
    if made.layout == "wide":
        frame[label] = total.round(2)
        return
    keys = [c for c in frame.columns if c not in ("variable", "value")]
    rows = frame[keys].drop_duplicates()
    rows = rows.assign(variable=label, value=total.round(2))
    made.files["market"] = pd.concat([frame, rows], ignore_index=True)


def campaign_total(made):
    name = _tall(made)
    frame = made.files[name]
    if frame[made.words["channel"]].nunique() < 2:
        raise Skip
    label = made.pick(
        ["Total", "Gesamt", "Alle Kampagnen", "Toutes", "Todas las campañas", "Account"]
    )
    channel = made.words["channel"]
    keys = [c for c in frame.columns if c in (_date(made, frame), made.words["place"])]
    numbers = [made.words["spend"], made.words["impressions"]]
    sums = frame.groupby(keys, sort=False)[numbers].sum().reset_index()
    sums[channel] = label
    made.files[name] = pd.concat([frame, sums], ignore_index=True)[list(frame.columns)]


def total_row(made):
    name = _one(made)
    frame = made.files[name].astype(object)
    row = dict.fromkeys(frame.columns, None)
    row[_date(made, frame)] = made.pick(
        ["Total", "Gesamt", "Summe", "Total general", "Grand Total", "Ergebnis"]
    )
    for column in frame.columns:
        if column in (
            made.words["order"],
            made.words["place"],
            made.words["channel"],
            "variable",
        ):
            continue
        if column != _date(made, frame):
            row[column] = frame[column].sum()
    made.files[name] = pd.concat(
        [frame, pd.DataFrame([row]).astype(object)], ignore_index=True
    )


def month_totals(made):
    """A row after each month that sums it up, dated with its last or first day."""
    name = _one(made)
    if (
        name in ("shop", "google", "meta", "ads")
        or made.layout == "variables"
        or len(made.places) > 1
    ):
        raise Skip
    frame = made.files[name]
    date = _date(made, frame)
    month = pd.to_datetime(frame[date]).dt.to_period("M")
    parts = []
    for at, part in frame.groupby(month, sort=True):
        sums = part.drop(columns=date).sum()
        label = (
            f"{at} total"
            if made.random.random() < 0.5
            else f"Summe {at.month:02}/{at.year}"
        )
        parts += [
            part.astype(object),
            pd.DataFrame([{date: label, **sums}]).astype(object),
        ]
    made.files[name] = pd.concat(parts, ignore_index=True)


def overlap(made):
    name = _one(made)
    frame = made.files[name]
    date = _date(made, frame)
    days = np.unique(frame[date])
    cut = int(made.random.integers(len(days) // 3, 2 * len(days) // 3))
    more = int(made.random.integers(3, len(days) // 4))
    early, late = frame[frame[date] < days[cut + more]], frame[frame[date] >= days[cut]]
    revised = made.random.random() < 0.5
    if revised:
        early = early.copy()
        at = early.index[early[date] >= days[cut]]
        for column in _money(made, name) or ["value"]:
            early.loc[at, column] = (early.loc[at, column] * 0.9).round(2)
        made.names = ("both", "overlap", "twice", "more than once", "several")
    del made.files[name]
    parts = [(f"{name}_a", early), (f"{name}_b", late)]
    for key, part in parts[:: made.pick([1, -1])]:
        made.files[key] = part.reset_index(drop=True)
    if made.layout in ("wide", "variables") and revised:
        made.notes["revised"] = True


def pasted(made):
    name = _one(made)
    frame = made.files[name]
    date = _date(made, frame)
    days = np.unique(frame[date])
    at = int(made.random.integers(len(days) - 20))
    some = frame[np.isin(frame[date], days[at : at + int(made.random.integers(4, 20))])]
    both = pd.concat([frame, some], ignore_index=True)
    if made.random.random() < 0.5:
        both = both.sort_values(date, kind="stable", ignore_index=True)
    made.files[name] = both


def second_currency(made):
    """One file, or one column, is in another currency and says so."""
    name = _one(made)
    frame = made.files[name]
    columns = _money(made, name)
    if not columns:
        raise Skip
    sign = made.pick(
        ["(USD)", "$", "in GBP", "[CHF]", "£", "US-Dollar", "(PLN)", "in Dollar"]
    )
    other = made.pick(["(EUR)", "€", "in EUR", "[EUR]"])
    culprit = made.pick(columns)
    for each, frame in made.files.items():
        names = {c: f"{c} {other}" for c in _money(made, each)}
        if each == name:
            names[culprit] = f"{culprit} {sign}"
        made.files[each] = frame.rename(columns=names)
    if sum(len(_money_of(f)) for f in made.files.values()) < 2:
        raise Skip
    made.names = ("USD", "GBP", "CHF", "PLN", "$", "£", "Dollar")


def _money_of(frame):
    return [
        c
        for c in frame.columns
        if any(
            s in str(c)
            for s in ("EUR", "€", "USD", "$", "GBP", "CHF", "£", "Dollar", "PLN")
        )
    ]


def currency_codes(made):
    name = _tall(made)
    frame = made.files[name]
    some = made.random.random(len(frame)) < 0.3
    column = made.pick(
        ["Currency", "Währung", "Devise", "Moneda", "Cur.", "account currency"]
    )
    codes = made.pick(
        [("EUR", "USD"), ("eur", "gbp"), ("€", "$"), ("Euro", "US Dollar")]
    )
    made.files[name] = frame.assign(**{column: np.where(some, codes[1], codes[0])})
    made.names = ("USD", "GBP", "$", "gbp", "Dollar")


def thousands_header(made):
    """Some files or columns are in thousands, and a header says so."""
    name = _one(made)
    columns = _money(made, name)
    if not columns:
        raise Skip
    sign = made.pick(
        [
            "(in Tsd.)",
            "TEUR",
            "k€",
            "(in thousands)",
            "(000s)",
            "in T€",
            "(milliers)",
            "en miles",
            "[k EUR]",
            "(Tsd. EUR)",
            "'000",
            "x1000",
        ]
    )
    some = columns if made.random.random() < 0.5 else [made.pick(columns)]
    frame = made.files[name].copy()
    for column in some:
        frame[column] = frame[column] / 1000
    made.files[name] = frame.rename(columns={c: f"{c} {sign}" for c in some})
    made.names = tuple(some)


def thousands_title(made):
    name = _one(made)
    columns = _money(made, name)
    if not columns:
        raise Skip
    frame = made.files[name].copy()
    for column in columns:
        frame[column] = frame[column] / 1000
    made.files[name] = frame
    titles = [
        "Alle Beträge in TEUR",
        "Amounts in EUR thousands",
        "Montants en k€",
        "Importes en miles de euros",
        "Media report (figures in thousand EUR)",
        "in Tsd. €",
    ]
    made.notes["title"] = (name, made.pick(titles))
    made.names = (*columns, "thousand")


def units_row(made):
    """A row of units under the header, one of which is thousands."""
    name = _one(made)
    columns = _money(made, name)
    if not columns or name == "shop":
        raise Skip
    frame = made.files[name].copy()
    in_thousands = made.random.random() < 0.5
    if in_thousands:
        for column in columns:
            frame[column] = frame[column] / 1000
    unit = (
        made.pick(["TEUR", "k€", "Tsd. EUR"])
        if in_thousands
        else made.pick(["EUR", "€"])
    )
    row = {c: unit if c in columns else "" for c in frame.columns}
    frame = pd.concat([pd.DataFrame([row]), frame.astype(object)], ignore_index=True)
    made.files[name] = frame
    if in_thousands:
        made.names = (*columns, "thousand")


def level_change(made):
    """From some day on a column is in other units, and nothing says so."""
    name = _one(made)
    columns = _money(made, name)
    if not columns:
        raise Skip
    column = made.pick(columns)
    frame = made.files[name].copy()
    date = _date(made, frame)
    days = np.unique(frame[date])
    at = days[int(made.random.integers(len(days) // 4, 3 * len(days) // 4))]
    factor = made.pick([1000.0, 0.001, 100.0, 0.01])
    late = (frame[date] >= at).to_numpy()
    frame[column] = np.where(late, frame[column] * factor, frame[column])
    made.files[name] = frame
    made.names = ("level", column)


def one_place_in_cents(made):
    if len(made.places) < 2:
        raise Skip
    name = _one(made)
    columns = _money(made, name)
    if not columns:
        raise Skip
    frame = made.files[name].copy()
    there = (frame[made.words["place"]] == made.pick(made.places)).to_numpy()
    column = made.pick(columns)
    frame[column] = np.where(
        there, frame[column] * made.pick([100.0, 1000.0, 0.001]), frame[column]
    )
    made.files[name] = frame
    made.names = ("other amounts of each geo", "per person", column)


def utc(made):
    """Days of Berlin, written as the moments in UTC at which they begin."""
    if made.step != 1:
        raise Skip
    name = _one(made)
    frame = made.files[name].copy()
    date = _date(made, frame)
    stamps = (
        pd.DatetimeIndex(frame[date]).tz_localize("Europe/Berlin").tz_convert("UTC")
    )
    frame[date] = stamps.strftime("%Y-%m-%dT%H:%M:%SZ")
    made.files[name] = frame
    made.names = ("time of", "times of", "time zone")


def offset(made):
    """Days of Berlin with their offset: no fault, the date is the one written."""
    if made.step != 1:
        raise Skip
    name = _one(made)
    frame = made.files[name].copy()
    date = _date(made, frame)
    stamps = pd.DatetimeIndex(frame[date]).tz_localize("Europe/Berlin")
    frame[date] = [s.isoformat() for s in stamps]
    made.files[name] = frame


def zoned(made):
    """Parquet with moments in a time zone that it names."""
    if made.step != 1:
        raise Skip
    name = _one(made)
    frame = made.files[name].copy()
    date = _date(made, frame)
    zone = made.pick(["Europe/Berlin", "America/New_York", "Asia/Tokyo"])
    frame[date] = pd.DatetimeIndex(frame[date]).tz_localize(zone)
    made.files[name] = frame
    made.notes["parquet"] = name


def week_ends(made):
    """Sales by week, dated with its last day, beside days."""
    if "sales" not in made.files or made.step != 1:
        raise Skip
    frame = made.files["sales"]
    date, revenue = made.words["date"], made.words["revenue"]
    week = pd.to_datetime(frame[date]).dt.to_period("W").dt.end_time.dt.normalize()
    keys = [c for c in frame.columns if c not in (date, revenue)]
    sums = (
        frame.assign(**{made.words["week"]: week})
        .groupby([made.words["week"], *keys], sort=False)[revenue]
        .sum()
    )
    made.files["sales"] = sums.reset_index()
    made.names = ("first or", "last day", "Sunday")


def hidden_rows(made):
    name = _one(made)
    frame = made.files[name]
    some = np.sort(made.random.choice(len(frame), max(3, len(frame) // 12), False))
    made.notes["hidden"] = (name, [int(i) for i in some])
    made.names = ("hidden",)


def hidden_column(made):
    if made.layout != "wide":
        raise Skip
    columns = _money(made, "market")[1:]
    made.notes["hidden column"] = ("market", made.pick(columns))
    made.names = ("hidden",)


def hidden_sheet(made):
    name = _one(made)
    made.notes["hidden sheet"] = name
    made.names = ("hidden", "tables", "sheet")


def spellings(made):
    """A channel that some rows write otherwise."""
    name = _tall(made)
    frame = made.files[name].copy()
    channel = made.words["channel"]
    which = made.pick(sorted(frame[channel].unique()))
    ways = [
        lambda t: f"{t} ",
        lambda t: t.upper(),
        lambda t: t.lower(),
        lambda t: f"\u00a0{t}",
        lambda t: unicodedata.normalize("NFD", t),
        lambda t: (
            t.replace("a", "\u0430").replace("o", "\u043e").replace("e", "\u0435")
        ),
        lambda t: t[:1] + "\u200b" + t[1:],
    ]
    other = made.pick(ways)(which)
    if other == which:
        raise Skip
    some = (frame[channel] == which).to_numpy() & (made.random.random(len(frame)) < 0.3)
    frame[channel] = np.where(some, other, frame[channel])
    made.files[name] = frame
    made.names = ("alike", "differ", "look the same", "letters", "spell")


def same_header(made):
    """Two columns with one header: the second is a copy, or another amount."""
    if made.layout != "wide":
        raise Skip
    frame = made.files["market"]
    column = made.pick(_money(made, "market")[1:])
    other = frame[column] if made.random.random() < 0.5 else frame[column] * 1.7
    frame = pd.concat([frame, other.rename(column).round(2)], axis=1)
    made.files["market"] = frame
    made.names = ("twice", "same name", "two columns", "copy", "equal", column)


def with_tax(made):
    """Spend with and without tax: one channel, two columns."""
    name = _one(made)
    columns = [c for c in _money(made, name) if made.words["revenue"] not in c]
    if not columns:
        raise Skip
    sign = made.pick(["incl. VAT", "brutto", "TTC", "con IVA", "gross", "(with fees)"])
    frame = made.files[name].copy()
    for column in columns:
        frame[f"{column} {sign}"] = (frame[column] * 1.19).round(2)
    made.files[name] = frame
    made.names = (sign, "gross", "VAT")


def planned_rows(made):
    """Rows of a plan beside those of what was spent."""
    name = _tall(made)
    frame = made.files[name]
    column, words = made.pick(
        [
            ("Type", ("Actual", "Plan")),
            ("Version", ("Ist", "Plan")),
            ("Scenario", ("Actual", "Budget")),
            ("Szenario", ("Ist", "Forecast")),
        ]
    )
    plan = frame.copy()
    plan[made.words["spend"]] = (
        plan[made.words["spend"]] * made.random.uniform(0.9, 1.1, len(plan))
    ).round(2)
    both = pd.concat(
        [frame.assign(**{column: words[0]}), plan.assign(**{column: words[1]})]
    )
    made.files[name] = both.sort_values(
        str(both.columns[0]), kind="stable", ignore_index=True
    )
    made.names = (column, words[1])


def cancelled(made):
    if "shop" not in made.files:
        raise Skip
    frame = made.files["shop"]
    some = made.random.random(len(frame)) < 0.1
    bad = made.pick(
        ["Storniert", "refunded", "Annulée", "Cancelado", "RETURNED", "void"]
    )
    extra = frame.sample(frac=0.1, random_state=1).copy()
    extra[made.words["order"]] += 1_000_000
    both = pd.concat(
        [
            frame.assign(**{made.words["status"]: "paid"}),
            extra.assign(**{made.words["status"]: bad}),
        ]
    )
    made.files["shop"] = both.sort_values(
        made.words["date"], kind="stable", ignore_index=True
    )
    made.names = (bad, "refund", "cancel")
    del some


def order_totals(made):
    """The order's total in each of its lines."""
    if "shop" not in made.files:
        raise Skip
    frame = made.files["shop"]
    lines = made.random.integers(1, 4, len(frame))
    both = frame.loc[np.repeat(frame.index, lines)].reset_index(drop=True)
    sku = made.pick(["SKU", "Product", "Artikel", "Lineitem name"])
    both[sku] = [f"P{i}" for n in lines for i in range(n)]
    made.files["shop"] = both


def orders_twice(made):
    """Some orders are in the export a second time."""
    if "shop" not in made.files:
        raise Skip
    frame = made.files["shop"]
    both = pd.concat([frame, frame.sample(frac=0.08, random_state=2)])
    made.files["shop"] = both.sort_values(
        made.words["date"], kind="stable", ignore_index=True
    )


def merged(made):
    """A date, or a place, stands only in the first row that it is about."""
    name = _one(made)
    frame = made.files[name]
    if name == "shop" or made.layout == "variables":
        raise Skip
    column = made.pick(
        [c for c in frame.columns[:3] if frame[c].dtype.kind not in "if"]
    )
    keys = [c for c in frame.columns if frame[c].dtype.kind not in "if" and c != column]
    frame = frame.sort_values([column, *keys], kind="stable", ignore_index=True)
    again = (frame[column] == frame[column].shift()).to_numpy()
    if not again.any():
        raise Skip
    cells = frame[column].astype(object)
    frame[column] = cells.where(~again, None)
    made.files[name] = frame
    made.names = (column, "empty", "no date")


def breakdown_all(made):
    name = _tall(made)
    frame = made.files[name]
    column, parts, whole = made.pick(
        [
            ("Device", ("mobile", "desktop"), "All"),
            ("Gerät", ("Mobil", "Desktop"), "Alle"),
            ("Placement", ("Feed", "Story", "Reels"), "Total"),
            ("Age", ("18-34", "35+"), "all ages"),
        ]
    )
    share = made.random.dirichlet(np.ones(len(parts)), len(frame))
    both = []
    numbers = [made.words["spend"], made.words["impressions"]]
    rest = frame[numbers].copy()
    for at, part in enumerate(parts):
        own = (
            (frame[numbers].mul(share[:, at], axis=0)).round(2)
            if at < len(parts) - 1
            else rest.round(2)
        )
        rest = rest - own
        both.append(frame.assign(**{column: part, **{c: own[c] for c in numbers}}))
    both.append(frame.assign(**{column: whole}))
    made.files[name] = pd.concat(both).sort_values(
        str(frame.columns[0]), kind="stable", ignore_index=True
    )


def sparse(made):
    """Exports leave out what had no spend: no fault."""
    name = _tall(made)
    frame = made.files[name]
    made.files[name] = frame[frame[made.words["spend"]] > 0].reset_index(drop=True)


def unnamed_rows(made):
    """Rows of a channel without its name: they count somewhere, or it is said."""
    name = _tall(made)
    frame = made.files[name].copy()
    some = made.random.random(len(frame)) < 0.04
    frame[made.words["channel"]] = (
        frame[made.words["channel"]].astype(object).where(~some, None)
    )
    made.files[name] = frame
    made.names = (made.words["channel"], "empty", "no channel", "unnamed")


def running(made):
    """A running total instead of the amount of each period."""
    if len(made.places) > 1 or made.layout != "wide":
        raise Skip
    frame = made.files["market"].copy()
    column = made.pick(_money(made, "market"))
    frame[column] = frame[column].cumsum().round(2)
    made.files["market"] = frame
    made.names = ("running", "cumul", "grows", column)


def accents(made):
    """A file writes places without accents, or in capitals."""
    if len(made.places) < 2 or len(made.files) < 2:
        raise Skip
    name = _one(made)
    frame = made.files[name].copy()
    plain = made.random.random() < 0.5

    def other(text):
        bare = unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode()
        return bare if plain else text.upper()

    frame[made.words["place"]] = frame[made.words["place"]].map(other)
    made.files[name] = frame
    made.names = (made.words["place"], "region", "geo")


def negatives(made):
    """Amounts taken back, as accountants write them: no fault."""
    if "shop" not in made.files:
        raise Skip
    frame = made.files["shop"]
    extra = frame.sample(frac=0.05, random_state=3).copy()
    back = extra.assign(**{made.words["revenue"]: -extra[made.words["revenue"]]})
    again = extra.copy()
    back[made.words["order"]] += 2_000_000
    again[made.words["order"]] += 3_000_000
    both = pd.concat([frame, back, again])
    made.files["shop"] = both.sort_values(
        made.words["date"], kind="stable", ignore_index=True
    )


def second_table(made):
    """Another table stands below the first one of a sheet."""
    name = _one(made)
    frame = made.files[name].astype(object)
    columns = list(frame.columns)
    gap = pd.DataFrame([dict.fromkeys(columns)])
    head = pd.DataFrame(
        [
            dict(
                zip(
                    columns,
                    [
                        made.words["channel"],
                        made.words["spend"],
                        *[None] * len(columns),
                    ],
                    strict=False,
                )
            )
        ]
    )
    rows = pd.DataFrame(
        [
            dict(
                zip(
                    columns,
                    [n, float(made.spend[n].sum().round(2)), *[None] * len(columns)],
                    strict=False,
                )
            )
            for n in made.spend
        ]
    )
    made.files[name] = pd.concat([frame, gap, head, rows], ignore_index=True)
    made.names = ("date", made.words["date"], "row")


FAULTS: dict[str, Callable[[Market], None]] = {
    one.__name__: one
    for one in (
        *(none, place_total, channel_total_column, campaign_total, total_row),
        *(month_totals, overlap, pasted, second_currency, currency_codes),
        *(thousands_header, thousands_title, units_row, level_change),
        *(one_place_in_cents, utc, offset, zoned, week_ends, hidden_rows),
        *(hidden_column, hidden_sheet, spellings, same_header, with_tax),
        *(planned_rows, cancelled, order_totals, orders_twice, merged),
        *(breakdown_all, sparse, unnamed_rows, running, accents, negatives),
        *(second_table,),
    )
}
