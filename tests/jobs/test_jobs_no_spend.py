"""A market whose channels are all organic: contributions, and nothing to plan."""

import numpy as np
import pandas as pd
import pytest

from core.cli.main import main
from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.jobs import executor
from core.jobs.tasks import fit_run
from core.model.spec import ChannelSpec, ModelSpec
from core.project.fits.run_inputs import new_run
from core.project.shelf.lifecycle import create_project
from core.store.results import read_json
from core.store.run_state import write_state
from core.text.verdicts import NO_SPEND

QUICK = SamplerSettings(chains=2, warmup=60, draws=40, precision="float64")
N = 80


def table() -> pd.DataFrame:
    """Two geos with a newsletter and posts, measured by opens and by views."""
    rng = np.random.default_rng(5)
    weeks = pd.date_range("2022-01-03", periods=N, freq="7D").strftime("%Y-%m-%d")
    parts = []
    for geo in ("North", "South"):
        opens, views = rng.gamma(2.0, 500.0, (2, N)).round()
        sales = (9_000 + 0.8 * opens + rng.normal(0, 300, N)).round()
        columns = {"week": weeks, "geo": geo, "opens": opens, "views": views}
        parts.append(pd.DataFrame(columns | {"sales": sales}))
    return pd.concat(parts)


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("organic")))
        names = {"Newsletter": "opens", "Posts": "views"}
        mapping = ColumnMapping(
            "week",
            "sales",
            geo="geo",
            kpi_type="non_revenue",
            channels=tuple(
                ChannelColumns(name, "organic_media", media=column)
                for name, column in names.items()
            ),
        )
        channels = tuple(ChannelSpec(name, "organic_media") for name in names)
        spec = ModelSpec(channels=channels)
        folder = create_project("organic", table(), mapping, spec=spec)
        run = new_run(folder, sampler=vars(QUICK))
        fit_run.execute(run, lambda told: None, lambda: False)
        write_state(run, "done")
        yield folder, run


def test_the_fit_ends_with_contributions(market):
    _, run = market
    rows = read_json(run, "summary")["channels"]
    assert [row["name"] for row in rows] == ["Newsletter", "Posts"]
    assert all(row["contribution"]["mean"] is not None for row in rows)
    assert all(row["spend"] is None for row in rows)


@pytest.mark.parametrize(
    "words",
    [
        ("summary",),
        ("forecast", "--periods", "4"),
        ("report", "--out", "r.html"),
        ("report", "--out", "r.pdf"),
        ("report", "--out", "r.xlsx"),
        ("report", "--out", "r.pptx"),
    ],
    ids=" ".join,
)
def test_what_needs_no_spend_is_said(market, words, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert main([words[0], str(market[0]), *words[1:]]) == 0, capfd.readouterr().err
    if words[-1] == "r.html":
        assert NO_SPEND in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("plan",),
        ("plan", "--as-fitted"),
        ("plan", "--periods", "13"),
        ("plan", "--over", "geos"),
        ("plan", "--over", "weeks"),
    ],
    ids=" ".join,
)
def test_a_plan_says_that_there_is_no_spend(market, words, monkeypatch, capfd):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    assert main([words[0], str(market[0]), *words[1:]]) == 1
    said = capfd.readouterr().err
    assert NO_SPEND in said and "add a column" in said
    assert not submitted
