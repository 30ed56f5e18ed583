"""Runs axe-core in a page, if the machine has axe-core."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.control.browser import Browser


def source() -> str:
    """Returns the source of axe-core from the folders of NODE_PATH; "" if none of them has axe-core."""
    return next((path.read_text() for path in _packages() if path.is_file()), "")


def _packages() -> Iterator[Path]:
    for path in filter(None, os.environ.get("NODE_PATH", "").split(os.pathsep)):
        yield Path(path) / "axe-core/axe.min.js"


def serious(browser: Browser, axe: str) -> list[Any]:
    """Runs axe-core in the page; returns its serious and critical findings. `axe`: the source of axe-core."""
    browser.run(f"if (!window.axe) {{ {axe}; window.axe = window.axe ?? axe; }}")
    browser.run("window.found = null; axe.run().then((result) => { window.found = result.violations; })")
    browser.wait(lambda: browser.run("return Boolean(window.found)"), "the findings of axe")
    nodes = "e.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))"
    script = f"return window.found.map((e) => [e.id, e.impact, {nodes}])"
    violations = browser.run(script)
    return [each for each in violations if each[1] in ("serious", "critical")]
