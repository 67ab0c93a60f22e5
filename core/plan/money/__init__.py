"""Money of a plan: what its amounts pay for, beside a channel's own media."""
