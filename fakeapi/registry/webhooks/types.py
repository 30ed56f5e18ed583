"""The types of webhook responses, from k8s.io/api `admission` and k8s.io/apiextensions-apiserver."""

from functools import cache

from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, ScalarKind, Struct

_TEXT = Scalar(ScalarKind.STRING, "string")
_NUMBER = Scalar(ScalarKind.INTEGER, "int32", bits=32)
_TEXTS = Map(_TEXT, "map[string]string")


def _struct(go_type: str, **nodes: Node) -> Struct:
    fields = {name: Field(name, node, pointer=True) for name, node in nodes.items()}
    return Struct(go_type, fields)


def _status() -> Struct:
    cause = _struct(
        "v1.StatusCause", reason=Scalar(ScalarKind.STRING, "v1.CauseType"), message=_TEXT, field=_TEXT
    )
    details = _struct(
        "v1.StatusDetails",
        name=_TEXT,
        group=_TEXT,
        kind=_TEXT,
        uid=Scalar(ScalarKind.STRING, "types.UID"),
        causes=List(cause, "[]v1.StatusCause"),
        retryAfterSeconds=_NUMBER,
    )
    return _struct(
        "v1.Status",
        kind=_TEXT,
        apiVersion=_TEXT,
        status=_TEXT,
        message=_TEXT,
        reason=Scalar(ScalarKind.STRING, "v1.StatusReason"),
        details=details,
        code=_NUMBER,
    )


@cache
def status_type() -> Struct:
    """Returns the schema of metav1.Status in webhook responses."""
    return _status()


@cache
def admission_review_type(version: str) -> Struct:
    """Returns the schema of AdmissionReview in a version, without its field `request`."""
    response = _struct(
        f"{version}.AdmissionResponse",
        uid=Scalar(ScalarKind.STRING, "types.UID"),
        allowed=Scalar(ScalarKind.BOOLEAN, "bool"),
        status=_status(),
        patch=Scalar(ScalarKind.BYTES, "[]uint8"),
        patchType=Scalar(ScalarKind.STRING, f"{version}.PatchType"),
        auditAnnotations=_TEXTS,
        warnings=List(_TEXT, "[]string"),
    )
    return _struct(f"{version}.AdmissionReview", kind=_TEXT, apiVersion=_TEXT, response=response)


@cache
def conversion_review_type(version: str) -> Struct:
    """Returns the schema of ConversionReview in a version, without its field `request`."""
    objects = List(AnyValue("runtime.RawExtension"), "[]runtime.RawExtension")
    response = _struct(
        f"{version}.ConversionResponse",
        uid=Scalar(ScalarKind.STRING, "types.UID"),
        convertedObjects=objects,
        result=_status(),
    )
    return _struct(f"{version}.ConversionReview", kind=_TEXT, apiVersion=_TEXT, response=response)
