"""A real browser for tests: the machine's Chromium, driven by Playwright."""

import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = next((p for p in map(shutil.which, ["chromium", "google-chrome", "chrome"]) if p), None)


@contextmanager
def browser_page(**options):
    """A page of a new browser; skips the test where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="driving a browser needs playwright")
    if CHROMIUM is None:
        pytest.skip("install chromium to run the tests in a real browser")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser.new_page(**options)
        finally:
            browser.close()
