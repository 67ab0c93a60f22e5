"""A KPI in parts: which of them is meant, or their sum, is for somebody to say."""

import numpy as np
import pandas as pd
import pytest

from core.data.recognition.recognise import guess_mapping, guess_roles
from core.errors import SchemaError

PARTS = (
    ("online_revenue", "offline_revenue"),
    ("Revenue online", "Revenue offline"),
    ("sales_online", "sales_store"),
    ("Umsatz Webshop", "Umsatz Filialen"),
    ("orders_app", "orders_web", "orders_store"),
    ("ventas tienda", "ventas online"),
    ("CA HT magasin", "CA HT en ligne"),
    ("revenue_new", "revenue_returning"),
)
#: Columns beside which nothing is open: all of it, or something else that is counted.
WHOLE = (
    ("revenue", "online_revenue", "offline_revenue"),
    ("online_revenue", "offline_revenue", "total_revenue"),
    ("Umsatz Filialen", "Umsatz Webshop", "Umsatz gesamt"),
)
ALONE = (("online_revenue",), ("store_sales",), ("revenue_online", "orders_store"))


def _table(names: tuple[str, ...]) -> pd.DataFrame:
    rng = np.random.default_rng(len(names[0]))
    week = pd.date_range("2022-01-03", periods=104, freq="W-MON").strftime("%Y-%m-%d")
    kpi = {name: rng.gamma(5.0, 1e4, 104).round(2) for name in names}
    spend = {f"{c}_spend": rng.gamma(2.0, 5e3, 104).round(2) for c in ("TV", "Search")}
    return pd.DataFrame({"week": week} | kpi | spend)


@pytest.mark.parametrize("names", PARTS)
def test_parts_of_a_kpi_are_a_question_that_names_them_all(names):
    table = _table(names)
    with pytest.raises(SchemaError, match="each a part of what was sold") as refused:
        guess_mapping(table)
    assert all(name in refused.value.message for name in names)
    for name in names:
        roles = {entry.column: entry.role for entry in guess_roles(table, kpi=name)}
        assert [column for column in roles if roles[column] == "kpi"] == [name]
        others = {roles[other] for other in names if other != name}
        assert others <= {"ignored"}


@pytest.mark.parametrize("names", [*WHOLE, *ALONE])
def test_all_of_it_beside_its_parts_is_the_kpi(names):
    kpi = guess_mapping(_table(names)).kpi
    whole = [name for name in names if name in ("revenue", "total_revenue")]
    assert kpi == [*whole, "Umsatz gesamt" if len(names) > 2 else names[0]][0]
