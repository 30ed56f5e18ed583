"""The compiled schemas of a release describe its Go types."""

from collections.abc import Iterator

import pytest

from fakeapi.machinery.schema.nodes import AnyValue, List, ListType, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.releases import COMPILED_RELEASES, KNOWN_RELEASES, Release, load_release
from fakeapi.releases.schemas import printed, underlying_type
from fakeapi.releases.tables import tables_of

GROUP = "resource.k8s.io"
MISSTATED = ("v1.CSIStorageCapacityList", "v1alpha1.StorageVersionMigrationList")
"""Go types of lists that Kubernetes declares as list maps, with a key that their items lack."""
V1ALPHA2 = ("1.27", "1.28", "1.29", "1.30")
V1ALPHA3 = ("1.31", "1.32", "1.33")


def claim_version(release: str) -> str:
    if release in V1ALPHA2:
        return "v1alpha2"
    return "v1alpha3" if release in V1ALPHA3 else "v1"


def claim(release: str, *path: str) -> Struct:
    """Returns the struct schema at a field path of the release's ResourceClaim.

    The path has only field names: after the name of a list, it continues in the list's items.
    """
    node: Node = load_release(release).kind(GROUP, claim_version(release), "resourceclaims").schema
    for name in path:
        assert isinstance(node, Struct)
        node = node.fields[name].node
        while isinstance(node, List):
            node = node.items
    assert isinstance(node, Struct)
    return node


def list_at(release: str, *path: str) -> List:
    node = claim(release, *path[:-1]).fields[path[-1]].node
    assert isinstance(node, List)
    return node


def structs(release: Release) -> Iterator[Struct]:
    for name, entry in tables_of(release.name).items():
        if underlying_type(entry) is None:
            yield release.schemas.struct(name)


def nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case List():
            yield from nodes(node.items)
        case Map():
            yield from nodes(node.values)


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_every_type_that_a_release_refers_to_exists(name: str) -> None:
    release = load_release(name)
    items = list(structs(release))
    reachable = {id(struct.fields) for struct in items}  # copies of a struct share its fields
    assert len(items) > 20
    for struct in items:
        for field in struct.fields.values():
            for node in nodes(field.node):
                if isinstance(node, Struct):
                    assert id(node.fields) in reachable, (struct.go_type, field.name)


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_keys_and_merge_keys_of_lists_are_fields_of_their_items(name: str) -> None:
    checked = 0
    for struct in structs(load_release(name)):
        for field in struct.fields.values():
            if not isinstance(field.node, List):
                continue
            keys = {*field.node.keys, field.node.patch_merge_key} - {None}
            if keys:
                checked += 1
                assert isinstance(field.node.items, Struct)
                named = set(field.node.items.fields)
                assert keys <= named or struct.go_type in MISSTATED, (struct.go_type, field.name)
            assert (field.node.list_type is ListType.MAP) == bool(field.node.keys)
    assert checked >= 3


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_object_metadata_has_the_fields_of_its_go_type_in_their_order(name: str) -> None:
    meta = claim(name, "metadata")
    assert meta.go_type == "v1.ObjectMeta"
    assert list(meta.fields) == [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ]
    created, deleted = meta.fields["creationTimestamp"], meta.fields["deletionTimestamp"]
    assert (created.pointer, created.omitempty, deleted.pointer) == (False, True, True)
    assert created.node == Scalar(ScalarKind.TIME, "v1.Time")


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_an_object_begins_with_kind_and_api_version_and_always_has_a_status(name: str) -> None:
    fields = claim(name).fields
    assert list(fields) == ["kind", "apiVersion", "metadata", "spec", "status"]
    assert fields["spec"].required == (name < "1.37")
    assert isinstance(fields["status"].node, Struct), "a struct is written even with omitempty"
    assert not fields["status"].pointer


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_a_type_is_one_node_wherever_it_is_used(name: str) -> None:
    release = load_release(name)
    kind = release.kind(GROUP, claim_version(name), "resourceclaims")
    items = release.schemas.struct(kind.list_type_name).fields["items"].node
    assert isinstance(items, List)
    assert items.items is kind.schema
    assert kind.schema is release.schemas.struct(f"resource/{claim_version(name)}.ResourceClaim")
    assert kind.schema is load_release(name).kind(GROUP, kind.version, kind.resource).schema


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_reservations_are_applied_by_uid_in_every_release_and_merged_by_it_from_1_30_on(name: str) -> None:
    reservations = list_at(name, "status", "reservedFor")
    assert (reservations.list_type, reservations.keys) == (ListType.MAP, ("uid",))
    merges = name not in ("1.27", "1.28", "1.29")
    assert (reservations.patch_merge, reservations.patch_merge_key) == (merges, "uid" if merges else None)


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_owners_merge_by_uid_and_finalizers_as_a_set(name: str) -> None:
    owners, finalizers = list_at(name, "metadata", "ownerReferences"), list_at(name, "metadata", "finalizers")
    assert (owners.keys, owners.patch_merge_key) == (("uid",), "uid")
    assert (finalizers.list_type, finalizers.patch_merge, finalizers.patch_merge_key) == (
        ListType.SET,
        True,
        None,
    )
    assert isinstance(owners.items, Struct)
    assert owners.items.atomic


