"""What a plan for outcome and knowledge says, for tests of words and files."""

from core.plan.record.teaching import Apart, Changed, Learned, Teaching
from tests.plan.records import about

WEEKS = tuple(
    f"2025-{month:02d}-{day:02d}" for month, day in ((5, 5), (5, 12), (5, 19))
)


def teaching(**more) -> Teaching:
    """TV is dark for two weeks, and its money runs in the third."""
    content = {
        "is_other": True,
        "cost": about(4000.0, 1000.0),
        "limit": 5000.0,
        "share": 0.005,
        "later": about(9000.0, 20000.0),
        "horizons": 1,
        "counted": 1.0,
        "certainty": 120_000.0,
        "bound": 1_500_000.0,
        "total": 1_400_000.0,
        "channels": (
            Learned(channel="TV", earning=0.08, teaching=0.21, most="carryover"),
            Learned(channel="Social", earning=0.05, teaching=0.05, most=""),
        ),
        "apart": (
            Apart(channel="TV", question="drift", now=0.5, earning=0.55, teaching=0.7),
            Apart(
                channel="Social", question="demand", now=0.6, earning=0.6, teaching=0.6
            ),
        ),
        "changes": (
            Changed(
                channel="TV",
                first=WEEKS[0],
                last=WEEKS[1],
                weeks=2,
                kind="dark",
                spend=-200.0,
            ),
            Changed(
                channel="TV",
                first=WEEKS[2],
                last=WEEKS[2],
                weeks=1,
                kind="more",
                spend=200.0,
            ),
        ),
        "earning": {"TV": (100.0, 100.0, 100.0)},
        "seed": 1,
    }
    return Teaching(**(content | more))
