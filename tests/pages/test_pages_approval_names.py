"""Names of people beside a plan are texts: no name is a link to somewhere."""

from streamlit.testing.v1 import AppTest

from core.service.projects import approvals
from core.team.approval import Approval, Decision, said
from pages.access import approval


def draw():
    from pathlib import Path

    from pages.access import approval

    approval.show(Path("shop"), "plan", key="plan")


def test_a_name_is_no_link(monkeypatch):
    who = "[Anna](https://x.example)"
    proposed = Decision("2024-01-02T10:00:00+00:00", who, "plan", "", "proposed")
    monkeypatch.setattr(approval, "is_enforced", lambda project: True)
    monkeypatch.setattr(approval, "_steps", lambda *about: [])
    monkeypatch.setattr(approval.rights, "of", lambda *about, **more: {})
    plan = approvals.ListedPlan(
        plan_id="plan",
        name="Spring",
        is_record=False,
        status="proposed",
        said=said(Approval((proposed,))),
        steps=(proposed,),
    )
    monkeypatch.setattr(approvals, "listed", lambda *about: [plan])
    shown = AppTest.from_function(draw).run(timeout=60)
    assert not shown.exception
    assert "Proposed by" in shown.caption[0].value
    assert "[Anna](" not in shown.caption[0].value
