"""Field sets for an older schema are adapted to a new schema as in structured-merge-diff's tables."""

from typing import Any

from fakeapi.machinery.apply.fieldset import from_fields_v1
from fakeapi.machinery.apply.reconcile import reconciled
from tests.machinery.apply.tables import node_of, rows


@rows("reconcile")
def test_what_became_atomic_is_owned_as_a_whole(row: dict[str, Any]) -> None:
    before = from_fields_v1(row["before"])
    after = reconciled(before, node_of(row))
    if row["after"] is None:
        assert after is before
    else:
        assert after == from_fields_v1(row["after"])
