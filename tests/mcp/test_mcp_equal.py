"""An agent's tools answer what the command line prints with --json."""

import json
import sys
import time
from types import ModuleType

import pandas as pd
import pytest

from core.cli.main import main
from core.experiments.kept import as_kept
from core.mcp import planning
from core.mcp.desk import opened
from core.mcp.server import called
from core.project.fits.runs import list_runs
from core.project.lift_tests.lift_tests import keep_lift_test
from tests.cli.test_cli_forecast import world  # noqa: F401
from tests.cli.test_cli_refresh import later
from tests.experiments.geo_world import END, START, TREATED, project_of_geos, table
from tests.mcp.conftest import in_a_loop, over_stdio
from tests.pages import worlds

LIMITED = ("--as-fitted", "--budget", "17e6", "--bounds", "0.7:1.3")
LOCKED = ("--as-fitted", "--objective", "p10", "--lock", "Print", "--limit")
SPEND = {"TV": 9e6, "Search": 4e6, "Social": 2.5e6, "Print": 1.5e6}
LOCKS = [
    word for name, amount in SPEND.items() for word in ("--lock", f"{name}={amount}")
]
WHERE = {"treated": [TREATED], "start": START, "end": END}


def cases(data, market, geos, first):
    """Tool, its arguments, and the same on the command line."""
    files = {"files": ["sales.csv"]}
    read = ("--treated", TREATED, "--start", START, "--end", END)
    as_fitted, limit = {"as_fitted": True}, [{"channel": "Print", "locked": True}]
    limit += [{"channel": "TV", "low": "95 %", "high": "105 %"}]
    geo = {"project": "Four geos"}
    return [
        ("check", {"project": market.name}, ["check", market]),
        ("check", files, ["check", data / "sales.csv"]),
        (
            "columns",
            files | {"create": "By agent", "ignore": ["temperature"]},
            [
                "init",
                data / "sales.csv",
                "--out",
                data / "x",
                "--ignore",
                "temperature",
            ],
        ),
        ("summary", {"project": market.name}, ["summary", market]),
        (
            "summary",
            {"project": market.name, "run": first.name},
            ["summary", first],
        ),
        ("plan", {"project": market.name}, ["plan", market]),
        (
            "plan",
            {"project": market.name, "budget": 17e6, "bounds": [0.7, 1.3]} | as_fitted,
            ["plan", market, *LIMITED],
        ),
        (
            "plan",
            {"project": market.name, "objective": "p10", "limits": limit} | as_fitted,
            ["plan", market, *LOCKED, "TV=0.95:1.05"],
        ),
        (
            "plan",
            {"project": market.name, "find": {"kind": "profit", "margin": 0.5}},
            ["plan", market, "--scenario", data / "profit.toml"],
        ),
        ("plan", geo | {"over": "geos"}, ["plan", geos, "--over", "geos"]),
        (
            "evaluate",
            {"project": market.name, "spend": SPEND} | as_fitted,
            ["plan", market, "--as-fitted", "--best", "--budget", "17e6", *LOCKS],
        ),
        ("tests", geo, ["tests", "list", geos]),
        (
            "design_tests",
            geo | {"weeks": [4], "kind": ["dark"], "channel": ["TV"], "top": 2},
            [*("tests", "design", geos, "--weeks", "4", "--kind", "dark")]
            + ["--channel", "TV", "--top", "2"],
        ),
        ("read_test", geo | WHERE, ["tests", "read", geos, *read]),
        (
            "read_test",
            {"file": "geos.csv"} | WHERE,
            ["tests", "read", data / "geos.csv", *read],
        ),
        (
            "report",
            {"project": market.name, "out": "a.html"},
            ["report", market, "--out", market / "reports/a.html"],
        ),
        ("approval", {"project": market.name}, ["approval", market]),
        ("promises", {"project": market.name}, ["history", market, "--promises"]),
        (
            "suggest_priors",
            {"project": market.name},
            ["priors", "suggest", market],
        ),
        (
            "refresh",
            {"project": market.name, "files": ["changed.csv"]},
            ["refresh", market, data / "changed.csv"],
        ),
    ]


