"""Makes the picture of the README: `python -m tools.pictures` writes docs/images/first-hour.png.

The picture shows a real run of the first example of docs/start.md in a terminal, and the live page of a real
server. The script needs Chromium and chromedriver.
"""

import base64
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fakeapi import FakeAPI
from fakeapi.testing.objects import claim, pod
from tests.control import chromium
from tests.control.chromium import Chromium

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "first-hour.png"
COLUMNS = 96
PAGE = """
<body style="margin:0; background:#eaeef2; width:1280px; height:757px; overflow:hidden">
<div style="position:absolute; left:24px; top:20px; width:800px">{terminal}</div>
<img style="position:absolute; right:24px; top:400px; width:860px; height:330px; object-fit:cover;
  object-position:top; border:1px solid #d1d9e0;
  border-radius:8px; box-shadow:0 8px 30px rgba(0,0,0,.25)" src="data:image/png;base64,{page}">
</body>
"""


def terminal(directory: Path) -> str:
    """Runs the first test of docs/start.md, which fails, and returns the terminal as SVG."""
    text = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    example = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    (directory / "test_gpu.py").write_text(example, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--color=yes", "-q", "--tb=line", "-p", "no:cacheprovider"]
    environment = {"PATH": "/usr/bin:/bin", "COLUMNS": str(COLUMNS)}
    run = subprocess.run(
        [*command, "test_gpu.py"], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print("$ pytest test_gpu.py", style="bold")
    lines = [line for line in run.stdout.splitlines() if str(ROOT) not in line]
    console.print(Text.from_ansi("\n".join(lines)))
    return console.export_svg(title="A test in which somebody else writes first")


def page(window: Chromium, path: Path) -> bytes:
    """Starts a server whose pods use simulated devices, and returns the map of the devices as PNG."""
    with FakeAPI(seed=1) as api:
        api.add_driver("gpu.example.com", nodes={"node-1": 8, "node-2": 8}, attributes={"model": "A100"})
        for name, count in (("training", 4), ("inference", 2), ("notebook", 1), ("too-large", 9)):
            api.create(claim(name, device_class="gpu.example.com", count=count))
            api.create(pod(name, claims=[name]))
        api.settle()
        window.open(f"{api.page}#/devices")
        window.see("node-2")
        window.screenshot(path)
    return path.read_bytes()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        with chromium.window(directory / "profile") as window:
            shown = base64.b64encode(page(window, directory / "page.png")).decode()
            html = directory / "picture.html"
            html.write_text(PAGE.format(terminal=terminal(directory), page=shown), encoding="utf-8")
            window.open(html.as_uri())
            window.wait(lambda: window.run("return document.images[0].complete"), "the picture")
            window.screenshot(PICTURE)


if __name__ == "__main__":
    main()
