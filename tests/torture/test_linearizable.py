"""The linearizability checker of the torture suite refuses histories that are not linearizable."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.torture.budget import Unavailable
from tests.torture.parts import linearizable


def operation(verb: str, call: int, end: int, code: int, version: int, value: str, **more: Any) -> str:
    fields = {"version": version, "value": value}
    return json.dumps(
        {"client": call, "verb": verb, "name": "a", "call": call, "return": end, "code": code, "value": value}
        | {"found": fields}
        | more
    )


CREATED = operation("create", 1, 10, 201, 6, "x")
UPDATED = operation("update", 20, 30, 200, 7, "y", expected=6)


@pytest.mark.parametrize(
    ("history", "verdict"),
    [
        ([CREATED, UPDATED, operation("get", 40, 50, 200, 7, "y")], "ok"),
        ([CREATED, UPDATED, operation("get", 25, 50, 200, 6, "x")], "ok"),
        ([CREATED, UPDATED, operation("get", 40, 50, 200, 6, "x")], "illegal"),
        ([CREATED, UPDATED, operation("update", 40, 50, 200, 8, "z", expected=6)], "illegal"),
        ([CREATED, operation("create", 20, 30, 201, 7, "y")], "illegal"),
        ([CREATED, operation("delete", 20, 30, 0, 0, ""), operation("get", 40, 50, 404, 0, "")], "ok"),
        ([CREATED, operation("delete", 20, 30, 0, 0, ""), operation("get", 40, 50, 200, 6, "x")], "ok"),
        ([CREATED, UPDATED, operation("list", 40, 50, 200, 7, "", listed={})], "illegal"),
    ],
)
def test_a_history_is_judged(
    history: list[str], verdict: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.getbasetemp() / "checker"
    directory.mkdir(exist_ok=True)
    try:
        program = directory / "checker"
        if not program.exists():
            program = linearizable.checker(Path(directory))
    except Unavailable as reason:
        pytest.skip(str(reason))
    assert linearizable.check(program, ["5", *history]) == verdict
