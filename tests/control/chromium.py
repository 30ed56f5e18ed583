"""Controls headless Chromium over the WebDriver protocol."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from tests.control.browser import WAIT_SECONDS, Browser

_ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
]


def missing() -> str:
    """Returns a sentence with the missing programs, or "" if Chromium and chromedriver are installed."""
    lacking = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(lacking)} not installed" if lacking else ""


class Chromium(Browser):
    """A window of Chromium."""

    def __init__(self, driver: str, session: str) -> None:
        self._driver = f"{driver}/session/{session}"

    def open(self, url: str) -> None:
        call(f"{self._driver}/url", {"url": url})

    def run(self, script: str, *arguments: Any) -> Any:
        return call(f"{self._driver}/execute/sync", {"script": script, "args": list(arguments)})

    def command(self, name: str, parameters: dict[str, Any]) -> Any:
        """Sends a command of the Chrome DevTools Protocol and returns its result."""
        return call(f"{self._driver}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def busy_seconds(self) -> float:
        """Returns the CPU seconds that the page's main thread has used since the first call."""
        self.command("Performance.enable", {"timeDomain": "threadTicks"})
        metrics = self.command("Performance.getMetrics", {})["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(call(f"{self._driver}/screenshot", method="GET")))


@contextmanager
def window(profile: Path) -> Iterator[Chromium]:
    """Runs Chromium with an empty profile in this directory; yields its window."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [shutil.which("chromedriver") or "chromedriver", f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_ready(driver)
        options = {
            "args": [*_ARGUMENTS, f"--user-data-dir={profile}"],
            "binary": shutil.which("chromium"),
        }
        capabilities = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        session = call(f"{driver}/session", capabilities)["sessionId"]
        yield Chromium(driver, session)
        call(f"{driver}/session/{session}", method="DELETE")
    finally:
        process.terminate()
        process.wait(30)


def _wait_ready(driver: str) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            if call(f"{driver}/status", method="GET")["ready"]:
                return
        except (URLError, ConnectionError):
            assert time.monotonic() < until, "chromedriver does not answer"


def call(url: str, body: Any = None, *, method: str = "POST") -> Any:
    """Sends a WebDriver command and returns the `value` of the response.

    Raises AssertionError with the driver's message if the command fails.
    """
    data = None if method == "GET" else json.dumps({} if body is None else body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=2 * WAIT_SECONDS) as response:
            return json.load(response)["value"]
    except HTTPError as error:
        raise AssertionError(json.load(error)["value"]["message"]) from error


@contextmanager
def as_wide_as(browser: Chromium, width: int) -> Iterator[None]:
    """Gives the window this width in pixels while the block lasts."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.command("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.open("about:blank")
        yield
    finally:
        browser.command("Emulation.clearDeviceMetricsOverride", {})
