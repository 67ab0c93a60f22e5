"""Workbooks that analysts keep: pivots, notes, several headers, odd weeks."""

import pandas as pd

from tests.data.strangers.market import Rows, Stranger, book, kind, text


def _wide(made: Stranger, label: str = "Week", suffix: str = " spend") -> Rows:
    """One row per week: date, revenue, spend by channel."""
    rows: Rows = [[label, "Revenue", *(f"{name}{suffix}" for name in made.spend)]]
    for at, day in enumerate(made.dates):
        rows.append([day, made.revenue[at], *(v[at] for v in made.by_name())])
    return rows


def _sum(rows: Rows, label: str) -> list[object]:
    return [label, *(sum(row[at] for row in rows) for at in range(1, len(rows[0])))]


@kind(7)
def two_row_header(made):
    top: list = ["", ""]
    under: list = ["Week", "Revenue"]
    for name in made.spend:
        top += [name, ""]
        under += ["Spend", "Impressions"]
    rows = [top, under]
    for at, day in enumerate(made.dates):
        row: list = [day, made.revenue[at]]
        for values in made.by_name():
            row += [values[at], int(values[at] * 120)]
        rows.append(row)
    made.files["mmm.xlsx"] = book([[c or None for c in row] for row in rows])


@kind(7)
def two_row_header_csv(made):
    top: list = ["Woche", "Umsatz"]
    under: list = ["", ""]
    for name in made.spend:
        top += [name, ""]
        under += ["Kosten", "Impressionen"]
    rows = [top, under]
    for at, day in enumerate(made.dates):
        row: list = [f"{day:%d.%m.%Y}", made.revenue[at]]
        for values in made.by_name():
            row += [values[at], int(values[at] * 120)]
        rows.append(row)
    made.files["mmm.csv"] = text(rows, ";")


@kind(7)
def measures_over_channels(made):
    names = list(made.spend)
    top = [None, None, "Spend", *[None] * (len(names) - 1), "Impressions"]
    rows: Rows = [top, ["Week", "Revenue", *names, *names]]
    for at, day in enumerate(made.dates):
        spent = [v[at] for v in made.by_name()]
        rows.append([day, made.revenue[at], *spent, *(int(v * 120) for v in spent)])
    made.files["mmm.xlsx"] = book(rows)


@kind(7)
def units_below_header(made):
    rows = _wide(made)
    rows.insert(1, [None, *["EUR"] * (len(rows[0]) - 1)])
    made.files["model input.xlsx"] = book(rows)


@kind(7)
def notes_below(made):
    rows = _wide(made)
    rows += [[], ["Source: agency reporting, net of discounts"]]
    rows += [["* December 2022 estimated"], ["Contact: data@acme.example"]]
    made.files["input.xlsx"] = book(rows)


@kind(7)
def notes_below_csv(made):
    rows = _wide(made)
    rows = [rows[0], *([f"{r[0]:%Y-%m-%d}", *r[1:]] for r in rows[1:])]
    rows += [["Note: figures for the last week are preliminary"]]
    made.files["input.csv"] = text(rows)


@kind(7)
def monthly_subtotals(made):
    rows = _wide(made)
    result: Rows = [rows[0]]
    for month in dict.fromkeys(f"{row[0]:%Y-%m}" for row in rows[1:]):
        inside = [row for row in rows[1:] if f"{row[0]:%Y-%m}" == month]
        result += [*inside, _sum(inside, f"{month} Total")]
    result.append(_sum(rows[1:], "Grand Total"))
    made.files["report.xlsx"] = book(result)


@kind(7)
def pivot_compact(made):
    names = sorted(made.spend)
    rows: Rows = [["Sum of Spend", "Column Labels"], ["Row Labels", *names]]
    rows[1].append("Grand Total")
    for at, day in enumerate(made.dates):
        spent = [made.spend[name][at] for name in names]
        rows.append([day, *spent, sum(spent)])
    rows.append(_sum(rows[2:], "Grand Total"))
    made.files["pivot.xlsx"] = book(rows)
    made.with_sales()


@kind(7)
def pivot_nested(made):
    rows: Rows = [["Row Labels", "Sum of Spend", "Sum of Impressions"]]
    for at, day in enumerate(made.dates):
        spent = [(name, v[at]) for name, v in made.spend.items() if v[at] > 0]
        total = sum(value for _, value in spent)
        rows.append([f"{day:%Y-%m-%d}", total, sum(int(v * 120) for _, v in spent)])
        rows += [[name, value, int(value * 120)] for name, value in spent]
    made.files["pivot.xlsx"] = book(rows)
    made.with_sales()


