"""A schema of a Go struct with a field of every type, for tests of decoding."""

from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Scalar, ScalarKind, Struct

STRING = Scalar(ScalarKind.STRING, "string")

INT32 = Scalar(ScalarKind.INTEGER, "int32", 32)

INT64 = Scalar(ScalarKind.INTEGER, "int64")

BOOL = Scalar(ScalarKind.BOOLEAN, "bool")

TIME = Scalar(ScalarKind.TIME, "v1.Time")

INNER = Struct("v1.Inner", {"text": Field("text", STRING), "must": Field("must", STRING, omitempty=False)})

OUTER = Struct("v1.Outer")

OUTER.fields.update(
    {
        entry.name: entry
        for entry in (
            Field("name", STRING),
            Field("count", INT64),
            Field("small", INT32),
            Field("flag", BOOL),
            Field("maybe", BOOL, pointer=True),
            Field("number", INT64, pointer=True),
            Field("inner", INNER),
            Field("pointed", INNER, pointer=True),
            Field("items", List(INNER, "[]v1.Inner")),
            Field("needed", List(STRING, "[]string"), omitempty=False),
            Field("labels", Map(STRING, "map[string]string")),
            Field("any", AnyValue("runtime.RawExtension"), pointer=True),
            Field("when", TIME, pointer=True),
            Field("data", Scalar(ScalarKind.BYTES, "[]uint8")),
            Field("size", Scalar(ScalarKind.QUANTITY, "resource.Quantity"), pointer=True),
            Field("port", Scalar(ScalarKind.INT_OR_STRING, "intstr.IntOrString"), pointer=True),
            Field("child", OUTER, pointer=True),
        )
    }
)
