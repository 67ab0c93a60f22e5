"""init, check and update with long tables and several files."""

import pandas as pd
import pytest

from core.project.settings.project import load_project
from tests.data import layout_files


@pytest.fixture
def exports(tmp_path):
    """Exports of Google Ads and Meta, orders and revenue, by name."""
    paths = {
        "google": layout_files.google()[0],
        "meta": layout_files.meta()[0],
        "orders": layout_files.orders()[0],
        "revenue": layout_files.revenue(),
    }
    for name, content in paths.items():
        (tmp_path / f"{name}.csv").write_bytes(content)
    return {name: tmp_path / f"{name}.csv" for name in paths}


def test_init_of_several_files_prints_the_guess_and_the_sums(say, exports, tmp_path):
    said = say("init", exports["google"], exports["revenue"], "--out", tmp_path / "m")
    assert said.code == 0, said.err
    assert "google.csv is a Google Ads export with a row per campaign" in said.out
    assert "one channel per Campaign type" in said.out
    assert "In the file" in said.out
    assert "2 total rows left out" in said.out
    project = load_project(tmp_path / "m")
    assert len(project.layout.sources) == 2
    assert project.currency == "EUR"
    assert say("check", tmp_path / "m").code == 0


def test_answers_are_options(say, exports, tmp_path):
    said = say(
        *("init", exports["google"], exports["meta"], exports["orders"]),
        *("--channel-by", "Campaign", "--rate", "USD=0.9", "--week-begins", "sunday"),
        *("--group", "Google=brand,shopping*", "--kpi", "orders", "--json"),
        *("--out", tmp_path / "m"),
    )
    assert said.code == 0, said.err
    assert "weeks that begin on Sunday" in said.data["layout"]
    names = [channel["name"] for channel in said.data["mapping"]["channels"]]
    assert names == ["Google", "Meta Prospecting", "Meta Retargeting"]
    assert said.data["mapping"]["kpi"] == "orders"
    for total in said.data["totals"]:
        rest = total["before"] - total["left_out"] - total["after"]
        assert abs(rest) <= 1e-9 * abs(total["before"])


def test_check_of_several_files(say, exports):
    said = say("check", exports["google"], exports["revenue"], "--json")
    assert said.code == 0
    assert any("total rows" in f["message"] for f in said.data["findings"])
    assert "one channel per Campaign type" in said.err


@pytest.mark.parametrize(
    ("names", "options", "word"),
    [
        (["google"], [], "not the KPI of the shop"),
        (["meta", "orders"], [], "USD=0.92"),
        (["google", "revenue"], ["--channel-by", "Kampagne"], "Did you mean"),
        (["google", "revenue"], ["--pattern", "("], "cannot be read"),
        (["google", "revenue"], ["--sheet", "Media"], "no sheet or file Media"),
        (["revenue"], ["--first-word"], "nothing to group"),
    ],
)
def test_what_cannot_be_answered_makes_no_project(
    say, exports, tmp_path, names, options, word
):
    paths = [exports[name] for name in names]
    said = say("init", *paths, *options, "--out", tmp_path / "m")
    assert said.code == 1
    assert word in said.err
    assert not (tmp_path / "m").exists()


def test_update_reads_next_months_files_as_before(say, exports, tmp_path):
    folder = tmp_path / "m"
    say(
        *("init", exports["google"], exports["revenue"], "--out", folder),
        *("--channel-by", "Campaign"),
    )
    before = load_project(folder)
    newer = tmp_path / "renamed.csv"
    newer.write_bytes(layout_files.google(seed=7)[0])
    said = say("update", folder, exports["revenue"], newer, "--json")
    assert said.code == 0, said.err
    after = load_project(folder)
    assert (after.layout, after.mapping) == (before.layout, before.mapping)
    table = pd.read_parquet(folder / after.file)
    total = next(t for t in said.data["totals"] if t["column"] == "Cost")
    spent = table[["Google Brand_spend", "Google Shopping all_spend"]].to_numpy().sum()
    assert spent == pytest.approx(total["after"], rel=1e-12)


def test_update_with_other_files_leaves_the_project_as_it_was(say, exports, tmp_path):
    folder = tmp_path / "m"
    say("init", exports["google"], exports["revenue"], "--out", folder)
    before = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    for files in (["meta", "revenue"], ["google"], ["revenue"]):
        said = say("update", folder, *(exports[name] for name in files))
        assert said.code == 1
        assert "columns" in said.err
    short = tmp_path / "short.csv"
    short.write_bytes(layout_files.revenue(number=40))
    said = say("update", folder, exports["google"], short)
    assert said.code == 1
    assert "keeps its data" in said.err
    after = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    assert after == before


def test_update_of_a_project_of_one_file(say, tmp_path):
    from tests.pages import worlds

    path = tmp_path / "sales.csv"
    worlds.table(110).to_csv(path, index=False)
    say("init", path, "--out", tmp_path / "m")
    worlds.table(120).to_csv(path, index=False)
    said = say("update", tmp_path / "m", path, "--json")
    assert said.code == 0, said.err
    assert said.data["rows"] == 120
    lacks = worlds.table(120).drop(columns="revenue")
    lacks.to_csv(path, index=False)
    said = say("update", tmp_path / "m", path)
    assert said.code == 1
    assert "revenue" in said.err


def test_a_model_file_of_robyn_gives_roles_and_priors(say, tmp_path):
    from tests.workspace.elsewhere.test_workspace_elsewhere_robyn import content, table

    (tmp_path / "model.json").write_bytes(content())
    table().to_csv(tmp_path / "data.csv", index=False)
    said = say(
        *("init", tmp_path / "data.csv", tmp_path / "model.json"),
        *("--out", tmp_path / "m"),
    )
    assert said.code == 0, said.err
    assert "gammas have no counterpart" in said.out
    project = load_project(tmp_path / "m")
    assert [channel.name for channel in project.spec.channels] == [
        "tv",
        "facebook",
        "newsletter",
    ]
    assert dict(project.spec.channels[0].priors)["alpha"].family == "Uniform"
