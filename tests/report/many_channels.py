"""A fit and a plan of many channels, made of one with four."""

from dataclasses import replace

import numpy as np
from msgspec import structs

from core.plan.record.parts import Outcomes
from core.plan.record.plan_record import PlanRecord
from core.report.content import Content
from tests.plan.records import about, line, record


def names_of(n: int) -> list[str]:
    """Names of channels, some of them long."""
    return [
        f"Channel {i + 1}" + " of a long campaign name" * (i % 5 == 2) for i in range(n)
    ]


def with_channels(content: Content, n: int) -> Content:
    """The same fit with its paid channels repeated until there are `n`."""
    names, paid = names_of(n), [i % 4 for i in range(n)]
    project, weeks = content.project, content.weeks
    specs = project.spec.channels
    spec = replace(
        project.spec,
        channels=tuple(
            replace(specs[i], name=name) for i, name in zip(paid, names, strict=True)
        ),
    )
    known = content.fit.channels
    called = zip(paid, names, strict=True)
    rows = [structs.replace(known[i], name=name) for i, name in called]
    channels = content.channels.isel(channel=paid).assign_coords(channel=names)
    total = channels["incremental_outcome"].sum("channel")
    channels["expected_outcome"] = channels["baseline_outcome"] + total
    weeks = weeks.isel(channel=paid).assign_coords(channel=names)
    return replace(
        content,
        project=replace(project, spec=spec),
        fit=structs.replace(content.fit, channels=tuple(rows)),
        channels=channels,
        weeks=weeks,
    )


def plan_of_many(n: int) -> PlanRecord:
    """A plan of `n` channels that moves money between all of them."""
    now = np.linspace(9e6, 2e5, n)
    then = now * np.where(np.arange(n) % 2, 1.25, 0.8)
    then[0] += now.sum() - then.sum()
    gain = about(13.3e6, 4e6)
    return record(
        *(
            line(name, float(planned), float(current), low=0.0, high=2 * float(current))
            for name, planned, current in zip(names_of(n), then, now, strict=True)
        ),
        outcome=Outcomes(current=about(281e6, 9e6), planned=about(294.3e6, 9e6)),
        gain=structs.replace(gain, probability_positive=0.995),
    )
