"""The app as a person meets it: a server process of its own, and Chromium on its pages."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.sync_api import Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
SCREENSHOTS = Path(__file__).parent / "screenshots"
PICTURES = bool(os.environ.get("R3CON_PICTURES"))
"""Set R3CON_PICTURES=1 to be left screenshots: they cost the suite a minute, and no test reads them."""
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
WINDOW, WIDE = (1280, 800), (1920, 1080)
"""Width and height of the window, and of the other one that pictures are taken in."""


def chromium() -> str | None:
    """The machine's Chromium, if it has one."""
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


@contextmanager
def running_app(home: Path) -> Iterator[str]:
    """The app on a free port with `home` as its home; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = (home / "app.log").open("wb")
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.headless", "true"],
        cwd=ROOT,
        env={**os.environ, "R3CON_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health", server)
        yield address
    finally:
        server.terminate()
        server.wait(10)
        log.close()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert server.poll() is None, "the app ended at its start; see app.log"
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the app did not start within a minute")


@dataclass
class Visit:
    """One browser window on the app, and every request it made to another host."""

    page: Page
    address: str
    strangers: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Go to a page by its address."""
        self.page.goto(f"{self.address}{path}")
        self.settle()

    def settle(self) -> None:
        """Wait until the page has been drawn and nothing runs."""
        app = "[data-testid=stApp][data-test-connection-state=CONNECTED]"
        self.page.wait_for_selector(app, timeout=30_000)
        self.page.wait_for_timeout(250)
        self.page.wait_for_selector(f"{app}[data-test-script-state=notRunning]", timeout=30_000)
        self.page.wait_for_timeout(250)

    def button(self, name: str) -> Locator:
        """The first button of that name."""
        return self.page.get_by_role("button", name=name, exact=True).first

    def press(self, name: str) -> None:
        """Press the first button of that name and wait."""
        self.button(name).click()
        self.settle()

    def follow(self, name: str) -> None:
        """Follow a link of the navigation."""
        self.page.locator("[data-testid=stSidebar]").get_by_role("link", name=re.compile(name)).first.click()
        self.settle()

    def picture(self, name: str, *, wide: bool = False) -> None:
        """See that the page shows no error in either theme; where wanted, leave a screenshot of each, and of a wide window."""
        self._in_each_theme(name)
        if wide and PICTURES:
            self.resize(WIDE)
            self._in_each_theme(f"{name}-wide")
            self.resize(WINDOW)

    def _in_each_theme(self, name: str) -> None:
        for theme in THEMES[::-1]:
            self.page.emulate_media(color_scheme=theme)
            self.wait_for_picture(150)
            assert self.page.locator("[data-testid=stException]").count() == 0
            if PICTURES:
                SCREENSHOTS.mkdir(exist_ok=True)
                self.page.screenshot(path=SCREENSHOTS / f"{name}-{theme}.png")

    def resize(self, size: tuple[int, int]) -> None:
        """Make the window so large."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.wait_for_picture(250)

    def wait_for_picture(self, milliseconds: float) -> None:
        """Let all that moves come to rest, where screenshots are wanted."""
        if PICTURES:
            self.page.wait_for_timeout(milliseconds)


@contextmanager
def visiting(address: str, *, options: Sequence[str] = ()) -> Iterator[Visit]:
    """A window of 1280x800 on the app, in a browser with these options more."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), headless=True, args=[*QUIET, *options])
        context = browser.new_context(viewport={"width": WINDOW[0], "height": WINDOW[1]})
        page = context.new_page()
        visit = Visit(page=page, address=address)
        own = ("http://127.0.0.1", "ws://127.0.0.1", "blob:", "data:")
        page.on("request", lambda request: None if request.url.startswith(own) else visit.strangers.append(request.url))
        yield visit
        browser.close()
