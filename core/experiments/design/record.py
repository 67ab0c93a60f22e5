"""A design as it is ranked, kept and printed."""

from dataclasses import asdict, dataclass
from typing import Any

from core.estimate import Estimate


@dataclass(frozen=True)
class Design:
    """A test that could be run; less of it is known where an older version kept it.

    Attributes:
        channel: Tested.
        kind: What happens to its spend: `dark`, `dim` or `heavy-up`.
        multiple: Of usual spend.
        geos: Treated; empty for everywhere.
        start: First day, ISO.
        end: Last day, ISO.
        weeks: How long.
        standard_error: Of the incremental outcome that the test reports.
        mde: Minimal detectable effect, as a share of the outcome there.
        mde_outcome: The same in outcome.
        power: Probability to detect what the draws expect.
        expected: Incremental outcome that the test would report, over draws.
        outcome_lost: By the test, carryover included; negative where it gains.
        money_saved: Spend that is saved; negative where more is spent.
        cost: Outcome lost less what the money saved brings elsewhere.
        value: Outcome that the next plan is expected to gain from the result.
        net: Value less cost, over draws and results, with its odds. A gain that is
            expected of the test's own spend does not count: it is there without a test.
    """

    channel: str = ""
    kind: str = ""
    multiple: float | None = None
    geos: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    weeks: int | None = None
    standard_error: float | None = None
    mde: float | None = None
    mde_outcome: float | None = None
    power: float | None = None
    expected: Estimate | None = None
    outcome_lost: Estimate | None = None
    money_saved: float | None = None
    cost: Estimate | None = None
    value: float | None = None
    net: Estimate | None = None

    def as_dict(self) -> dict[str, Any]:
        """The design as the command line prints it."""
        return asdict(self) | {"geos": list(self.geos)}
