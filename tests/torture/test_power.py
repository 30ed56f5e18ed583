"""The simulated power failures of the torture suite find lost writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.torture.budget import Budget, Finding, Unavailable
from tests.torture.disks import Operation, library
from tests.torture.parts import power


def is_sync_of_the_log(operation: Operation) -> bool:
    return operation.kind == "S" and operation.path.endswith("-wal")


def is_sync_of_the_database(operation: Operation) -> bool:
    return operation.kind == "S" and operation.path.endswith("/db")


@pytest.mark.parametrize("is_lost", [is_sync_of_the_log, is_sync_of_the_database])
def test_a_sync_that_does_nothing_is_found(is_lost: Callable[[Operation], bool], tmp_path: Path) -> None:
    try:
        shim = library(tmp_path)
    except Unavailable as reason:
        pytest.skip(str(reason))
    directory = tmp_path / "files"
    directory.mkdir()
    operations = power.written(directory, shim, "full")
    kept = [operation for operation in operations if not is_lost(operation)]
    assert len(kept) < len(operations)
    with pytest.raises(Finding):
        power.fail_often(Budget(0, seed=1), directory, kept, "full")
