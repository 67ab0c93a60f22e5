"""Command line: `python -m core`, the same workspace as the browser, for analysts."""
