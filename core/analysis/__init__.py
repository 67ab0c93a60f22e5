"""Analysis: what each channel returned, from the one counterfactual."""
