"""StorageVersion: validation, the releases that serve the kind, and its table."""

from typing import Any

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, Found, created, resource_of

NOT_DECODED = "included in decodableVersions : [v2]"


def versions(release: str = "1.33") -> Resource:
    return resource_of(release, "internal.apiserver.k8s.io", "v1alpha1", "storageversions")


def server(name: str, encodes: str, **others: Any) -> Body:
    return {"apiServerID": name, "encodingVersion": encodes, "decodableVersions": [encodes], **others}


def reported(status: Body, release: str = "1.33") -> Found:
    resource = versions(release)
    obj = created(resource, {"metadata": {"name": "apps.deployments"}})
    errors = resource.strategy_for("status").validate_update({**obj, "status": status}, obj)
    return [(error.field, error.body) for error in errors]


def test_a_storage_version_is_named_by_group_and_resource() -> None:
    validate = versions().name_validator
    assert validate("apps.deployments", False) == []
    assert validate("deployments", False) == ["name must be in the form of <group>.<resource>"]


def test_servers_agree_on_a_common_version_or_tell_none() -> None:
    same, other = [server("a", "v1"), server("b", "v1")], [server("a", "v1"), server("b", "v2")]
    path = "status.commonEncodingVersion"
    assert reported({"storageVersions": same, "commonEncodingVersion": "v1"}) == []
    assert reported({"storageVersions": other}) == []
    ((field, text),) = reported({"storageVersions": other, "commonEncodingVersion": "v1"})
    assert (field, text.split(":")[0]) == (path, "Invalid value")
    assert reported({"storageVersions": same, "commonEncodingVersion": "v2"}) == [
        (path, 'Invalid value: "v2": the actual common encoding version is v1')
    ]


def test_a_server_decodes_what_it_encodes_and_serves() -> None:
    one = server("a", "v1", decodableVersions=["v2"], servedVersions=["v3"])
    assert reported({"storageVersions": [one], "commonEncodingVersion": "v1"}) == [
        (
            "status.storageVersions[0].decodableVersions",
            'Invalid value: []string{"v2"}: decodableVersions must include encodingVersion v1',
        ),
        (
            "status.storageVersions[0].servedVersions[0]",
            f'Invalid value: "v3": individual served version : v3 must be {NOT_DECODED}',
        ),
    ]


def test_a_server_is_there_once_from_1_28_on() -> None:
    status = {"storageVersions": [server("a", "v1"), server("a", "v1")], "commonEncodingVersion": "v1"}
    assert reported(status, "1.27") == []
    assert reported(status) == [("status.storageVersions[1].apiServerID", 'Duplicate value: "a"')]


def test_a_table_shows_three_servers() -> None:
    resource = versions()
    obj = created(resource, {})
    obj["status"] = {"storageVersions": [server(name, "v1") for name in "abcd"]}
    cells = {each.name: each.cell(obj, 0.0) for each in resource.columns}
    assert cells["StorageVersions"] == "a=v1,b=v1,c=v1 + 1 more..."
    assert cells["CommonEncodingVersion"] == "<unset>"
