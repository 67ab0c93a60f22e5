"""Fields of a limit, for faces that offer them."""

from core.plan.limits.stated import FIELDS, FLAGS, Bound
