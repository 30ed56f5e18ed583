"""Objects are validated by custom resource schemas that have many branches of anyOf and allOf."""

import asyncio
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.machinery.field_errors import FieldError
from fakeapi.registry.custom.validation import ObjectValidator
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, WIDGETS, definition, version, widget

BRANCHES = 60


def test_many_branches_of_a_schema_are_validated_beside_the_event_loop(
    server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_loop: list[bool] = []
    schema_errors = ObjectValidator.schema_errors

    def noting(self: ObjectValidator, *arguments: Any) -> list[FieldError]:
        try:
            asyncio.get_running_loop()
            on_loop.append(True)
        except RuntimeError:
            on_loop.append(False)
        return schema_errors(self, *arguments)

    spec = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "anyOf": [{"allOf": [{"required": ["a"]}] * BRANCHES}] * BRANCHES,
    }
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    server.request("POST", DEFINITIONS, definition(versions=[version(schema=schema)]))
    monkeypatch.setattr(ObjectValidator, "schema_errors", noting)
    with pytest.raises(StatusError) as refused:
        server.request("POST", WIDGETS, widget(spec={}))
    assert (refused.value.code, on_loop) == (422, [True, False])