@kind(7)
def pivot_tabular(made):
    rows: Rows = [["Week", "Channel", "Sum of Spend"]]
    for at, day in enumerate(made.dates):
        spent = [(name, v[at]) for name, v in made.spend.items()]
        for place, (name, value) in enumerate(spent):
            rows.append([day if place == 0 else None, name, value])
        rows.append([f"{day:%d/%m/%Y} Total", None, sum(v for _, v in spent)])
    rows.append(["Grand Total", None, float(sum(v.sum() for v in made.by_name()))])
    made.files["pivot.xlsx"] = book(rows)
    made.with_sales()


@kind(7)
def weeks_across(made):
    days = made.dates
    rows: Rows = [["Channel", "Measure", *days]]
    rows.append(["", "Revenue", *made.revenue])
    for name, values in made.spend.items():
        rows.append([name, "Spend", *values])
    made.files["across.xlsx"] = book(rows)


@kind(7)
def weeks_across_plain(made):
    rows: Rows = [["", *(f"{day:%d/%m/%Y}" for day in made.dates)]]
    rows.append(["Revenue", *made.revenue])
    rows += [[f"{name} spend", *values] for name, values in made.spend.items()]
    made.files["across.csv"] = text(rows)


@kind(7)
def sheet_per_year(made):
    rows = _wide(made)
    sheets: dict[str, Rows] = {}
    for row in rows[1:]:
        sheets.setdefault(f"{row[0]:%Y}", [rows[0]]).append(row)
    made.files["years.xlsx"] = book(sheets)


@kind(7)
def weeks_as_ranges(made):
    rows = _wide(made, "Week")
    for row in rows[1:]:
        first, last = row[0], row[0] + pd.Timedelta(days=6)
        if first.year != last.year:
            row[0] = f"{first:%-d %b %Y} - {last:%-d %b %Y}"
        elif first.month != last.month:
            row[0] = f"{first:%-d %b} - {last:%-d %b %Y}"
        else:
            row[0] = f"{first:%-d}-{last:%-d %b %Y}"
    made.files["weekly.xlsx"] = book(rows)


@kind(7)
def weeks_as_german_ranges(made):
    rows = _wide(made, "Woche", " Kosten")
    rows[0][1] = "Umsatz"
    for row in rows[1:]:
        first, last = row[0], row[0] + pd.Timedelta(days=6)
        row[0] = f"{first:%d.%m.}–{last:%d.%m.%Y}"
    made.files["woche.xlsx"] = book(rows)


@kind(7)
def week_and_year_apart(made):
    rows = _wide(made)
    rows[0] = ["Year", "Week", *rows[0][1:]]
    for at, row in enumerate(rows[1:], start=1):
        year, week, _ = row[0].isocalendar()
        rows[at] = [year, week, *row[1:]]
    made.files["model.csv"] = text(rows)


@kind(7)
def iso_weeks(made):
    rows = _wide(made)
    for row in rows[1:]:
        year, week, _ = row[0].isocalendar()
        row[0] = f"{year}-W{week:02d}"
    made.files["model.csv"] = text(rows)


@kind(1)
def year_month_day_apart(made):
    rows = _wide(made)
    rows[0] = ["Year", "Month", "Day", *rows[0][1:]]
    for at, row in enumerate(rows[1:], start=1):
        rows[at] = [row[0].year, row[0].month, row[0].day, *row[1:]]
    made.files["model.csv"] = text(rows)


@kind(7)
def retail_calendar(made):
    rows = _wide(made)
    lengths = [4, 4, 5] * 4
    ends = [sum(lengths[: at + 1]) for at in range(12)]
    for at, row in enumerate(rows[1:]):
        year, week = divmod(at, 52)
        period = next(i for i, end in enumerate(ends) if week < end)
        inside = week - (ends[period] - lengths[period]) + 1
        row[0] = f"FY{22 + year} P{period + 1:02d} W{inside}"
    made.files["retail.xlsx"] = book(rows)


@kind(7)
def week_ending_saturday(made):
    rows = _wide(made, "Week ending")
    for row in rows[1:]:
        row[0] = f"{row[0] + pd.Timedelta(days=6):%d/%m/%Y}"
    made.files["model.csv"] = text(rows)


