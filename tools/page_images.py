"""Makes the images of the live page in docs/images: headless Chromium shows the clusters of page_world.

Run `python -m tools.page_images [NAME…]`. With `--all DIRECTORY`, the script writes every view, in both
themes and in two widths.
"""

import argparse
import base64
import tempfile
import time
from functools import partial
from pathlib import Path

from fakeapi import FakeAPI
from tests.control import chromium
from tests.control.chromium import Chromium
from tools.page_world import serve, serve_problems

IMAGES = Path(__file__).parent.parent / "docs/images"
WIDE, NARROW, HEIGHT = 1400, 400, 860
QUALITY = 82
SETTLE_SECONDS = 1.5
READ_SECONDS = 30.0
"""Maximum seconds to wait until the view has read all reasons and explanations."""
CLAIM = "#/object/resource.k8s.io/resourceclaims/team-a/train-06"

IS_READING = "return /reading the (reason|explanation)/i.test(document.body.innerText)"
OPEN_GROUP = """
    const click = (selector) => document.querySelector(selector)?.click();
    click('.folded > summary');
    setTimeout(() => click('.one-waiting summary'), 300);
"""
"""Opens the first group of pending pods, and its first pod."""

PROBLEMS: dict[str, tuple[str, str]] = {
    "armed": ("#/faults", ""),
    "drivers": ("#/controllers", ""),
    "deleting": ("#/why/namespace/-/old-team", ""),
}
"""The views of the cluster with faults, as in VIEWS."""

VIEWS: dict[str, tuple[str, str]] = {
    "devices": ("#/devices", ""),
    "pool": ("#/devices", "document.querySelectorAll('.pool')[3].click()"),
    "claims": ("#/claims", ""),
    "pending": ("#/why", OPEN_GROUP),
    "objects": ("#/objects/-/pods", ""),
    "object": (CLAIM, ""),
    "history": (f"{CLAIM}?tab=history", ""),
    "timeline": (f"{CLAIM}?tab=time", ""),
    "edit": (CLAIM, "[...document.querySelectorAll('button')].find((e) => e.textContent == 'Edit').click()"),
    "requests": ("#/requests", ""),
    "request": ("#/requests?verb=write", "document.querySelector('button.time').click()"),
    "watches": ("#/watches", ""),
    "faults": ("#/faults", ""),
    "clock": ("#/clock", ""),
    "controllers": ("#/controllers", ""),
    **PROBLEMS,
}
"""The address of each view, and the script that opens a part of the view."""

KEPT = (
    ("devices", WIDE, "light"),
    ("pending", WIDE, "light"),
    ("timeline", WIDE, "light"),
    ("requests", WIDE, "dark"),
    ("devices", NARROW, "dark"),
    ("armed", WIDE, "light"),
    ("drivers", WIDE, "dark"),
    ("deleting", WIDE, "light"),
)
"""The images in docs/images."""


def take(window: Chromium, page: str, name: str, width: int, theme: str) -> bytes:
    """Returns an image of a view as WebP.

    `width`: the width of the window in pixels. `theme`: light or dark.
    """
    address, script = VIEWS[name]
    size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    window.command("Emulation.setDeviceMetricsOverride", size)
    window.open(page)
    window.run(f"localStorage.setItem('fakeapi-theme', '{theme}')")
    window.open("about:blank")
    window.open(f"{page}{address}")
    time.sleep(SETTLE_SECONDS)
    if script:
        window.run(script)
        time.sleep(SETTLE_SECONDS)
    until = time.monotonic() + READ_SECONDS
    while time.monotonic() < until and window.run(IS_READING):
        time.sleep(0.2)
    shot = window.command("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    return base64.b64decode(shot["data"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these views")
    parser.add_argument("--all", type=Path, metavar="DIRECTORY", help="write every view to this directory")
    parser.add_argument("--large", action="store_true", help="show the cluster of 500 nodes")
    options = parser.parse_args()
    every = [
        (name, width, theme) for name in VIEWS for width in (WIDE, NARROW) for theme in ("light", "dark")
    ]
    chosen = [
        each for each in (every if options.all else KEPT) if not options.names or each[0] in options.names
    ]
    folder = options.all or IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile, chromium.window(Path(profile)) as window:
        for start, has_problems in ((partial(serve, is_large=options.large), False), (serve_problems, True)):
            images = [each for each in chosen if (each[0] in PROBLEMS) == has_problems]
            if images:
                take_all(window, start(), images, folder)


def take_all(window: Chromium, api: FakeAPI, images: list[tuple[str, int, str]], folder: Path) -> None:
    """Writes images of a server to a directory, then stops the server.

    `images`: the view, the width and the theme of each image.
    """
    try:
        for name, width, theme in images:
            path = folder / f"page-{name}-{width}-{theme}.webp"
            path.write_bytes(take(window, api.page, name, width, theme))
            print(path, path.stat().st_size)
    finally:
        api.stop()


if __name__ == "__main__":
    main()
