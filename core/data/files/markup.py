"""Markup: parts of a workbook that say nothing and take the parser the square of time.

Python's XML parser begins a comment, an instruction or a literal section anew with each
piece that it is fed, so that one of 45 MB, which packs into 50 kB, takes a minute.
"""

import io
import zipfile
import zlib

#: Bytes of a comment; spreadsheet programs write none, or a line.
_MOST = 256 * 1024
_PIECE = 1024**2
_OPENS = {b"<!--": b"-->", b"<?": b"?>", b"<![CDATA[": b"]]>"}


def has_long_markup(data: bytes) -> bool:
    """Whether a part of a workbook has a comment or the like that is very long.

    False for what cannot be unpacked, too: whoever reads it says why.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            names = book.namelist()
            parts = [name for name in names if name.endswith((".xml", ".rels"))]
            return any(_is_long(book, name) for name in parts)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError):
        return False


def _is_long(book: zipfile.ZipFile, name: str) -> bool:
    rest, close, length = b"", b"", 0
    with book.open(name) as part:
        while piece := part.read(_PIECE):
            text, at = rest + piece, 0
            while True:
                if close:
                    end = text.find(close, at)
                    length += (end if end >= 0 else len(text)) - at
                    if length > _MOST:
                        return True
                    if end < 0:
                        break
                    at, close, length = end + len(close), b"", 0
                start, close = _next_opening(text, at)
                if not close:
                    at = len(text)
                    break
                at = start
            rest = text[-8:]  # what opens or closes may be cut in two
    return False


def _next_opening(text: bytes, at: int) -> tuple[int, bytes]:
    """Where the next comment or the like begins, and how it ends; empty for none."""
    openings = [(text.find(mark, at), end) for mark, end in _OPENS.items()]
    openings = [(start, end) for start, end in openings if start >= 0]
    return min(openings, default=(len(text), b""))
