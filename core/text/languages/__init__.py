"""Languages of what leaves the house: catalogues of gettext, and who reads them."""
