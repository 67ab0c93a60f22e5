"""Markets of many forms: what is true of them, and the files that people export.

A market has weekly spend per channel and a KPI, by place or not. It is written as one
wide table, as campaigns beside sales or orders, or as variables; by day or by
week; with the headers of four languages. `tests/data/door_faults.py` spoils some of it.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

CHANNELS = ("TV", "Search", "Social", "Radio", "Display", "Kino", "Affiliés", "OOH")
PLACES = {
    "en": ("North", "South", "East", "Midlands", "Wales"),
    "de": ("Bayern", "Hessen", "Sachsen", "Berlin", "Saarland"),
    "fr": ("Bretagne", "Alsace", "Provence", "Corse", "Normandie"),
    "es": ("Madrid", "Galicia", "Navarra", "Murcia", "Aragón"),
}
#: Headers by language: date, week, place, channel, spend, impressions, revenue, order.
WORDS = {
    "en": "Date|Week|Region|Campaign|Spend|Impressions|Revenue|Order ID|Status",
    "de": "Datum|Woche|Region|Kampagne|Kosten|Impressionen|Umsatz|Bestellnummer|Status",
    "fr": "Date|Semaine|Région|Campagne|Dépenses|Impressions|Chiffre d'affaires|"
    "Numéro de commande|Statut",
    "es": "Fecha|Semana|Región|Campaña|Gasto|Impresiones|Ingresos|Número de pedido|"
    "Estado",
}
LAYOUTS = ("wide", "campaigns", "platforms", "orders", "variables")


@dataclass
class Market:
    """A market before it is written.

    Attributes:
        random: What everything is drawn from.
        layout: Of `LAYOUTS`.
        words: Headers, by what they mean.
        days: First day of each row's period, datetime64[D].
        places: Of the market; one without a name where it is a nation.
        spend: By channel: amounts, place day, whole units of one currency.
        revenue: The same of the KPI.
        files: Tables by name of file.
        notes: What a writer of files has to know: title, hidden rows, formats.
        names: Words of a message that says what is wrong; empty where nothing is.
    """

    random: np.random.Generator
    layout: str
    words: dict[str, str]
    days: np.ndarray
    places: tuple[str, ...]
    spend: dict[str, np.ndarray]
    revenue: np.ndarray
    files: dict[str, pd.DataFrame] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @property
    def step(self) -> int:
        """Days of a period."""
        return int((self.days[1] - self.days[0]).astype(int))

    def pick(self, options):
        """One of some."""
        return options[int(self.random.integers(len(options)))]


def market(random: np.random.Generator, layout: str) -> Market:
    """A market, written in a layout and without a fault."""
    language = sorted(WORDS)[int(random.integers(len(WORDS)))]
    keys = "date week place channel spend impressions revenue order status".split()
    words = dict(zip(keys, WORDS[language].split("|"), strict=True))
    step = 7 if layout in ("wide", "variables") and random.random() < 0.6 else 1
    n = int(random.integers(60, 120)) if step == 7 else 7 * int(random.integers(30, 45))
    first = np.datetime64("2021-01-04") + 7 * int(random.integers(120))
    days = first + step * np.arange(n)
    has_places = layout != "orders" and random.random() < 0.35
    n_places = int(random.integers(3, 6)) if has_places else 1
    places = PLACES[language][:n_places] if has_places else ("",)
    shape = (n_places, n)
    size = random.uniform(0.4, 2.0, (n_places, 1))
    names = [str(c) for c in random.permutation(CHANNELS)[: int(random.integers(2, 5))]]
    spend = {
        name: (
            size
            * random.lognormal(random.uniform(5, 8), 0.5, shape)
            * (random.random(n) < random.uniform(0.6, 1.0))
        ).round(2)
        for name in names
    }
    season = 1 + 0.3 * np.sin(2 * np.pi * np.arange(n) * step / 364)
    revenue = (size * 9_000 * season * random.lognormal(0, 0.1, shape)).round(2)
    made = Market(random, layout, words, days, places, spend, revenue)
    write(made)
    return made


def write(made: Market) -> None:
    """The files of a market, as its layout has them."""
    writers = {
        "wide": _wide,
        "campaigns": _campaigns,
        "platforms": _platforms,
        "orders": _orders,
        "variables": _variables,
    }
    made.files = writers[made.layout](made)


def _keys(made: Market) -> dict[str, object]:
    """Columns of the date and, where there are several, of the place."""
    word = made.words["week" if made.step == 7 else "date"]
    keys: dict[str, object] = {word: np.tile(made.days, len(made.places))}
    if len(made.places) > 1:
        keys[made.words["place"]] = np.repeat(made.places, len(made.days))
    return keys


def _exposure(made: Market, amounts: np.ndarray) -> np.ndarray:
    noise = made.random.lognormal(0, 0.1, amounts.shape)
    return np.round(amounts * 120 * noise).astype(int)


def _wide(made: Market) -> dict[str, pd.DataFrame]:
    frame = pd.DataFrame(_keys(made))
    frame[made.words["revenue"]] = made.revenue.ravel()
    with_exposure = made.random.random() < 0.5
    for name, amounts in made.spend.items():
        frame[f"{name} {made.words['spend']}"] = amounts.ravel()
        if with_exposure:
            seen = _exposure(made, amounts).ravel()
            frame[f"{name} {made.words['impressions']}"] = seen
    return {"market": frame}


def ads(made: Market, names: list[str]) -> pd.DataFrame:
    """Rows of an ad platform: one per day, place and campaign."""
    parts = []
    for name in names:
        part = pd.DataFrame(_keys(made))
        part[made.words["channel"]] = name
        part[made.words["spend"]] = made.spend[name].ravel()
        part[made.words["impressions"]] = _exposure(made, made.spend[name]).ravel()
        parts.append(part)
    frame = pd.concat(parts, ignore_index=True)
    return frame.sort_values(str(frame.columns[0]), kind="stable", ignore_index=True)


def sales(made: Market) -> pd.DataFrame:
    """Rows of a shop's own report."""
    frame = pd.DataFrame(_keys(made))
    return frame.assign(**{made.words["revenue"]: made.revenue.ravel()})


def _campaigns(made: Market) -> dict[str, pd.DataFrame]:
    return {"ads": ads(made, list(made.spend)), "sales": sales(made)}


def _platforms(made: Market) -> dict[str, pd.DataFrame]:
    names = list(made.spend)
    cut = max(1, len(names) // 2)
    first, second = ads(made, names[:cut]), ads(made, names[cut:])
    return {"google": first, "meta": second, "sales": sales(made)}


def _orders(made: Market) -> dict[str, pd.DataFrame]:
    n_lines = made.random.integers(2, 6, len(made.days))
    shares = [made.random.dirichlet(np.ones(n)) for n in n_lines]
    totals = made.revenue[0]
    amounts = []
    for share, total in zip(shares, totals, strict=True):
        cents = np.floor(share * total * 100) / 100
        cents[-1] += total - cents.sum()
        amounts += [cents.round(2)]
    value = np.concatenate(amounts)
    frame = pd.DataFrame(
        {
            made.words["order"]: 500_000 + np.arange(len(value)),
            made.words["date"]: np.repeat(made.days, n_lines),
            made.words["revenue"]: value,
        }
    )
    return {"ads": ads(made, list(made.spend)), "shop": frame}


def _variables(made: Market) -> dict[str, pd.DataFrame]:
    wide = _wide(made)["market"]
    keys = list(_keys(made))
    return {"market": wide.melt(keys, var_name="variable", value_name="value").dropna()}
