"""New rows as strangers write them: read right, or asked about; never in silence."""

import numpy as np
import pandas as pd
import pytest

from core.cli.main import main
from core.data.layout.kinds.exports import Doubtful, tidied
from core.errors import SamplingError
from core.project.refresh.incoming import incoming
from core.project.settings.project import data_file, load_project
from core.service import refreshes

FIRST = pd.date_range("2023-01-02", periods=100, freq="W-MON")
NEXT = pd.date_range("2024-12-02", periods=8, freq="W-MON")


def market(days, seed, written="%Y-%m-%d"):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "week": days.strftime(written),
            "revenue": random.integers(90_000, 200_000, len(days)),
            "TV_spend": random.integers(8_000, 30_000, len(days)),
            "Search_spend": random.integers(3_000, 9_000, len(days)),
        }
    )


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """A project for each way in which its own dates are written."""
    desk = tmp_path_factory.mktemp("arrivals")
    made = {}
    for written in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"):
        name = desk / f"{len(made)}"
        market(FIRST, 1, written).to_csv(f"{name}.csv", index=False)
        assert main(["init", f"{name}.csv", "--out", str(name)]) == 0
        made[written] = name
    return made


def came(project, frame):
    return incoming(project, [tidied("new.csv", frame)])


@pytest.mark.parametrize("own", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"])
@pytest.mark.parametrize("new", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y"])
@pytest.mark.parametrize("n", [3, 8])
def test_dates_in_another_way_are_read(projects, own, new, n):
    found = came(projects[own], market(NEXT[:n], 2, new))
    assert found.came.periods == tuple(map(str, NEXT[:n].date))
    assert not found.questions
    assert len(found.table) == 100 + n


def test_one_date_with_points_has_its_day_first(projects):
    found = came(projects["%Y-%m-%d"], market(NEXT[:1], 2, "%d.%m.%Y"))
    assert found.came.periods == ("2024-12-02",)


def test_a_channel_that_is_gone_is_zero_and_asked_about(projects):
    frame = market(NEXT, 2).drop(columns="Search_spend")
    found = came(projects["%Y-%m-%d"], frame)
    assert found.table["Search_spend"].to_numpy()[-8:].sum() == 0
    assert any("Search" in line and "renamed" in line for line in found.questions)


@pytest.mark.parametrize("column", ["TV_spend", "Search_spend", "revenue"])
@pytest.mark.parametrize("factor", [10_000, 1_000, 100])
@pytest.mark.parametrize("at", [0, 5])
def test_a_single_amount_in_another_unit_is_asked_about(projects, column, factor, at):
    frame = market(NEXT, 2)
    frame.loc[at, column] *= factor
    (line,) = came(projects["%Y-%m-%d"], frame).questions
    assert column in line
    assert str(NEXT[at].date()) in line


@pytest.mark.parametrize("seed", range(20))
def test_ordinary_rows_ask_nothing(projects, seed):
    frame = market(NEXT, 100 + seed)
    frame["TV_spend"] *= 1 + seed % 3  # a year that grows
    assert not came(projects["%Y-%m-%d"], frame).questions


def ads(names, days, seed):
    random = np.random.default_rng(seed)
    rows = [(day, name) for day in days for name in names]
    frame = pd.DataFrame(rows, columns=["Day", "Campaign"])
    frame["Impressions"] = random.integers(1_000, 90_000, len(rows))
    return frame.assign(Cost=np.round(random.uniform(100, 900, len(rows)), 2))


@pytest.fixture
def exports(tmp_path):
    """A project of campaigns and sales; two later exports that share three weeks."""
    days = pd.date_range("2024-01-01", periods=280).strftime("%Y-%m-%d")
    sales = pd.DataFrame({"date": days, "revenue": np.arange(280) % 37 + 900.0})
    first = ads(("Brand", "Generic"), days[:210], 3)
    first.to_csv(tmp_path / "ads.csv", index=False)
    sales[:210].to_csv(tmp_path / "sales.csv", index=False)
    files = [str(tmp_path / name) for name in ("ads.csv", "sales.csv")]
    assert main(["init", *files, "--out", str(tmp_path / "p")]) == 0
    later = ads(("Brand", "Generic"), days[210:], 4)
    old, new = later[: 2 * 49].copy(), later[2 * 28 :].copy()
    return tmp_path, sales[210:], old, new


def amounts(project):
    table = pd.read_parquet(data_file(project, load_project(project)))
    return table["Brand_spend"].sum(), table["Generic_spend"].sum()


@pytest.mark.parametrize("door", ["update", "refresh"])
@pytest.mark.parametrize("fault", ["revised", "renamed"])
def test_exports_that_overlap_are_asked_about_at_every_door(
    exports, fault, door, capsys, monkeypatch
):
    desk, sales, old, new = exports
    if fault == "revised":
        new.loc[new.index[:20], "Cost"] += 5.0
    else:
        old["Campaign"] = old["Campaign"].replace("Brand", "Brand 2023")
    whole = [pd.read_csv(desk / "ads.csv")] if door == "update" else []
    pd.concat([*whole, old]).to_csv(desk / "a1.csv", index=False)
    new.to_csv(desk / "a2.csv", index=False)
    every = [pd.read_csv(desk / "sales.csv")] if door == "update" else []
    pd.concat([*every, sales]).to_csv(desk / "s.csv", index=False)
    files = [str(desk / name) for name in ("a1.csv", "a2.csv", "s.csv")]
    project = desk / "p"
    before = amounts(project)

    def unfitted(*_):
        raise SamplingError("Not here.")

    monkeypatch.setattr(refreshes, "fit_next", unfitted)
    assert main([door, str(project), *files]) == 1
    said = capsys.readouterr().err
    assert "overlap" in said
    assert amounts(project) == before
    answer = ["--overlap", "newest"]
    yes, code = (["--yes"], 3) if door == "refresh" else ([], 0)
    assert main([door, str(project), *files, *answer, *yes]) == code
    assert "T00:00" not in capsys.readouterr().err
    assert load_project(project).layout.overlap == "newest"
    late = new.groupby("Campaign")["Cost"].sum()
    early = old[old["Day"] < new["Day"].min()].groupby("Campaign")["Cost"].sum()
    brand, generic = amounts(project)
    assert generic == pytest.approx(before[1] + early["Generic"] + late["Generic"])
    if fault == "revised":
        assert brand == pytest.approx(before[0] + early["Brand"] + late["Brand"])


def test_the_question_has_the_same_form_at_every_door(exports):
    desk, sales, old, new = exports
    new.loc[new.index[:20], "Cost"] += 5.0
    parts = {"a1.csv": old, "a2.csv": new, "s.csv": sales}
    files = [tidied(name, frame) for name, frame in parts.items()]
    with pytest.raises(Doubtful) as doubt:
        incoming(desk / "p", files)
    assert doubt.value.kind == "overlap"
    assert {answer for answer, _ in doubt.value.question.choices} >= {"newest", "all"}
    assert not incoming(desk / "p", files, {"overlap": "newest"}).questions
