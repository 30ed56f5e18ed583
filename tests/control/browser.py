"""Controls a window of a headless browser, for tests of the web page: reads the page, clicks and types."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

WAIT_SECONDS = 45.0
"""Maximum seconds to wait for content of the web page, even on a busy machine."""


class Browser(ABC):
    """A browser window. Each browser opens pages and runs JavaScript over its own protocol."""

    @abstractmethod
    def open(self, url: str) -> None:
        """Opens a page, and returns when it has loaded."""

    @abstractmethod
    def run(self, script: str, *arguments: Any) -> Any:
        """Runs JavaScript in the page and returns its result."""

    def text(self, selector: str = "body") -> str:
        """Returns the visible text of the first element that matches a CSS selector, "" if none does."""
        script = "const e = document.querySelector(arguments[0]); return e ? e.innerText : ''"
        return str(self.run(script, selector))

    def wait(self, condition: Callable[[], object], what: str) -> None:
        """Waits until `condition()` is true. `what`: names the expected content in the error message.

        Raises AssertionError with the page's text after WAIT_SECONDS.
        """
        until = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < until, f"{what} did not come; the page shows: {self.text()[:1000]}"

    def see(self, text: str, selector: str = "main") -> None:
        self.wait(lambda: text in self.text(selector), repr(text))

    def click(self, text: str) -> None:
        """Waits for a button or link with this text or ARIA label, and clicks it."""
        script = (
            "const all = [...document.querySelectorAll('button, a')];"
            "const is = (each) => [each.textContent.trim(), each.ariaLabel].includes(arguments[0]);"
            "const e = all.find((each) => is(each) && !each.disabled); if (e) e.click(); return Boolean(e)"
        )
        self.wait(lambda: self.run(script, text), f"a button {text!r}")

    def fill(self, selector: str, value: str) -> None:
        """Waits for an input or select, and gives it a value as if the user had typed or chosen it."""
        script = (
            "const e = document.querySelector(arguments[0]); if (!e) return false; e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true}));"
            "e.dispatchEvent(new Event('change', {bubbles: true})); return true"
        )
        self.wait(lambda: self.run(script, selector, value), selector)

    def press(self, *keys: str) -> None:
        """Presses keys one after the other, in the focused element."""
        script = (
            "const at = document.activeElement ?? document.body;"
            "at.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
        )
        for key in keys:
            self.run(script, key)
