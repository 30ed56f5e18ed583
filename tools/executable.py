"""Builds dist/fakeapi, the command as one file that needs no Python: `make binary`.

PyInstaller collects the packages of `.venv`, which `make run` fills. The file runs on the system and the
processor of the build.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "executable"
ENTRY = (
    "import sys\n\nfrom fakeapi.cli.main import main\n\nif __name__ == '__main__':\n    sys.exit(main())\n"
)
COLLECTED = ("fakeapi", "fakeapi_storage", "hypercorn", "cel_expr_python", "asyncpg", "google.protobuf")
LEFT_OUT = ("pytest", "tkinter", "pip", "setuptools")


def site_packages() -> Path:
    """Returns the folder of the packages in `.venv`."""
    (packages,) = (ROOT / ".venv" / "lib").glob("python3.*/site-packages")
    return packages


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


if __name__ == "__main__":
    main()
