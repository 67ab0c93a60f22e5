"""What an agent finds: tools, resources, verdicts, and sentences for bad input."""

import json
import math
import subprocess
import sys

import pytest
from mcp import Client

from core.mcp import answers
from core.mcp.desk import opened
from core.mcp.server import called, catalogue, server_of
from core.plan.record.plan_record import with_details
from core.project.plans.plans import save_plan
from core.store.atomic import sha256_of
from tests.charts import synthetic
from tests.mcp.conftest import ROOT, in_a_loop, over_stdio
from tests.pages import worlds

#: Characters of a token.
PER_TOKEN = 4


def test_the_catalogue_fits_six_thousand_tokens():
    tools = [tool.model_dump(exclude_none=True) for tool in catalogue(may_write=True)]
    assert 10 <= len(tools) <= 18
    assert len(json.dumps(tools)) / PER_TOKEN <= 6_000
    fewer = {tool.name for tool in catalogue(may_write=False)}
    assert {"fit", "refresh", "report"}.isdisjoint(fewer) and "plan" in fewer


def test_without_a_verdict_there_is_no_number(call, project):
    run = worlds.fit(project)
    for name in ("summary", "fit"):
        path = run / f"result/{name}.json"
        about = json.loads(path.read_text())
        about["diagnostics"]["verdict"] = ""
        path.write_text(json.dumps(about))
        manifest = run / "result/manifest.json"
        stated = manifest.read_text()
        digest = json.loads(stated)["files"][path.name]
        manifest.write_text(stated.replace(str(digest), sha256_of(path)))
    for name, about in (
        ("summary", {}),
        ("status", {"run": run.name}),
        ("plan", {}),
        ("evaluate", {"spend": {"TV": 9e6}}),
        ("forecast", {}),
        ("design_tests", {}),
    ):
        answer = call(name, project=project.name, **about)
        assert answer.is_error, name
        said = answer.content[0].text
        assert "has no verdict, so none of its numbers are given" in said, (name, said)


def test_a_poor_fit_is_said_with_every_number(call, project):
    worlds.fit(project, "failed")
    told = call("summary", project=project.name).structured_content
    assert told["verdict"]["fit"] == "failed" and told["verdict"]["reasons"]
    assert told["advice"].startswith("Do not decide on these numbers")
    plan = call("plan", project=project.name, as_fitted=True).structured_content
    assert plan["verdict"]["fit"] == "failed"
    assert plan["result"]["advice"] != "change"
    new = {"belief": {"Podcast": {"spend": 5000, "roi": [1, 2]}}}
    more = call("plan", project=project.name, as_fitted=True, scenario=new)
    names = [each["name"] for each in more.structured_content["result"]["channels"]]
    assert names[-1] == "Podcast"


def test_resources_are_summaries_plans_and_guides(project, fit, home, data):
    plan = with_details(synthetic.plan(), name="Bold", run_id=fit.name)
    plan = with_details(plan, verdict="trustworthy")
    saved = save_plan(project, plan)

    async def session():
        async with over_stdio() as client:
            listed = (await client.list_resources()).resources
            read = [await client.read_resource(each.uri) for each in listed]
            templates = (await client.list_resource_templates()).resource_templates
            gone = await client.read_resource("mixwright://guides/../secrets")
            return listed, read, templates, gone

    listed, read, templates, gone = in_a_loop(session)
    names = {str(each.uri) for each in listed}
    assert "mixwright://guides/analysts" in names and len(templates) == 3
    texts = {str(part.contents[0].uri): part.contents[0].text for part in read}
    summary = json.loads(texts["mixwright://projects/Test%20market/summary"])
    assert summary["verdict"]["fit"] == "trustworthy"
    about = json.loads(texts["mixwright://projects/Test%20market/plan"])
    assert about["result"]["plan_id"] == saved.plan_id
    assert "nothing to read" in gone.contents[0].text


