"""Prices from a fit on: an index that the model deflates by, and dearer with volume."""

import numpy as np
import pandas as pd
import pytest

from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.jobs.tasks import fit_run, flight_run, horizon_run
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.scenario.horizon import HorizonRequest
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import open_run
from core.project.settings.project import load_project
from core.project.shelf.lifecycle import create_project
from core.service import plans
from core.service.ask import Bound, PlanAsk
from core.store.run_state import write_state
from core.store.stored import read_object

QUICK = SamplerSettings(chains=2, warmup=80, draws=80, precision="float64")
TASKS = {"flight": flight_run, "horizon": horizon_run}
AHEAD = HorizonRequest(periods=8, start="2024-04-01")
INDEX = 'price_index = { "2023-01-01" = 1.0, "2024-01-01" = 1.25 }'


def table(n_times: int = 60) -> pd.DataFrame:
    """Clicks get dearer with volume, television by the year."""
    rng = np.random.default_rng(3)
    weeks = pd.date_range("2023-01-02", periods=n_times, freq="7D")
    clicks = 1_000 * rng.gamma(4.0, 0.25, n_times)
    tv = 900 * rng.gamma(2.0, 0.5, n_times)
    bought = tv / np.where(weeks.year >= 2024, 1.25, 1.0)
    price = 0.5 * (clicks / 1_000) ** 0.3 * np.exp(rng.normal(0, 0.03, n_times))
    sales = 9_000 + 1.5 * bought + 1.2 * clicks + rng.normal(0, 200, n_times)
    columns = {"TV_spend": tv, "clicks": clicks, "Search_spend": clicks * price}
    columns |= {"week": weeks.strftime("%Y-%m-%d"), "sales": sales}
    return pd.DataFrame(columns).round(2)


def in_process(run, resume=False):
    """The work of a derived run, here and now."""
    kind = read_object(run / "run.json")["kind"]
    TASKS[kind].execute(run, lambda told: None, lambda: False)
    write_state(run, "done", rc=0)


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    """A finished fit of that market."""
    columns = (
        ChannelColumns("TV", "media", media="TV_spend", spend="TV_spend"),
        ChannelColumns("Search", "media", media="clicks", spend="Search_spend"),
    )
    channels = tuple(ChannelSpec(each.name, follows_demand=False) for each in columns)
    mapping = ColumnMapping("week", "sales", kpi_type="revenue", channels=columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setattr("core.jobs.executor.submit", in_process)
        patch.setattr("core.service.plans.await_end", lambda *waits: None)
        patch.setattr("core.service.horizons.await_end", lambda *waits: None)
        folder = create_project(
            "Dear", table(), mapping, spec=ModelSpec(channels=channels), currency="EUR"
        )
        path = folder / "project.toml"
        text = path.read_text()
        name = 'name = "TV"\n'
        assert text.count(name) == 1
        path.write_text(text.replace(name, f"{name}{INDEX}\n"))
        assert load_project(folder).mapping.channels[0].price_index
        run = new_run(folder, sampler=vars(QUICK))
        fit_run.execute(run, lambda told: None, lambda: False)
        write_state(run, "done", rc=0)
        yield open_run(run)


def asked(fit, over, *limits, **more):
    return plans.plan(
        fit, PlanAsk(over=over, horizon=AHEAD, limits=list(limits), **more)
    )


@pytest.mark.parametrize("over", ["channels", "weeks"])
def test_prices_of_a_fit_are_those_of_its_plans(fit, over):
    """TV at what its index says, clicks dearer with volume: in cents, with a bound."""
    plain = asked(fit, over)
    assert plain.budget == pytest.approx(plain.today.spend, abs=0.01)
    said = " ".join(plain.reasons)
    assert "TV" in said and "price index" in said
    zero = asked(fit, over, Bound("Search", gamma=0.0))
    assert [line.planned for line in zero.channels] == [
        line.planned for line in plain.channels
    ]
    dear = asked(fit, over, Bound("Search", gamma=0.5))
    assert dear.budget == plain.budget
    assert sum(line.planned for line in dear.channels) == pytest.approx(
        dear.budget, abs=0.01
    )
    assert 0 <= dear.bound.gap < (1e-3 if over == "channels" else 0.05)
    searched, searched_dear = (
        {line.name: line.planned for line in plan.channels}["Search"]
        for plan in (plain, dear)
    )
    assert searched_dear < 0.95 * searched
    as_ran = asked(fit, over, Bound("TV", price=1.0))
    assert as_ran.today.outcome.mean > plain.outcome.current.mean
