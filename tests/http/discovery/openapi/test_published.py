"""The paths of every OpenAPI document are those that Kubernetes publishes for the release."""

import asyncio
import json
import shutil
import subprocess
from typing import Any

import pytest

from fakeapi.cluster import Cluster
from fakeapi.http.discovery.openapi.documents import document_of, group_versions
from fakeapi.releases import KNOWN_RELEASES
from fakeapi.settings import Settings
from tools.modules import download

OFF_BY_DEFAULT = "cbor"
"""The published documents are made with every gate on; media types of this word are behind one."""


def compared(value: Any) -> Any:
    """A value without texts and with parameters in one order: go-restful keeps them in that of a map."""
    if isinstance(value, dict):
        return {
            name: compared(each)
            for name, each in value.items()
            if not (name == "description" and isinstance(each, str)) and OFF_BY_DEFAULT not in name
        }
    if isinstance(value, list):
        return sorted((compared(each) for each in value), key=lambda each: json.dumps(each, sort_keys=True))
    return value


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_paths_operations_and_parameters_are_the_published_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    monkeypatch.setenv("GOPROXY", "off")
    try:
        folder = download(name).kubernetes / "api" / "openapi-spec" / "v3"
    except subprocess.CalledProcessError:
        pytest.skip("the Go module cache does not hold the release's modules")

    async def scenario() -> None:
        cluster = Cluster(Settings(release=name, runtime_config="api/all=true"))
        await cluster.start()
        try:
            for path, (group, version) in group_versions(cluster.catalogue).items():
                file = folder / f"{path.replace('/', '__')}_openapi.json"
                published = compared(json.loads(file.read_bytes())["paths"])
                made = compared(document_of(cluster.catalogue, group, version)["paths"])
                assert set(made) == set(published), path
                for each, item in made.items():
                    assert item == published[each], each
        finally:
            await cluster.stop()

    asyncio.run(scenario())
