import json
import math

import numpy as np
import pytest

from core.estimate import estimate
from core.plan.comparison import Both, ComparedChannel, limit
from core.project.fits.runs import data_sha256
from core.project.settings.project import load_project
from core.project.settings.project_data import replace_data
from core.store.atomic import sha256_of, write_json
from core.text.fits import two_fits
from tests.pages import worlds


def change(run, edit, name: str = "summary") -> None:
    """Change a JSON file of a result, as if the worker had written it so."""
    path = run / f"result/{name}.json"
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))
    manifest = run / "result/manifest.json"
    told = json.loads(manifest.read_text())
    told["files"][path.name] = sha256_of(path)
    write_json(manifest, told)


def add(measure: str, errors: float):
    """An edit that moves a number of TV by so many of its Monte-Carlo errors."""

    def edit(summary):
        row = summary["channels"][0]
        row[measure]["mean"] += errors * row["mcse"][measure] * 2**0.5

    return edit


@pytest.fixture
def other(project, fit):
    """A second fit of the same project."""
    return worlds.fit(project)


def test_the_same_run_twice(say, fit):
    said = say("compare", fit, fit, "--json")
    assert said.code == 0, said.err
    assert said.data["verdict"]["status"] == "same"
    assert "exactly the same numbers" in said.data["verdict"]["text"]
    assert said.data["settings"] == []


def test_within_monte_carlo_error(say, fit, other):
    change(other, add("roi", 1.5))
    said = say("compare", fit, other, "--json")
    assert said.code == 0, said.err
    told = said.data
    assert told["verdict"]["status"] == "same"
    assert told["verdict"]["text"] == "The two fits give the same answer."
    row = told["channels"][0]
    assert row["roi"]["units"] == pytest.approx(1.5)
    assert {"a", "b", "difference", "error"} <= set(row["roi"])
    assert {"mean", "lo", "hi"} <= set(row["roi"]["a"])
    rose = row["roi"]["b"]["mean"] - row["roi"]["a"]["mean"]
    assert rose > 0 and row["roi"]["difference"] == pytest.approx(rose)
    assert told["channels"][4]["roi"] is None
    assert {"budget", "channels", "loss_of_b_under_a"} <= set(told["plan"])


def test_beyond_monte_carlo_error(say, fit, other):
    change(other, add("roi", 40))
    said = say("compare", fit, other, "--json")
    assert said.data["verdict"]["status"] == "different"
    assert "ROI of TV" in said.data["verdict"]["findings"][0]
    (beyond,) = said.data["verdict"]["beyond"]
    assert (beyond["channel"], beyond["measure"]) == ("TV", "roi")
    assert beyond["units"] == pytest.approx(40)


def narrower(times: float):
    """An edit that makes the interval of TV's ROI so many times as wide."""

    def edit(summary):
        roi = summary["channels"][0]["roi"]
        roi["lo"], roi["hi"] = (
            roi["mean"] + times * (roi[end] - roi["mean"]) for end in ("lo", "hi")
        )

    return edit


@pytest.mark.parametrize("leans", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "n_wider"), [(0.1, 0.1, 0), (0.6, 0.6, 0), (0.1, 0.4, 200)]
)
def test_widths_that_few_draws_leave_to_chance_are_as_wide(
    leans, first, second, n_wider
):
    """The widths of two fits of one posterior differ by no more, if it leans, too."""
    rng, n = np.random.default_rng(1), 100
    found = 0
    for _ in range(200):
        draws = (rng.normal(0, s, n) for s in (first, second))
        a, b = (estimate(np.exp(d) if leans else 1 + d) for d in draws)
        error = math.hypot(a.sd, b.sd) / math.sqrt(n)
        both = Both(a=a, b=b, difference=0.0, error=error, units=0.0)
        row = ComparedChannel(name="TV", kind="media", roi=both)
        found += len(two_fits.other_widths([row], limit(8)))
    assert abs(found - n_wider) <= 1


@pytest.mark.parametrize(
    ("times", "status", "finding"),
    [
        (0.6, "sharper", "TV's ROI is 40 % narrower in B"),
        (0.9, "same", "as wide in both"),
        (1.5, "sharper", "TV's ROI is 50 % wider in B"),
    ],
)
def test_a_fit_that_is_surer_is_another_answer(say, fit, other, times, status, finding):
    change(other, narrower(times))
    change(other, add("roi", 0.1))
    verdict = say("compare", fit, other, "--json").data["verdict"]
    assert verdict["status"] == status
    said = "\n".join(verdict["findings"]).replace("\u00a0", " ")
    assert finding in said and "Means: none differs" in said
    assert "Advice on the budget that ran:" in said
    assert ("same answer" in verdict["text"]) == (status == "same")


