"""Parameters of a channel's media, in words: beside a field, and when asked about."""

from core.text.glossary import meaning
from core.text.languages.language import marked, say

WHAT = {
    "alpha": marked("alpha, retention rate"),
    "theta": marked("theta, lag of the peak in periods"),
    "lam": marked("lam, scale in periods"),
    "k": marked("k, shape"),
    "ec": marked("ec, half-saturation in multiples of typical exposure"),
    "slope": marked("slope, steepness"),
    "eta": marked("eta, spread over geos"),
}
#: Those that the glossary explains, by its word.
_IN_GLOSSARY = {"alpha": "Carryover", "ec": "Half-saturation", "slope": "Slope"}
_EXPLAINED = {
    "theta": marked("Lag at which the effect peaks, in periods."),
    "lam": marked("Scale of Weibull carryover, in periods."),
    "k": marked("Shape of Weibull carryover."),
    "eta": marked("Spread of the effect over geos."),
}


def explained(stem: str) -> str:
    """What a parameter is, in a sentence."""
    word = _IN_GLOSSARY.get(stem)
    return say(_EXPLAINED[stem]) if word is None else meaning(word)
