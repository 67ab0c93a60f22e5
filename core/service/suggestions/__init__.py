"""What data and other fits suggest: prices of media, priors."""
