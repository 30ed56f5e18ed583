"""A server serves one Kubernetes release, or every API version."""

import pytest

from fakeapi.releases import (
    KNOWN_RELEASES,
    GateError,
    Serving,
    UnknownGateError,
    UnknownReleaseError,
    load_release,
    served,
)
from fakeapi.releases.serving import default_description

GROUP = "resource.k8s.io"


def claims(serving: Serving) -> list[tuple[str, str, list[str]]]:
    """Returns (version, release, names of resources) for each served version of resource.k8s.io."""
    return [
        (each.version, each.release.name, [kind.resource for kind in each.kinds])
        for each in serving.versions
        if each.group == GROUP
    ]


def test_with_no_release_named_every_version_is_served_as_its_last_release_had_it() -> None:
    serving = served()
    assert serving.primary.name == "1.37"
    newer = ["deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"]
    with_taints = [newer[0], "devicetaintrules", *newer[1:]]
    assert claims(serving) == [
        ("v1", "1.37", with_taints),
        ("v1beta2", "1.37", with_taints),
        ("v1beta1", "1.37", newer),
        ("v1alpha3", "1.33", with_taints),
        (
            "v1alpha2",
            "1.30",
            [
                "podschedulingcontexts",
                "resourceclaimparameters",
                "resourceclaims",
                "resourceclaimtemplates",
                "resourceclasses",
                "resourceclassparameters",
                "resourceslices",
            ],
        ),
    ]
    assert {each.release.name for each in serving.versions if each.group != GROUP} == {"1.37"}
    assert [release.name for release in serving.releases] == ["1.37", "1.33", "1.30"]


def test_the_newest_release_that_has_claims_in_a_version_serves_it_by_default() -> None:
    newest = {
        version: name
        for name in KNOWN_RELEASES
        for version, _, resources in claims(served(name))
        if "resourceclaims" in resources
    }
    assert newest == {version: release for version, release, _ in claims(served())}
    assert default_description() == "1.37 (resource.k8s.io/v1alpha3 as in 1.33, v1alpha2 as in 1.30)"


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_a_named_release_serves_its_own_versions_and_nothing_of_another(name: str) -> None:
    serving = served(name)
    newer = {"1.32": ["v1beta1", "v1alpha3"], "1.33": ["v1beta2", "v1beta1", "v1alpha3"]}
    since_1_34 = ["v1", "v1beta2", "v1beta1", "v1alpha3"] if name >= "1.34" else ["v1alpha3"]
    versions = newer.get(name, ["v1alpha2"] if name <= "1.30" else since_1_34)
    assert [(version, release) for version, release, _ in claims(serving)] == [
        (version, name) for version in versions
    ]
    without = [version for version, _, kinds in claims(serving) if "resourceclaims" not in kinds]
    assert without == (["v1alpha3"] if name >= "1.34" else [])
    assert [release.name for release in serving.releases] == [name]


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_every_version_that_is_on_in_a_release_is_served_with_all_its_kinds(name: str) -> None:
    tables = [table for table in load_release(name).all_kinds.group_versions if table.default]
    found = {
        (each.group, each.version): [kind.resource for kind in each.kinds] for each in served(name).versions
    }
    assert len(tables) > 15
    for table in tables:
        assert found[table.group, table.version] == [entry["resource"] for entry in table.kind_entries()]


def test_side_by_side_a_gate_holds_for_the_releases_that_have_it() -> None:
    gates = "DRADeviceTaints=false,DRADeviceTaintRules=false"
    newest, newer, older = served(feature_gates=gates).releases
    assert not newest.gates["DRADeviceTaints"]
    assert not newer.gates["DRADeviceTaints"]
    assert "DRADeviceTaints" not in older.gates


def test_side_by_side_a_gate_that_no_served_release_has_is_refused() -> None:
    with pytest.raises(UnknownGateError, match="unrecognized feature gate: DRAControlPlaneController"):
        served(feature_gates={"DRAControlPlaneController": True})
    with pytest.raises(GateError, match="locked to true"):
        served(feature_gates={"RetryGenerateName": False})


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(UnknownReleaseError, match=r"1\.27, 1\.28"):
        served("1.26")


def test_an_empty_name_is_an_unknown_release_and_not_the_default() -> None:
    with pytest.raises(UnknownReleaseError):
        served("")
