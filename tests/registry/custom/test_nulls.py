"""Nulls in applied custom objects are validated; nulls in other writes are dropped."""

from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, WIDGETS, definition, version, widget

INNER = {"type": "object", "properties": {"a": {"type": "string"}}}
APPLY = "application/apply-patch+yaml"


def defined(server: FakeAPI, **inner: Any) -> None:
    spec = {"type": "object", "properties": {"inner": {**INNER, **inner}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    server.request("POST", DEFINITIONS, definition(versions=[version(schema=schema)]))


def applied(server: FakeAPI, inner: Any) -> Any:
    body = widget(spec={"inner": inner})
    path = f"{WIDGETS}/w?fieldManager=m"
    return server.request("PATCH", path, body, content_type=APPLY)


@pytest.mark.parametrize("is_there", [True, False])
def test_null_is_refused_where_it_is_applied_to_what_cannot_be_null(
    server: FakeAPI,
    is_there: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    defined(server)
    if is_there:
        applied(server, {"a": "1"})
    with pytest.raises(StatusError) as refused:
        applied(server, None)
    (cause,) = refused.value.status["details"]["causes"]
    assert cause["field"] == "spec.inner"
    why = 'Invalid value: "null": spec.inner in body must be of type object: "null"'
    assert cause["message"] == why


def test_null_is_applied_to_what_can_be_null(server: FakeAPI) -> None:
    defined(server, nullable=True)
    applied(server, {"a": "1"})
    assert applied(server, None)["spec"] == {"inner": None}


def test_null_is_left_out_of_what_is_created_updated_or_patched(server: FakeAPI) -> None:
    defined(server)
    assert server.request("POST", WIDGETS, widget(spec={"inner": None}))["spec"] == {}
    stored = server.request("GET", f"{WIDGETS}/w")
    assert server.request("PUT", f"{WIDGETS}/w", {**stored, "spec": {"inner": None}})["spec"] == {}


def test_a_default_stands_for_null_that_is_applied(server: FakeAPI) -> None:
    defined(server, default={"a": "default"})
    assert applied(server, None)["spec"] == {"inner": {"a": "default"}}
