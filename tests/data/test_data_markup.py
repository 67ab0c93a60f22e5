"""Workbooks with markup that takes the parser the square of its length."""

import io
import zipfile

import pytest

from core.data.files.load import load_table
from core.data.files.workbook import has_long_markup
from core.errors import SchemaError
from tests.data.test_data_isolated import commented


def archive(*parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for number, part in enumerate(parts):
            made.writestr(f"xl/part{number}.xml", part)
    return file.getvalue()


LONG = b"x" * 300_000


@pytest.mark.parametrize(
    "part",
    [
        b"<a><!--" + LONG + b"--></a>",
        b"<a><!--" + LONG,
        b"<a><?x " + LONG + b"?></a>",
        b"<a><![CDATA[" + LONG + b"]]></a>",
        b"<!-- short -->" + b"<!--" + b" <a> " * 60_000 + b"-->",
        b"y" * (1024**2 - 2) + b"<!--" + LONG + b"-->",  # cut in two by the pieces
    ],
)
def test_long_markup_is_found(part):
    assert has_long_markup(archive(b"<a/>", part))


@pytest.mark.parametrize(
    "part",
    [
        b"<?xml version='1.0'?><!-- made by hand -->" + b"<c>1</c>" * 200_000,
        b"<t>" + LONG * 10 + b"</t>",
        (b"<!-- " + b"x" * 1000 + b" -->") * 2000,
        b"y" * (1024**2 - 1) + b"<!-- a -->" + LONG * 4,
        b"y" * (1024**2 - 8) + b"<!---->" + LONG * 4,
    ],
)
def test_usual_markup_is_none(part):
    assert not has_long_markup(archive(b"<a/>", part))


# Names of their own: an archive holds the time, and workers must collect one list.
@pytest.mark.parametrize(
    "data",
    [b"", b"PK\x03\x04", archive(b"<a/>")[:40]],
    ids=["empty", "signature", "cut"],
)
def test_damaged_archives_are_left_to_the_reader(data):
    assert not has_long_markup(data)


def test_a_small_workbook_with_a_huge_comment_is_refused():
    data = commented(45_000_000)
    assert len(data) < 60_000
    with pytest.raises(SchemaError, match="comments in its XML"):
        load_table(data, "comment.xlsx")