def test_another_advice_is_another_answer(say, fit, other):
    def doubt(summary):
        summary["diagnostics"]["verdict"] = "doubtful"

    change(other, doubt)
    verdict = say("compare", fit, other, "--json").data["verdict"]
    assert (
        "change the split by A, keep the split that ran by B" in verdict["findings"][-1]
    )


def test_for_people(say, fit, other):
    change(other, add("mroi", 2))
    said = say("compare", fit, other)
    assert said.code == 0, said.err
    for words in ("same answer", "In Monte-Carlo errors", "Best split, €", "+2.00"):
        assert words in said.out


def test_other_data_are_no_agreement(say, fit, project):
    replace_data(project, worlds.table(seed=2))
    other = worlds.fit(project)
    assert load_project(project).file
    said = say("compare", fit, other, "--json")
    assert said.data["verdict"]["status"] == "other data"
    assert "same answer" not in said.data["verdict"]["text"]
    (about,) = said.data["settings"]
    assert about["name"] == "data"
    assert about["a"] == "156 rows, 4 Jan 2021 to 25 Dec 2023"
    assert about["b"].startswith(f"{about['a']}; ")
    assert "cells changed (" in about["b"]
    assert data_sha256(fit / "data.parquet") != data_sha256(other / "data.parquet")


def test_settings_that_differ_are_named(say, fit, project):
    path = project / "project.toml"
    path.write_text(
        path.read_text().replace("[model]", "[model]\nknots = 9")
        + '\n[[experiment]]\nchannel = "TV"\nstart = "2023-02-06"\nend = "2023-03-19"\n'
        "incremental_outcome = 650000.0\nstandard_error = 151989.20797794234\n"
    )
    other = worlds.fit(project)
    about = json.loads((other / "run.json").read_text())
    about["versions"]["jax"] = "9.9"
    write_json(other / "run.json", about)
    names = {
        one["name"]: one
        for one in say("compare", fit, other, "--json").data["settings"]
    }
    assert names["knots"] == {"name": "knots", "a": "–", "b": "9"}
    assert names["version of jax"]["b"] == "9.9"
    test = "TV, 6 Feb 2023 – 19 Mar 2023: 650,000 ± 151,989"
    assert names["lift test 1"] == {"name": "lift test 1", "a": "–", "b": test}
    assert "data" not in names


def test_channels_of_one_fit_only_are_said(say, fit, other):
    def drop(summary):
        summary["channels"] = summary["channels"][1:]

    change(other, drop)
    told = say("compare", fit, other, "--json").data
    assert told["only"] == {"a": ["TV"], "b": []}
    assert "Only in fit A: TV." in told["verdict"]["remarks"]


def test_fits_that_cannot_be_judged(say, fit, other):
    def forget(summary):
        for row in summary["channels"]:
            row["mcse"] = dict.fromkeys(row["mcse"])  # as where draws are too few
        summary["channels"][0]["roi"]["mean"] += 1

    change(other, forget)
    told = say("compare", fit, other, "--json").data
    assert told["verdict"]["status"] == "unknown"
    assert any("fit again" in remark for remark in told["verdict"]["remarks"])


def test_a_failed_fit_is_no_evidence(say, fit, project):
    told = say("compare", fit, worlds.fit(project, "failed"), "--json").data
    assert told["verdict"]["status"] == "unknown"
    assert "Fit B is failed." in told["verdict"]["remarks"]


def test_runs_without_results(say, project, fit):
    running = worlds.run(project, "cancelled")
    said = say("compare", fit, running)
    assert said.code == 1 and said.out == ""
    assert say("compare", fit).code == 2
    worlds.damage(fit, "curves.nc")
    told = say("compare", fit, fit, "--json").data
    assert told["plan"] is None
    assert any("Plans are not compared" in line for line in told["verdict"]["remarks"])


def test_three_fits_are_one_table(say, fit, other, project):
    third = worlds.fit(project, better=0.2, missed=True)
    said = say("compare", fit, other, third, "--json")
    assert said.code == 0, said.err
    assert [row["name"] for row in said.data["rows"]] == ["A", "B", "C"]
    assert said.data["rows"][2]["difference"]["elpd"] == 0
    assert said.data["rows"][0]["difference"]["elpd"] == pytest.approx(-0.2 * 156)
    assert "not how well it forecasts" in said.data["note"]
    text = say("compare", fit, other, third).out
    for words in ("elpd ± SE", "forecasts untested", "1 missed", "ROI, €"):
        assert words in text
    assert "specifications" in say("compare", fit, other, "--json").data


def test_the_summary_has_the_model_check(say, fit):
    text = say("summary", fit).out
    assert "Model check" in text
    assert "PSIS-LOO: elpd" in text
    told = say("summary", fit, "--json").data
    assert told["model_check"]["status"] == "ok"
    assert told["loo"]["n"] == 156
