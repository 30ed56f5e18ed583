"""Error messages print Go values as released servers do, except for pointer addresses."""

import re
from typing import Any

import pytest

from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Scalar, ScalarKind, Struct
from fakeapi.machinery.schema.unversioned_syntax import package_of, unversioned_syntax
from fakeapi.releases.release import load_release


def printed(release: str, type_name: str, value: dict[str, Any]) -> str:
    node = load_release(release).schemas.struct(type_name)
    text = unversioned_syntax(decode(value, node)[0], node, package_of(node))
    return re.sub("0x[0-9a-f]+", "0x…", text)


RESULT = {"request": "gpu", "driver": "gpu.example.com", "pool": "pool-1", "device": "gpu-1"}


@pytest.mark.parametrize(
    ("release", "type_name", "value", "text"),
    [
        (
            "1.30",
            "resource/v1alpha2.AllocationResult",
            {"resourceHandles": [{"driverName": "gpu.example.com", "data": "x"}], "shareable": True},
            (
                "resource.AllocationResult{ResourceHandles:[]resource.ResourceHandle{"
                "resource.ResourceHandle{DriverName:"
                '"gpu.example.com", Data:"x", StructuredData:(*resource.StructuredResourceHandle)(nil)}}, '
                "AvailableOnNodes:(*core.NodeSelector)(nil), Shareable:true}"
            ),
        ),
        (
            "1.31",
            "resource/v1alpha3.AllocationResult",
            {"devices": {"results": [RESULT]}},
            (
                "resource.AllocationResult{Devices:resource.DeviceAllocationResult{Results:"
                "[]resource.DeviceRequestAllocationResult{resource.DeviceRequestAllocationResult{"
                'Request:"gpu", Driver:'
                '"gpu.example.com", Pool:"pool-1", Device:"gpu-1"}}, '
                "Config:[]resource.DeviceAllocationConfiguration(nil)}, "
                'NodeSelector:(*core.NodeSelector)(nil), Controller:""}'
            ),
        ),
        (
            "1.33",
            "resource/v1beta2.ResourceClaimSpec",
            {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "a"}}]}},
            (
                "resource.ResourceClaimSpec{Devices:resource.DeviceClaim{"
                "Requests:[]resource.DeviceRequest{resource.DeviceRequest{"
                'Name:"gpu", Exactly:(*resource.ExactDeviceRequest)(0x…), '
                "FirstAvailable:[]resource.DeviceSubRequest(nil)}}, "
                "Constraints:[]resource.DeviceConstraint(nil), "
                "Config:[]resource.DeviceClaimConfiguration(nil)}}"
            ),
        ),
        (
            "1.33",
            "resource/v1beta2.DeviceAttribute",
            {"bool": True, "string": "a"},
            (
                "resource.DeviceAttribute{IntValue:(*int64)(nil), BoolValue:(*bool)(0x…), "
                "StringValue:(*string)(0x…), "
                "VersionValue:(*string)(nil)}"
            ),
        ),
    ],
)
def test_a_part_of_a_claim_is_printed_as_its_server_prints_it(
    release: str, type_name: str, value: dict[str, Any], text: str
) -> None:
    assert printed(release, type_name, value) == text


def test_embedded_metadata_has_the_name_of_its_type() -> None:
    value = {"metadata": {"labels": {"b": "2", "a": "1"}}, "spec": {"devices": {}}}
    assert printed("1.32", "resource/v1beta1.ResourceClaimTemplateSpec", value).startswith(
        'resource.ResourceClaimTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"", GenerateName:"", Namespace:"", '
        'SelfLink:"", UID:"", ResourceVersion:"", Generation:0, CreationTimestamp:time.Date(1, '
        "time.January, 1, 0, "
        "0, 0, 0, time.UTC), DeletionTimestamp:<nil>, DeletionGracePeriodSeconds:(*int64)(nil), "
        'Labels:map[string]string{"a":"1", "b":"2"}, Annotations:map[string]string(nil), '
        "OwnerReferences:[]v1.OwnerReference(nil), "
    )


def test_opaque_parameters_are_printed_as_bytes() -> None:
    parameters = Field("parameters", AnyValue("runtime.RawExtension"))
    node = Struct("v1beta1.Opaque", {"parameters": parameters}, full_name="resource/v1beta1.Opaque")
    assert unversioned_syntax({"parameters": {"a": 1}}, node, "resource") == (
        "resource.Opaque{Parameters:runtime.RawExtension{Raw:[]uint8{0x7b, 0x22, 0x61, 0x22, 0x3a, "
        "0x31, 0x7d}, "
        "Object:runtime.Object(nil)}}"
    )


def test_named_types_are_those_of_the_package() -> None:
    mode = Scalar(ScalarKind.STRING, "v1beta1.Mode")
    assert unversioned_syntax(["a"], List(mode, "[]v1beta1.Mode"), "resource") == '[]resource.Mode{"a"}'
    counts = Map(Scalar(ScalarKind.INTEGER, "int64"), "map[v1beta1.Name]int64")
    assert unversioned_syntax({"b": 2, "a": 1}, counts, "resource") == 'map[resource.Name]int64{"a":1, "b":2}'
    assert unversioned_syntax(None, counts, "resource") == "map[resource.Name]int64(nil)"