@kind(7)
def week_ending_with_days(made):
    rows: Rows = [["Week ending", *(f"{name} spend" for name in made.spend)]]
    for at, day in enumerate(made.dates):
        end = f"{day + pd.Timedelta(days=6):%Y-%m-%d}"
        rows.append([end, *(v[at] for v in made.by_name())])
    made.files["media.csv"] = text(rows)
    sales: Rows = [["Date", "Revenue"]]
    for at, day in enumerate(made.dates):
        for i in range(7):
            one = f"{day + pd.Timedelta(days=i):%Y-%m-%d}"
            sales.append([one, f"{made.revenue[at] / 7:.6f}"])
    made.files["sales.csv"] = text(sales)


@kind(7)
def thousands_as_k(made):
    rows = _wide(made)
    made.revenue = made.revenue.round(-2)
    for row, value in zip(rows[1:], made.revenue, strict=True):
        row[0] = f"{row[0]:%Y-%m-%d}"
        row[1] = f"{value / 1000:.1f}k"
    made.files["model.csv"] = text(rows)


@kind(7)
def plan_beside_actual(made):
    rows = _wide(made, "Week", " actual")
    names = list(made.spend)
    rows[0] += [f"{name} plan" for name in names]
    for row in rows[1:]:
        row += [round(float(value) * 1.07, 0) for value in row[2 : 2 + len(names)]]
    made.files["tracker.xlsx"] = book(rows)


@kind(7)
def last_year_beside(made):
    rows = _wide(made)
    rows[0][2:2] = ["Revenue LY", "vs LY %"]
    for row in rows[1:]:
        before = round(float(row[1]) * float(made.random.uniform(0.8, 1.1)), 2)
        row[2:2] = [before, round(100 * (row[1] / before - 1), 1)]
    made.files["tracker.xlsx"] = book(rows)


@kind(7)
def tables_side_by_side(made):
    rows = _wide(made)
    names = list(made.spend)
    side: Rows = [["Week", "Revenue", None, "Week", *(f"{n} spend" for n in names)]]
    for row in rows[1:]:
        side.append([row[0], row[1], None, row[0], *row[2:]])
    made.files["two.xlsx"] = book(side)


@kind(7)
def tables_below_each_other(made):
    names = list(made.spend)
    rows = _wide(made)
    first: Rows = [["Week", "Revenue"], *([row[0], row[1]] for row in rows[1:])]
    second: Rows = [["Week", *(f"{n} spend" for n in names)]]
    second += [[row[0], *row[2:]] for row in rows[1:]]
    made.files["below.xlsx"] = book([*first, [], *second])


@kind(7)
def year_to_date_beside(made):
    rows = _wide(made)
    rows[0].insert(2, "Revenue YTD")
    running = made.revenue.cumsum().round(2)
    for row, value in zip(rows[1:], running, strict=True):
        row.insert(2, value)
    made.files["tracker.xlsx"] = book(rows)


@kind(7)
def remarks_in_cells(made):
    rows = _wide(made)
    for row in rows[1:]:
        row[0] = f"{row[0]:%Y-%m-%d}"
    for at in (20, 21):
        rows[at][2] = f"{rows[at][2]:,.2f} (est.)"
    made.files["model.csv"] = text(rows)


@kind(7)
def german_millions(made):
    rows = _wide(made, "Woche", " Kosten in T€")
    rows[0][1] = "Umsatz in Mio. €"
    for row in rows[1:]:
        row[1:] = [round(row[1] / 1e6, 8), *(round(v / 1000, 5) for v in row[2:])]
    made.files["Modell.xlsx"] = book(rows)


@kind(7)
def french_workbook(made):
    rows = _wide(made, "Semaine du", "")
    rows[0] = ["Semaine du", "CA TTC", *(f"Invest. {n}" for n in made.spend)]
    for row in rows[1:]:
        row[0] = f"{row[0]:%d/%m/%Y}"
    made.files["modèle.xlsx"] = book(rows)


@kind(7)
def media_share_columns(made):
    rows = _wide(made)
    names = list(made.spend)
    rows[0] += ["Total spend", *(f"{n} share of spend" for n in names)]
    for row in rows[1:]:
        spent = [float(v) for v in row[2 : 2 + len(names)]]
        total = sum(spent)
        row += [total, *(round(v / total, 6) if total else 0 for v in spent)]
    made.files["tracker.xlsx"] = book(rows)
