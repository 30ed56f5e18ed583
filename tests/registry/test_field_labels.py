"""Field selectors support the same fields of each kind as in Kubernetes."""

from typing import Any

import pytest

from fakeapi.kinds import definition_of
from fakeapi.registry.model.field_labels import FieldLabels
from fakeapi.releases import load_release

GROUP = "resource.k8s.io"


def field_labels_of(release: str, group: str, version: str, resource: str) -> FieldLabels:
    kind = load_release(release).kind(group, version, resource)
    return definition_of(kind).field_labels(kind)


@pytest.mark.parametrize(
    ("release", "version", "resource", "labels"),
    [
        ("1.30", "v1alpha2", "resourceclaims", ("metadata.name", "metadata.namespace")),
        ("1.30", "v1alpha2", "resourceclasses", ("metadata.name", "metadata.namespace")),
        ("1.30", "v1alpha2", "resourceslices", ("metadata.name", "nodeName", "driverName")),
        ("1.31", "v1alpha3", "resourceslices", ("metadata.name", "spec.nodeName", "spec.driver")),
        ("1.33", "v1beta2", "resourceslices", ("metadata.name", "spec.nodeName", "spec.driver")),
    ],
)
def test_slices_are_selected_by_node_and_driver_and_others_by_name(
    release: str, version: str, resource: str, labels: tuple[str, ...]
) -> None:
    assert field_labels_of(release, GROUP, version, resource).labels == labels


def test_the_refusal_of_slices_names_their_type() -> None:
    refusal = field_labels_of("1.31", GROUP, "v1alpha3", "resourceslices").refusal
    assert refusal.format(label="nodeName", quoted="") == (
        "field label not supported for resource.k8s.io/v1alpha3, Kind=ResourceSlice: nodeName"
    )


@pytest.mark.parametrize(
    ("obj", "fields"),
    [
        ({"spec": {"driver": "d", "nodeName": "n"}}, {"spec.nodeName": "n", "spec.driver": "d"}),
        ({"spec": {"driver": "d"}}, {"spec.nodeName": "", "spec.driver": "d"}),
    ],
)
def test_a_slice_without_a_node_has_an_empty_one(obj: dict[str, Any], fields: dict[str, str]) -> None:
    fields_of = field_labels_of("1.31", GROUP, "v1alpha3", "resourceslices").fields_of
    assert fields_of is not None
    assert fields_of(obj) == fields


def test_a_namespace_is_selected_by_its_phase() -> None:
    selectable = field_labels_of("1.33", "", "v1", "namespaces")
    assert selectable.labels == ("metadata.name", "status.phase")
    assert selectable.fields_of is not None
    assert selectable.fields_of({"status": {"phase": "Active"}}) == {"status.phase": "Active"}
