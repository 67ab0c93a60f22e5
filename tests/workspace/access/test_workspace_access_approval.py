import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.errors import AccessError, WorkspaceError
from core.project.plans.plans import (
    delete_plan,
    list_plans,
    mark_plan,
    plan_of_record,
    rename_plan,
    save_plan,
)
from core.service.projects.approvals import (
    approve_plan,
    comment_plan,
    decline_plan,
    propose_plan,
)
from core.team import audit
from core.team.approval import FILE, approval_of, said, said_of
from core.team.membership import change_members
from core.team.roles import Role
from tests.plan.records import record


@pytest.fixture
def plan(shop, acts):
    """A plan that Paul saved and proposed."""
    acts("paul@x.org")
    plan_id = save_plan(shop, record(name="Spring")).plan_id
    propose_plan(shop, plan_id, "As discussed")
    return plan_id


def test_another_person_approves_and_it_becomes_the_plan_of_record(shop, acts, plan):
    begun = said(approval_of(shop, plan))
    assert begun.startswith("Proposed by paul@x.org on ") and "-" not in begun
    acts("anna@x.org")
    comment_plan(shop, plan, "TV looks low")
    assert approval_of(shop, plan).status == "proposed"
    approve_plan(shop, plan, "Go")
    assert plan_of_record(shop) == plan
    approval = approval_of(shop, plan)
    assert approval.approved.who == "anna@x.org"
    assert "approved by anna@x.org" in said(approval)
    assert [step.text for step in approval.steps] == [
        "As discussed",
        "TV looks low",
        "Go",
    ]
    assert [entry.action for entry in audit.entries(shop)][-4:] == [
        "plan saved",
        "plan proposed",
        "plan commented",
        "plan approved",
    ]
    assert not any("TV looks" in entry.subject for entry in audit.entries(shop))


#: One person takes a step, at a moment that all wait for.
STEP = """
import sys, time
from pathlib import Path
from core.errors import AccessError
from core.team import identity
from core.service.projects import approvals

project, plan, name, step, go = Path(sys.argv[1]), *sys.argv[2:]
identity.set_sign_in(lambda: identity.Person(name, "sign-in"))
print("ready", flush=True)
while not Path(go).exists():
    pass
try:
    getattr(approvals, f"{step}_plan")(project, plan)
    print("done")
except AccessError as error:
    print(error.message)
"""
RACE = (("anna@x.org", "approve"), ("boss@x.org", "decline"), ("boss@x.org", "approve"))


def at_once(shop, go, steps):
    """What each of several people is told who take a step at the same moment.

    Processes, as a command and the browser's server are.
    """
    races = []
    for plan_id, name, step in steps:
        words = [sys.executable, "-c", STEP, shop, plan_id, name, step, go]
        races.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
    for race in races:
        assert race.stdout.readline() == "ready\n"
    go.touch()
    return [race.communicate(timeout=60)[0].strip() for race in races]


@pytest.mark.parametrize("attempt", range(4))
def test_of_decisions_at_once_one_counts(shop, acts, plan, tmp_path, attempt):
    steps = [(plan, name, step) for name, step in RACE]
    said = at_once(shop, tmp_path / "go", steps)
    refused = f"Plan {plan} is not proposed."
    assert sorted(said) == [refused, refused, "done"]
    status = approval_of(shop, plan).status
    step = RACE[said.index("done")][1]
    assert status == {"approve": "approved", "decline": "declined"}[step]
    assert plan_of_record(shop) == (plan if status == "approved" else None)
    assert len(approval_of(shop, plan).steps) == 2


@pytest.mark.parametrize("attempt", range(4))
def test_of_proposals_of_a_plan_at_once_one_counts(shop, acts, tmp_path, attempt):
    acts("anna@x.org")
    plan_id = save_plan(shop, record(name="Spring", by="somebody@x.org")).plan_id
    people = ("anna@x.org", "boss@x.org")
    said = at_once(
        shop, tmp_path / "go", [(plan_id, name, "propose") for name in people]
    )
    assert sorted(said) == [f"Plan {plan_id} is proposed already.", "done"]
    (step,) = approval_of(shop, plan_id).steps
    assert (step.who, step.step) == (people[said.index("done")], "proposed")
    entries = [each for each in audit.entries(shop) if each.action == "plan proposed"]
    assert sorted(each.outcome for each in entries) == ["done", "refused"]


