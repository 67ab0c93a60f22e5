"""What is said of what data and other fits suggest: prices and priors."""
