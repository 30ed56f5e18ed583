"""ComponentStatus of core/v1: the error for unknown names, and the table columns."""

import pytest

from tests.kinds.judging import resource_of


@pytest.mark.parametrize(
    ("release", "code", "message"),
    [
        ("1.32", 500, "Component not found: scheduler"),
        ("1.33", 404, 'componentstatus "scheduler" not found'),
    ],
)
def test_a_component_that_there_is_not_is_named_as_the_release_names_it(
    release: str, code: int, message: str
) -> None:
    error = resource_of(release, "", "v1", "componentstatuses").missing("scheduler")
    assert (error.code, error.message) == (code, message)


def test_its_columns_are_those_of_a_health_check() -> None:
    columns = resource_of("1.33", "", "v1", "componentstatuses").columns
    assert [column.name for column in columns] == ["Name", "Status", "Message", "Error"]
    healthy = {"type": "Healthy", "status": "True", "message": "ok"}
    cells = [column.cell({"metadata": {"name": "x"}, "conditions": [healthy]}, 0) for column in columns]
    assert cells == ["x", "True", "ok", ""]
