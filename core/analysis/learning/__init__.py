"""Learning: what data, priors and tests each say."""
