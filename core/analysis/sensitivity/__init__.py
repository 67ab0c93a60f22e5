"""What data without priors say: confounding, and media that works when it cannot."""
