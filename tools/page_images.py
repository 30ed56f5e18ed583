"""Makes the images of the live page in docs/images: headless Chromium shows the clusters of page_world.

Run `python -m tools.page_images [NAME…]`. With `--all DIRECTORY`, the script writes every view, in both
themes and in two widths. With `--sheets`, it writes one image for each view to docs/images/sheets, which has
both themes and both widths side by side.
"""

import argparse
import base64
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from fakeapi import FakeAPI
from tests.control import chromium
from tests.control.chromium import Chromium
from tools.page_world import serve, serve_frozen, serve_problems

IMAGES = Path(__file__).parent.parent / "docs/images"
SHEETS = IMAGES / "sheets"
THEMES = ("light", "dark")
WIDE, NARROW, HEIGHT = 1400, 400, 860
QUALITY = 82
SETTLE_SECONDS = 1.5
READ_SECONDS = 30.0
"""Maximum seconds to wait until the view has read all reasons and explanations."""
CLAIM = "#/object/resource.k8s.io/resourceclaims/team-a/train-06"
INFER = "#/object/resource.k8s.io/resourceclaims/default/infer-0"
TRAIN = "#/object/-/pods/default/train-1"

IS_READING = "return /reading the (reason|explanation)/i.test(document.body.innerText)"
OPEN_GROUP = """
    const click = (selector) => document.querySelector(selector)?.click();
    click('.folded > summary');
    setTimeout(() => click('.one-waiting summary'), 300);
"""
"""Opens the first group of pending pods, and its first pod."""

NODES_OF_PENDING = """
    const click = (selector) => document.querySelector(selector)?.click();
    click('.one-waiting summary, .folded > summary');
    setTimeout(() => click('.one-waiting summary'), 300);
    setTimeout(() => click('.nodes-explained > summary'), 2500);
    setTimeout(() => document.querySelector('.nodes-explained')?.scrollIntoView(), 3000);
"""
"""Opens the table of nodes of the first pending pod."""

FAILED_DRY_RUN = """
    const buttons = () => [...document.querySelectorAll('button')];
    const click = (text) => buttons().find((e) => e.textContent == text).click();
    click('Edit');
    setTimeout(() => {
        const area = document.querySelector('dialog textarea');
        area.value = area.value.replace('allocationMode: ExactCount', 'allocationMode: Some');
        area.dispatchEvent(new Event('input', {bubbles: true}));
    }, 300);
    setTimeout(() => click('Check with a dry run'), 600);
"""
"""Opens the editor, writes an invalid value, and checks the object with a dry run."""

COMPARE = """
    document.querySelector('[aria-label^=Compare]').click();
    setTimeout(() => {
        for (const each of document.querySelectorAll('.difference')) each.open = true;
        document.querySelector('[aria-live] h3').scrollIntoView();
    }, 800);
"""
"""Compares the first snapshot with now, and opens all differences."""

SHEET = """
    const [rows, scale] = arguments;
    document.documentElement.style.overflow = 'hidden';
    document.body.style.cssText = 'margin: 0; padding: 12px; background: #8a93a3; display: grid; gap: 12px';
    for (const images of rows) {
        const row = document.createElement('div');
        row.style.cssText = 'display: flex; gap: 12px';
        for (const image of images) {
            const shown = document.createElement('img');
            shown.onload = () => (shown.width = shown.naturalWidth * scale);
            shown.src = `data:image/webp;base64,${image}`;
            row.append(shown);
        }
        document.body.append(row);
    }
"""
"""Shows rows of images in an empty page. The arguments: the images as base64, and their scale."""

PROBLEMS: dict[str, tuple[str, str]] = {
    "armed": ("#/faults", ""),
    "drivers": ("#/controllers", ""),
    "deleting": ("#/pending/namespace/-/old-team", ""),
    "troubles": ("#/pending", ""),
    "silent": ("#/devices", ""),
    "silent-pods": ("#/objects/-/pods", ""),
    "fired": ("#/requests?search=conflict", "document.querySelector('button.time').click()"),
    "pod": (f"{TRAIN}?tab=yaml", ""),
    "history": (f"{INFER}?tab=history", ""),
    "timeline": (f"{INFER}?tab=time", ""),
}
"""The views of the cluster with faults, as in VIEWS."""

FROZEN: dict[str, tuple[str, str]] = {
    "frozen": ("#/clock", ""),
    "compared": ("#/clock", COMPARE),
}
"""The views of the cluster with a frozen clock, as in VIEWS."""

