"""Exports of shops, payment services and ERPs, beside a plain file of media."""

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


def _orders(made: Stranger) -> list[tuple]:
    """Day, number of the order and amount; two or three a day."""
    lines, number = [], 4711
    for day, total in zip(made.dates, made.revenue, strict=True):
        n = int(made.random.integers(2, 4))
        parts = np.floor(100 * total * made.random.dirichlet(np.ones(n))) / 100
        parts[-1] += total - parts.sum()
        for part in parts:
            number += 1
            lines.append((day, number, round(float(part), 2)))
    return lines


@kind(1)
def shopify_sales(made):
    rows = [["Day", "Orders", "Gross sales", "Discounts", "Returns", "Net sales"]]
    rows[0] += ["Shipping", "Taxes", "Total sales"]
    for day, value in zip(made.dates, made.revenue, strict=True):
        gross, off = round(value * 1.1, 2), round(value * 0.1, 2)
        cells = [17, gross, -off, 0, value, 12.5, 3.25, round(value + 15.75, 2)]
        rows.append([f"{day:%Y-%m-%d}", *cells])
    made.files["Sales over time.csv"] = text(rows)
    made.notes["also"] = ["Net sales", "Total sales", "Gross sales"]
    made.with_ads()


@kind(1)
def shopify_orders(made):
    rows = [["Name", "Financial Status", "Created at", "Currency", "Total"]]
    rows[0] += ["Lineitem quantity", "Lineitem name", "Lineitem price"]
    for day, number, value in _orders(made):
        stamp = f"{day:%Y-%m-%d} 10:12:01 +0100"
        head = [f"#{number}", "paid", stamp, "EUR", value]
        rows.append([*head, 1, "Shirt", round(value / 2, 2)])
        rows.append([f"#{number}", "", stamp, "", "", 1, "Hat", round(value / 2, 2)])
    made.files["orders_export.csv"] = text(rows)
    made.with_ads()


@kind(1)
def woocommerce_status(made):
    rows = [["Order Number", "Order Date", "Order Status", "Order Total Amount"]]
    for day, number, value in _orders(made):
        stamp = f"{day:%Y-%m-%d} 11:30"
        rows.append([number, stamp, "Completed", value])
        if number % 7 == 0:
            rows.append([90_000 + number, stamp, "Refunded", value])
    made.files["woo.csv"] = text(rows)
    made.with_ads()


@kind(1)
def magento_grand_total(made):
    rows = [["ID", "Purchase Point", "Purchase Date", "Grand Total (Base)"]]
    rows[0] += ["Grand Total (Purchased)", "Status"]
    for day, number, value in _orders(made):
        cells = [f"€{value:,.2f}", f"€{value:,.2f}", "Complete"]
        stamp = f"{day:%b %-d, %Y} 9:04:11 AM"
        rows.append([f"{number:09d}", "Main Website", stamp, *cells])
    made.files["orders.csv"] = text(rows)
    made.with_ads()


@kind(1)
def amazon_settlement(made):
    rows = [["Includes Amazon Marketplace, Fulfillment by Amazon (FBA)"], []]
    rows += [["date/time", "settlement id", "type", "order id", "product sales"]]
    rows[-1] += ["selling fees", "total"]
    for day, number, value in _orders(made):
        stamp = f"{day:%b %-d, %Y} 7:18:20 AM PST"
        fee = round(value * 0.15, 2)
        cells = [value, -fee, round(value - fee, 2)]
        rows.append([stamp, 1789, "Order", f"303-{number}", *cells])
    for day in made.dates[::14]:
        stamp = f"{day:%b %-d, %Y} 1:00:00 PM PST"
        rows.append([stamp, 1789, "Transfer", "", 0, 0, -5000])
    made.files["transactions.csv"] = text(rows)
    made.with_ads()


@kind(1)
def stripe_cents(made):
    rows = [["id", "Created (UTC)", "Amount (cents)", "Currency", "Status"]]
    for day, number, value in _orders(made):
        stamp = f"{day:%Y-%m-%d} 12:00:00"
        rows.append([f"ch_{number}", stamp, round(value * 100), "eur", "Paid"])
    made.files["payments.csv"] = text(rows)
    made.with_ads()


@kind(1)
def square_dollars(made):
    rows = [["Date", "Time", "Time Zone", "Gross Sales", "Net Sales", "Event Type"]]
    for day, number, value in _orders(made):
        clock = f"10:{number % 60:02d}:11"
        cells = [f"${value * 1.05:,.2f}", f"${value:,.2f}", "Payment"]
        rows.append([f"{day:%m/%d/%Y}", clock, "Eastern Time", *cells])
    made.files["transactions.csv"] = text(rows)
    made.notes["also"] = ["Gross Sales"]
    made.with_ads()


