"""How a channel may be bought, for faces that offer it."""

from core.plan.limits.buying import OPTIONS, Buying, Option, bought_otherwise
