"""Teaching: plans of weeks that pay, and from which the next plan learns."""
