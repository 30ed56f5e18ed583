"""What differs between releases in definitions and their objects."""

from collections.abc import Callable

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.registry.custom.world import DEFINITIONS, WIDGETS, definition, version, widget

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@pytest.mark.parametrize(
    ("release", "warning"),
    [
        ("1.28", None),
        ("1.31", "prefer a domain-qualified finalizer name to avoid"),
        ("1.33", "prefer a domain-qualified finalizer name including a path (/) to avoid"),
    ],
)
def test_finalizers_without_a_path_are_warned_of(
    release: str, warning: str | None, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = fakeapi_factory(release=release)
    server.request("POST", DEFINITIONS, definition())
    body = widget()
    body["metadata"]["finalizers"] = ["example.com"]
    told = ask(server, WIDGETS, "POST", body).headers.get("warning", "")
    assert warning in told if warning else not told


@pytest.mark.parametrize(
    ("release", "columns", "warns"),
    [
        ("1.33", ["Name", "Created At"], ""),
        ("1.37", ["Name", "Scope", "Versions", "Created At"], "unrecognized"),
    ],
)
def test_definitions_are_printed_and_warned_of_as_the_release_does(
    release: str, columns: list[str], warns: str, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = fakeapi_factory(release=release)
    odd = version()
    odd["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["colour"]["format"] = "colour"
    told = ask(server, DEFINITIONS, "POST", definition(versions=[odd])).headers.get("warning", "")
    assert warns in told if warns else not told
    table = ask(server, DEFINITIONS, accept=TABLE).json()
    shown = [each["name"] for each in table["columnDefinitions"] if not each["priority"]]
    assert shown == columns
    assert len(table["rows"][0]["cells"]) == len(table["columnDefinitions"])