def test_proposals_of_two_plans_at_once_both_stand(shop, acts, tmp_path):
    acts("anna@x.org")
    plans = [
        save_plan(shop, record(name=name, by="somebody@x.org")).plan_id
        for name in ("Spring", "Autumn")
    ]
    people = ("anna@x.org", "boss@x.org")
    steps = [(*each, "propose") for each in zip(plans, people, strict=True)]
    assert at_once(shop, tmp_path / "go", steps) == ["done", "done"]
    assert [approval_of(shop, each).status for each in plans] == ["proposed"] * 2


def test_of_decisions_of_one_server_at_once_one_counts(shop, acts, plan):
    """Threads, as the sessions of the browser's server are."""
    acts("anna@x.org")
    start = threading.Barrier(8)

    def decide(step):
        start.wait()
        try:
            step(shop, plan)
        except AccessError:
            return "refused"
        return "done"

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(decide, [approve_plan, decline_plan] * 4))
    assert sorted(said) == ["done"] + ["refused"] * 7
    status = approval_of(shop, plan).status
    assert plan_of_record(shop) == (plan if status == "approved" else None)


def test_nobody_approves_their_own_plan(shop, acts, plan):
    with pytest.raises(AccessError, match="cannot decide"):
        approve_plan(shop, plan)
    acts("Paul@X.org")
    with pytest.raises(AccessError, match="cannot decide"):
        approve_plan(shop, plan)
    assert plan_of_record(shop) is None
    assert audit.entries(shop)[-1].outcome == "refused"


def test_who_saved_a_plan_does_not_approve_it_either(shop, acts):
    acts("anna@x.org")
    plan_id = save_plan(shop, record(name="Spring", by="somebody@x.org")).plan_id
    acts("paul@x.org")
    propose_plan(shop, plan_id)
    acts("anna@x.org")
    with pytest.raises(AccessError, match="cannot decide"):
        approve_plan(shop, plan_id)


def test_what_is_not_approved_is_not_of_record(shop, acts, plan):
    acts("anna@x.org")
    with pytest.raises(AccessError, match="is not approved"):
        mark_plan(shop, plan)
    decline_plan(shop, plan, "Too much")
    assert approval_of(shop, plan).status == "declined"
    with pytest.raises(AccessError, match="is not proposed"):
        approve_plan(shop, plan)
    acts("paul@x.org")
    propose_plan(shop, plan, "Less")
    acts("anna@x.org")
    approve_plan(shop, plan)
    assert plan_of_record(shop) == plan


def test_an_approved_plan_is_not_proposed_and_declined_again(shop, acts, plan):
    """It would be the plan of record although declined."""
    acts("anna@x.org")
    approve_plan(shop, plan)
    for name in ("paul@x.org", "anna@x.org", "boss@x.org"):
        acts(name)
        with pytest.raises(AccessError, match="is approved already"):
            propose_plan(shop, plan)
        with pytest.raises(AccessError, match="is not proposed"):
            decline_plan(shop, plan)
    assert approval_of(shop, plan).status == "approved"
    assert plan_of_record(shop) == plan


def test_whoever_proposed_a_plan_first_does_not_decide_on_it(shop, acts):
    """Nor after somebody else has proposed it, too."""
    acts("paul@x.org")
    plan_id = save_plan(shop, record(name="Spring")).plan_id
    acts("anna@x.org")
    propose_plan(shop, plan_id)
    acts("boss@x.org")
    with pytest.raises(AccessError, match="is proposed already"):
        propose_plan(shop, plan_id)
    acts("anna@x.org")
    with pytest.raises(AccessError, match="cannot decide"):
        approve_plan(shop, plan_id)


