"""CustomResourceDefinitions and their objects follow the rules of each Kubernetes release."""

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
    answer = ask(server, WIDGETS, "POST", body).headers.get("warning", "")
    assert warning in answer if warning else not answer


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
    answer = ask(server, DEFINITIONS, "POST", definition(versions=[odd])).headers.get("warning", "")
    assert warns in answer if warns else not answer
    table = ask(server, DEFINITIONS, accept=TABLE).json()
    shown = [each["name"] for each in table["columnDefinitions"] if not each["priority"]]
    assert shown == columns
    assert len(table["rows"][0]["cells"]) == len(table["columnDefinitions"])


@pytest.mark.parametrize(("release", "code", "applies"), [("1.33", 405, True), ("1.34", 403, False)])
def test_while_a_definition_goes_nothing_is_created_and_newer_releases_refuse_applies_too(
    release: str,
    code: int,
    applies: bool,  # noqa: FBT001 - a column of the table
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    server = fakeapi_factory(release=release)
    server.request("POST", DEFINITIONS, definition())
    obj = widget("held")
    obj["metadata"]["finalizers"] = ["example.com/held"]
    server.request("POST", WIDGETS, obj)
    server.request("DELETE", f"{DEFINITIONS}/widgets.example.com")
    answer = ask(server, WIDGETS, "POST", widget("new"))
    assert answer.code == code
    why = "create not allowed while custom resource definition is terminating"
    assert answer.json()["message"].removeprefix('widgets.example.com "new" is forbidden: ') == why
    path = f"{WIDGETS}/new?fieldManager=m"
    answer = ask(server, path, "PATCH", widget("new"), content_type="application/apply-patch+yaml")
    assert answer.code == (201 if applies else 403)
    assert ask(server, f"{WIDGETS}/held", "PUT", server.request("GET", f"{WIDGETS}/held")).code == 200


@pytest.mark.parametrize(("release", "shown"), [("1.34", None), ("1.35", 7), ("1.36", 7)])
def test_the_generation_that_somebody_observed_is_kept_in_a_definition(
    release: str, shown: int | None, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = fakeapi_factory(release=release)
    path = f"{DEFINITIONS}/widgets.example.com"
    server.request("POST", DEFINITIONS, definition())
    stored = server.request("GET", path)
    stored["status"]["observedGeneration"] = 7
    stored["status"]["conditions"][0]["observedGeneration"] = 7
    server.request("PUT", f"{path}/status", stored)
    status = server.request("GET", path)["status"]
    assert status.get("observedGeneration") == shown
    assert status["conditions"][0].get("observedGeneration") == shown
