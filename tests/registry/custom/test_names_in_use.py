"""If several CustomResourceDefinitions of a group request the same name, the server accepts only one."""

from collections import Counter
from typing import Any

import pytest

from fakeapi.registry.custom.names_in_use import AcceptedNames
from fakeapi.registry.model.resource import Resource
from fakeapi.testing.server import FakeAPI
from fakeapi_storage import Entry
from tests.registry.custom.world import DEFINITIONS, conditions, definition

ACCEPTED = ("True", "NoConflicts")
GROUP = "example.com"


def names_accepted(server: FakeAPI, plural: str) -> tuple[str, str]:
    """Returns (status, message) of the condition NamesAccepted of a CustomResourceDefinition."""
    stored = server.request("GET", f"{DEFINITIONS}/{plural}.{GROUP}")
    (condition,) = [entry for entry in stored["status"]["conditions"] if entry["type"] == "NamesAccepted"]
    return condition["status"], condition["message"]


def stored_definition(plural: str, kind: str, accepted: dict[str, Any] | None = None) -> dict[str, Any]:
    return {**definition(plural, kind), "status": {"acceptedNames": accepted or {"plural": "", "kind": ""}}}


def test_a_freed_kind_goes_to_one_of_the_definitions_that_request_it(server: FakeAPI) -> None:
    for plural in ("widgets", "gadgets", "tools"):
        server.request("POST", DEFINITIONS, definition(plural, "Widget"))
    server.request("DELETE", f"{DEFINITIONS}/widgets.{GROUP}")
    assert names_accepted(server, "gadgets") == ("True", "no conflicts found")
    assert names_accepted(server, "tools") == ("False", '"WidgetList" is already in use')
    server.request("DELETE", f"{DEFINITIONS}/gadgets.{GROUP}")
    assert names_accepted(server, "tools") == ("True", "no conflicts found")


def with_short_names(plural: str, *short_names: str) -> dict[str, Any]:
    names = {"plural": plural, "kind": plural.capitalize(), "shortNames": [*short_names]}
    return definition(plural, names=names)


def test_a_conflict_names_every_short_name_that_is_in_use_by_now(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, with_short_names("widgets", "w"))
    server.request("POST", DEFINITIONS, with_short_names("gadgets", "w", "g"))
    assert names_accepted(server, "gadgets") == ("False", '"w" is already in use')
    server.request("POST", DEFINITIONS, with_short_names("tools", "g"))
    assert names_accepted(server, "gadgets") == ("False", '["w" is already in use, "g" is already in use]')


def test_changing_a_short_name_frees_the_old_one(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, with_short_names("widgets", "w"))
    server.request("POST", DEFINITIONS, with_short_names("gadgets", "w"))
    stored = server.request("GET", f"{DEFINITIONS}/widgets.{GROUP}")
    stored["spec"]["names"]["shortNames"] = ["wi"]
    server.request("PUT", f"{DEFINITIONS}/widgets.{GROUP}", stored)
    second = server.request("GET", f"{DEFINITIONS}/gadgets.{GROUP}")
    assert conditions(second)["NamesAccepted"] == ACCEPTED


def test_a_definition_does_not_decode_the_others_of_its_group(
    server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: Counter[str] = Counter()
    decode = Resource.decode

    def counting(resource: Resource, entry: Entry) -> dict[str, Any]:
        decoded[entry.key.rpartition("/")[2]] += 1
        return decode(resource, entry)

    monkeypatch.setattr(Resource, "decode", counting)
    for plural in ("widgets", "gadgets", "tools"):
        decoded.clear()
        server.request("POST", DEFINITIONS, definition(plural, plural.capitalize()))
        assert set(decoded) == {f"{plural}.{GROUP}"}
    decoded.clear()
    server.request("DELETE", f"{DEFINITIONS}/gadgets.{GROUP}")
    assert set(decoded) == {f"gadgets.{GROUP}"}


def test_only_definitions_that_request_a_changed_name_are_decided_anew() -> None:
    names = AcceptedNames()
    widgets = {"plural": "widgets", "kind": "Widget"}
    assert names.note("widgets.example.com", stored_definition("widgets", "Widget", widgets)) == set()
    assert names.note("gadgets.example.com", stored_definition("gadgets", "Widget")) == set()
    assert names.note("tools.example.com", stored_definition("tools", "Tool")) == set()
    assert not names.decides_anew("gadgets.example.com")
    assert names.note("widgets.example.com", None) == {"gadgets.example.com"}
    assert names.decides_anew("gadgets.example.com")
    assert not names.decides_anew("tools.example.com")
    assert names.in_use(GROUP).kinds == {}


def test_versions_are_served_until_the_last_definition_with_them_goes() -> None:
    names = AcceptedNames()
    for plural in ("widgets", "gadgets"):
        names.note(f"{plural}.example.com", stored_definition(plural, plural))
    tools = stored_definition("tools", "Tool")
    tools["spec"]["versions"][0]["name"] = "v2"
    names.note("tools.example.com", tools)
    names.note("widgets.example.com", None)
    assert [*names.served_versions(GROUP)] == [*names.served_versions("")] == [(GROUP, "v1"), (GROUP, "v2")]
    names.note("gadgets.example.com", None)
    assert [*names.served_versions(GROUP)] == [*names.served_versions("")] == [(GROUP, "v2")]
    names.note("tools.example.com", None)
    assert [*names.served_versions(GROUP)] == [*names.served_versions("")] == []
