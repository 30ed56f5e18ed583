"""Invalid apply configurations get the errors in structured-merge-diff's tables."""

from typing import Any

import pytest

from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.apply.validate import validate
from fakeapi.releases.release import load_release
from tests.machinery.apply.tables import node_of, rows


@rows("validate")
@pytest.mark.parametrize("allow_duplicates", [False, True])
def test_a_value_is_refused_in_the_words_of_structured_merge_diff(
    row: dict[str, Any],
    allow_duplicates: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    expected = row["error_with_duplicates" if allow_duplicates else "error"]
    if not expected:
        validate(row["object"], node_of(row), allow_duplicates=allow_duplicates)
        return
    with pytest.raises(TypedError) as refused:
        validate(row["object"], node_of(row), allow_duplicates=allow_duplicates)
    assert str(refused.value) == expected


def test_only_the_keys_of_a_canonical_object_are_validated_on_request() -> None:
    schema = load_release("1.37").kind("", "v1", "serviceaccounts").schema
    secrets = [{"name": "a"}, {"namespace": "b"}]
    account = {"metadata": {"labels": {"a": 1}}, "secrets": secrets}
    with pytest.raises(TypedError, match=r"^\.secrets: element 1: associative list with keys has an element"):
        validate(account, schema, keys_only=True)
    secrets[1] = {"name": "b"}
    validate(account, schema, keys_only=True)
    with pytest.raises(TypedError, match=r"labels\.a: expected string"):
        validate(account, schema)
    secrets[1] = {"name": "a"}
    with pytest.raises(TypedError, match="duplicate entries for key"):
        validate(account, schema, keys_only=True)
    validate(account, schema, keys_only=True, allow_duplicates=True)
