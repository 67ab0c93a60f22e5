"""What a report says of how its fit was made."""

import io
from dataclasses import replace

import pytest
from pptx import Presentation
from test_report_html import run_folder
from test_report_slides import texts

from core.report import content as contents
from core.report.assumptions import assumptions
from core.report.deck.slides import slides


@pytest.mark.parametrize(
    ("created", "said"),
    [
        ("2024-01-02T03:04:05.678901+00:00", "2 Jan 2024, 03:04 UTC"),
        ("2024-13-45T03:04:05", "–"),
        ("yesterday, in the afternoon", "–"),
        ("", "–"),
    ],
)
def test_a_fit_of_a_damaged_record_has_no_moment_and_its_report(
    tmp_path, created, said
):
    content = contents.read(run_folder(tmp_path / "20240102-030405-00000000"))
    about = replace(content.about, created=created)
    content = replace(content, about=about)
    assert dict(assumptions(content).fit)["Created"][1] == said
    deck = Presentation(io.BytesIO(slides(content)))
    assert ("fit of 2 Jan 2024" in texts(deck)) == (said != "–")
