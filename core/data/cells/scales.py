"""Scales: thousands, millions, cents and micros that headers or titles state.

`Spend (TEUR)`, `Umsatz in Tsd. €`, `Sales (£k)`, `Impressions (000)`, `cost_micros` and
a line "Angaben in TEUR" above the header say what a number of the column stands for. It
is applied once, where a file is read, and said.
"""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd

from core.data.cells.carried import carry
from core.data.cells.currencies import CODES
from core.text.units import NAMES_MONEY

_CODE = "(?:" + "|".join(sorted(CODES)) + ")"
_SIGN = "[€$£¥₹]"
_MONEY = rf"(?:{_SIGN}|{_CODE}|euros?|dollars?|pounds?|kronor|kr)"
_THOUSAND = (
    r"(?:tsd|thsds?|ths|thds|tausend|thousands?|milliers|miles(?= de| ?[€$])|en miles"
    r"|migliaia|duizend(?:en|tallen)?|milhares|tusent?al|tkr|kkr|tys"
    r"|tis(?=\.? ?(?:kč|czk))"
    r"|mil(?= (?:de )?(?:r\$|brl|reais))|bin(?= ?(?:tl|try|₺|lira))"
    r"|(?<!\d[.,])'?000s?|(?:in |x ?|× ?)1[.,]?000s?|10(?:\^3|³))"
)
_BILLION = r"(?:bn|bln|mrd|mld|milliarden|billions?|milliards?|miliardi)"
_MILLION = (
    r"(?:mio|mln|millionen|millions?|millones|milioni|miljoen(?:en)?|milh(?:ões|oes)"
    r"|milion(?:y|ów|ow)?|mil(?=\.? ?(?:kč|czk))|miljoner|milyon)"
)
#: A number per so many does not count so many.
_RATIO = re.compile(
    r"cpm|(?:per|pro|par|por|je)[ _](?:thousand|1[.,]?000|mill|tausend|tsd|lakh|crore)",
    re.IGNORECASE,
)


def _either(*patterns: str) -> str:
    """Any of the patterns, as words of their own; underscores separate words, too."""
    return rf"(?i)(?<![^\W_])(?:{'|'.join(patterns)})(?![^\W_])"


