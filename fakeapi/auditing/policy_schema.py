"""The fields of an audit policy, with the names of their Go types for error messages.

Follows k8s.io/apiserver `pkg/apis/audit/v1/types.go`.
"""

from collections.abc import Mapping

from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Node, Scalar, ScalarKind, Struct

_STRING = Scalar(ScalarKind.STRING, "string")
_BOOLEAN = Scalar(ScalarKind.BOOLEAN, "bool")
_LEVEL = Scalar(ScalarKind.STRING, "v1.Level")
_STAGES = List(Scalar(ScalarKind.STRING, "v1.Stage"), "[]v1.Stage")
_STRINGS = List(_STRING, "[]string")


def _struct(go_type: str, fields: Mapping[str, Node]) -> Struct:
    named = {
        name: Field(name, node, pointer=name == "omitManagedFields" and go_type == "v1.PolicyRule")
        for name, node in fields.items()
    }
    return Struct(go_type, named)


_RESOURCES = _struct(
    "v1.GroupResources", {"group": _STRING, "resources": _STRINGS, "resourceNames": _STRINGS}
)
_RULE = _struct(
    "v1.PolicyRule",
    {
        "level": _LEVEL,
        "users": _STRINGS,
        "userGroups": _STRINGS,
        "verbs": _STRINGS,
        "resources": List(_RESOURCES, "[]v1.GroupResources"),
        "namespaces": _STRINGS,
        "nonResourceURLs": _STRINGS,
        "omitStages": _STAGES,
        "omitManagedFields": _BOOLEAN,
    },
)
POLICY = _struct(
    "v1.Policy",
    {
        "kind": _STRING,
        "apiVersion": _STRING,
        "metadata": AnyValue("v1.ObjectMeta"),
        "rules": List(_RULE, "[]v1.PolicyRule"),
        "omitStages": _STAGES,
        "omitManagedFields": _BOOLEAN,
    },
)
"""The kind Policy of `audit.k8s.io/v1`."""