@pytest.mark.parametrize("attempt", range(3))
def test_whatever_is_done_with_a_plan_at_once_it_is_in_one_state(
    shop, acts, plan, attempt
):
    acts("anna@x.org")
    steps = [
        lambda: approve_plan(shop, plan),
        lambda: decline_plan(shop, plan),
        lambda: propose_plan(shop, plan),
        lambda: rename_plan(shop, plan, "Summer", ""),
        lambda: mark_plan(shop, plan),
        lambda: mark_plan(shop, None),
        lambda: delete_plan(shop, plan),
        lambda: comment_plan(shop, plan, "And?"),
    ]
    start = threading.Barrier(len(steps))

    def act(step):
        start.wait()
        try:
            step()
        except (AccessError, WorkspaceError):
            return

    with ThreadPoolExecutor(len(steps)) as pool:
        list(pool.map(act, steps[attempt:] + steps[:attempt]))
    kept = [each.plan_id for each in list_plans(shop)]
    if plan not in kept:
        assert plan_of_record(shop) is None
    else:
        status = approval_of(shop, plan).status
        assert plan_of_record(shop) in (
            (plan, None) if status == "approved" else (None,)
        )


@pytest.mark.parametrize("name", ["vera@x.org", "eve@x.org", ""])
def test_a_viewer_takes_no_step(shop, acts, plan, name):
    acts(name)
    before = (shop / "plans" / FILE).read_bytes()
    for step in (propose_plan, approve_plan, decline_plan, comment_plan):
        with pytest.raises(AccessError):
            step(shop, plan, "x")
    assert (shop / "plans" / FILE).read_bytes() == before


def test_a_second_plan_of_a_name_is_numbered_and_has_to_be_approved(shop, acts, plan):
    acts("anna@x.org")
    approve_plan(shop, plan)
    acts("paul@x.org")
    later = save_plan(shop, record(name=" spring ")).plan_id
    assert [each.name for each in list_plans(shop)] == ["spring (2)", "Spring"]
    assert approval_of(shop, later).status == ""
    assert plan_of_record(shop) == plan
    with pytest.raises(AccessError):
        mark_plan(shop, later)


def test_a_plan_whose_file_is_another_is_not_approved(shop, acts, plan):
    acts("anna@x.org")
    approve_plan(shop, plan)
    path = shop / "plans" / f"{plan}.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"budget": 1}))
    assert approval_of(shop, plan).status == ""


def test_a_line_that_is_torn_or_foreign_decides_nothing(shop, acts, plan):
    path = shop / "plans" / FILE
    step = json.loads(path.read_text())
    with open(path, "a") as file:
        file.write("null\n[1]\n")
        file.write(json.dumps(step | {"step": "signed"}) + "\n")
        file.write(json.dumps(step | {"who": 1, "step": "approved"}) + "\n")
        file.write(json.dumps(step | {"step": "approved"})[:-9])
    assert approval_of(shop, plan).status == "proposed"
    acts("anna@x.org")
    approve_plan(shop, plan)
    assert approval_of(shop, plan).status == "approved"


def test_no_plan_no_step(shop, acts):
    acts("anna@x.org")
    for name in ("../../x", "20250131-093000-0a1b2c3d", ""):
        with pytest.raises(WorkspaceError):
            propose_plan(shop, name)
    with pytest.raises(WorkspaceError):
        approval_of(shop, "../project")


def test_an_approval_stays_when_the_person_leaves(shop, acts, plan):
    acts("anna@x.org")
    approve_plan(shop, plan)
    acts("boss@x.org")
    change_members(shop, {"anna@x.org": Role.NONE})
    assert approval_of(shop, plan).approved.who == "anna@x.org"


def test_without_sign_in_a_plan_is_marked_as_before(market):
    plan_id = save_plan(market, record(name="Spring")).plan_id
    mark_plan(market, plan_id)
    assert plan_of_record(market) == plan_id


def test_a_report_says_who_approved(shop, acts, plan):
    assert said_of(shop, plan).endswith("open.")
    acts("anna@x.org")
    approve_plan(shop, plan)
    assert "approved by anna@x.org" in said_of(shop, plan)
    assert (
        said_of(shop, save_plan(shop, record(name="Other")).plan_id) == "Not approved."
    )
    assert said_of(shop, "") == said_of(shop, "../../x") == ""