@kind(1)
def shopware_german(made):
    rows = [["Bestellnummer", "Bestelldatum", "Status", "Gesamtbetrag"]]
    for day, number, value in _orders(made):
        cells = ["Abgeschlossen", german(value)]
        rows.append([number, f"{day:%d.%m.%Y} 08:15", *cells])
        if number % 9 == 0:
            row = [80_000 + number, f"{day:%d.%m.%Y} 09:15", "Storniert", german(value)]
            rows.append(row)
    made.files["bestellungen.csv"] = text(rows, ";", "cp1252")
    made.with_ads()


@kind(1)
def prestashop_french(made):
    rows = [["ID", "Référence", "Total payé", "État", "Date"]]
    for day, number, value in _orders(made):
        stamp = f"{day:%d/%m/%Y} 14:22:10"
        cells = [f"{french(value)} €", "Paiement accepté", stamp]
        rows.append([number, f"XKBK{number}", *cells])
    made.files["commandes.csv"] = text(rows, ";")
    made.with_ads()


@kind(1)
def sap_list(made):
    head = "|Buch.dat.  |Belegnr   |Betrag in HW |Währg|"
    rule = "-" * len(head)
    lines = ["01.02.2024   Dynamische Listausgabe    1", "", rule, head, rule]
    for at, (day, number, value) in enumerate(_orders(made)):
        if at and at % 60 == 0:
            lines += [rule, "", rule, head, rule]
        lines.append(f"|{day:%d.%m.%Y} |{number:<10}|{german(value):>13}|EUR  |")
        if at % 40 == 7:
            lines.append(
                f"|{day:%d.%m.%Y} |{number + 50_000:<10}|{'100,00-':>13}|EUR  |"
            )
            lines.append(
                f"|{day:%d.%m.%Y} |{number + 60_000:<10}|{'100,00':>13}|EUR  |"
            )
    total = german(float(made.revenue.sum()))
    lines += [rule, f"|*           |          |{total:>13}|EUR  |", rule]
    made.files["FBL5N.txt"] = "\r\n".join(lines).encode("cp1252")
    made.with_ads()


@kind(1)
def sap_workbook(made):
    rows = [["Fakturadatum", "Faktura", "Auftraggeber", "Nettowert", "Währg"]]
    for day, number, value in _orders(made):
        rows.append([day, number, f"Kunde {number % 9}", value, "EUR"])
    rows.append([None, None, None, float(made.revenue.sum()), "EUR"])
    made.files["VF05.xlsx"] = book(rows)
    made.with_ads()


@kind(1)
def navision_ledger(made):
    rows = [["Posting Date", "Document No.", "Description", "Amount (LCY)"]]
    for day, number, value in _orders(made):
        rows.append([f"{day:%m/%d/%y}", f"SI-{number}", "Invoice", english(value)])
    made.files["ledger.csv"] = text(rows)
    made.with_ads()


@kind(1)
def datev_debit_credit(made):
    rows = [["Umsatz (ohne Soll/Haben-Kz)", "Soll/Haben-Kennzeichen", "WKZ Umsatz"]]
    rows[0] += ["Konto", "Belegdatum", "Buchungstext"]
    for day, number, value in _orders(made):
        stamp = f"{day:%d.%m.%Y}"
        rows.append([german(value), "H", "EUR", 8400, stamp, "Erlöse"])
        if number % 8 == 0:
            rows.append([german(value), "S", "EUR", 8400, stamp, "Storno Erlöse"])
            rows.append([german(value), "H", "EUR", 8400, stamp, "Neu"])
    made.files["EXTF_Buchungsstapel.csv"] = text(rows, ";", "cp1252")
    made.with_ads()


@kind(1)
def oracle_months_in_letters(made):
    rows = [["GL_DATE", "TRX_NUMBER", "ACCTD_AMOUNT"]]
    for day, number, value in _orders(made):
        rows.append([f"{day:%d-%b-%y}".upper(), number, value])
    made.files["ar_export.csv"] = text(rows)
    made.with_ads()


@kind(1)
def quickbooks_total_income(made):
    rows = [["ACME Ltd"], ["Sales by Day"], ["January 2022 - December 2023"], []]
    rows += [["Date", "Total Income"]]
    for day, value in zip(made.dates, made.revenue, strict=True):
        rows.append([f"{day:%d/%m/%Y}", english(value)])
    rows += [["TOTAL", english(float(made.revenue.sum()))], []]
    rows += [["Thursday, 04 January 2024 09:12:44 AM GMT - Accrual Basis", ""]]
    made.files["Sales by Day.csv"] = text(rows)
    made.with_ads()


@kind(1)
def odoo_groups(made):
    rows: list = [[None, "Untaxed Total", "Count"], ["Total", None, None]]
    rows[1][1:] = [float(made.revenue.sum()), len(made.days)]
    month = None
    for day, value in zip(made.dates, made.revenue, strict=True):
        if f"{day:%B %Y}" != month:
            month = f"{day:%B %Y}"
            inside = [f"{d:%B %Y}" == month for d in made.dates]
            rows.append([month, float(made.revenue[inside].sum()), sum(inside)])
        rows.append([f"    {day:%d %b %Y}", value, 1])
    made.files["sale.report.xlsx"] = book(rows)
    made.with_ads()
