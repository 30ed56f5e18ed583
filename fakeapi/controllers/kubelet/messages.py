"""The messages of the gRPC services between a kubelet and a DRA driver.

Taken from the published k8s.io/kubelet `pkg/apis/pluginregistration/v1`, `pkg/apis/dra` and
`pkg/apis/dra-health` of 1.27 to 1.37. All versions since v1alpha4 have the same messages. In older versions,
drivers return CDI devices, and each claim contains resource handles from its allocation. Fields that contain
objects of the Kubernetes API have the type bytes here.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "fakeapi.node"

_SCALARS = {
    "string": _FIELD.TYPE_STRING,
    "bytes": _FIELD.TYPE_BYTES,
    "bool": _FIELD.TYPE_BOOL,
    "int64": _FIELD.TYPE_INT64,
}

_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "InfoRequest": {},
    "PluginInfo": {
        "type": (1, "string"),
        "name": (2, "string"),
        "endpoint": (3, "string"),
        "supported_versions": (4, "*string"),
    },
    "RegistrationStatus": {"plugin_registered": (1, "bool"), "error": (2, "string")},
    "RegistrationStatusResponse": {},
    "Claim": {"namespace": (1, "string"), "uid": (2, "string"), "name": (3, "string")},
    "Device": {
        "request_names": (1, "*string"),
        "pool_name": (2, "string"),
        "device_name": (3, "string"),
        "cdi_device_ids": (4, "*string"),
        "share_id": (5, "string"),
    },
    "PrepareRequest": {"claims": (1, "*Claim")},
    "Prepared": {"devices": (1, "*Device"), "error": (2, "string")},
    "PreparedEntry": {"key": (1, "string"), "value": (2, "Prepared")},
    "PrepareResponse": {"claims": (1, "*PreparedEntry")},
    "UnprepareRequest": {"claims": (1, "*Claim")},
    "Unprepared": {"error": (1, "string")},
    "UnpreparedEntry": {"key": (1, "string"), "value": (2, "Unprepared")},
    "UnprepareResponse": {"claims": (1, "*UnpreparedEntry")},
    "OldClaim": {
        "namespace": (1, "string"),
        "uid": (2, "string"),
        "name": (3, "string"),
        "resource_handle": (4, "string"),
        "structured_resource_handle": (5, "*bytes"),
    },
    "OldPrepareRequest": {"claims": (1, "*OldClaim")},
    "OldPrepared": {"cdi_devices": (1, "*string"), "error": (2, "string")},
    "OldPreparedEntry": {"key": (1, "string"), "value": (2, "OldPrepared")},
    "OldPrepareResponse": {"claims": (1, "*OldPreparedEntry")},
    "OneClaim": {
        "namespace": (1, "string"),
        "claim_uid": (2, "string"),
        "claim_name": (3, "string"),
        "resource_handle": (4, "string"),
    },
    "OnePrepared": {"cdi_devices": (1, "*string")},
    "OneUnprepared": {},
    "ResourcesRequest": {},
    "ResourcesResponse": {"resources": (1, "*bytes")},
    "HealthRequest": {},
    "DeviceIdentifier": {"pool_name": (1, "string"), "device_name": (2, "string")},
    "DeviceHealth": {
        "device": (1, "DeviceIdentifier"),
        "health": (2, "int64"),
        "last_updated_time": (3, "int64"),
        "health_check_timeout_seconds": (4, "int64"),
        "message": (5, "string"),
    },
    "HealthResponse": {"devices": (1, "*DeviceHealth")},
}
"""Fields of each message by name: the field number and the type. A star means a repeated field.

A protobuf map is a repeated field of entries with key and value.
"""


def _make() -> dict[str, Any]:
    described = descriptor_pb2.FileDescriptorProto(
        name="fakeapi/node.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, fields in _MESSAGES.items():
        message = described.message_type.add(name=name)
        for field, (number, declared) in fields.items():
            label = _FIELD.LABEL_REPEATED if declared.startswith("*") else _FIELD.LABEL_OPTIONAL
            of = declared.removeprefix("*")
            added = message.field.add(name=field, number=number, label=label)
            if of in _SCALARS:
                added.type = _SCALARS[of]
            else:
                added.type = _FIELD.TYPE_MESSAGE
                added.type_name = f".{_PACKAGE}.{of}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(described)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _MESSAGES
    }


MESSAGES = _make()
"""The protobuf message classes, by name, such as `PrepareRequest`."""
