"""Orders: a total counts once per order, and what came to nothing is asked about."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.data.layout.again import read_again
from core.data.layout.kinds.exports import Doubtful
from core.data.layout.opening import opened
from core.data.layout.reading import read_files
from core.data.layout.stated import NOTHING, StatedColumns

ORDERS = ("Order ID", "order_number", "Bestellnummer", "transaction_id", "Invoice No")
ORDERS += ("Opportunity ID",)
TOTALS = ("Total", "order_total", "Revenue", "Umsatz", "amount")
STATES = (
    ("Status", "paid", "cancelled"),
    ("financial_status", "paid", "refunded"),
    ("Zustand", "bezahlt", "storniert"),
    ("order state", "complete", "Canceled by customer"),
    ("statut", "payée", "annulée"),
    ("estado", "pagado", "devuelto"),
    ("Deal Stage", "Closed won", "Contract sent"),
    ("Phase", "Gewonnen", "Angebot"),
)


def lines(*, seed: int, n_orders: int = 500, repeats: bool = True) -> pd.DataFrame:
    """A row per line of an order; `truth` is what it adds to revenue."""
    rng = np.random.default_rng(seed)
    n_lines = rng.integers(1, 5, n_orders)
    order = np.repeat(np.arange(1, n_orders + 1), n_lines)
    first = np.r_[True, order[1:] != order[:-1]]
    days = np.sort(rng.integers(0, 210, n_orders))
    dates = np.datetime64("2023-01-02") + days
    total = rng.gamma(3, 30, n_orders).round(2)
    price = rng.gamma(3, 12, len(order)).round(2)
    values = np.repeat(total, n_lines) if repeats else price
    return pd.DataFrame(
        {
            "order": [f"A-{10_000 + number}" for number in order],
            "date": np.repeat(dates, n_lines).astype(str),
            "sku": rng.choice(["mug", "shirt", "cap"], len(order)),
            "quantity": 1,
            "value": values,
            "truth": np.where(first, values, 0.0) if repeats else price,
            "first": first,
        }
    )


def read(frame: pd.DataFrame, answers: StatedColumns = NOTHING):
    content = frame.drop(columns=["truth", "first"]).to_csv(index=False).encode()
    return read_files([opened("orders.csv", load_table(content, "o.csv"))], answers)


def revenue(table) -> float:
    """What the shop made in the whole weeks of the table."""
    return float(table.frame["revenue"].sum())


def whole(frame: pd.DataFrame, table) -> float:
    """The truth for the same weeks."""
    start = table.frame.iloc[:, 0].min()
    end = table.frame.iloc[:, 0].max() + pd.Timedelta(days=6)
    inside = pd.to_datetime(frame["date"]).between(start, end)
    return float(frame.loc[inside, "truth"].sum())


@pytest.mark.parametrize(("order", "total"), product(ORDERS, TOTALS))
def test_a_total_in_every_line_counts_once(order, total):
    for repeats in (True, False):
        frame = lines(seed=len(order + total), repeats=repeats)
        named = frame.rename(columns={"order": order, "value": total})
        table = read(named)
        assert np.isclose(revenue(table), whole(frame, table))
        said = " ".join(finding.message for finding in table.findings)
        assert ("counts once per" in said) == repeats


def test_a_price_that_is_the_same_in_every_order_is_no_total():
    frame = lines(seed=1, repeats=False)
    frame["value"] = frame["truth"] = 20.0
    table = read(frame.rename(columns={"order": "order_id", "value": "revenue"}))
    assert np.isclose(revenue(table), whole(frame, table))


def test_totals_that_repeat_in_most_orders_only_are_summed_with_a_warning():
    frame = lines(seed=2)
    some = frame["order"].isin(frame["order"].unique()[::5]) & ~frame["first"]
    frame.loc[some, ["value"]] += 1.0
    named = frame.rename(columns={"order": "order_id", "value": "revenue"})
    warnings = [f for f in read(named).findings if f.severity == "warning"]
    assert any("if it is the total of the order" in f.message for f in warnings)


@pytest.mark.parametrize(("status", "good", "bad"), STATES)
@pytest.mark.parametrize("repeats", [True, False])
def test_orders_that_came_to_nothing_are_asked_about(status, good, bad, repeats):
    frame = lines(seed=len(status), repeats=repeats)
    lost = frame["order"].str[-1].isin(["3", "7"])
    frame[status] = np.where(lost, bad, good)
    named = frame.rename(columns={"order": "order_id", "value": "revenue"})
    with pytest.raises(Doubtful) as asked:
        read(named)
    assert asked.value.kind == "cancelled"
    assert bad in asked.value.question.example
    kept = frame.assign(truth=frame["truth"].where(~lost, 0.0))
    left_out = read(named, StatedColumns(cancelled="left_out"))
    assert np.isclose(revenue(left_out), whole(kept, left_out))
    assert any("left out" in finding.message for finding in left_out.findings)
    counted = read(named, StatedColumns(cancelled="counted"))
    assert np.isclose(revenue(counted), whole(frame, counted))


def test_next_month_repeats_the_answer_and_asks_where_there_was_none():
    frame = lines(seed=9).assign(status="paid")
    named = frame.rename(columns={"order": "order_id", "value": "revenue"})
    first = read(named)
    assert first.layout.sources[0].status == ("status",)
    lost = named["order_id"].str.endswith("5")
    later = named.assign(status=np.where(lost, "refunded", "paid"))
    file = opened("next.csv", later.drop(columns=["truth", "first"]))
    with pytest.raises(Doubtful):
        read_again(first.layout, [file])
    answered = read(later, StatedColumns(cancelled="left_out"))
    again = read_again(answered.layout, [file])
    assert np.isclose(revenue(again), revenue(answered))


@pytest.mark.parametrize("state", [None, ("type", "sale", "refund")])
def test_rows_below_zero_are_subtracted_and_are_no_orders(state):
    """A refund of its own takes money back; nothing is left to ask."""
    rng = np.random.default_rng(4)
    days = np.datetime64("2023-01-02") + np.arange(280)
    dates = np.repeat(days, 3).astype(str)
    is_back = rng.random(len(dates)) < 0.1
    total = rng.gamma(3, 30, len(dates)).round(2) * np.where(is_back, -0.4, 1.0)
    frame = pd.DataFrame(
        {"Order ID": np.arange(len(dates)) + 9_000, "Date": dates, "Total": total}
    )
    if state is not None:
        name, sold, back = state
        frame[name] = np.where(is_back, back, sold)
    table = read_files([opened("orders.csv", frame)])
    whole_weeks = table.frame["revenue"].sum()
    assert np.isclose(whole_weeks, total[: 7 * 3 * len(table.frame)].sum())
    assert table.frame["orders"].sum() == (~is_back)[: 7 * 3 * len(table.frame)].sum()
    said = [finding.message for finding in table.findings]
    assert any("subtracted as refunds" in message for message in said)


def test_what_was_paid_back_of_a_line_without_the_total_is_taken_off():
    frame = lines(seed=6).rename(columns={"order": "order_id", "value": "revenue"})
    again = frame["order_id"].duplicated().to_numpy()
    frame["Refunded Amount"] = np.where(again, 3.0, 0.0) + np.where(
        np.arange(len(frame)) % 7 == 0, 2.0, 0.0
    )
    table = read(frame, StatedColumns(cancelled="left_out"))
    days = pd.to_datetime(frame["date"])
    start, end = table.frame.iloc[[0, -1], 0]
    inside = (days >= start) & (days < pd.Timestamp(end) + pd.Timedelta(7, "D"))
    net = frame["truth"] - frame["Refunded Amount"]
    assert np.isclose(revenue(table), net[inside].sum())


def test_lines_of_an_order_go_on_where_its_first_line_has_date_status_and_total():
    """As Shopify exports them: further lines say what was bought, and no more."""
    made = lines(seed=8)
    first = made["first"].to_numpy()
    lost = made["order"].str[-1].isin(["3"])
    made["sku"] = [f"item {at % 7}" for at in range(len(made))]

    def on_first(values):
        return pd.Series(values).where(first, None)

    frame = pd.DataFrame(
        {
            "Name": made["order"],
            "Financial Status": on_first(np.where(lost, "refunded", "paid")),
            "Paid at": on_first(made["date"].to_numpy()),
            "Subtotal": on_first(made["value"].to_numpy()).astype(float),
            "Lineitem quantity": 1,
            "Lineitem name": made["sku"],
        }
    )
    with pytest.raises(Doubtful):
        read_files([opened("orders.csv", frame)])
    table = read_files(
        [opened("orders.csv", frame)], StatedColumns(cancelled="left_out")
    )
    kept = made[~lost]
    assert np.isclose(revenue(table), whole(kept, table))
    days = pd.to_datetime(kept["date"])
    start, end = table.frame.iloc[[0, -1], 0]
    inside = (days >= start) & (days < pd.Timestamp(end) + pd.Timedelta(7, "D"))
    assert table.frame["units"].sum() == inside.sum()


def test_the_date_of_an_order_is_the_one_that_every_row_has():
    made = lines(seed=8, n_orders=60)
    frame = pd.DataFrame(
        {
            "Order ID": made["order"],
            "Paid at": made["date"].where(made.index % 5 > 0, None),
            "Created at": made["date"],
            "Total": made["value"],
        }
    )
    assert opened("orders.csv", frame).date == "Created at"
