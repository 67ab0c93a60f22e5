"""Exports in fifteen ways of writing: the headers of vendors, numbers, days, encodings.

A market of `tests.data.strangers.market` is written as ad platforms, panels and shops
of a country write it: columns in their order and under their names, decimal signs,
dates, separators and code pages of the country.
"""

import csv
import io
import zlib
from dataclasses import dataclass, field

import numpy as np
import openpyxl
import pandas as pd

from tests.data.strangers.market import market

#: Decimal sign, sign between thousands, dates, separator, encodings; by locale.
LOCALES = {
    "en": (".", ",", "%Y-%m-%d", ",", ("utf-8",)),
    "us": (".", ",", "%m/%d/%Y", ",", ("utf-8",)),
    "gb": (".", ",", "%d/%m/%Y", ",", ("utf-8-sig",)),
    "de": (",", ".", "%d.%m.%Y", ";", ("cp1252", "utf-8")),
    "ch": (".", "'", "%d.%m.%Y", ";", ("cp1252", "utf-8")),
    "fr": (",", "\u202f", "%d/%m/%Y", ";", ("utf-8-sig",)),
    "es": (",", ".", "%d/%m/%Y", ";", ("cp1252", "utf-8")),
    "it": (",", ".", "%d/%m/%Y", ";", ("cp1252", "utf-8")),
    "nl": (",", ".", "%d-%m-%Y", ";", ("utf-8",)),
    "pl": (",", "\xa0", "%d.%m.%Y", ";", ("cp1250", "utf-8")),
    "pt": (",", ".", "%d/%m/%Y", ";", ("cp1252", "utf-8")),
    "sv": (",", "\xa0", "%Y-%m-%d", ";", ("cp1252", "utf-8")),
    "cs": (",", "\xa0", "%-d. %-m. %Y", ";", ("cp1250", "utf-8")),
    "tr": (",", ".", "%d.%m.%Y", ";", ("cp1254", "utf-8")),
    "ja": (".", ",", "%Y/%m/%d", ",", ("shift_jis", "utf-8-sig")),
}
_MONTHS = {
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pl": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "sv": "jan feb mars apr maj juni juli aug sep okt nov dec",
    "tr": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
    "cs": "led úno bře dub kvě čvn čvc srp zář říj lis pro",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
}
#: Headers by vendor. D is the day, E the period's last one, C the channel, S spend, I
#: impressions, K clicks, G points, R reach, X the currency, T a name of all rows.
VENDORS = {
    "google_it": "D:Giorno|C:Campagna|X:Codice valuta|S:Costo|I:Impr.|K:Clic",
    "google_nl": "D:Dag|C:Campagne|X:Valutacode|K:Klikken|I:Vertoningen|S:Kosten",
    "google_pl": "D:Dzień|C:Kampania|X:Kod waluty|S:Koszt|I:Wyśw.|K:Kliknięcia",
    "google_pt": "D:Dia|C:Campanha|X:Código da moeda|S:Custo|I:Impr.|K:Cliques",
    "google_sv": "D:Dag|C:Kampanj|X:Valutakod|S:Kostnad|I:Visn.|K:Klick",
    "google_tr": "D:Gün|C:Kampanya|X:Para birimi|S:Maliyet|I:Göst.|K:Tıklamalar",
    "google_ja": "D:日|C:キャンペーン|X:通貨コード|S:費用|I:表示回数|K:クリック数",
    "google_ch": "D:Tag|C:Kampagne|X:Währungscode|S:Kosten|I:Impr.|K:Klicks",
    "google_fr": "D:Jour|C:Campagne|X:Code de devise|S:Coût|I:Impr.|K:Clics",
    "meta_es": "C:Nombre de la campaña|D:Día|I:Impresiones|S:Importe gastado (EUR)",
    "meta_it": "D:Inizio report|E:Fine report|C:Nome della campagna|R:Copertura|"
    "S:Importo speso (EUR)",
    "meta_pt": "D:Início dos relatórios|E:Término dos relatórios|C:Nome da campanha|"
    "S:Valor usado (BRL)|I:Impressões",
    "meta_pl": "D:Początek raportowania|E:Koniec raportowania|C:Nazwa kampanii|"
    "I:Wyświetlenia|S:Wydana kwota (PLN)",
    "meta_cs": "D:Začátek reportů|E:Konec reportů|C:Název kampaně|"
    "S:Utracená částka (CZK)|I:Imprese",
    "meta_ja": "D:レポート開始日|E:レポート終了日|C:キャンペーン名|"
    "S:消化金額 (JPY)|I:インプレッション",
    "tiktok_us": "C:Campaign name|D:By Day|S:Cost|I:Impressions|K:Clicks (Destination)",
    "linkedin_de": "D:Startdatum (UTC)|C:Kampagnenname|X:Währung|S:Gesamtausgaben|"
    "I:Impressions|K:Klicks",
    "amazon_es": "D:Fecha|X:Divisa|C:Nombre de la campaña|I:Impresiones|S:Inversión",
    "dv360": "D:Date|T:Partner|C:Campaign|X:Advertiser Currency|I:Impressions|"
    "S:Revenue (Adv Currency)",
    "criteo_fr": "D:Jour|C:Campagne|I:Affichages|K:Clics|S:Coût",
    "microsoft_de": "D:Gregorianisches Datum|C:Kampagne|I:Impressionen|S:Ausgaben",
    "snapchat": "D:Start Time|E:End Time|C:Campaign Name|S:Amount Spent|K:Swipe Ups",
    "ga4_de": "D:Datum|C:Sitzungskampagne|S:Kosten für Anzeigen|K:Klicks auf Anzeigen",
    "agf_de": "D:Datum|C:Sender|G:GRP Erw. 14-49|S:Kosten netto",
    "kantar_fr": "D:Semaine|C:Média|T:Annonceur|S:Investissement net",
    "nielsen_it": "D:Data|C:Mezzo|T:Marca|S:Investimento netto",
}
#: Reports of a shop by locale: the day and the KPI.
SALES = {
    "en": ("Day|Purchase revenue", "Date|Ordered Product Sales", "Day|Net sales"),
    "us": ("Date|Ordered Product Sales", "Day|Total sales"),
    "gb": ("Day|Net sales", "Date|Revenue"),
    "de": ("Datum|Nettoumsatz", "Tag|Bruttoumsatz", "Datum|Erlöse"),
    "ch": ("Datum|Umsatz CHF", "Datum|Nettoumsatz"),
    "fr": ("Jour|Ventes nettes", "Date|CA HT"),
    "es": ("Fecha|Ventas netas", "Fecha|Facturación"),
    "it": ("Data|Fatturato", "Giorno|Vendite nette", "Data|Ricavi"),
    "nl": ("Datum|Omzet", "Dag|Netto-omzet"),
    "pl": ("Data|Przychód", "Data|Sprzedaż netto", "Dzień|Obrót"),
    "pt": ("Data|Receita", "Dia|Faturamento", "Data|Vendas líquidas"),
    "sv": ("Datum|Omsättning", "Dag|Försäljning", "Datum|Intäkter"),
    "cs": ("Datum|Tržby", "Den|Obrat"),
    "tr": ("Tarih|Ciro", "Gün|Gelir", "Tarih|Satışlar"),
    "ja": ("日付|売上", "日|売上高"),
}
#: Headers of a wide table by locale: the week, spend, the KPI.
WIDE = {
    "en": ("Week", "Spend", "Revenue"),
    "us": ("Week", "Cost", "Sales"),
    "gb": ("Week commencing", "Spend", "Sales value"),
    "de": ("Woche", "Kosten", "Umsatz"),
    "ch": ("Woche", "Kosten", "Umsatz"),
    "fr": ("Semaine", "Dépenses", "Ventes"),
    "es": ("Semana", "Inversión", "Ventas"),
    "it": ("Settimana", "Spesa", "Fatturato"),
    "nl": ("Week", "Kosten", "Omzet"),
    "pl": ("Tydzień", "Koszt", "Przychód"),
    "pt": ("Semana", "Custo", "Receita"),
    "sv": ("Vecka", "Kostnad", "Försäljning"),
    "cs": ("Týden", "Náklady", "Tržby"),
    "tr": ("Hafta", "Harcama", "Ciro"),
    "ja": ("週", "費用", "売上"),
}
CURRENCIES = {"gb": "GBP", "ch": "CHF", "pl": "PLN", "pt": "BRL", "sv": "SEK"}
CURRENCIES |= {"cs": "CZK", "tr": "TRY", "ja": "JPY", "en": "USD", "us": "USD"}
_NAMES = {
    "ja": ("ブランド", "検索", "リターゲティング"),
    "pl": ("Marka", "Zasięg", "Sprzedaż ogólna"),
    "tr": ("Marka", "Yeniden Pazarlama", "Alışveriş"),
    "cs": ("Značka", "Výkon", "Nákupy"),
}
_PLAIN = ("Brand Search", "Prospecting", "Retargeting")


