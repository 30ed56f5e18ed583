"""A Release object contains the kinds, version, gates, limits and quirks of a Kubernetes release."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.releases import (
    COMPILED_RELEASES,
    KNOWN_RELEASES,
    UnknownGateError,
    UnknownReleaseError,
    load_release,
)
from fakeapi.releases.tables import GroupVersionTable, tables_of

GROUP = "resource.k8s.io"
KINDS = {
    "1.29": {"v1alpha2": "podschedulingcontexts resourceclaims resourceclaimtemplates resourceclasses"},
    "1.30": {
        "v1alpha2": "podschedulingcontexts resourceclaimparameters resourceclaims resourceclaimtemplates "
        "resourceclasses resourceclassparameters resourceslices"
    },
    "1.31": {
        "v1alpha3": "deviceclasses podschedulingcontexts resourceclaims resourceclaimtemplates resourceslices"
    },
    "1.32": dict.fromkeys(
        ("v1alpha3", "v1beta1"), "deviceclasses resourceclaims resourceclaimtemplates resourceslices"
    ),
    "1.33": {
        "v1alpha3": "deviceclasses devicetaintrules resourceclaims resourceclaimtemplates resourceslices",
        "v1beta1": "deviceclasses resourceclaims resourceclaimtemplates resourceslices",
        "v1beta2": "deviceclasses resourceclaims resourceclaimtemplates resourceslices",
    },
}
WRITABLE = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@pytest.mark.parametrize("name", KINDS)
def test_a_release_has_the_kinds_that_its_api_server_lists(name: str) -> None:
    found: dict[str, list[str]] = {}
    for kind in load_release(name).kinds:
        if kind.group == GROUP:
            found.setdefault(kind.version, []).append(kind.resource)
    assert {version: " ".join(resources) for version, resources in found.items()} == KINDS[name]


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_a_claim_is_namespaced_and_has_a_status_of_its_own(name: str) -> None:
    for kind in load_release(name).kinds:
        if kind.resource != "resourceclaims":
            continue
        assert (kind.kind, kind.list_kind, kind.singular) == (
            "ResourceClaim",
            "ResourceClaimList",
            "resourceclaim",
        )
        assert kind.namespaced
        assert kind.verbs == WRITABLE
        status = kind.subresource("status")
        assert status is not None
        assert (status.kind, status.verbs) == ("ResourceClaim", ("get", "patch", "update"))
        assert kind.subresource("scale") is None


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_namespaces_are_known_by_their_short_name_and_not_deleted_in_bulk(name: str) -> None:
    namespaces = load_release(name).kind("", "v1", "namespaces")
    assert (namespaces.short_names, namespaces.namespaced) == (("ns",), False)
    assert "deletecollection" not in namespaces.verbs
    assert [each.name for each in namespaces.subresources] == ["finalize", "status"]
    assert namespaces.api_version == "v1"


@pytest.mark.parametrize(
    ("name", "version", "storage_hash"),
    [
        ("1.27", "v1alpha2", "sMQbgChfibk="),
        ("1.30", "v1alpha2", "sMQbgChfibk="),
        ("1.31", "v1alpha3", "ozQSw6/HyJ4="),
        ("1.32", "v1alpha3", "RnQSwRxMnsw="),
        ("1.33", "v1alpha3", "RnQSwRxMnsw="),
    ],
)
def test_the_storage_version_hash_is_that_of_the_version_that_claims_are_stored_in(
    name: str, version: str, storage_hash: str
) -> None:
    assert load_release(name).kind(GROUP, version, "resourceclaims").storage_version_hash == storage_hash


def test_a_release_warns_of_the_kinds_that_are_deprecated_in_it_and_of_no_others() -> None:
    def warning(name: str, version: str, resource: str = "resourceclaims", group: str = GROUP) -> str:
        kind = load_release(name).kind(group, version, resource)
        return kind.lifecycle.warning(kind.api_version, kind.kind)

    assert {warning(name, version) for name in KNOWN_RELEASES for version in KINDS.get(name, ())} <= {""}
    assert warning("1.34", "v1beta1") == warning("1.35", "v1beta2") == warning("1.36", "v1") == ""
    assert warning("1.35", "v1beta1") == (
        "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+"
    )
    assert warning("1.36", "v1beta2").startswith(
        "resource.k8s.io/v1beta2 ResourceClaim is deprecated in v1.36+"
    )
    assert warning("1.27", "v1", "componentstatuses", "") == "v1 ComponentStatus is deprecated in v1.19+"


@pytest.mark.parametrize("name", ["1.31", "v1.31", "1.31.14", "v1.31.14", " 1.31 "])
def test_a_release_is_found_by_its_minor_or_by_the_patch_that_is_served(name: str) -> None:
    assert load_release(name).version == "v1.31.14"


@pytest.mark.parametrize(
    "name", ["1.26", "1.38", "1.32.0", "", "latest", "31", "1.3", pytest.param(1.30, id="number")]
)
def test_an_unknown_release_is_refused_with_the_list_of_known_ones(name: Any) -> None:
    with pytest.raises(UnknownReleaseError) as refused:
        load_release(name)
    assert str(refused.value).endswith(f"known are: {', '.join(KNOWN_RELEASES)}")
    assert repr(name) in str(refused.value)


def test_a_gate_of_another_release_is_refused() -> None:
    assert load_release("1.31", "DRAControlPlaneController=true").gates["DRAControlPlaneController"]
    with pytest.raises(UnknownGateError, match="unrecognized feature gate: DRAControlPlaneController"):
        load_release("1.32", {"DRAControlPlaneController": True})


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_the_version_document_names_the_patch_release_and_its_go(name: str) -> None:
    release = load_release(name)
    info = release.version_info()
    assert (info["major"], f"1.{info['minor']}") == ("1", name)
    assert info["gitVersion"] == release.version
    assert release.version.startswith(f"v{name}.")
    assert info["goVersion"].startswith("go1.2")
    assert all(isinstance(value, str) for value in info.values())
    assert ("emulationMinor" in info) == (name >= "1.33")
    assert list(info)[-7:] == [
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    ]


def test_a_release_knows_the_kinds_that_it_has() -> None:
    release = load_release("1.32")
    assert release.knows("resource.k8s.io/v1beta1", "DeviceClass")
    assert not release.knows("resource.k8s.io/v1beta2", "DeviceClass")
    assert release.knows("resource.k8s.io/v1beta1", "DeviceClassList")
    assert release.knows("v1", "Pod")
    assert not release.knows("apps/v1", "Pod")
    assert release.knows("apps/v1", "DeleteOptions")
    assert not release.knows("apps/v9", "DeleteOptions")
    assert release.knows("apps/v9", "Status")
    with pytest.raises(KeyError, match="podschedulingcontexts"):
        release.kind(GROUP, "v1alpha3", "podschedulingcontexts")


def kinds_of(table: GroupVersionTable) -> list[str]:
    return [entry["kind"] for entry in table.kind_entries()]


def texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from texts(item)
        case dict():
            for key, item in value.items():
                yield key
                if key != "rules":  # markers of declared validation contain spaces
                    yield from texts(item)


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_the_tables_hold_facts_and_no_prose(name: str) -> None:
    tables = tables_of(name)
    for entry in (*tables.values(), *(each.kind_entries() for each in tables.index.group_versions)):
        for text in texts(entry):
            assert text.count(" ") <= 2, text  # such as "group/version Kind" and "ipsec end system"


def test_a_table_of_pods_has_the_columns_that_kubectl_shows() -> None:
    columns = tables_of("1.33").columns["Pod"]
    assert [each.name.upper() for each in columns if not each.priority] == [
        "NAME",
        "READY",
        "STATUS",
        "RESTARTS",
        "AGE",
    ]
    assert [each.name for each in columns if each.priority] == [
        "IP",
        "Node",
        "Nominated Node",
        "Readiness Gates",
    ]
    assert columns[0].format == "name"


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_columns_belong_to_kinds_of_the_release_and_begin_with_their_name(name: str) -> None:
    tables = tables_of(name)
    kinds = {
        f"{each.group}/{kind}".lstrip("/") for each in tables.index.group_versions for kind in kinds_of(each)
    }
    assert len(tables.columns) > 50
    assert set(tables.columns) - kinds == {"autoscaling/Scale"}, "a subresource's kind"
    for kind, columns in tables.columns.items():
        assert columns[0].name in ("Name", "Last Seen", "Status"), kind
