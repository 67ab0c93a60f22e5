"""Encoding: the text of a file in UTF-8, whatever it was saved in."""

import codecs

from core.errors import SchemaError

#: What to do about a file that cannot be read.
SAVE_AS = "Save it as CSV (UTF-8, columns separated by commas), XLSX or Parquet."
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def as_utf8(data: bytes, filename: str) -> bytes:
    """The text in UTF-8, from UTF-8 or UTF-16 (with or without a mark) or CP1252.

    Raises:
        SchemaError: The file is not text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return body if encoding == "utf-8" else _recode(body, encoding, filename)
    head = data[:65536]
    if b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) < 0.3 * len(head) / 2:
            raise _not_text(filename)
        return _recode(data, "utf-16-le" if odd > even else "utf-16-be", filename)
    if _control_characters(head.decode("latin-1")) > 0.001 * len(head) + 1:
        raise _not_text(filename)
    try:
        _check_utf8(data)
    except UnicodeDecodeError:
        return _recode(data, "cp1252", filename)
    return data


def _check_utf8(data: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    step = 1 << 22
    for start in range(0, len(data), step):
        decoder.decode(data[start : start + step], final=start + step >= len(data))


def _recode(data: bytes, encoding: str, filename: str) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)()
    step = 1 << 22
    parts = []
    try:
        for start in range(0, len(data), step):
            final = start + step >= len(data)
            text = decoder.decode(data[start : start + step], final=final)
            parts.append(text.encode("utf-8"))
            if start == 0 and _control_characters(text) > 0.001 * len(text):
                raise _not_text(filename)
    except UnicodeError:
        raise _not_text(filename) from None
    return b"".join(parts)


def _control_characters(text: str) -> int:
    """Number of characters that no text has."""
    head = text[:65536]
    return sum(head.count(chr(code)) for code in range(32)) - sum(
        head.count(usual) for usual in "\t\n\r\f\x1a"
    )


def _not_text(filename: str) -> SchemaError:
    return SchemaError(
        f"{filename} is not a text file: it holds binary data.",
        hint=f"Open it in the program it came from. {SAVE_AS}",
        where=filename,
    )
