"""The server accepts CustomResourceDefinitions of well-known projects, and validates objects with them."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI, InstallError, StatusError
from fakeapi.machinery.documents import documents_of
from tests.clients.schema_samples import (
    defaults_of,
    found_at,
    keeps_unknown,
    sample_of,
    typed_member,
)
from tests.go_modules import needs_go
from tools.real_definitions import PUBLISHED, Published, UnavailableError, files_of

Object = dict[str, Any]
UNKNOWN = "fakeapiUnknown"
LEAST = 40
"""Minimum number of CustomResourceDefinitions for which the server must accept samples."""

pytestmark = [
    needs_go,
    pytest.mark.network,  # Go downloads the modules of the projects
    pytest.mark.timeout(600),
]


class Installed:
    """A server with the CustomResourceDefinitions of one project."""

    def __init__(self, api: FakeAPI, published: Published) -> None:
        self.api = api
        self.published = published
        stored = api.install([*files_of(published, published.definitions)])
        self.definitions = [each for each in stored if each["kind"] == "CustomResourceDefinition"]


@pytest.fixture(scope="module", params=PUBLISHED, ids=lambda each: each.module.rpartition("/")[2])
def installed(request: pytest.FixtureRequest) -> Iterator[Installed]:
    with FakeAPI(release="1.33") as api:
        try:
            yield Installed(api, request.param)
        except UnavailableError as error:
            pytest.skip(str(error))


def version_of(definition: Object) -> Object:
    """Returns the storage version of a CustomResourceDefinition, an entry of `spec.versions`."""
    return next(each for each in definition["spec"]["versions"] if each["storage"])


def path_of(definition: Object, name: str = "") -> str:
    spec, version = definition["spec"], version_of(definition)["name"]
    namespace = "/namespaces/default" if spec["scope"] == "Namespaced" else ""
    path = f"/apis/{spec['group']}/{version}{namespace}/{spec['names']['plural']}"
    return f"{path}/{name}" if name else path


def schema_of(definition: Object) -> Object:
    schema: Object = version_of(definition)["schema"]["openAPIV3Schema"]
    return schema


def object_of(definition: Object, **more: Any) -> Object:
    """Returns a minimal object of a CustomResourceDefinition's kind. The object may violate CEL rules.

    `more`: additional or replaced top-level fields.
    """
    spec, schema = definition["spec"], schema_of(definition)
    required = [
        *(schema.get("required") or ()),
        *(("spec",) if "spec" in schema.get("properties", {}) else ()),
    ]
    sample = sample_of({**schema, "required": [each for each in required if each != "metadata"]})
    api_version = f"{spec['group']}/{version_of(definition)['name']}"
    return {
        **sample,
        "apiVersion": api_version,
        "kind": spec["names"]["kind"],
        "metadata": {"name": "sample"},
        **more,
    }


def created(api: FakeAPI, definition: Object, body: Object) -> Object | StatusError:
    try:
        stored: Object = api.request("POST", path_of(definition), body)
    except StatusError as error:
        return error
    api.request("DELETE", path_of(definition, stored["metadata"]["name"]))
    return stored


def holds(stored: Any, default: Any) -> bool:
    """Whether a stored value contains a default value.

    The stored value may have more fields, because the server also adds nested defaults.
    """
    if not isinstance(default, dict):
        return bool(stored == default)
    return all(holds(stored[name], value) for name, value in default.items())


def test_definitions_of_a_project_serve_samples_of_their_schemas(installed: Installed) -> None:
    assert installed.definitions
    for definition in installed.definitions:
        body = object_of(definition)
        stored = created(installed.api, definition, body)
        if isinstance(stored, StatusError):  # the sample does not consider CEL rules, anyOf and oneOf
            assert stored.code == 422, (definition["metadata"]["name"], stored)
            continue
        for path, value in defaults_of(schema_of(definition), body):
            assert holds(found_at(stored, path), value), (definition["metadata"]["name"], path)


def test_definitions_of_a_project_prune_what_their_schemas_do_not_have(installed: Installed) -> None:
    for definition in installed.definitions:
        stored = created(installed.api, definition, object_of(definition, **{UNKNOWN: 1}))
        if isinstance(stored, dict):
            assert (UNKNOWN in stored) == keeps_unknown(schema_of(definition))


def test_definitions_of_a_project_refuse_what_their_schemas_do_not_allow(installed: Installed) -> None:
    for definition in installed.definitions:
        member = typed_member(schema_of(definition))
        if member is not None:
            refused = created(installed.api, definition, object_of(definition, **{member: 5}))
            assert isinstance(refused, StatusError), definition["metadata"]["name"]
            assert refused.code in (400, 422)
            assert member in refused.message


def test_samples_that_a_project_publishes_are_served(installed: Installed) -> None:
    published = installed.published
    if not published.samples:
        pytest.skip("the module has no samples of its kinds")
    kinds = {each["spec"]["names"]["kind"]: each for each in installed.definitions}
    bodies = [
        body
        for file in files_of(published, published.samples)
        for body in documents_of(file.read_text(encoding="utf-8"))
        if isinstance(body, dict) and body.get("kind") in kinds
    ]
    assert bodies
    for body in bodies:
        definition = kinds[body["kind"]]
        if body["apiVersion"].rpartition("/")[2] != version_of(definition)["name"]:
            continue
        metadata = {name: value for name, value in body["metadata"].items() if name != "namespace"}
        stored = created(installed.api, definition, {**body, "metadata": metadata})
        assert isinstance(stored, dict), (body, stored)


def test_one_server_serves_samples_of_the_definitions_of_all_projects() -> None:
    with FakeAPI() as api:
        try:
            sources = [[*files_of(each, each.definitions)] for each in PUBLISHED]
        except UnavailableError as error:
            pytest.skip(str(error))
        try:
            stored = api.install(sources)
        except InstallError as error:
            pytest.fail(str(error))
        definitions = [each for each in stored if each["kind"] == "CustomResourceDefinition"]
        served = [each for each in definitions if isinstance(created(api, each, object_of(each)), dict)]
        assert len(served) >= LEAST
        listed = api.list("customresourcedefinitions")
        conditions = [
            {each["type"]: each["status"] for each in one["status"]["conditions"]} for one in listed
        ]
        assert all(each["Established"] == each["NamesAccepted"] == "True" for each in conditions)
