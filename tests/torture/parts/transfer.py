"""Exports from hostile servers write only safe files; exporting again after an import gives the same file.

An export writes only below its directory, and its error messages are printable.
"""

import tempfile
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from tests.torture.budget import Budget, Finding
from tests.torture.parts.files import value
from tests.transfer.hostile import RESOURCE, answering, cluster_of, config_map

NAMES = (
    "a",
    "..",
    "../../../x",
    "/x",
    "a/b",
    "~",
    "%2e%2e",
    "a\0b",
    "\x1b[31m",
    "_cluster",
    "x" * 300,
    "a:b",
)
EXIT_CODES = (0, 1)


def damaged(chance: Random, answer: Any) -> Any:
    """Returns the response body with a random value at one random place."""
    if chance.random() < 0.2 or not isinstance(answer, dict | list) or not answer:
        return value(chance, 2)
    if isinstance(answer, list):
        place = chance.randrange(len(answer))
        return [damaged(chance, item) if number == place else item for number, item in enumerate(answer)]
    name = chance.choice(list(answer))
    return {**answer, name: damaged(chance, answer[name])}


def hostile(chance: Random) -> dict[str, Any]:
    """Returns the responses of a cluster whose objects have hostile names, by request path.

    Damages some responses.
    """
    items = [
        config_map(chance.choice(NAMES), chance.choice([*NAMES, None])) for _ in range(chance.randrange(5))
    ]
    resource = {**RESOURCE, "name": chance.choice(["configmaps", "..", "../x"])}
    answers = cluster_of(items, resource, **{"/_fakeapi/state": None})
    for path in answers:
        if chance.random() < 0.3:
            answers[path] = damaged(chance, answers[path])
        if chance.random() < 0.03:
            answers[path] = chance.choice([b"", b"[" * 50_000, b"\xff", b"{}{}", b"\x1b[31m"])
    return answers


def command(*arguments: str) -> str:
    """Runs a fakeapi command and returns its output.

    Raises Finding for an unexpected exit code or exception, or if the output has escape codes.
    """
    result = CliRunner().invoke(main, arguments)
    if result.exit_code not in EXIT_CODES or isinstance(result.exception, Exception):
        raise Finding(f"{arguments}: {result.exit_code} {result.exception!r}\n{result.output}")
    if not result.output.replace("\n", "").isprintable():
        raise Finding(f"{arguments} printed {result.output!r}")
    return result.output


def export_hostile(chance: Random) -> int:
    """Exports the objects of a hostile cluster; returns the number of written files.

    Raises Finding if a file is outside the target directory or not exactly two directories below it.
    """
    answers = hostile(chance)
    with tempfile.TemporaryDirectory() as directory:
        outside, target = Path(directory), Path(directory, "x", "y", "out")
        lists = answers.get("/api/v1/configmaps")
        with answering(lambda path: answers.get(path, lists)) as url:
            command("export", "--server", url, "-d", str(target))
        files = [path for path in outside.rglob("*") if not path.is_dir()]
        for file in files:
            if not file.is_relative_to(target) or len(file.relative_to(target).parts) != 3:
                raise Finding(f"{file} was written for {answers!r:.3000}")
        return len(files)


def manifest(chance: Random, number: int) -> dict[str, Any]:
    letters = "".join(
        chr(chance.choice([10, 32, 34, 39, 58, 92, 0x85, 0xE9, 0x2028, 0x1F600])) for _ in range(9)
    )
    text = chance.choice(["", "yes", "1e3", "0o17", "~", "- a\n", " a: b", "a\tb\n\n", "\x1b", letters])
    metadata = {"name": f"c{number}", "namespace": "default", "annotations": {"text": text}}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"a": text, "b": text * 30},
    }


def round_trip(chance: Random, api: FakeAPI, directory: Path) -> int:
    """Exports random objects, imports them into the emptied server, and exports them again.

    Returns the number of objects. Raises Finding if the second export differs from the first.
    """
    api.reset()
    count = chance.randrange(1, 10)
    for number in range(count):
        api.create(manifest(chance, number))
    first, second = directory / "first.yaml", directory / "second.yaml"
    command("export", "--server", api.url, "-o", str(first))
    api.reset()
    command("import", "--server", api.url, str(first))
    command("export", "--server", api.url, "-o", str(second))
    if first.read_bytes() != second.read_bytes():
        raise Finding(f"exported {first.read_text()!r}, and after the import {second.read_text()!r}")
    return count


def run(budget: Budget) -> dict[str, float]:
    exports = files = objects = 0
    with FakeAPI() as api, tempfile.TemporaryDirectory() as directory:
        for _ in budget.rounds():
            for _ in range(10):
                files += export_hostile(budget.random)
                exports += 1
            objects += round_trip(budget.random, api, Path(directory))
    return {"exports": exports, "files": files, "objects imported": objects}