@dataclass
class Table:
    """What is written: names, what each column is, rows, lines above and below."""

    names: list[str]
    roles: list[str]
    rows: list[list]
    above: list[list] = field(default_factory=list)
    below: list[list] = field(default_factory=list)

    def at(self, role: str) -> int:
        """The place of the column of a role."""
        return self.roles.index(role)

    def change(self, role: str, new) -> None:
        """Change the cells of a column: from its row's number and the cell."""
        place = self.at(role)
        for number, row in enumerate(self.rows):
            row[place] = new(number, row[place])

    def add(self, name: str, new, place: int | None = None) -> None:
        """A further column: from its row's number and the row."""
        place = len(self.names) if place is None else place
        self.names.insert(place, name)
        self.roles.insert(place, "+")
        for number, row in enumerate(self.rows):
            row.insert(place, new(number, row))

    def cut(self, first: int, last: int | None) -> "Table":
        """The same of some rows, which are copied."""
        rows = [list(row) for row in self.rows[first:last]]
        return Table(list(self.names), list(self.roles), rows)


@dataclass
class Abroad:
    """A market of a country: what is true of it, and its files by name.

    Attributes:
        said: Words of which a warning has one, where numbers are not as they are here.
        close: How far amounts may be from the truth, since they were rounded.
        options: What a person answers on the command line.
    """

    random: np.random.Generator
    locale: str
    vendor: str
    days: np.ndarray
    spend: dict[str, np.ndarray]
    revenue: np.ndarray
    places: tuple[str, ...] = ("",)
    files: dict[str, bytes] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    close: float = 0.02
    options: tuple[str, ...] = ()

    @property
    def step(self) -> int:
        """Days of a period."""
        return int((self.days[1] - self.days[0]).astype(int))

    @property
    def dates(self) -> list[pd.Timestamp]:
        """The periods' first days."""
        return list(pd.DatetimeIndex(self.days))

    @property
    def currency(self) -> str:
        """The code of the country's money."""
        return CURRENCIES.get(self.locale, "EUR")

    def pick(self, options):
        """One of some."""
        return options[int(self.random.integers(len(options)))]

    def put(self, name: str, table: Table, form: str = "", **how) -> None:
        """Write a table as a file."""
        form = form or self.pick(("csv", "csv", "xlsx"))
        data = book(table) if form == "xlsx" else self.text(table, **how)
        self.files[f"{name}.{form}"] = data

    def text(
        self, table: Table, *, grouped: bool | None = None, day: str = ""
    ) -> bytes:
        """A table as the country's programs write text."""
        *_, plain_day, mark, encodings = LOCALES[self.locale]
        grouped = self.random.random() < 0.5 if grouped is None else grouped
        buffer = io.StringIO()
        out = csv.writer(buffer, delimiter=mark, lineterminator="\r\n")
        for row in (*table.above, table.names, *table.rows, *table.below):
            out.writerow([self._cell(c, grouped, day or plain_day) for c in row])
        return buffer.getvalue().encode(self.pick(encodings))

    def _cell(self, cell, grouped: bool, day: str) -> str:
        if cell is None:
            return ""
        if isinstance(cell, pd.Timestamp):
            return self._date(cell, day)
        if isinstance(cell, float | np.floating):
            return self.number(cell, grouped=grouped)
        if isinstance(cell, int | np.integer):
            return self.number(cell, places=0, grouped=grouped)
        return str(cell)

    def _date(self, cell: pd.Timestamp, day: str) -> str:
        if day != "name":
            return cell.strftime(day)
        if self.locale == "ja":
            return f"{cell.year}年{cell.month}月{cell.day}日"
        month = _MONTHS[self.locale].split()[cell.month - 1]
        of = " de " if self.locale == "pt" else " "
        return of.join((str(cell.day), month, str(cell.year)))

    def number(self, value: float, *, places: int = 2, grouped: bool = True) -> str:
        """A number with the country's signs."""
        decimal, mark, *_ = LOCALES[self.locale]
        written = f"{value:,.{places}f}" if grouped else f"{value:.{places}f}"
        return written.replace(",", "\0").replace(".", decimal).replace("\0", mark)

    def ads(self, first: int = 0, last: int | None = None) -> Table:
        """Rows of the vendor's export: one per period and channel that ran."""
        columns = [part.split(":", 1) for part in VENDORS[self.vendor].split("|")]
        rows = []
        for at, day in list(enumerate(self.dates))[first:last]:
            for name, amounts in self.spend.items():
                spent = float(amounts[at])
                if spent <= 0:
                    continue
                seen = int(spent * 130)
                cells = {"D": day, "E": day, "C": name, "S": spent, "I": seen}
                cells |= {"K": seen // 50, "R": seen // 2, "G": round(spent / 90, 2)}
                cells |= {"X": self.currency, "T": "ACME"}
                rows.append([cells[role] for role, _ in columns])
        return Table([name for _, name in columns], [role for role, _ in columns], rows)

    def sales(self) -> Table:
        """The shop's report."""
        names = self.pick(SALES[self.locale]).split("|")
        rows = [[d, float(v)] for d, v in zip(self.dates, self.revenue, strict=True)]
        return Table(names, ["D", "V"], rows)

    def wide(self, geo: str = "", called: str = "{channel} {spend}") -> Table:
        """One row per period, or per period and geo, with a column per channel."""
        week, spend, kpi = WIDE[self.locale]
        named = [called.format(channel=name, spend=spend) for name in self.spend]
        names = [week, *([geo] if geo else []), *named, kpi]
        roles = ["D", *(["P"] if geo else []), *["S"] * len(named), "V"]
        rows = []
        for at, day in enumerate(self.dates):
            for place, of in enumerate(self.places):
                amounts = [*self.spend.values(), self.revenue]
                cells = [float(np.atleast_2d(a)[place, at]) for a in amounts]
                rows.append([day, *([of] if geo else []), *cells])
        return Table(names, roles, rows)


def book(table: Table) -> bytes:
    """A table as a workbook."""
    workbook = openpyxl.Workbook()
    for row in (*table.above, table.names, *table.rows, *table.below):
        workbook.active.append([_typed(cell) for cell in row])
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def _typed(cell):
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime()
    return cell.item() if hasattr(cell, "item") else cell


def locale_of(vendor: str) -> str:
    """The locale that a vendor's headers are of."""
    ending = vendor.rsplit("_", 1)[-1]
    return ending if ending in LOCALES else "en"


def abroad(kind: str, seed: int, *, step: int = 1, vendor: str = "") -> Abroad:
    """The market of one kind and seed."""
    random = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    vendor = vendor or sorted(VENDORS)[int(random.integers(len(VENDORS)))]
    made = market(random, 7 if vendor == "kantar_fr" else step)
    locale = locale_of(vendor)
    names = _NAMES.get(locale, _PLAIN)
    spend = dict(zip(names, made.spend.values(), strict=False))
    if locale == "ja":  # no cents
        spend = {name: np.round(values * 100) for name, values in spend.items()}
        made.revenue = np.round(made.revenue * 100)
    return Abroad(random, locale, vendor, made.days, spend, made.revenue)
