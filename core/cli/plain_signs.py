"""Plain signs: what a terminal that only knows some letters is given for the others.

A minus that came out as a question mark would be another number.
"""

import codecs
import unicodedata

#: Name of the error handler.
PLAIN = "mixwright-plain-signs"
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑·", "-"),
        **dict.fromkeys("\u00a0\u202f\u2009", " "),
        **dict.fromkeys("’‘", "'"),
        **dict.fromkeys("“”„", '"'),
        **{"€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "ß": "ss"},
        **{"…": "...", "×": "x", "±": "+/-", "≤": "<=", "≥": ">=", "→": "->"},
        **{"▲": "^^", "▼": "vv", "△": "^", "▽": "v", "◇": "o"},
    }
)


def plain_signs(error: UnicodeError) -> tuple[str, int]:
    """The part of a text that an encoding lacks, in ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_SIGNS)
    apart = unicodedata.normalize("NFKD", text)
    signs = [sign for sign in apart if not unicodedata.combining(sign)]
    return "".join(sign if sign.isascii() else "?" for sign in signs), error.end


codecs.register_error(PLAIN, plain_signs)