#: By what factor; text until a name is looked at, which a fit never does.
_STATED = (
    (1e-6, _either(r"micros?", r"micro[ _]?amounts?")),
    (
        1e3,
        _either(
            rf"[tk]\s?{_MONEY}",
            rf"{_SIGN}\s?[tk]",
            rf"{_CODE}[ _]?k",
            rf"(?:in[ _])?{_THOUSAND}\.?(?:[ _]?(?:of[ _])?{_MONEY})?",
            rf"{_MONEY}[ _]?{_THOUSAND}",
        ),
    ),
    (
        1e6,
        _either(
            r"(?<=[(\[])mm(?=[)\]])",
            r"(?-i:Mn)",
            rf"m\s?{_SIGN}",
            rf"m{_CODE}",
            rf"mkr|{_SIGN}\s?mm?",
            rf"{_CODE}[ _]?(?:mm?|mn)",
            rf"(?:in[ _])?{_MILLION}\.?(?:[ _]?(?:of[ _])?{_MONEY})?",
            rf"{_MONEY}[ _]?{_MILLION}",
        ),
    ),
    (
        1e9,
        _either(
            rf"(?:in[ _])?{_BILLION}\.?(?:[ _]?(?:of[ _])?{_MONEY})?",
            rf"{_MONEY}[ _]?{_BILLION}",
            rf"{_SIGN}\s?b",
        ),
    ),
    (1e-6, r"(?<=[a-z])Micros?(?![a-z])"),
    (1e-2, r"(?<=[a-z])Cents?(?![a-z])"),
    (1e3, "千円|千元|(?<!백)천원|천 원"),
    (1e6, "百万円|百万元|백만원|백만 원"),
    (1e4, "(?<!百)万円|(?<!百)万元|(?<!백)만원|(?<!백)만 원"),
    (1e8, "亿元|億円|億元|억 ?원"),
    (1e3, r"(?i)(?:nghìn|ngàn) (?:đồng|vn[dđ])|พันบาท|(?:ב|(?<!\w))אלפי |بال[أآ]لا?ف"),
    (
        1e6,
        r"(?i)triệu (?:đồng|vn[dđ])|ล้านบาท|מיליו(?:ן|ני) |\(مليون|بالمليون|بالملايين",
    ),
    (1e9, r"(?i)tỷ (?:đồng|vn[dđ])"),
    (1e5, "लाख"),
    (1e7, "करोड़|करोड़"),
    (1e3, _either(r"тыс", r"тис", r"χιλ", r"ezer ft", r"eft", r"mii (?:de )?lei")),
    (1e3, _either(r"t\.\s?kr", r"ribu rp", r"rp ribu", r"ribu rupiah")),
    (1e6, _either(r"млн", r"εκατ", r"millió ft", r"mft", r"mil\.? lei", r"juta")),
    (1e5, _either(r"lakhs?", r"(?-i:[Ll]acs?)", rf"{_MONEY}[ _]?lacs?")),
    (1e7, _either(r"crores?", r"(?:₹|inr|rs\.?)[ _]?crs?")),
    (1e2, _either(r"(?:in[ _])?hundreds")),
    (
        1e-2,
        _either(
            r"minor[ _]units?",
            r"(?:in[ _]|euro[ _]?)?cents?",
            r"pence",
            r"pennies",
            r"ct",
        ),
    ),
)
#: Before a sign, `(€000)` and `k€` have no letter that a word could end with.
_SIGNED = ((1e3, rf"(?i){_SIGN}\s?'?(?:000s?|k\b)|\bk{_SIGN}"),)
#: `Umsatz 1.000 €`, but not `baskets over 1.000 €`.
_UNITS_OF = re.compile(
    rf"(?<!over)(?<!above)(?<!under)(?<!über)(?<!unter)(?<!ab)(?<!bis)[ (\[_]1[.,]?000"
    rf"\s?{_MONEY}[)\]]?$",
    re.IGNORECASE,
)
#: What a file's name may say: `market_in_TEUR.csv`, not `export_000.csv`.
_NAMED = (
    (1e3, _either(rf"[tk]{_CODE}", rf"in[ _-]{_THOUSAND}")),
    (1e6, _either(rf"m{_CODE}", rf"in[ _-]{_MILLION}")),
)
#: How a note begins or goes on that is about the amounts of a table.
_IN_UNITS = re.compile(
    r"^\W*(?:(?:all|alle|tous|toutes|todos|tutti)\s)?(?:[^\W\d_]+\s){0,4}?"
    r"(?:in|en|em|w|v|i|x)\s[^\d.]{0,30}(?:\d[.,]?000)?\W*$|単位",
    re.IGNORECASE,
)
#: Words that are never a name: `TV_lakh`.
_NUMBER_WORD = re.compile(r"lakhs?|crores?", re.IGNORECASE)
_LETTER = re.compile(r"[(\[_ ](k)[)\]]?$", re.IGNORECASE)
#: What a test found and how sure that is: `incremental outcome (k)`, `low (k)`.
_FOUND = re.compile(
    r"(?<![^\W_])(?:incremental|errors?|std|se|lower|upper|low|high|ci)(?![^\W_])|fehler",
    re.IGNORECASE,
)
_LONE = re.compile(rf"[(\[_ ](?:{_SIGN}?k|k{_SIGN})[)\]]?$", re.IGNORECASE)
_IN_M = re.compile(r"[(\[_ ]in m[)\]]?$", re.IGNORECASE)
#: A currency beside a unit: `TV (INR lakh)`.
_SAYS_MONEY = re.compile(
    rf"(?<![^\W_])(?:{_SIGN}|{_CODE}|rs\.?)[ _](?:lakhs?|lacs?|crores?|crs?)(?![^\W_])"
    "|[万億亿만억] ?[円元원]|tỷ đ|₹ ?(?:लाख|करोड़|करोड़)|(?:लाख|करोड़|करोड़) ?(?:₹|रुपये)",
    re.IGNORECASE,
)
#: A thousand in Spanish and Portuguese, a million in English, Czech and Slovak.
_MIL = re.compile(
    rf"[(\[_ ](?:in[ _])?(mil)\.?(?:[ _]?{_MONEY})?[)\]]?$", re.IGNORECASE
)
_WORDS = {
    1e-6: "millionths",
    1e-2: "hundredths",
    1e2: "hundreds",
    1e3: "thousands",
    1e4: "tens of thousands",
    1e5: "lakhs of 100,000",
    1e6: "millions",
    1e7: "crores of 10,000,000",
    1e8: "hundreds of millions",
    1e9: "billions",
}


@cache
def _stated() -> tuple[tuple[float, re.Pattern[str]], ...]:
    """What states a scale, with its factor; compiled once a name is looked at."""
    return tuple((by, re.compile(pattern)) for by, pattern in (*_STATED, *_SIGNED))