VIEWS: dict[str, tuple[str, str]] = {
    "devices": ("#/devices", ""),
    "pool": ("#/devices", "document.querySelectorAll('.pool')[3].click()"),
    "claims": ("#/claims", ""),
    "pending": ("#/pending", OPEN_GROUP),
    "objects": ("#/objects/-/pods", ""),
    "object": (CLAIM, ""),
    "edit": (CLAIM, "[...document.querySelectorAll('button')].find((e) => e.textContent == 'Edit').click()"),
    "requests": ("#/requests", ""),
    "request": ("#/requests?verb=write", "document.querySelector('button.time').click()"),
    "watches": ("#/watches", ""),
    "faults": ("#/faults", ""),
    "clock": ("#/clock", ""),
    "controllers": ("#/controllers", ""),
    "refused": (CLAIM, FAILED_DRY_RUN),
    "nodes": ("#/pending", NODES_OF_PENDING),
    "keys": ("#/devices", "document.querySelector('button[title^=Keyboard]').click()"),
    **PROBLEMS,
    **FROZEN,
}
"""The address of each view, and the script that opens a part of the view."""

LARGE_SHEETS = ("devices", "claims", "pending", "objects", "requests", "watches", "controllers")
"""The views of the large cluster that have a sheet."""

SHEET_SCALE, SHEET_QUALITY, SHEET_GAP = 0.62, 54, 12
"""The size of an image on a sheet relative to the window, the quality as WebP, and the space in pixels."""

KEPT = (
    ("devices", WIDE, "light"),
    ("pending", WIDE, "light"),
    ("timeline", WIDE, "light"),
    ("requests", WIDE, "dark"),
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
        if name == "nodes":
            time.sleep(SETTLE_SECONDS)
    until = time.monotonic() + READ_SECONDS
    while time.monotonic() < until and window.run(IS_READING):
        time.sleep(0.2)
    return screenshot(window, QUALITY)


def take_sheet(window: Chromium, page: str, name: str) -> bytes:
    """Returns one image as WebP: a view in the light theme above the dark theme, each in both widths."""
    rows = [[take(window, page, name, width, theme) for width in (WIDE, NARROW)] for theme in THEMES]
    window.open("about:blank")
    window.run(SHEET, [[base64.b64encode(image).decode() for image in row] for row in rows], SHEET_SCALE)
    width = int((WIDE + NARROW) * SHEET_SCALE) + 3 * SHEET_GAP
    height = int(2 * HEIGHT * SHEET_SCALE) + 3 * SHEET_GAP
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    window.command("Emulation.setDeviceMetricsOverride", size)
    time.sleep(SETTLE_SECONDS)
    return screenshot(window, SHEET_QUALITY)


def screenshot(window: Chromium, quality: int) -> bytes:
    shot = window.command("Page.captureScreenshot", {"format": "webp", "quality": quality})
    return base64.b64decode(shot["data"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these views")
    parser.add_argument("--all", type=Path, metavar="DIRECTORY", help="write every view to this directory")
    parser.add_argument("--large", action="store_true", help="show the cluster of 500 nodes")
    parser.add_argument(
        "--sheets", action="store_true", help="write one image for each view, of all clusters"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as profile, chromium.window(Path(profile)) as window:
        if options.sheets:
            take_sheets(window, options.names)
        else:
            take_images(window, options)


def take_images(window: Chromium, options: argparse.Namespace) -> None:
    """Writes the images of docs/images, or every view if the option `--all` is set."""
    every = [(name, width, theme) for name in VIEWS for width in (WIDE, NARROW) for theme in THEMES]
    folder = options.all or IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    usual = [name for name in VIEWS if name not in PROBLEMS and name not in FROZEN]
    clusters: tuple[tuple[Callable[[], FakeAPI], Iterable[str]], ...] = (
        (partial(serve, is_large=options.large), usual),
        (serve_problems, PROBLEMS),
        (serve_frozen, FROZEN),
    )
    for start, names in clusters:
        images = [
            each
            for each in (every if options.all else KEPT)
            if each[0] in names and (not options.names or each[0] in options.names)
        ]
        if images:
            take_all(window, start(), images, folder)


def take_sheets(window: Chromium, names: list[str]) -> None:
    """Writes a sheet of each view in docs/images/sheets. `names`: the only views; [] for all views."""
    SHEETS.mkdir(parents=True, exist_ok=True)
    small = [name for name in VIEWS if name not in PROBLEMS and name not in FROZEN]
    clusters: tuple[tuple[str, Callable[[], FakeAPI], Iterable[str]], ...] = (
        ("small", partial(serve, is_large=False), small),
        ("large", partial(serve, is_large=True), LARGE_SHEETS),
        ("problems", serve_problems, PROBLEMS),
        ("frozen", serve_frozen, FROZEN),
    )
    for cluster, start, views in clusters:
        chosen = [name for name in views if not names or name in names]
        if not chosen:
            continue
        api = start()
        try:
            for name in chosen:
                path = SHEETS / f"{cluster}-{name}.webp"
                path.write_bytes(take_sheet(window, api.page, name))
                print(path, path.stat().st_size)
        finally:
            api.stop()


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
