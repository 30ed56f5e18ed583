"""Controls headless Firefox over WebDriver BiDi, which Firefox speaks without a driver program."""

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.control.browser import WAIT_SECONDS, Browser
from tests.http.websocket_client import Client

_NAMES = ("firefox-esr", "firefox")
_ADDRESS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_CALL = """(script, parameters) => {
  const result = new Function(script).apply(null, JSON.parse(parameters));
  return JSON.stringify(result === undefined ? null : result);
}"""
_PREFERENCES = """
user_pref("app.update.auto", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
"""


def missing() -> str:
    """Returns a sentence with the missing program, or "" if Firefox is installed."""
    return "" if _program() else "firefox not installed"


def _program() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Firefox(Browser):
    """A window of Firefox. `errors` has the errors that pages have written to the console."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._number = 0
        self.errors: list[str] = []
        self.command("session.new", {"capabilities": {}})
        self.command("session.subscribe", {"events": ["log.entryAdded"]})
        tree = self.command("browsingContext.getTree", {})
        self._context = tree["contexts"][0]["context"]

    def open(self, url: str) -> None:
        self.command("browsingContext.navigate", {"context": self._context, "url": url, "wait": "complete"})

    def run(self, script: str, *arguments: Any) -> Any:
        values = [{"type": "string", "value": text} for text in (script, json.dumps(arguments))]
        parameters = {
            "functionDeclaration": _CALL,
            "arguments": values,
            "target": {"context": self._context, "sandbox": "test"},
            "awaitPromise": True,
        }
        answer = self.command("script.callFunction", parameters)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def resize(self, width: int, height: int) -> None:
        viewport = {"width": width, "height": height}
        self.command("browsingContext.setViewport", {"context": self._context, "viewport": viewport})

    def command(self, name: str, parameters: dict[str, Any]) -> Any:
        """Sends a command of WebDriver BiDi and returns its result. Raises AssertionError if it fails."""
        self._number += 1
        self._client.say(json.dumps({"id": self._number, "method": name, "params": parameters}))
        while True:
            message = self._client.event()
            if message.get("id") == self._number:
                assert message["type"] == "success", message
                return message["result"]
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(str(message["params"]["text"]))


@contextmanager
def window(profile: Path) -> Iterator[Firefox]:
    """Runs Firefox with an empty profile in this directory; yields its window."""
    (profile / "user.js").write_text(_PREFERENCES)
    log = profile / "firefox.log"
    arguments = ["--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port=0"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [_program() or "firefox", *arguments], stdout=output, stderr=subprocess.STDOUT
        )
    try:
        address = urlsplit(_wait_address(log))
        with socket.create_connection(("127.0.0.1", address.port or 0), WAIT_SECONDS) as sock:
            client = Client(sock, "/session", [], address.netloc)
            client.next()
            yield Firefox(client)
    finally:
        process.terminate()
        process.wait(30)


def _wait_address(log: Path) -> str:
    until = time.monotonic() + WAIT_SECONDS
    while not (found := _ADDRESS.search(log.read_text(errors="replace"))):
        assert time.monotonic() < until, f"Firefox does not start: {log.read_text(errors='replace')[-500:]}"
    return found[1]
