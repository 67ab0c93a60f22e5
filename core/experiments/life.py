"""Life of a test: an idea, planned, running, read, in the model, and what is next.

Whether a kept test runs follows from its dates.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from core import text as fmt
from core.data.experiments.entry import Entry
from core.errors import SchemaError, SpecError
from core.experiments.design.record import Design
from core.experiments.kept import KeptTest
from core.experiments.panel import Panel
from core.experiments.reading.readout import Readout

State = Literal["idea", "planned", "running", "over", "read", "in the model"]
STATES: tuple[State, ...] = get_args(State)


class SpendOfTest(NamedTuple):
    """Spend of a channel in a geo and week of a test, currency.

    Attributes:
        geo: Where.
        week: First day, ISO.
        channel: Tested.
        arm: `treatment` or `control`.
        usual: What is usual then.
        planned: What is to be spent.
    """

    geo: str
    week: str
    channel: str
    arm: str
    usual: float
    planned: float


def planned_test(design: Design, name: str) -> KeptTest:
    """A test to carry out, from its design."""
    return KeptTest(
        name=name,
        channels=(design.channel,),
        kind=design.kind,
        multiple=design.multiple,
        geos=tuple(design.geos),
        start=design.start,
        end=design.end,
        design=design,
    )


def state_of(test: KeptTest, today: str) -> State:
    """Where a test stands.

    Args:
        test: As it is kept.
        today: The day on which that is asked, ISO.
    """
    if test.in_model:
        return "in the model"
    if test.readout:
        return "read"
    if not test.is_dated:
        return "idea"
    if today < test.start:
        return "planned"
    return "running" if today <= test.end else "over"


def next_step(test: KeptTest, today: str, last_data: str = "") -> str:
    """What to do with a test now, in one sentence.

    Args:
        test: As it is kept.
        today: ISO.
        last_data: Last day of the project's data, ISO; empty where unknown.
    """
    state = state_of(test, today)
    if state == "idea":
        return "Choose channel, geos and dates: rank the designs."
    if state == "planned":
        return f"Send the brief; it starts on {fmt.date(test.start)}."
    if state == "running":
        return f"Leave it alone until {fmt.date(test.end)}."
    if state == "over" and last_data and last_data < test.end:
        return f"It is over: add data up to {fmt.date(test.end)}, then read it."
    if state == "over":
        return "It is over: read it."
    if state == "read":
        return "Add it to the model and fit again."
    return "Fit again where you have not, and see what it did."


def entry_of(readout: Readout) -> Entry:
    """A read-out as `[[experiment]]` has it.

    The data hold the test, so the other arm is usual spend: as a multiple of what ran,
    or as an amount where next to nothing ran.

    Raises:
        SpecError: Nobody has said which channel was tested, or its spend did not move.
    """
    test = readout.test
    if not test.channels:
        raise SpecError(
            "The read-out does not say which channel was tested.",
            hint="Name it, and read the test again.",
            where="channel",
        )
    change = sum(readout.spend_change.values())
    usual = sum(readout.usual_spend.values())
    ran = usual + change
    if ran < 0.05 * usual and len(test.channels) > 1:
        raise SpecError(
            f"{' and '.join(test.channels)} were off together: nothing ran that the "
            "other arm could be a multiple of.",
            hint="Test them one at a time, or at part of their spend.",
            where="channel",
        )
    checks = {check.name: check.status for check in readout.checks}
    if abs(change) < 0.05 * max(usual, ran) or checks["Spend changed"] == "warning":
        raise SpecError(
            f"Spend of {' and '.join(test.channels)} hardly changed in the test.",
            hint="Check channel, geos and dates: without a change there is no test.",
            where="channel",
        )
    if ran < 0.05 * usual:
        arm = {"amount": float(usual)}
    else:
        arm = {"multiple": float(usual / ran)}
    sign = 1.0 if change > 0 else -1.0
    return Entry(
        channel=test.channels[0],
        geos=tuple(test.treated),
        together_with=tuple(test.channels[1:]),
        start=test.start,
        end=test.end,
        incremental_outcome=sign * readout.incremental.mean,
        standard_error=readout.incremental.sd,
        **arm,
    )


def spend_of_test(panel: Panel, test: KeptTest) -> list[SpendOfTest]:
    """Spend of each geo and week of a planned test: what a media team carries out.

    Usual spend is that of the same weeks a year earlier, or the mean of the last year
    where the data do not reach back that far.

    Returns:
        A row per geo, week and channel.

    Raises:
        SpecError: A channel of the test has no spend in the data.
    """
    start, end = (np.datetime64(day, "D") for day in (test.start, test.end))
    weeks = np.arange(start, end + 1, panel.step).astype("datetime64[D]")
    year = round(364 / panel.step)
    ahead = (start - panel.times[0]).astype(int) // panel.step - year
    channels = []
    for channel in test.channels:
        money = panel.spend.get(channel)
        if money is None:
            raise SpecError(
                f"{channel} has no spend in the data, so its spend cannot be planned.",
                hint="Add its cost to the data.",
                where="channel",
            )
        for place, geo in enumerate(panel.geos):
            is_treated = geo in test.geos or not test.geos
            for at, week in enumerate(weeks):
                then = ahead + at
                usual = (
                    money[place, then]
                    if 0 <= then < money.shape[1]
                    else money[place, -year:].mean()
                )
                times = test.multiple if is_treated else 1.0
                channels.append(
                    SpendOfTest(
                        geo,
                        str(week),
                        channel,
                        arm="treatment" if is_treated else "control",
                        usual=round(float(usual), 2),
                        planned=round(float(usual) * times, 2),
                    )
                )
    return channels


def broken_by(panel: Panel, test: KeptTest) -> tuple[str, ...]:
    """What the data of a running test show that breaks it, in sentences.

    Control geos whose spend moved with the treatment, and treated ones whose spend did
    not move.
    """
    if test.readout or not (test.is_dated and test.geos and test.kind):
        return ()
    has_spend = all(name in panel.spend for name in test.channels)
    begins = np.datetime64(test.start, "D") > panel.times[0]
    if not (has_spend and begins and panel.within(test.start, test.end).any()):
        return ()
    usual: dict[tuple[str, str], float] = {}
    for row in spend_of_test(panel.before(test.start), test):
        key = (row.geo, row.channel)
        usual[key] = usual.get(key, 0.0) + row.usual
    window = panel.within(test.start, test.end)
    days = len(np.arange(test.start, np.datetime64(test.end, "D") + 1, panel.step))
    part = window.sum() / days
    move = test.multiple - 1.0
    lines = []
    for (geo, channel), money in usual.items():
        ran = float(panel.spend[channel][panel.geos.index(geo), window].sum())
        if money <= 0:
            continue
        moved = ran / (money * part) - 1.0
        if geo in test.geos and moved * move < 0.5 * move**2:
            lines.append(
                f"{geo} should have {test.multiple:g} times its usual {channel} "
                f"spend, and had {1 + moved:.2f} times."
            )
        elif geo not in test.geos and moved * move > 0.5 * move**2:
            lines.append(
                f"{geo} is a control geo, and its {channel} spend was {1 + moved:.2f} "
                "times the usual: leave it out when you read the test."
            )
    return tuple(lines)


def planned_by_geox(
    content: Mapping[str, Any],
    filename: str,
    channels: tuple[str, ...],
    start: str,
    panel: Panel,
) -> list[KeptTest]:
    """Planned tests of a design that Meridian GeoX wrote (`Design`, JSON), one a cell.

    Args:
        content: The file's.
        filename: For names and messages.
        channels: Tested, which a design does not say.
        start: First day, which it does not say either.
        panel: The market that is to be tested.

    Raises:
        SchemaError: It is not such a design, or somebody has not said the rest.
        SpecError: It is for geos or channels of another market.
    """
    if not (channels and start):
        raise SchemaError(
            f"{filename} is a design of GeoX: it says neither channel nor first day.",
            hint="Say them: --channel and --start.",
            where=filename,
        )
    try:
        config = content["design_config"]
        days = int(re.fullmatch(r"P(\d+)D.*", config["experiment_duration"]).group(1))
        first = np.datetime64(start, "D")
        kinds = {2: ("dark", 0.0), 3: ("heavy-up", 1.5)}
        tests = []
        for cell, design in content["designs"].items():
            kind, multiple = kinds.get(
                int(config["experiment_types"][cell]), ("heavy-up", 1.5)
            )
            tests.append(
                KeptTest(
                    name=f"{filename}, {cell}",
                    channels=tuple(channels),
                    kind=kind,
                    multiple=multiple,
                    geos=tuple(sorted(map(str, design["treatment_geos"]))),
                    start=str(first),
                    end=str(first + days - 1),
                )
            )
        controls = [str(geo) for geo in content.get("control_geos") or ()]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise SchemaError(
            f"{filename} looks like a design of GeoX but lacks parts of one, or "
            f"{start} is not a date.",
            hint="Write it with Design.export_to_json, and dates like 2024-01-31.",
            where=filename,
        ) from error
    treated = [geo for test in tests for geo in test.geos]
    panel.refuse_foreign([*treated, *controls], filename)
    panel.refuse_unspent(channels)
    return tests


def geox_design(panel: Panel, test: KeptTest) -> dict[str, Any]:
    """The test as the JSON of a design that Meridian GeoX 1.0 loads (`Design`)."""
    design = test.design or Design()
    kind = {"dark": 2, "dim": 2, "heavy-up": 3}[test.kind]
    days = (np.datetime64(test.end) - np.datetime64(test.start)).astype(int) + 1
    outcome = design.mde_outcome or 0.0
    money = abs(design.money_saved or 0.0)
    return {
        "designs": {
            "cell_1": {
                "treatment_geos": sorted(test.geos),
                "minimum_detectable_effect": design.mde,
                "design_implied_cpic": money / outcome if outcome else 0.0,
                "p_value": 1.0,
                "budget": money,
            }
        },
        "control_geos": sorted(geo for geo in panel.geos if geo not in test.geos),
        "excluded_geos": [],
        "excluded_dates": [],
        "design_config": {
            "experiment_duration": f"P{int(days)}D",
            "experiment_types": {"cell_1": kind},
            "methodology": 1,
            "geo_assignment_rule": 2,
            "cell_count": 1,
            "alpha": 0.1,
            "power": 0.8,
            "test_type": 2,
        },
        "constraints": None,
        "quality_check_result": None,
        "geo_stratum_labels": None,
        "data": None,
    }
