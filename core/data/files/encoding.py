"""Encoding: the text of a file in UTF-8, whatever it was saved in."""

import codecs
import re

import numpy as np

from core.data.cells.words import other_letters, plain
from core.errors import SchemaError

#: What to do about a file that cannot be read.
SAVE_AS = "Save it as CSV (UTF-8, columns separated by commas), XLSX or Parquet."
_SAMPLE = 1 << 18
#: Letters beyond ASCII of languages that CP1252 has.
_WESTERN = (
    *("äöüß", "àâæçéèêëîïôœùûüÿ", "áéíñóúü", "áâãàçéêíóôõúü", "àèéìíîòóù", "åäöé"),
    *("æøåéäö", "éëïóöüèá", "àçéèíïóòúü"),
)
#: Languages by another code page: Polish, Czech, Hungarian, Croatian; Turkish.
_OTHERS = {
    "cp1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áéíóöőúüű", "čćđšž"),
    "cp1254": ("çğıöşüâîû\u0307",),
}
#: What CP850 (of DOS, and of programs that still write as it did) has letters for, and
#: CP1252 nothing at all, or signs that do not follow a letter, or stand between two.
_OF_DOS = re.compile("\ufffd|[^\\W\\d_][„‚ˆ‹˜¡¤]|[^\\W\\d_][“”†‡‰•›¢][^\\W\\d_]")
#: Currencies by another code page, as bytes: zł and Kč, which CP1252 has as z³ and Kè.
_MONEY = {"cp1250": rb"z\xb3|Z\xa3|K[\xe8\xc8]"}
#: A capital beyond ASCII behind a small letter, as no word has it.
_WITHIN = re.compile("[a-z][À-ÖØ-ÞŠŽŸŒ]")
#: Letters of no western language: many beyond ASCII in a row.
_FOREIGN = re.compile(rb"[\xa1-\xff]{5,}|[\xc0-\xff]{4,}")
_KANA = re.compile("[\u3041-\u30fa]")
#: Pages that words tell apart, Greek, Hebrew, Arabic and Thai among them, and how much
#: of a text holds the names of its columns.
_PAGES = (
    *("gb18030", "big5", "cp949", "cp932", "euc_jp", "cp1251", "koi8_r"),
    *("cp1253", "cp1255", "cp1256", "cp874"),
)
_HEAD = 1 << 14
#: Vowels of Russian, and what those of Greek would be as its letters.
_VOWELS = ("оаи", "пбй")
#: First letter of the pages of Cyrillic, and share of letters among signs beyond ASCII.
_LETTERS, _MOST = 0xC0, 0.95
#: Different letters that CP1252 would have as others, at least.
_TELLING = 2
_WIDE = re.compile("[\u3000-\u9fff\uff00-\uff60]")
#: Signs behind digits, which stand alone in any table: 2024年1月8日, 12,500円.
_COUNTED = re.compile(r"(?<=[0-9])[年月日円週万千億件回人個]+")
_RUNS = re.compile(f"{_WIDE.pattern}{{2,}}")
#: First byte of the rarer half of Japanese signs; letters of CP1252 come after it.
_RARE = 0x98
#: Share of wide letters that stand in runs, at least.
_IN_RUNS = 0.7
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def as_utf8(data: bytes, filename: str) -> bytes:
    """The text in UTF-8, from UTF-8, UTF-16 (with or without a mark) or a code page.

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
        most, least = max(even, odd), min(even, odd)
        if most < 0.3 * len(head) / 2 or least > most / 2:
            raise _with_zeros(data, filename)
        return _recode(data, "utf-16-le" if odd > even else "utf-16-be", filename)
    if b"\0" in data:
        raise _with_zeros(data, filename)
    if _control_characters(head.decode("latin-1")) > 0.001 * len(head) + 1:
        raise _not_text(filename)
    try:
        _check_utf8(data)
    except UnicodeDecodeError:
        return _recode(data, _code_page(data, filename), filename)
    return data


def _code_page(data: bytes, filename: str) -> str:
    """The code page that text of eight bits is most likely in.

    That of western Europe, unless its letters are those of no western language and of
    one that another page is for, or stand in runs as those of Japanese do. An amount in
    a currency that only another page can write settles it: the header of a table may
    hold no other letter that tells.

    Raises:
        SchemaError: Its letters are of a page that is not known.
    """
    sample = data[:_SAMPLE]
    runs = b"".join(run for run in _FOREIGN.findall(sample) if len(set(run)) > _TELLING)
    if runs and (page := _page_of_words(sample[:_HEAD])):
        return page
    if _is_japanese(sample):
        return "cp932"
    if runs:
        return _foreign(sample, runs, filename)
    for encoding, money in _MONEY.items():
        word = rb"(?<![A-Za-z\xc0-\xff])(?:%b)(?![A-Za-z\xc0-\xff])" % money
        if re.search(word, sample):
            return encoding
    text = sample.decode("cp1252", errors="replace")
    if _OF_DOS.search(text) and _is_western(sample, "cp850"):
        return "cp850"
    if _is_western(sample, "cp1252"):
        return "cp1252"
    many = len(_letters(sample, "mac_roman")) >= _TELLING
    if (many or _WITHIN.search(text)) and _is_western(sample, "mac_roman"):
        return "mac_roman"
    western = _letters(sample, "cp1252")
    for encoding, languages in _OTHERS.items():
        letters = _letters(sample, encoding)
        telling = letters - western
        if len(telling) >= _TELLING and any(letters <= frozenset(k) for k in languages):
            return encoding
    return "cp1252"


def _page_of_words(head: bytes) -> str | None:
    """The one page in which a table's head holds most words that columns have."""
    score = {}
    for page in _PAGES:
        text = head.decode(page, errors="replace")
        is_clean = text.count("\ufffd") <= 1  # where the head is cut
        text = plain(text)
        known = sum(len(word) for word in other_letters() if word in text)
        score[page] = known * is_clean
    best, second = sorted(score, key=score.__getitem__, reverse=True)[:2]
    return best if score[best] > score[second] else None