@pytest.mark.parametrize("name", V1ALPHA3)
def test_the_requests_of_v1alpha3_are_written_even_when_there_are_none(name: str) -> None:
    devices = claim(name, "spec", "devices")
    assert [field.name for field in devices.fields.values() if not field.omitempty] == ["requests"]
    assert not claim(name, "spec").fields["devices"].omitempty


def test_admin_access_is_plain_in_1_31_and_null_in_the_results_of_later_releases() -> None:
    request = claim("1.31", "spec", "devices", "requests").fields["adminAccess"]
    assert (request.pointer, request.omitempty) == (False, True)
    assert "adminAccess" not in claim("1.31", "status", "allocation", "devices", "results").fields
    for name in ("1.32", "1.33"):
        assert claim(name, "spec", "devices", "requests").fields["adminAccess"].pointer
        result = claim(name, "status", "allocation", "devices", "results").fields["adminAccess"]
        assert (result.pointer, result.omitempty) == (True, False)


def test_the_device_statuses_of_1_32_write_null_data_and_those_of_1_33_leave_it_out() -> None:
    assert "devices" not in claim("1.31", "status").fields
    for name, pointer in (("1.32", False), ("1.33", True)):
        fields = claim(name, "status", "devices").fields
        assert list(fields) == ["driver", "pool", "device", "conditions", "data", "networkData"]
        assert fields["data"].node == AnyValue("runtime.RawExtension")
        assert (fields["data"].pointer, fields["data"].omitempty) == (pointer, True)
        assert not fields["conditions"].omitempty
        assert list_at(name, "status", "devices").keys == ("driver", "device", "pool")
        assert not list_at(name, "status", "devices").patch_merge


def test_inlined_structs_are_part_of_the_struct_around_them() -> None:
    assert list(claim("1.33", "spec", "devices", "config").fields) == ["requests", "opaque"]
    attribute = load_release("1.30").schemas.struct("resource/v1alpha2.NamedResourcesAttribute")
    assert list(attribute.fields)[:3] == ["name", "quantity", "bool"]


def test_a_list_that_only_says_how_it_merges_is_applied_like_that() -> None:
    for name in ("1.29", "1.33"):
        conditions = load_release(name).schemas.struct("core/v1.NamespaceStatus").fields["conditions"].node
        assert isinstance(conditions, List)
        assert (conditions.list_type, conditions.keys) == (ListType.MAP, ("type",)), name


def test_keys_that_an_item_may_leave_out_have_the_default_of_their_field() -> None:
    assert list_at("1.33", "status", "devices").key_defaults == (("driver", ""), ("device", ""), ("pool", ""))
    assert list_at("1.29", "metadata", "ownerReferences").key_defaults == (("uid", ""),)
    assert list_at("1.33", "metadata", "finalizers").key_defaults == ()


def test_a_node_selector_is_owned_as_a_whole() -> None:
    assert claim("1.30", "status", "allocation", "availableOnNodes").atomic
    assert claim("1.33", "status", "allocation", "nodeSelector").atomic


def test_types_are_called_as_go_prints_them() -> None:
    assert claim("1.31", "spec").go_type == "v1alpha3.ResourceClaimSpec"
    assert list_at("1.31", "spec", "devices", "requests").go_type == "[]v1alpha3.DeviceRequest"
    assert list_at("1.31", "metadata", "finalizers").go_type == "[]string"
    labels = claim("1.31", "metadata").fields["labels"].node
    assert isinstance(labels, Map)
    assert labels.go_type == "map[string]string"
    mode = claim("1.31", "spec", "devices", "requests").fields["allocationMode"].node
    assert mode == Scalar(ScalarKind.STRING, "v1alpha3.DeviceAllocationMode")
    assert claim("1.31", "metadata").fields["uid"].node == Scalar(ScalarKind.STRING, "types.UID")
    device = load_release("1.32").schemas.struct("resource/v1beta1.BasicDevice")
    capacity = device.fields["capacity"].node
    assert isinstance(capacity, Map)
    assert capacity.go_type == "map[v1beta1.QualifiedName]v1beta1.DeviceCapacity"
    assert isinstance(capacity.values, Struct)
    assert capacity.values.fields["value"].node == Scalar(ScalarKind.QUANTITY, "resource.Quantity")


def test_a_types_text_loses_the_folders_of_its_packages() -> None:
    assert printed("map[types.UID]*meta/v1.Time") == "map[types.UID]*v1.Time"
    assert printed("[]resource/v1alpha3.Device") == "[]v1alpha3.Device"


def test_the_options_of_a_delete_are_there_although_no_kind_refers_to_them() -> None:
    options = load_release("1.33").schemas.struct("meta/v1.DeleteOptions")
    assert list(options.fields)[:5] == [
        "kind",
        "apiVersion",
        "gracePeriodSeconds",
        "preconditions",
        "orphanDependents",
    ]
    assert "ignoreStoreReadErrorWithClusterBreakingPotential" in options.fields
    older = load_release("1.31").schemas.struct("meta/v1.DeleteOptions")
    assert "ignoreStoreReadErrorWithClusterBreakingPotential" not in older.fields
