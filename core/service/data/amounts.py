"""Amounts as they are typed, for faces that take them."""

from core.data.cells.typed import refuse_other_currency, typed_amount
