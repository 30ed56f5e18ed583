"""Builds dist/fakeapi, the command as one file that needs no Python: `make binary`.

Then starts the file with a simulated driver and controllers, and reads the ResourceSlices.

PyInstaller collects the packages of `.venv`, which `make run` fills. The file runs on the system and the
processor of the build.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "executable"
ENTRY = (
    "import sys\n\nfrom fakeapi.cli.main import main\n\nif __name__ == '__main__':\n    sys.exit(main())\n"
)
COLLECTED = ("fakeapi", "fakeapi_storage", "hypercorn", "cel_expr_python", "asyncpg", "google.protobuf")
LEFT_OUT = ("pytest", "tkinter", "pip", "setuptools")


START_SECONDS = 60.0
"""Maximum number of seconds until the file must serve."""


def site_packages() -> Path:
    """Returns the folder of the packages in `.venv`."""
    (packages,) = (ROOT / ".venv" / "lib").glob("python3.*/site-packages")
    return packages


def check(program: Path) -> None:
    """Starts a server with a simulated driver. Exits with an error if the server does not start."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.json"
        options = ["--port", "0", "--driver", "gpu.example.com=2", "--ready-file", str(ready)]
        with subprocess.Popen([program, "serve", *options], env={}, cwd=folder) as process:
            try:
                until = time.monotonic() + START_SECONDS
                while not ready.exists():
                    if process.poll() is not None or time.monotonic() > until:
                        sys.exit(f"{program} does not serve")
                    time.sleep(0.1)
                url = json.loads(ready.read_text(encoding="utf-8"))["url"]
                with urlopen(f"{url}/apis/resource.k8s.io/v1/resourceslices") as response:
                    print(f"{program} serves {len(json.load(response)['items'])} ResourceSlice")
            finally:
                process.terminate()


def main() -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    entry = BUILD / "entry.py"
    entry.write_text(ENTRY, encoding="utf-8")
    paths = [f"--paths={path}" for path in (ROOT, ROOT / "storage", site_packages())]
    collected = [f"--collect-all={name}" for name in COLLECTED]
    excluded = [f"--exclude-module={name}" for name in LEFT_OUT]
    places = [f"--distpath={ROOT / 'dist'}", f"--workpath={BUILD}", f"--specpath={BUILD}"]
    command = [
        sys.executable,
        "-m",
        "PyInstaller",
        "--onefile",
        "--name=fakeapi",
        "--noconfirm",
        "--log-level=WARN",
    ]
    subprocess.run([*command, *paths, *collected, *excluded, *places, str(entry)], check=True)
    check(ROOT / "dist" / "fakeapi")


if __name__ == "__main__":
    main()
