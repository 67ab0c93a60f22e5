"""Exports as ad platforms and shops write them, with sums that are known.

Layouts are those of public importers' tests: title and period lines, thousands in
quotes, `--` for none, percent signs, total rows, and the words of several languages.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

START, DAYS = "2025-01-01", 250  # a Wednesday


@dataclass(frozen=True)
class Language:
    """How one language writes an export of Google Ads."""

    title: str
    period: str
    header: tuple[str, ...]
    types: tuple[str, str]
    total: str
    decimal: str


GOOGLE = {
    "en": Language(
        "Campaign performance",
        "January 1, 2025 - September 7, 2025",
        (
            *("Day", "Campaign", "Campaign type", "Currency code", "Cost", "Impr."),
            *("Clicks", "CTR", "Avg. CPC", "Conversions", "Conv. value"),
        ),
        ("Search", "Performance Max"),
        "Total: Account",
        ".",
    ),
    "de": Language(
        "Kampagnenbericht",
        "1. Januar 2025 - 7. September 2025",
        (
            *("Tag", "Kampagne", "Kampagnentyp", "Währungscode", "Kosten", "Impr."),
            *("Klicks", "CTR", "Durchschn. CPC", "Conversions", "Conv.-Wert"),
        ),
        ("Suchnetzwerk", "Performance Max"),
        "Gesamt: Konto",
        ",",
    ),
    "fr": Language(
        "Rapport sur les campagnes",
        "1 janvier 2025 - 7 septembre 2025",
        (
            *(
                "Jour",
                "Campagne",
                "Type de campagne",
                "Code de devise",
                "Coût",
                "Impr.",
            ),
            *("Clics", "CTR", "CPC moy.", "Conversions", "Valeur de conv."),
        ),
        ("Recherche", "Performance Max"),
        "Total : Compte",
        ",",
    ),
    "es": Language(
        "Informe de campaña",
        "1 de enero de 2025 - 7 de septiembre de 2025",
        (
            *(
                "Día",
                "Campaña",
                "Tipo de campaña",
                "Código de moneda",
                "Coste",
                "Impr.",
            ),
            *("Clics", "CTR", "CPC medio", "Conversiones", "Valor conv."),
        ),
        ("Búsqueda", "Máximo rendimiento"),
        "Total: Cuenta",
        ",",
    ),
}

META = {
    "en": (
        ",",
        (
            *("Reporting starts", "Reporting ends", "Campaign name", "Ad set name"),
            *("Amount spent (USD)", "Impressions", "Reach", "Link clicks", "Results"),
        ),
        ".",
    ),
    "fr": (
        ";",
        (
            *("Jour", "Fin des rapports", "Nom de la campagne"),
            *("Nom de l’ensemble de publicités", "Montant dépensé (USD)"),
            *("Impressions", "Couverture", "Clics sur un lien", "Résultats"),
        ),
        ",",
    ),
    "de": (
        ";",
        (
            *("Tag", "Berichtsende", "Name der Kampagne", "Name der Anzeigengruppe"),
            *("Ausgegebener Betrag (USD)", "Impressionen", "Reichweite"),
            *("Link-Klicks", "Ergebnisse"),
        ),
        ",",
    ),
}


def days(number: int = DAYS) -> list[str]:
    """Consecutive dates, ISO."""
    return [str(day.date()) for day in pd.date_range(START, periods=number)]


def number(value: float, decimal: str = ".", digits: int = 2) -> str:
    """A number with thousands, in quotes where it needs them."""
    text = f"{value:,.{digits}f}"
    if decimal == ",":
        text = text.replace(",", " ").replace(".", ",").replace(" ", ".")
    return text


def google(language: str = "en", seed: int = 1) -> tuple[bytes, dict[str, float]]:
    """A report of Google Ads by day and campaign, and what it sums to."""
    words, rng = GOOGLE[language], np.random.default_rng(seed)
    lines = [words.title, f'"{words.period}"', ",".join(words.header)]
    sums = {"spend": 0.0, "impressions": 0.0, "clicks": 0.0}
    campaigns = (("Brand", words.types[0]), ("Shopping all", words.types[1]))
    for day in days():
        for name, kind in campaigns:
            cost, shown = round(rng.gamma(4, 400), 2), int(rng.integers(0, 40_000))
            idle = shown < 4000
            cost, shown = (0.0, 0) if idle else (cost, shown)
            clicks = shown // 40
            paid = "--" if idle else number(cost, words.decimal)
            cells = [day, name, kind, "EUR", paid]
            cells += [number(shown, words.decimal, 0), str(clicks)]
            cells += ["--", "--"] if idle else ["2,50 %", "0,85"]
            cells += [number(clicks / 30, words.decimal), number(clicks, words.decimal)]
            lines.append(",".join(f'"{cell}"' for cell in cells))
            for what, value in zip(sums, (cost, shown, clicks), strict=True):
                sums[what] += value
    for label in (words.total, words.total.replace("Account", "All campaigns")):
        cells = [label, "", "", "EUR", number(sums["spend"], words.decimal)]
        cells += [number(sums["impressions"], words.decimal, 0)]
        cells += [number(sums["clicks"], words.decimal, 0), "--", "--", "--", "--"]
        lines.append(",".join(f'"{cell}"' for cell in cells))
    return "\n".join(lines).encode(), sums


def meta(language: str = "en", seed: int = 2) -> tuple[bytes, dict[str, float]]:
    """A report of Meta by day and ad set, and what it sums to."""
    mark, header, decimal = META[language]
    rng = np.random.default_rng(seed)
    lines = [mark.join(header)]
    sums = {"spend": 0.0, "impressions": 0.0, "clicks": 0.0}
    for day in days():
        for name in ("Prospecting", "Retargeting"):
            spend, shown = round(rng.gamma(3, 90), 2), int(rng.integers(900, 90_000))
            clicks = shown // 70
            spent = str(spend).replace(".", decimal)
            cells = [day, day, name, f"{name} broad", spent, shown, shown // 2, clicks]
            lines.append(mark.join(map(str, [*cells, clicks // 20])))
            for what, value in zip(sums, (spend, shown, clicks), strict=True):
                sums[what] += value
    return "\n".join(lines).encode(), sums


def orders(seed: int = 3, per_day: int = 5) -> tuple[bytes, dict[str, float]]:
    """Orders of a shop, one per row, and what they sum to."""
    rng = np.random.default_rng(seed)
    lines, total = ["order_id,created_at,total_price,currency"], 0.0
    for day in days():
        for number in range(per_day):
            price = round(float(rng.gamma(5, 20)), 2)
            total += price
            stamp = f"{day} {9 + number:02d}:15:00"
            lines.append(f"{1000 + len(lines)},{stamp},{price},EUR")
    return "\n".join(lines).encode(), {"revenue": total, "orders": len(lines) - 1}


def revenue(seed: int = 4, number: int = DAYS) -> bytes:
    """Revenue by day."""
    rng = np.random.default_rng(seed)
    rows = [f"{day},{rng.gamma(50, 200):.2f}" for day in days(number)]
    return "\n".join(["date,revenue", *rows]).encode()