BAD = [
    ("nothing", {}, "There is no tool 'nothing'."),
    ("summary", {}, "missing required field `project`"),
    ("summary", {"project": "Test market", "request": 1}, "unknown field `request`"),
    ("summary", {"project": 7}, "Expected `str`, got `int`"),
    ("summary", {"project": "Test\nmarket"}, "cannot name a project"),
    ("summary", {"project": "../Test market"}, "cannot name a project"),
    ("summary", {"project": "/etc"}, "cannot name a project"),
    ("summary", {"project": "a" * 1_000_000}, "length <= 300"),
    ("summary", {"project": "Nobody"}, "There is no project Nobody."),
    ("summary", {"project": "Test\x1b[2Jmarket"}, "cannot name a project"),
    ("summary", {"project": "Test\u202emarket"}, "cannot name a project"),
    ("summary", {"project": ["Test market"]}, "Expected `str`, got `array`"),
    ("summary", {"project": None}, "Expected `str`, got `null`"),
    ("summary", {"project": "Test market", "run": "../../x"}, "is not the name of a"),
    ("summary", {"project": "Test market", "run": "a\nb"}, "is not the name of a"),
    ("check", {}, "Name a project or files"),
    ("check", {"files": ["/etc/passwd"]}, "There is no file '/etc/passwd'"),
    ("check", {"files": ["../home/x"]}, "There is no file"),
    ("check", {"files": ["link.csv"]}, "There is no file 'link.csv'"),
    ("check", {"files": ["a\x00b"]}, "There is no file"),
    ("check", {"files": ["x.csv"] * 1000}, "length <= 50"),
    ("plan", {"project": "Test market", "budget": "much"}, "Expected `float"),
    ("plan", {"project": "Test market", "periods": 0}, "period"),
    ("plan", {"project": "Test market", "periods": 10**30}, "more than 2 years"),
    ("plan", {"project": "Test market", "limits": [{}] * 10**6}, "length <= 500"),
    ("plan", {"project": "Test market", "save": "x" * 10**6}, "length <= 300"),
    ("evaluate", {"project": "Test market", "spend": {"T\nV": 1.0}}, "TV"),
    ("report", {"project": "Test market", "out": "a.html", "language": "tlh"}, "tlh"),
    ("plan", {"project": "Test market", "start": "soon"}, "soon"),
    ("plan", {"project": "Test market", "objective": "luck"}, "luck"),
    ("plan", {"project": "Test market", "scenario": {"luck": 1}}, "luck"),
    ("plan", {"project": "Test market", "bounds": [1]}, "length 2"),
    ("plan", {"project": "Test market", "limits": [{"channel": "X"}]}, "X"),
    ("plan", {"project": "Test market", "over": "geos"}, "one market"),
    ("plan", {"project": "Test market", "budget": 1e300}, "budget"),
    ("evaluate", {"project": "Test market", "spend": {}}, "spend"),
    ("evaluate", {"project": "Test market", "spend": {"TV": [1.0] * 10**6}}, "<= 1000"),
    ("evaluate", {"project": "Test market", "spend": {"TV": "1"}}, "Expected"),
    ("evaluate", {"project": "Test market", "spend": {"TV": 1.0, "X": [1]}}, "spend"),
    ("evaluate", {"project": "Test market", "spend": {"TV": 1.0}}, "nothing of Search"),
    ("evaluate", {"project": "Test market", "spend": {"Nowhere": 1.0}}, "TV"),
    ("design_tests", {"project": "Test market", "channel": ["X"]}, "X"),
    ("read_test", {"treated": ["a"], "start": "x", "end": "y"}, "Name a project or"),
    ("status", {"project": "Test market", "run": "20200101-000000-00000000"}, "no run"),
    ("approval", {"project": "Test market", "plan": "x\ny"}, "is not the name of a"),
]


def test_bad_input_is_a_sentence(agent, project, fit, data, tmp_path):
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    (data / "link.csv").symlink_to(tmp_path / "secret.csv")
    for (name, about, said), answer in zip(
        BAD, agent([(name, about) for name, about, _ in BAD]), strict=True
    ):
        text = answer.content[0].text
        assert answer.is_error, (name, str(about)[:80])
        assert said in text, (name, str(about)[:80], text)
        assert "mistake" not in text and "Traceback" not in text, text
        assert "\n" not in text and len(text) < 2_000
        assert text.rstrip()[-1] in ".?:)'…", text


def test_another_projects_path_is_refused(home, project, fit, data):
    other = worlds.project("Other market")
    desk = opened([str(project)], [], may_write=True)
    asked = [("summary", {"project": name}) for name in ("Other market", str(other))]

    async def session():
        async with Client(server_of(desk)) as client:
            listed = await client.call_tool("projects", {})
            mine = await client.call_tool("summary", {"project": project.name})
            return listed, mine, [await client.call_tool(*call) for call in asked]

    listed, mine, refused = in_a_loop(session)
    names = [
        each["project"] for each in listed.structured_content["result"]["projects"]
    ]
    assert names == [project.name] and not mine.is_error
    for answer in refused:
        assert "is none of the projects of this server" in answer.content[0].text
    worlds.table().to_csv(data / "new.csv", index=False)
    made = called(desk, "columns", {"files": ["new.csv"], "create": "New"})
    assert made.is_error and "Test market alone" in made.content[0].text
    assert not (home / "projects/New").exists()


def test_answers_are_bounded(call, project, data):
    rows = "\n".join(f"2021-01-04,{n},x{n}" for n in range(50_000))
    (data / "long.csv").write_text(f"week,revenue,name\n{rows}\n")
    answer = call("check", files=["long.csv"])
    assert len(json.dumps(answer.structured_content)) <= answers.MOST
    many = answers.bounded({"rows": [{"n": n, "text": "x" * 50} for n in range(10**5)]})
    assert len(json.dumps(many)) <= answers.MOST and many["left_out"][".rows"] > 9e4


def test_an_answer_without_end_is_json():
    answer = answers.plain({"high": math.inf, "rows": [math.nan, 1.5]}, "")
    assert answer["result"] == {"high": None, "rows": [None, 1.5]}


def test_without_the_package_the_install_line_is_said(tmp_path):
    code = (
        "import sys; sys.modules['mcp'] = None; "
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name: None if name == 'mcp' else find(name); "
        "from core.cli.main import main; sys.exit(main(['mcp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stdout == ""
    assert "The package mcp is not installed." in done.stderr
    assert "pip install -r requirements-mcp.txt" in done.stderr


@pytest.mark.parametrize("option", ["nobody", "--data=/nowhere"])
def test_a_server_that_cannot_start_says_why(home, option):
    done = subprocess.run(
        [sys.executable, "-m", "core", "mcp", option],
        cwd=ROOT,
        capture_output=True,
        text=True,
        input="",
    )
    assert done.returncode == 1 and done.stdout == ""
    assert "There is no" in done.stderr and "Traceback" not in done.stderr
