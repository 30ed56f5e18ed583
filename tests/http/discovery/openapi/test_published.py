"""The server's OpenAPI documents have the paths and types that Kubernetes publishes for the release."""

import asyncio
import json
from typing import Any

import pytest

from fakeapi.cluster import Cluster
from fakeapi.http.discovery.openapi.documents import document_of, resources_by_version, root_document
from fakeapi.http.discovery.openapi.roots import root_paths
from fakeapi.releases import KNOWN_RELEASES
from fakeapi.releases.gates import requirements, specs
from fakeapi.releases.serving import GATED
from fakeapi.settings import Settings
from tests.go_modules import modules_of, needs_go

ITEM_DEFAULTS_DIFFER = ("1.36",)
"""Releases whose published documents have defaults of list items, although their recorded servers omit them.
"""
OFF_BY_DEFAULT = "cbor"
"""Part of the names of CBOR media types, which the comparison ignores.

Their feature gate is on only in the published documents.
"""


def compared(value: Any) -> Any:
    """Returns a JSON document without descriptions and CBOR media types, and with sorted lists.

    Sorts lists because go-restful keeps parameters in the random order of a Go map.
    """
    if isinstance(value, dict):
        return {
            name: compared(each)
            for name, each in value.items()
            if not (name == "description" and isinstance(each, str)) and OFF_BY_DEFAULT not in name
        }
    if isinstance(value, list):
        return sorted((compared(each) for each in value), key=lambda each: json.dumps(each, sort_keys=True))
    return value


def of_types(value: Any, *, item_defaults: bool) -> Any:
    """Returns a schema without descriptions and `enum`, which the published documents omit.

    `item_defaults`: whether to keep the defaults of list items and map values.
    """
    if isinstance(value, list):
        return [of_types(each, item_defaults=item_defaults) for each in value]
    if not isinstance(value, dict):
        return value
    left_out = {"enum", "description"}
    found = {
        name: of_types(each, item_defaults=item_defaults)
        for name, each in value.items()
        if not (name in left_out and isinstance(each, (str, list)))
    }
    for place in ("items", "additionalProperties"):
        inner = found.get(place)
        if not item_defaults and isinstance(inner, dict):
            inner.pop("default", None)
            found[place] = inner["allOf"][0] if inner.keys() == {"allOf"} else inner
    return found


@needs_go
@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_paths_operations_parameters_and_types_are_the_published_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = modules_of(name, monkeypatch).kubernetes / "api" / "openapi-spec" / "v3"

    async def scenario() -> None:
        minor = int(name[2:])
        wanted = set(GATED.values()) & specs(minor).keys()
        wanted |= {each for gate in wanted for each in requirements(minor).get(gate, ())}
        gates = ",".join(f"{gate}=true" for gate in sorted(wanted))
        cluster = Cluster(Settings(release=name, runtime_config="api/all=true", feature_gates=gates))
        await cluster.start()
        try:
            for path, resources in resources_by_version(cluster.catalogue).items():
                file = folder / f"{path.replace('/', '__')}_openapi.json"
                whole, ours = json.loads(file.read_bytes()), document_of(resources)
                known = name not in ITEM_DEFAULTS_DIFFER
                types, wanted = (of_types(each["components"], item_defaults=known) for each in (ours, whole))
                assert types["securitySchemes"] == wanted["securitySchemes"]
                assert set(types["schemas"]) == set(wanted["schemas"]), path
                for each, schema in types["schemas"].items():
                    assert schema == wanted["schemas"][each], (path, each)
                published, made = compared(whole["paths"]), compared(ours["paths"])
                assert set(made) == set(published), path
                for each, item in made.items():
                    assert item == published[each], each
            for path, (url, item) in root_paths(cluster.catalogue).items():
                whole = json.loads((folder / f"{path.replace('/', '__')}_openapi.json").read_bytes())
                ours = root_document(cluster.catalogue.primary, url, item)
                known = name not in ITEM_DEFAULTS_DIFFER
                types, wanted = (of_types(each["components"], item_defaults=known) for each in (ours, whole))
                assert types == wanted, path
                assert compared(ours["paths"]) == compared(whole["paths"]), path
        finally:
            await cluster.stop()

    asyncio.run(scenario())
