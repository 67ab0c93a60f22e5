"""Platforms: whose export a file is, told by its columns."""

from pathlib import PurePath

from core.data.cells.words import phrases, word_set
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import spoken

#: Words that a report of each platform has together.
_META = tuple(map(frozenset, phrases("platforms.meta")))
_GOOGLE = tuple(map(frozenset, phrases("platforms.google")))
#: Words of other platforms, and of Meta's columns beside what was spent.
_OTHERS, _BESIDE = word_set("platforms.others"), word_set("platforms.beside_meta")
_FLAT_FILE = word_set("platforms.flat_file")


def schema_of(file: File) -> str:
    """What an export is called; empty where its columns are nobody's in particular."""
    names = [str(name) for name in file.frame.columns]
    plain = {"".join(spoken(name)) for name in names}
    spoken_words = {word for name in names for word in spoken(name)}
    if plain >= _FLAT_FILE:
        return "a master flat file"
    if {"adid", "platform", "sourcerelation"} <= plain:
        return "Fivetran's ad report"
    if {"orderid", "totalprice", "financialstatus"} <= plain:
        return "Fivetran's Shopify orders"
    spent = [name for name in names for words in _META if words <= set(spoken(name))]
    if spent:
        return (
            "a Meta export" if _is_meta(file, spent[0]) else "an ad platform's export"
        )
    rates = {"ctr", "cpc", "conv", "conversions", "conversionen", "konversionen"}
    if any(words <= spoken_words for words in _GOOGLE) and spoken_words & rates:
        return "a Google Ads export"
    return ""


def _is_meta(file: File, spent: str) -> bool:
    """Whether the platform that calls spend so is Meta: Reddit and Snapchat do, too.

    Theirs is written `Amount Spent`, as Meta's once was, with fewer columns beside it.
    """
    names = [str(name) for name in file.frame.columns]
    has = {word for name in names for word in spoken(name)}
    if (has | {*spoken(PurePath(file.name).stem)}) & _OTHERS:
        return False
    return "Amount Spent" not in spent or bool(has & _BESIDE)


def prefix_of(file: File) -> str:
    """What stands before the names of channels of one platform's export."""
    schema = schema_of(file)
    return {"a Meta export": "Meta", "a Google Ads export": "Google"}.get(schema, "")
