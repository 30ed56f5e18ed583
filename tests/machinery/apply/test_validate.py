"""Invalid apply configurations get the errors in structured-merge-diff's tables."""

from typing import Any

import pytest

from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.apply.validate import validate
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
