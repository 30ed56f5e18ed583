"""Fuzzes one parser with atheris: `python -m tests.torture.guided TARGET SECONDS SEED DIRECTORY`.

Atheris ends the process with status 0, or with a traceback if it found a failure. DIRECTORY keeps the inputs
that reached new code. Without a traceback, the last line of output is libFuzzer's summary.
"""

import importlib
import sys
from pathlib import Path

from tests.torture.budget import patience

INPUT_MAX = 4_096
HANG_SECONDS = 20
MEGABYTES_MAX = 2_000


def main() -> None:
    atheris = importlib.import_module("atheris")
    name, seconds, seed, place = sys.argv[1:]
    with atheris.instrument_imports(include=["fakeapi"]):
        target = importlib.import_module("tests.torture.targets").TARGETS[name]
    directory = Path(place)
    for number, data in enumerate(target.seeds):
        (directory / f"seed-{number}").write_bytes(data)
    options = [
        f"-max_total_time={max(1, round(float(seconds)))}",
        f"-seed={max(1, int(seed))}",
        f"-max_len={INPUT_MAX}",
        f"-timeout={patience(HANG_SECONDS):.0f}",
        f"-rss_limit_mb={MEGABYTES_MAX}",
        f"-artifact_prefix={directory}/",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(directory)], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