def _foreign(sample: bytes, runs: bytes, filename: str) -> str:
    """The code page of letters that stand in runs: Japanese by its kana, or Russian.

    Raises:
        SchemaError: It is another.
    """
    japanese = sample.decode("euc_jp", errors="replace")
    if japanese.count("\ufffd") <= 1 and _KANA.search(japanese):
        return "euc_jp"
    pages = {page: runs.decode(page, errors="replace") for page in ("cp1251", "koi8_r")}
    page = max(pages, key=lambda page: sum(map(str.islower, pages[page])))
    vowels, others = (sum(map(pages[page].count, each)) for each in _VOWELS)
    if np.mean(np.frombuffer(runs, np.uint8) >= _LETTERS) > _MOST and vowels > others:
        return page
    raise SchemaError(
        f"The letters of {filename} are in an encoding that is not known.",
        hint=SAVE_AS,
        where=filename,
    )


def _is_western(sample: bytes, encoding: str) -> bool:
    """Whether letters beyond ASCII are those of one western language, and in place."""
    letters = _letters(sample, encoding)
    text = sample.decode(encoding, errors="replace")
    is_known = any(letters <= frozenset(known) for known in _WESTERN)
    return bool(letters) and is_known and not _WITHIN.search(text)


def _letters(sample: bytes, encoding: str) -> frozenset[str]:
    """Letters beyond ASCII, and signs within words, which no word has."""
    text = sample.decode(encoding, errors="replace").lower()
    signs = {sign for sign in "¹³¿¯¼¾" if re.search(rf"[a-z]{sign}[a-z]", text)}
    return frozenset({c for c in set(text) if c.isalpha() and not c.isascii()} | signs)


def _is_japanese(sample: bytes) -> bool:
    """Whether text is in CP932: most letters beyond ASCII stand beside others."""
    text = sample.decode("cp932", errors="replace")
    if text.count("\ufffd") > 1:  # one, where the sample ends
        return False
    text = _COUNTED.sub("", text)
    wide = _WIDE.findall(text)
    usual = [sign for sign in wide if sign < "\uff00" and _lead(sign) < _RARE]
    runs = "".join(_RUNS.findall(text))
    # `Télévision` of CP1252 would be two rare signs side by side.
    return len(usual) > len(wide) / 2 and len(runs) >= _IN_RUNS * len(wide)


def _lead(sign: str) -> int:
    """The first byte of a sign in CP932."""
    return sign.encode("cp932")[0]


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


def _with_zeros(data: bytes, filename: str) -> SchemaError:
    """The error for text with zero bytes, as a copy that broke off leaves them."""
    text = data.replace(b"\0", b"")
    head = text[:65536].decode("latin-1")
    if _control_characters(head) > 0.001 * len(head) + 1:
        return _not_text(filename)
    line = data[: data.index(b"\0")].count(b"\n") + 1
    return SchemaError(
        f"{filename} holds zero bytes (NUL), the first in line {line:,}: it was "
        "damaged while it was written or copied.",
        hint="Export it again.",
        where=filename,
    )


def _not_text(filename: str) -> SchemaError:
    return SchemaError(
        f"{filename} is not a text file: it holds binary data.",
        hint=f"Open it in the program it came from. {SAVE_AS}",
        where=filename,
    )
