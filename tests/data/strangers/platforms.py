"""Exports of ad platforms and media agencies, as they leave their programs."""

import numpy as np

from tests.data.strangers.market import (
    Stranger,
    book,
    english,
    french,
    german,
    kind,
    text,
)


def _totals(made: Stranger) -> tuple[float, int]:
    spent = sum(float(values.sum()) for values in made.spend.values())
    return spent, sum(line[3] for line in made.lines())


@kind(1)
def google_english(made):
    first, last = made.dates[0], made.dates[-1]
    rows = [["Campaign report"], [f"{first:%B %-d, %Y} - {last:%B %-d, %Y}"]]
    rows += [["Day", "Campaign", "Currency code", "Impr.", "Clicks", "Cost", "CTR"]]
    for day, name, spent, seen in made.lines():
        clicks = seen // 50
        cells = [f"{seen:,}", f"{clicks:,}", english(spent)]
        rows.append([f"{day:%Y-%m-%d}", name, "EUR", *cells, "2.00%"])
    spent, seen = _totals(made)
    total = [f"{seen:,}", f"{seen // 50:,}", english(spent), "2.00%"]
    for what in ("Total: Account", "Total: Search campaigns"):
        rows.append([what, " --", "EUR", *total])
    made.files["Campaign report.csv"] = text(rows)
    made.with_sales()