def stated_scale(name: str) -> float:
    """What one unit of a column stands for by its name; 1 where it does not say."""
    if _RATIO.search(name):
        return 1.0
    is_money = bool(NAMES_MONEY.search(name) or _SAYS_MONEY.search(name))
    for factor, pattern in _stated():
        stated = pattern.search(name)
        # Rare units are only believed of money, behind its name: `Mn` is a state, too.
        rare = factor not in (1e3, 1e6) or (stated and stated.group() == "Mn")
        is_name = stated and not stated.start() and stated.group()[0].isalpha()
        if stated and not is_name and _NUMBER_WORD.fullmatch(stated.group()):
            rare = False
        if stated and (not rare or factor < 1 or not is_name):
            return factor if is_money or not rare else 1.0
    if is_money and _IN_M.search(name):
        return 1e6
    is_thousand = _LETTER.search(name) or _UNITS_OF.search(name)
    return 1e3 if (is_money or _FOUND.search(name)) and is_thousand else 1.0


def is_letter_only(name: str) -> bool:
    """Whether nothing but a letter says that a column is in thousands: `Sales (£k)`."""
    return bool(_LONE.search(name)) and stated_scale(name) == 1e3


def doubtful_scale(name: str) -> str:
    """A unit that is a thousand in one language and a million in another: `mil.`."""
    match = _MIL.search(name) if NAMES_MONEY.search(name) else None
    return "" if match is None or stated_scale(name) != 1 else match.group(1)


def title_scale(lines: Sequence[str]) -> float:
    """What the lines above a header say that amounts are in; 1 where they do not."""
    for line in lines:
        for factor, pattern in _stated():
            if factor > 1e2 and pattern.search(line) and len(line) < 200:
                return factor
    return 1.0


def sheet_scale(name: str, title: Sequence[str] = ()) -> float:
    """What a sheet's name says that amounts are in: `in TEUR`; 1 if its title does."""
    if title_scale(title) != 1:
        return 1.0
    is_money = re.search(rf"{_SIGN}|(?<![^\W_]){_MONEY}", name, re.IGNORECASE)
    return title_scale([name]) if is_money else name_scale(name)


def note_scale(lines: Sequence[str]) -> tuple[float, bool]:
    """What lines below a table say that amounts are in, and whether they are sure.

    `* in TEUR` is; `TV reached 3 million people` is a remark.
    """
    factor = title_scale(lines)
    line = next((line for line in lines if title_scale([line]) != 1), "")
    return factor, factor != 1 and bool(_IN_UNITS.search(line))


def name_scale(filename: str) -> float:
    """What the name of a file says that amounts are in; 1 where it does not."""
    return next((factor for factor, one in _NAMED if re.search(one, filename)), 1.0)


def scaled(frame: pd.DataFrame, filename: str = "") -> pd.DataFrame:
    """The table in whole units; what was multiplied stands in its `attrs["read"]`.

    A column whose cells carry a unit word was multiplied by it already. Formats of
    cells count where the name states none, and a title for columns of money by their
    names where neither does.
    """
    by_format = frame.attrs.pop("format_scale", {})
    above = float(frame.attrs.pop("title_scale", 1.0))
    above = name_scale(filename) if above == 1 else above
    changed: dict[str, np.ndarray] = {}
    notes = dict(frame.attrs.get("read", {}))
    for column in frame.columns:
        name = str(column)
        kind = frame[column].dtype
        if pd.api.types.is_bool_dtype(kind) or not pd.api.types.is_numeric_dtype(kind):
            continue
        factor = stated_scale(name)
        factor = by_format.get(name, 1.0) if factor == 1 else factor
        if factor == 1 and NAMES_MONEY.search(name) and not _RATIO.search(name):
            factor = above
        note = notes.get(name, {"done": [], "currency": []})
        if factor == 1 or any(
            step["kind"] in ("unit", "scale") for step in note["done"]
        ):
            continue
        values = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
        filled = np.flatnonzero(~np.isnan(values) & (values != 0))
        if not len(filled):
            continue
        # Divided by a whole number, decimals stay what they are: 0.29 is not 0.28999.
        whole = values * factor if factor >= 1 else values / round(1 / factor)
        rounded = np.rint(whole)
        is_whole = (whole == rounded).all() and (np.abs(whole) < 2**53).all()
        changed[name] = rounded.astype(np.int64) if is_whole else whole
        step = {
            "kind": "scale",
            "count": len(filled),
            "example": f"{values[filled[0]]:.10g}",
            "value": float(whole[filled[0]]),
            "detail": _WORDS[factor],
        }
        notes[name] = note | {"done": [*note["done"], step]}
    if not changed:
        return frame
    attrs = frame.attrs
    frame = frame.assign(**changed)
    frame.attrs = attrs | {"read": notes}
    return carry(frame)
