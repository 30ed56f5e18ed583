"""Which rules each served kind follows."""

import pytest

from fakeapi.registry.groups.strategies import StrategyContext, strategies_of
from fakeapi.releases import KNOWN_RELEASES, load_release

AROUND = StrategyContext(namespace_labels=lambda _: {}, now=lambda: "2030-01-01T00:00:00Z")


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_every_kind_has_rules_for_itself_and_its_subresources(name: str) -> None:
    release = load_release(name)
    for kind in release.kinds:
        wanted = {"", *(each.name for each in kind.subresources)}
        assert set(strategies_of(kind, release, AROUND)) == wanted


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_no_write_sets_what_another_path_sets(name: str) -> None:
    release = load_release(name)
    for kind in release.kinds:
        strategies = strategies_of(kind, release, AROUND)
        wanted: dict[str, tuple[tuple[str, ...], ...]] = {"": ()}
        if "status" in strategies:
            wanted = {"": (("status",),), "status": (("spec",),)}
        if kind.resource == "namespaces":
            wanted["finalize"] = (("status",),)
        assert {path: each.reset_fields for path, each in strategies.items()} == wanted
