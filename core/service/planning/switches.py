"""Every yes or no of a plan, for faces that offer them."""

from core.plan.limits.switches import CONTROLS, SWITCHES, Switches, of_flags, of_table
