"""What an agent may not write: nothing without --write, nor beyond its user's role."""

import itertools

import pytest

from core.plan.record.plan_record import with_details
from core.project.plans.plans import save_plan
from core.service.projects.approvals import propose_plan
from tests.charts import synthetic
from tests.cli.test_cli_refresh import later
from tests.pages import worlds


def writes(plan_id: str) -> list[tuple[str, dict]]:
    """Two hundred and more writes of every kind."""
    of = {"project": worlds.MARKET}
    texts = ("", "yes", "line\nbreak", "x" * 500)
    calls = [
        ("fit", of | {"draws": draws, "seed": seed})
        for draws, seed in itertools.product((1, 50, 10**6), range(20))
    ]
    calls += [
        ("plan", of | {"as_fitted": True, "save": name, "propose": propose})
        for name, propose in itertools.product(
            ("a", "Bold", "x" * 60, "a/b", "../a", "ü", "a\nb", "plan 1"), (False, True)
        )
    ]
    calls += [("plan", of | {"over": "weeks", "periods": n}) for n in range(1, 27)]
    calls += [("plan", of | {"periods": 13, "start": f"2024-0{n}-01"}) for n in (2, 5)]
    calls += [
        ("approval", of | {"plan": plan_id, "step": step, "text": text})
        for step, text in itertools.product(
            ("propose", "approve", "decline", "comment"), texts
        )
    ]
    calls += [
        ("refresh", of | {"files": files, "accept": accept})
        for files, accept in itertools.product(
            ([], ["new.csv"], ["new.csv", "new.csv"]), (False, True)
        )
    ]
    calls += [
        ("report", of | {"out": f"{name}.{kind}", "plan": plan})
        for name, kind, plan in itertools.product(
            ("a", "../a", "/tmp/a", "a\nb", "b c"),
            ("html", "xlsx", "pptx", "nc"),
            ("", plan_id),
        )
    ]
    calls += [
        ("columns", {"files": ["new.csv"], "create": name, "kpi_is": kind})
        for name, kind in itertools.product(
            ("a", "Bold", "../a", "/tmp/a", "a\nb", "x" * 64, worlds.MARKET, "new one"),
            ("money", "count"),
        )
    ]
    calls += [
        ("design_tests", of | {"weeks": [weeks], "save": name})
        for weeks, name in itertools.product(range(2, 13), ("a", "b", "c", "d\ne"))
    ]
    return calls


def kept(home) -> dict[str, tuple[int, bytes]]:
    """Every file of the workspace, but for the log of refusals and compiled code."""
    found = {}
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(home)
        if path.is_file() and inside.parts[0] != "cache" and path.suffix != ".jsonl":
            found[str(inside)] = (path.stat().st_mtime_ns, path.read_bytes())
    return found


@pytest.fixture
def plan_id(project, fit, data) -> str:
    later().to_csv(data / "new.csv", index=False)
    plan = with_details(synthetic.plan(), name="Bold", run_id=fit.name)
    return save_plan(project, plan).plan_id


def refused(answers, calls) -> None:
    for call, answer in zip(calls, answers, strict=True):
        text = answer.content[0].text
        assert answer.is_error, call
        assert "mistake" not in text and "\n" not in text, (call, text)


def test_two_hundred_writes_are_refused_without_write(agent, home, project, plan_id):
    calls = writes(plan_id)
    assert len(calls) >= 200
    before = kept(home)
    answers = agent(calls)
    refused(answers, calls)
    assert all(
        "read-only" in answer.content[0].text
        or "may be changed" in answer.content[0].text
        for answer in answers
        if "Expected" not in answer.content[0].text
    )
    assert kept(home) == before


def test_reading_leaves_the_workspace_as_it_is(agent, home, project, plan_id):
    of = {"project": project.name}
    spend = {"TV": 9e6, "Search": 4e6, "Social": 2.5e6, "Print": 1.5e6}
    calls = [
        ("projects", {}),
        ("check", of),
        ("check", {"files": ["new.csv"]}),
        ("columns", {"files": ["new.csv"]}),
        ("status", of),
        ("summary", of),
        ("plan", of),
        ("plan", of | {"as_fitted": True, "objective": "p10"}),
        ("evaluate", of | {"as_fitted": True, "spend": spend}),
        ("tests", of),
        ("design_tests", of | {"weeks": [4], "kind": ["dark"], "top": 1}),
        ("approval", of),
    ]
    before = kept(home)
    for call, answer in zip(calls, agent(calls), strict=True):
        assert not answer.is_error, (call, answer.content[0].text)
    assert kept(home) == before


def test_a_viewers_agent_changes_nothing_with_write(
    agent, home, project, plan_id, monkeypatch
):
    """It has the role of the user who started it, whatever the server may."""
    (home / "access.toml").write_text('sign_in = "oidc"\nadmins = ["boss@x.com"]\n')
    (project / "members.toml").write_text('[members]\n"ann@x.com" = "viewer"\n')
    monkeypatch.setenv("MIXWRIGHT_USER", "ann@x.com")
    calls = [call for call in writes(plan_id) if call[0] not in ("report", "columns")]
    calls = [call for call in calls if call[1].get("files", True)]  # has new rows
    few = [*calls[::7], ("columns", {"files": ["new.csv"], "create": "New one"})]
    before = kept(home)
    refused(agent(few, may_write=True), few)
    assert kept(home) == before
    monkeypatch.setenv("MIXWRIGHT_USER", "nobody@x.com")
    asked = [("summary", {"project": project.name}), ("projects", {})]
    gone, listed = agent(asked, may_write=True)
    assert gone.is_error and "has no access" in gone.content[0].text
    assert listed.structured_content["result"]["projects"] == []


@pytest.mark.parametrize("enforced", [False, True])
def test_nobody_approves_what_they_proposed(
    call, home, project, plan_id, monkeypatch, enforced
):
    if enforced:
        (home / "access.toml").write_text('sign_in = "oidc"\n')
        (project / "members.toml").write_text(
            '[members]\n"ann@x.com" = "planner"\n"ben@x.com" = "planner"\n'
        )
    monkeypatch.setenv("MIXWRIGHT_USER", "ann@x.com")
    of = {"project": project.name}
    made = call("plan", True, **of, as_fitted=True, save="Mine", propose=True)
    assert not made.is_error, made.content[0].text
    mine = made.structured_content["result"]["plan_id"]
    for step in ("approve", "decline"):
        answer = call("approval", True, **of, plan=mine, step=step)
        assert answer.is_error and "cannot decide on it" in answer.content[0].text
    (told,) = call("approval", **of, plan=mine).structured_content["result"]["plans"]
    assert told["status"] == "proposed" and not told["is_record"]
    monkeypatch.setenv("MIXWRIGHT_USER", "ben@x.com")
    propose_plan(project, plan_id)
    answer = call("approval", True, **of, plan=mine, step="approve", text="Fine.")
    assert not answer.is_error, answer.content[0].text
    assert call("approval", True, **of, plan=plan_id, step="approve").is_error
