"""The sliders in the address: F5 and a copied link keep amounts and scenarios."""

from collections.abc import Callable, Mapping

from pages.ui import state
from pages.ui.document import amount_in, document_in, keep_document

_NAME = "hand"
_SLIDERS = "A"


def take(of: str, n: int, put: Callable[..., None]) -> None:
    """Bring back what the address has, once for each browser tab.

    Args:
        of: The fit and the periods that the amounts are of.
        n: How many channels there are.
        put: Sets sliders and scenarios.
    """
    if state.draft("hand.read"):
        return
    state.keep("hand.read", True)
    content = document_in(_NAME)
    # Amounts of another fit or of other periods would be other percentages here.
    if content.get("of") != of:
        return
    scenarios: dict[str, tuple[float, ...]] = {}
    for name in (_SLIDERS, "B", "C"):
        row = content.get(name)
        amounts = [amount_in(value) for value in row] if isinstance(row, list) else []
        if len(amounts) == n and None not in amounts:
            scenarios[name] = tuple(amount or 0.0 for amount in amounts)
    put(of, scenarios.pop(_SLIDERS, None), scenarios)


def keep(
    of: str, amounts: tuple[float, ...] | None, kept: Mapping[str, tuple[float, ...]]
) -> None:
    """Have the address say where the sliders are and what is kept.

    Args:
        of: The fit and the periods.
        amounts: Currency; None where they are those of the best plan.
        kept: Scenarios by letter.
    """
    content = ({} if amounts is None else {_SLIDERS: amounts}) | dict(kept)
    keep_document(_NAME, {"of": of} | content if content else {})
