"""CEL environments for admission policies and for the match conditions of webhooks.

Follows k8s.io/apiserver `pkg/admission/plugin/cel` and, for mutations, `pkg/cel/mutation`.
"""

from dataclasses import dataclass

from fakeapi.machinery.cel.environment import OBJECT, Environment, Fields
from fakeapi.machinery.cel.types import BOOL, DYN, NULL, STRING, Type, list_of, read

_AUTHORIZER = "kubernetes.authorization.Authorizer"
_RESOURCE_CHECK = "kubernetes.authorization.ResourceCheck"
VARIABLES = "kubernetes.variables"
JSON_PATCH = "JSONPatch"

CONDITION = (BOOL,)
MESSAGE = (STRING,)
ANNOTATION = (STRING, NULL)
APPLY_CONFIGURATION = (Type("struct", OBJECT),)
PATCH_OPERATIONS = (list_of(Type("struct", JSON_PATCH)),)


def _fields(**types: str) -> Fields:
    return {name: read(text) for name, text in types.items()}


_TEXTS = "list(string)"
_LABELS = "map(string, string)"
_STRUCTS: dict[str, Fields] = {
    "kubernetes.GroupVersionKind": _fields(group="string", version="string", kind="string"),
    "kubernetes.GroupVersionResource": _fields(group="string", version="string", resource="string"),
    "kubernetes.UserInfo": _fields(
        username="string", uid="string", groups=_TEXTS, extra=f"map(string, {_TEXTS})"
    ),
    "kubernetes.AdmissionRequest": _fields(
        kind="kubernetes.GroupVersionKind",
        resource="kubernetes.GroupVersionResource",
        subResource="string",
        requestKind="kubernetes.GroupVersionKind",
        requestResource="kubernetes.GroupVersionResource",
        requestSubResource="string",
        name="string",
        namespace="string",
        operation="string",
        userInfo="kubernetes.UserInfo",
        dryRun="bool",
        options="dyn",
    ),
    "kubernetes.NamespaceSpec": _fields(finalizers=_TEXTS),
    "kubernetes.NamespaceCondition": _fields(
        status="string",
        type="string",
        lastTransitionTime="timestamp",
        message="string",
        reason="string",
    ),
    "kubernetes.NamespaceStatus": _fields(conditions="list(kubernetes.NamespaceCondition)", phase="string"),
    "kubernetes.NamespaceMetadata": _fields(
        name="string",
        generateName="string",
        namespace="string",
        labels=_LABELS,
        annotations=_LABELS,
        UID="string",
        creationTimestamp="timestamp",
        deletionGracePeriodSeconds="int",
        deletionTimestamp="timestamp",
        generation="int",
        resourceVersion="string",
        finalizers=_TEXTS,
    ),
    "kubernetes.Namespace": _fields(
        metadata="kubernetes.NamespaceMetadata",
        spec="kubernetes.NamespaceSpec",
        status="kubernetes.NamespaceStatus",
    ),
}
_PATCH_FIELDS: Fields = {"op": STRING, "path": STRING, "from": STRING, "value": DYN}


@dataclass(frozen=True, slots=True)
class Declared:
    """Optional declarations of an admission expression's environment.

    `object`, `oldObject`, `namespaceObject` and `request` are always declared.

    - `params`, `authorizer`: whether the variables of these names are declared.
    - `variables`: name and type of the policy variables that precede the expression; None if the CEL variable
      `variables` is undeclared.
    - `patches`: whether the expression may construct objects and JSON patches.
    """

    params: bool = False
    authorizer: bool = True
    variables: tuple[tuple[str, Type], ...] | None = None
    patches: bool = False


def admission_environment(libraries: frozenset[str], declared: Declared) -> Environment:
    """Returns the CEL environment of an admission expression, with the functions of `libraries`.

    `declared`: the optional variables that the expression may use
    """
    variables = {
        "object": DYN,
        "oldObject": DYN,
        "namespaceObject": Type("struct", "kubernetes.Namespace"),
        "request": Type("struct", "kubernetes.AdmissionRequest"),
    }
    structs = dict(_STRUCTS)
    if declared.params:
        variables["params"] = DYN
    if declared.authorizer:
        variables["authorizer"] = Type("struct", _AUTHORIZER)
        variables["authorizer.requestResource"] = Type("struct", _RESOURCE_CHECK)
    if declared.variables is not None:
        variables["variables"] = Type("struct", VARIABLES)
        structs[VARIABLES] = dict(declared.variables)
    if declared.patches:
        structs[JSON_PATCH] = _PATCH_FIELDS
        libraries |= {"patches"}
    return Environment(variables, libraries, structs, objects=declared.patches)
