"""What lift tests say beside the model that learned from them, as a table."""

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import LiftTestResult
from core.estimate import OptionalEstimate
from core.text.languages.language import say
from core.text.lift_tests import tested
from core.view.sections.section import Section, Table


def section(fit: FitRecord) -> Section | None:
    """A row per lift test; None where the fit knows of none."""
    if not fit.experiments:
        return None
    heads = [
        say("Lift test"),
        say("Dates"),
        say("Result"),
        say("Model"),
        say("Verdict"),
        say("Apart, SE"),
        say("ROI without it"),
        say("ROI with it"),
    ]
    rows = [_row(test, fit.units) for test in fit.experiments]
    elsewhere = {
        "page": "its section on lift tests has them as a figure, with what each did",
        "screen": "Experiments has them",
    }
    table = Table("", heads, rows, texts=2)
    agree = sum(test.agrees for test in fit.experiments)
    claim = say(
        "Lift tests that agree with the model: {agree} of {number}",
        agree=agree,
        number=len(rows),
    )
    title = say("What lift tests say")
    return Section("lift-tests", title, [table], elsewhere, claim=claim)


def _row(test: LiftTestResult, units: fmt.Units) -> tuple[str, ...]:
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    verdict = say("agrees") if test.agrees else say("in tension")
    apart = fmt.ratio(test.standard_errors_apart, signed=True, decimals=1)
    return (
        tested(test.channels),
        say("{start} to {end}", start=fmt.date(test.start), end=fmt.date(test.end)),
        _shown(test.test, kind, unit),
        _shown(test.posterior, kind, unit),
        verdict,
        apart,
        _shown(test.roi and test.roi.without, "ratio"),
        _shown(test.roi and test.roi.posterior, "ratio"),
    )


def _shown(number: OptionalEstimate | None, kind: fmt.Kind, unit: str = "") -> str:
    if number is None or not number.is_known:
        return fmt.NONE
    return fmt.estimate(number, kind, unit)
