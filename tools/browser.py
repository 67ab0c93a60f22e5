"""Which Chromium drives the browser tests; prints it, exits 1 where there is none."""

import os
import shutil
import sys
from pathlib import Path

#: Names under which systems install Chromium or Chrome; its shell without windows, of
#: the same version, takes less of the processor.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
)


def installed_by_playwright() -> str | None:
    """Path of the browser that Playwright itself downloaded, if it did."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    shell = "chromium_headless_shell-"
    beside = path.parents[2].glob(f"{shell}*/*/*headless*shell")
    return next((str(file) for file in [path, *beside] if file.is_file()), None)


def find_chromium() -> str | None:
    """Path of a Chromium: E2E_CHROMIUM, Playwright's own, the system's."""
    named = os.environ.get("E2E_CHROMIUM")
    if named:
        return named
    return installed_by_playwright() or next(
        filter(None, map(shutil.which, NAMES)), None
    )


if __name__ == "__main__":
    chromium = find_chromium()
    if chromium:
        print(f"browser: {chromium}")
    sys.exit(0 if chromium else 1)
