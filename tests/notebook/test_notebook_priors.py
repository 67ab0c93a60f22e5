"""Priors that other projects suggest, in a notebook."""

import mixwright as mw
from tests.charts import synthetic
from tests.pages import worlds


def test_suggestions_are_a_table_that_can_be_accepted(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    weeks = synthetic.weeks
    for seed, name in enumerate((worlds.MARKET, "Sister brand"), 1):
        monkeypatch.setattr(
            synthetic, "weeks", lambda seed=seed, **m: weeks(**m, seed=seed)
        )
        frame = worlds.table(seed=seed)
        with monkeypatch.context() as patch:
            patch.setattr(worlds, "table", lambda frame=frame: frame)
            worlds.fit(worlds.project(name))
    worlds.project("Never fitted")
    project = mw.project(worlds.MARKET)
    found = mw.suggest_priors(project)
    assert list(found.index) == list(synthetic.PAID)
    assert (found["low"] < found["high"]).all() and not found["is_accepted"].any()
    assert found.attrs["left_out"] == ["Never fitted: it has no finished fit."]
    accepted = mw.suggest_priors(project, accept=["TV"])
    assert accepted["is_accepted"].tolist() == [True, False, False, False]
    tv = project.settings.spec.channel("TV").prior
    assert tv.written.low == found.loc["TV", "low"]