@pytest.fixture
def worked(project, fit, data):
    """Two projects with fits, tests and a plan; files in the folder of data."""
    geos = project_of_geos()
    worlds.fit(geos, has_geo_curves=True)
    test = {"name": "TV off", "channels": ["TV"], "geos": [TREATED]}
    test |= {"start": START, "end": END, "kind": "dark", "multiple": 0.0}
    keep_lift_test(geos, as_kept(test))
    first, _ = fit, worlds.fit(project, better=5.0)
    worlds.table().to_csv(data / "sales.csv", index=False)
    (data / "profit.toml").write_text('[find]\nkind = "profit"\nmargin = 0.5\n')
    table().to_csv(data / "geos.csv", index=False)
    changed = pd.concat([worlds.table()[-1:], later()], ignore_index=True)
    changed.loc[0, "revenue"] = 5.0
    changed.to_csv(data / "changed.csv", index=False)
    return cases(data, project, geos, first)


def test_answers_are_those_of_the_command_line(say, worked):
    """Through a real client over standard streams."""
    say("plan", "Test market", "--save", "Bold")

    async def session():
        async with over_stdio("--write") as client:
            return [await client.call_tool(name, about) for name, about, _ in worked]

    assert len(worked) >= 15
    for (name, about, words), answer in zip(worked, in_a_loop(session), strict=True):
        assert not answer.is_error, (name, about, answer.content[0].text)
        told = answer.structured_content
        printed = say(*words, "--json")
        expected = printed.data
        expected.pop("draws", None)
        result = told["result"]
        if name == "columns":
            assert result.pop("project") != expected.pop("project")
        if name == "refresh":
            expected["changed"] = result["changed"] = len(expected["changed"])
        assert result == expected, (name, about)
        assert {"verdict", "advice", "units", "interval"} <= told.keys()
        assert told["advice"] and "left_out" not in told
        if name in ("summary", "plan", "evaluate", "design_tests"):
            assert told["verdict"]["fit"] == "trustworthy"
            assert told["units"]["money"] == "EUR" and "90 %" in told["interval"]


def test_a_fit_is_started_at_once_and_its_status_says_how_it_ended(call, project):
    begun = call("fit", may_write=True, project=project.name, draws=50)
    run = begun.structured_content["result"]["run"]
    told: dict = {}
    while told.get("state") not in ("done", "failed"):
        time.sleep(0.1)
        answer = call("status", project=project.name, run=run)
        told = answer.structured_content["result"]
    assert told["state"] == "done", told
    fitted = project / "runs" / run
    stored = json.loads((fitted / "result/fit.json").read_text())
    assert told["fit"] == stored | {"run": str(fitted)}
    verdict = stored["diagnostics"]["verdict"]
    assert answer.structured_content["verdict"]["fit"] == verdict
    assert json.loads((fitted / "run.json").read_text())["sampler"]["draws"] == 50


@pytest.mark.parametrize(
    ("about", "words"),
    [
        pytest.param({}, [], marks=pytest.mark.slow),  # each starts a worker
        (
            {"periods": 8, "multiply": {"TV": 1.5}, "goal": 9e4},
            ["--periods", "8", "--multiply", "TV=1.5", "--goal", "9e4"],
        ),
    ],
)
def test_forecasts_are_those_of_the_command_line(
    world,  # noqa: F811
    capfd,
    monkeypatch,
    about,
    words,
):
    # A screen that another test ran leaves its script there, which a worker would run.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    desk = opened([], [], may_write=False)
    answer = called(desk, "forecast", {"project": "Small"} | about)
    assert not answer.is_error, answer.content[0].text
    capfd.readouterr()
    assert main(["forecast", str(world), *words, "--json"]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert answer.structured_content["result"] == printed
    assert answer.structured_content["verdict"]["fit"] == printed["verdict"]


def test_a_plan_that_takes_long_names_its_run_and_is_not_begun_twice(
    call, project, fit, home, monkeypatch
):
    monkeypatch.setenv("CLI_BEHAVIOUR", "gate")
    monkeypatch.setattr(planning, "PATIENCE", 0.3)
    about = {"project": project.name, "periods": 13, "may_write": True}
    first, second = (call("plan", **about).structured_content for _ in range(2))
    assert first["result"]["state"] in ("queued", "starting", "running")
    assert first["result"]["run"] == second["result"]["run"]
    assert "ask for the same again" in second["advice"]
    assert len(list_runs(project, "horizon")) == 1
    (home / "go").touch()
    monkeypatch.setattr(planning, "PATIENCE", 300.0)
    told = call("plan", **about).structured_content
    assert told["verdict"]["fit"] == "trustworthy" and told["result"]["channels"]
    assert len(list_runs(project, "horizon")) == 1
    status = call("status", project=project.name, run=first["result"]["run"])
    assert "ask for it again" in status.structured_content["advice"]
