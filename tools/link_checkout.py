"""Makes a checkout importable in the virtual environment that runs this file, and adds the command `fakeapi`.

The result works like an editable installation, but needs no build. `make run` uses this tool, because it is
quick and needs no package.
"""

import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = "#!{python}\nfrom fakeapi.cli.main import main\n\nmain()\n"


def main() -> None:
    packages = Path(sysconfig.get_path("purelib"))
    (packages / "fakeapi-checkout.pth").write_text(f"{ROOT}\n{ROOT / 'storage'}\n", encoding="utf-8")
    command = Path(sysconfig.get_path("scripts")) / "fakeapi"
    command.write_text(COMMAND.format(python=sys.executable), encoding="utf-8")
    command.chmod(0o755)


if __name__ == "__main__":
    main()