@kind(1)
def google_german(made):
    rows = [["Kampagnenbericht"], ["1. Januar 2022 – 31. Dezember 2023"]]
    rows += [["Tag", "Kampagne", "Währungscode", "Kosten", "Impr.", "Klicks", "Conv."]]
    for day, name, spent, seen in made.lines():
        cells = [german(spent), german(seen, 0), german(seen // 40, 0), "1,00"]
        rows.append([f"{day:%d.%m.%Y}", name, "EUR", *cells])
    made.files["Kampagnenbericht.csv"] = text(rows, "\t", "utf-16")
    made.with_sales("de")


@kind(1)
def google_spanish(made):
    rows = [["Informe de campaña"], ["Todo el periodo"]]
    rows += [["Día", "Campaña", "Código de moneda", "Coste", "Impr.", "Clics"]]
    for day, name, spent, seen in made.lines():
        cells = [german(spent), german(seen, 0), german(seen // 40, 0)]
        rows.append([f"{day:%d/%m/%Y}", name, "EUR", *cells])
    made.files["informe.csv"] = text(rows, ";")
    made.with_sales()


@kind(1)
def google_by_device(made):
    rows = [["Day", "Campaign", "Device", "Cost", "Impr.", "Clicks"]]
    for day, name, spent, seen in made.lines():
        part = round(spent * 0.37, 2)
        rows.append([f"{day:%Y-%m-%d}", name, "Mobile", part, seen // 3, 9])
        rest = [round(spent - part, 2), seen - seen // 3, 4]
        rows.append([f"{day:%Y-%m-%d}", name, "Computers", *rest])
    made.files["devices.csv"] = text(rows)
    made.with_sales()


@kind(1)
def meta_dated_total(made):
    rows = [["Reporting starts", "Reporting ends", "Campaign name", "Reach"]]
    rows[0] += ["Impressions", "Amount spent (EUR)", "Results", "CPM"]
    first, last = (f"{day:%Y-%m-%d}" for day in (made.dates[0], made.dates[-1]))
    spent, seen = _totals(made)
    rows.append([first, last, "", seen // 2, seen, round(spent, 2), 999, 7.7])
    for day, name, amount, number in made.lines():
        cells = [name, number // 2, number, amount, 3, 7.7]
        rows.append([f"{day:%Y-%m-%d}", f"{day:%Y-%m-%d}", *cells])
    made.files["Campaigns.csv"] = text(rows)
    made.with_sales()


@kind(1)
def meta_german(made):
    rows = [["Berichtsstart", "Berichtsende", "Name der Kampagne", "Reichweite"]]
    rows[0] += ["Impressionen", "Ausgegebener Betrag (EUR)"]
    for day, name, amount, number in made.lines():
        cells = [name, number // 2, number, amount]
        rows.append([f"{day:%Y-%m-%d}", f"{day:%Y-%m-%d}", *cells])
    spent, seen = _totals(made)
    first, last = (f"{day:%Y-%m-%d}" for day in (made.dates[0], made.dates[-1]))
    rows.append([first, last, "Gesamtergebnis", "", seen, round(spent, 2)])
    made.files["Kampagnen.xlsx"] = book(rows)
    made.with_sales()


@kind(1)
def tiktok_total_of_results(made):
    rows = [["Date", "Campaign name", "Cost", "Impressions", "Clicks (destination)"]]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%Y-%m-%d}", name, spent, seen, seen // 70])
    spent, seen = _totals(made)
    rows.append([f"Total of {len(rows) - 1} results", "-", round(spent, 2), seen, 12])
    made.files["tiktok.xlsx"] = book(rows)
    made.with_sales()


@kind(1)
def linkedin_utf16(made):
    rows = [["Campaign Performance Report (in UTC)"], ["Report Start: 1/3/22"]]
    rows += [["Date Generated: January 4, 2024, 9:12 AM"], []]
    rows += [["Start Date (in UTC)", "Campaign Name", "Currency", "Total Spent"]]
    rows[-1] += ["Impressions"]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%-m/%-d/%Y}", name, "EUR", f"{spent:.2f}", str(seen)])
    made.files["campaign_performance.csv"] = text(rows, "\t", "utf-16")
    made.with_sales()


@kind(1)
def microsoft_footer(made):
    rows = [["Report Name: Campaign performance"], ["Report Time: 2022 - 2023"]]
    rows += [["Time Zone: GMT"], ["Last Completed Available Hour: 1/1/2024"], []]
    rows += [["Gregorian date", "Campaign", "Impressions", "Clicks", "Spend"]]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%-m/%-d/%Y}", name, seen, seen // 30, spent])
    rows += [[], ["©2024 Microsoft Corporation. All rights reserved."]]
    made.files["performance.csv"] = text(rows)
    made.with_sales()


@kind(1)
def snapchat_micro(made):
    rows = [["Start time", "Campaign name", "Spend (micro)", "Impressions"]]
    for day, name, spent, seen in made.lines():
        stamp = f"{day:%Y-%m-%d}T00:00:00.000+01:00"
        rows.append([stamp, name, round(spent * 1e6), seen])
    made.files["snapchat.csv"] = text(rows)
    made.with_sales()


@kind(1)
def amazon_ads(made):
    rows = [["Date", "Portfolio name", "Currency", "Campaign Name", "Impressions"]]
    rows[0] += ["Clicks", "Spend", "7 Day Total Sales", "Total ACOS"]
    for day, name, spent, seen in made.lines():
        cells = [seen, seen // 60, f"€{spent:,.2f}", f"€{spent * 3:,.2f}", "33.3%"]
        rows.append([f"{day:%b %d, %Y}", "All products", "EUR", name, *cells])
    made.files["Sponsored Products.xlsx"] = book(rows)
    made.with_sales()


@kind(1)
def dv360_media_cost(made):
    rows = [["Date", "Advertiser", "Insertion Order", "Advertiser Currency"]]
    rows[0] += ["Impressions", "Clicks", "Media Cost (Advertiser Currency)"]
    for day, name, spent, seen in made.lines():
        cells = [f"{day:%Y/%m/%d}", "ACME", name, "EUR", seen, seen // 900, spent]
        rows.append(cells)
    spent, seen = _totals(made)
    rows.append(["", "", "", "", seen, seen // 900, round(spent, 2)])
    rows += [[], ["Report Time:", "2024/01/04 05:11 GMT"]]
    rows += [["Date Range:", "2022/01/03 to 2023/12/31"], ["Group By:", "Date"]]
    rows += [["MRC Accredited Metrics", "Active View metrics are accredited"]]
    made.files["dv360.csv"] = text(rows)
    made.with_sales()


@kind(1)
def dv360_revenue(made):
    rows = [["Date", "Insertion Order", "Insertion Order ID", "Advertiser Currency"]]
    rows[0] += ["Impressions", "Clicks", "Revenue (Adv Currency)"]
    for day, name, spent, seen in made.lines():
        cells = [f"{day:%Y/%m/%d}", name, 9000 + len(name), "EUR", seen, seen // 900]
        rows.append([*cells, f"{spent:.6f}"])
    made.files["dv360.csv"] = text(rows)
    made.with_sales()


@kind(1)
def amazon_orders_of_media(made):
    rows = [["Date", "Order name", "Order ID", "Total cost", "Impressions"]]
    rows[0] += ["Click-throughs", "14 Day Total Sales"]
    for day, name, spent, seen in made.lines():
        cells = [name, f"58{len(name)}" * 6, f"${spent:,.2f}", seen, seen // 60]
        rows.append([f"{day:%m/%d/%Y}", *cells, f"${spent * 3:,.2f}"])
    made.files["dsp.csv"] = text(rows)
    made.with_sales()


@kind(1)
def adform_french(made):
    rows = [["Jour", "Campagne", "Dépenses média (€)", "Impressions", "Clics"]]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%d/%m/%Y}", name, french(spent), seen, seen // 80])
    made.files["rapport.csv"] = text(rows, ";")
    made.with_sales()


@kind(1)
def criteo_displays(made):
    rows = [["Day", "Campaign Name", "Displays", "Clicks", "Cost", "Sales (PC30)"]]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%Y-%m-%d}", name, seen, seen // 60, spent, spent * 4])
    made.files["criteo.csv"] = text(rows)
    made.with_sales()


@kind(1)
def outbrain_totals_on_top(made):
    rows = [["Date", "Campaign", "Amount Spent", "Impressions", "Clicks"]]
    spent, seen = _totals(made)
    rows.append(["Totals", "", f"${spent:,.2f}", f"{seen:,}", "12"])
    for day, name, amount, number in made.lines():
        cells = [f"${amount:,.2f}", f"{number:,}", "12"]
        rows.append([f"{day:%m/%d/%Y}", name, *cells])
    made.files["outbrain.csv"] = text(rows)
    made.with_sales()


@kind(1)
def analytics_comments(made):
    first, last = made.dates[0], made.dates[-1]
    rows = [["# ----------------------------------------"]]
    rows += [["# Traffic acquisition"], ["# Account: ACME"]]
    rows += [[f"# {first:%Y%m%d}-{last:%Y%m%d}"], ["# -------------------------"]]
    rows += [["Date", "Session campaign", "Google Ads cost", "Google Ads clicks"]]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%Y%m%d}", name, spent, seen // 40])
    made.files["analytics.csv"] = text(rows)
    made.with_sales()


@kind(7)
def tv_agency(made):
    name, values = next(iter(made.spend.items()))
    made.spend = {name: values}
    rows: list = [["Mediaplan TV 2022/23", None, None], ["Angaben netto", None, None]]
    rows += [[], ["Woche", "GRP E14-49", "Netto Kosten €"]]
    for at, day in enumerate(made.dates):
        year, week, _ = day.isocalendar()
        rows.append([f"KW {week:02d}/{year}", float(values[at] / 90), values[at]])
    rows += [["Summe", float(values.sum() / 90), float(values.sum())]]
    rows += [[], ["* Werte ab KW 40 vorläufig", None, None]]
    made.files["TV.xlsx"] = book(rows)
    made.with_sales()


@kind(1)
def radio_spots(made):
    rows = [["Sendedatum", "Uhrzeit", "Sender", "Länge (Sek.)", "Preis netto (EUR)"]]
    for day, name, spent, _ in made.lines():
        parts = np.floor(100 * spent * made.random.dirichlet(np.ones(3))) / 100
        parts[-1] += spent - parts.sum()
        for hour, part in zip(("07:15", "12:40", "17:05"), parts, strict=True):
            rows.append([f"{day:%d.%m.%Y}", hour, name, 20, german(part)])
    made.files["Radiospots.csv"] = text(rows, ";", "cp1252")
    made.with_sales()


@kind(1)
def affiliate_commission(made):
    rows = [["Transaction Date", "Publisher", "Commission status", "Commission Cost"]]
    for day, name, spent, _ in made.lines():
        half = round(spent * 0.41, 2)
        for part in (half, round(spent - half, 2)):
            stamp = f"{day:%Y-%m-%d} 1{made.random.integers(10)}:22:05"
            rows.append([stamp, name, "approved", part])
    made.files["awin.csv"] = text(rows)
    made.with_sales()


@kind(1)
def affiliate_fixed_commission(made):
    for name, values in made.spend.items():
        made.spend[name] = 5.0 * np.ceil(values / 500)
    rows = [["Date", "Publisher", "Commission cost", "Transactions"]]
    for day, name, spent, _ in made.lines():
        for _ in range(round(spent / 5)):
            rows.append([f"{day:%Y-%m-%d}", name, "5.00", "1"])
    made.files["awin.csv"] = text(rows)
    made.with_sales()


@kind(1)
def pinterest_currency_in_header(made):
    rows = [["Date", "Campaign name", "Spend in account currency", "Impressions"]]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%Y-%m-%d}", name, spent, seen])
    made.files["pinterest.csv"] = text(rows)
    made.with_sales()


@kind(1)
def spanish_agency(made):
    rows = [["Fecha", "Soporte", "Inversión neta", "Impresiones"]]
    for day, name, spent, seen in made.lines():
        rows.append([f"{day:%d-%m-%Y}", name, german(spent), german(seen, 0)])
    rows.append(["Total general", "", german(_totals(made)[0]), ""])
    made.files["inversion.csv"] = text(rows, ";", "cp1252")
    made.with_sales()
