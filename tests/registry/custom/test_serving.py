"""The server serves a CustomResourceDefinition's kind from its creation until its deletion."""

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.http.watching import told, watch
from tests.registry.custom.world import (
    ALL_WIDGETS,
    DEFINITIONS,
    WIDGETS,
    conditions,
    definition,
    version,
    widget,
)

NAME = f"{DEFINITIONS}/widgets.example.com"


def groups(server: FakeAPI) -> set[str]:
    return {group["name"] for group in server.request("GET", "/apis")["groups"]}


def test_a_definition_is_established_and_served_when_its_creation_is_answered(server: FakeAPI) -> None:
    created = server.request("POST", DEFINITIONS, definition())
    assert created["status"] == {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": ["v1"],
    }
    stored = server.request("GET", NAME)
    assert conditions(stored) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert stored["status"]["acceptedNames"]["listKind"] == "WidgetList"
    assert "example.com" in groups(server)
    assert server.request("GET", ALL_WIDGETS)["items"] == []


def test_objects_are_created_read_listed_changed_and_deleted(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    stored = server.request("POST", WIDGETS, widget(spec={"colour": "red"}))
    assert (stored["spec"], stored["metadata"]["generation"]) == ({"colour": "red", "size": 3}, 1)
    assert server.request("GET", f"{WIDGETS}/w") == stored
    listed = server.request("GET", ALL_WIDGETS)
    assert (listed["kind"], listed["items"]) == ("WidgetList", [stored])
    stored["spec"]["size"] = 4
    changed = server.request("PUT", f"{WIDGETS}/w", stored)
    assert changed["metadata"]["generation"] == 2
    assert server.request("DELETE", f"{WIDGETS}/w")["status"] == "Success"
    assert server.request("GET", ALL_WIDGETS)["items"] == []


def test_objects_and_their_kind_go_with_the_definition(server: FakeAPI) -> None:
    before = groups(server)
    server.request("POST", DEFINITIONS, definition())
    server.request("POST", WIDGETS, widget())
    going = server.request("DELETE", NAME)
    assert conditions(going)["Terminating"] == ("True", "InstanceDeletionPending")
    assert going["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    with pytest.raises(StatusError, match="not found"):
        server.request("GET", NAME)
    assert ask(server, ALL_WIDGETS).body == b"404 page not found\n"
    assert groups(server) == before
    server.request("POST", DEFINITIONS, definition())
    assert server.request("GET", ALL_WIDGETS)["items"] == []


def test_watches_of_a_kind_see_its_objects_go_and_end(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    with watch(server.url, "resourceVersion=0", path=ALL_WIDGETS) as stream:
        server.request("POST", WIDGETS, widget())
        assert told([stream.next()]) == [("ADDED", "w")]
        server.request("DELETE", NAME)
        assert told([stream.next()]) == [("DELETED", "w")]
        assert (stream.rest(), stream.ended) == ([], True)


def test_an_object_with_a_finalizer_holds_its_definition(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    server.request("POST", WIDGETS, obj)
    server.request("DELETE", NAME)
    assert conditions(server.request("GET", NAME))["Terminating"] == ("True", "InstanceDeletionInProgress")
    with pytest.raises(StatusError, match="create not allowed while custom resource definition") as refused:
        server.request("POST", WIDGETS, widget("other"))
    assert refused.value.code == 405
    server.request(
        "PATCH",
        f"{WIDGETS}/w",
        {"metadata": {"finalizers": None}},
        content_type="application/merge-patch+json",
    )
    with pytest.raises(StatusError, match="not found"):
        server.request("GET", NAME)


def test_a_new_object_has_the_default_of_its_status(server: FakeAPI) -> None:
    status = {
        "type": "object",
        "default": {"observedGeneration": -1},
        "properties": {"observedGeneration": {"type": "integer"}},
    }
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"status": status}}}
    own = version(schema=schema, subresources={"status": {}})
    server.request("POST", DEFINITIONS, definition(versions=[own]))
    created = server.request("POST", WIDGETS, {**widget(), "status": {"observedGeneration": 7}})
    assert created["status"] == {"observedGeneration": -1}
    assert server.request("GET", f"{WIDGETS}/w") == created
    assert server.request("GET", WIDGETS)["items"] == [created]


def test_versions_show_the_same_objects_by_their_own_schemas(server: FakeAPI) -> None:
    old = version("v1beta1", storage=False)
    old["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] = {"colour": {"type": "string"}}
    server.request("POST", DEFINITIONS, definition(versions=[version(), old]))
    server.request("POST", WIDGETS, widget(spec={"colour": "red", "size": 5}))
    path = WIDGETS.replace("v1", "v1beta1")
    assert server.request("GET", f"{path}/w")["spec"] == {"colour": "red"}
    assert server.request("GET", f"{path}/w")["apiVersion"] == "example.com/v1beta1"
    server.request("POST", path, widget("b", "example.com/v1beta1", spec={"colour": "blue"}))
    assert server.request("GET", f"{WIDGETS}/b")["spec"] == {"colour": "blue", "size": 3}


def test_a_version_that_is_served_no_longer_is_gone_from_the_next_request_on(server: FakeAPI) -> None:
    versions = [version(), version("v1beta1", storage=False)]
    server.request("POST", DEFINITIONS, definition(versions=versions))
    path = ALL_WIDGETS.replace("v1", "v1beta1")
    assert server.request("GET", path)["items"] == []
    stored = server.request("GET", NAME)
    stored["spec"]["versions"][1]["served"] = False
    server.request("PUT", NAME, stored)
    assert ask(server, path).code == 404
    assert server.request("GET", ALL_WIDGETS)["items"] == []


def test_of_two_definitions_with_the_same_names_the_first_one_has_them(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    server.request("POST", DEFINITIONS, definition("gadgets", "Widget"))
    second = f"{DEFINITIONS}/gadgets.example.com"
    assert conditions(server.request("GET", second)) == {
        "NamesAccepted": ("False", "ListKindConflict"),
        "Established": ("False", "NotAccepted"),
    }
    assert ask(server, "/apis/example.com/v1/gadgets").code == 404
    server.request("DELETE", NAME)
    assert conditions(server.request("GET", second))["Established"] == ("True", "InitialNamesAccepted")
    assert ask(server, "/apis/example.com/v1/gadgets").code == 200


def test_a_conflict_of_uids_names_the_group_in_the_key(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    stored = server.request("POST", WIDGETS, widget())
    stored["metadata"]["uid"] = "other"
    with pytest.raises(StatusError, match=r"Key: /registry/example\.com/widgets/default/w, "):
        server.request("PUT", f"{WIDGETS}/w", stored)
