"""Every kind of every release has a definition, with rules for the kind and all of its subresources."""

import pytest

from fakeapi.releases import KNOWN_RELEASES, load_release
from tests.registry.world import resource_of


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_every_kind_has_rules_for_itself_and_its_subresources(name: str) -> None:
    release = load_release(name)
    for kind in release.kinds:
        wanted = {"", *(each.name for each in kind.subresources)}
        found = set(resource_of(kind, release).strategies)
        assert found <= wanted
        assert {"", "status"} & wanted <= found
        assert found == wanted or kind.group != "resource.k8s.io"


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_no_write_sets_what_another_path_sets(name: str) -> None:
    release = load_release(name)
    for kind in release.kinds:
        if kind.group != "resource.k8s.io" and kind.resource != "namespaces":
            continue  # tested by the tests of their strategies
        strategies = resource_of(kind, release).strategies
        wanted: dict[str, tuple[tuple[str, ...], ...]] = {"": ()}
        if "status" in strategies:
            wanted = {"": (("status",),), "status": (("spec",),)}
            if release.quirks.status_resets_metadata and kind.resource != "namespaces":
                wanted["status"] = (("metadata",), ("spec",))
        if kind.resource == "namespaces":
            wanted["finalize"] = (("status",),)
        assert {path: each.reset_fields for path, each in strategies.items()} == wanted
