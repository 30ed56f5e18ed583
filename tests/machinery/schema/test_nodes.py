"""Functions that are compiled for a schema are freed together with the schema."""

import gc
import json
import tracemalloc
import weakref

from fakeapi.machinery.apply.compare import compare
from fakeapi.machinery.apply.manager import FieldManager
from fakeapi.machinery.apply.typed import field_set_of, present_walk
from fakeapi.machinery.schema import protobuf, raw_extension
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.nodes import (
    AnyValue,
    Field,
    List,
    ListType,
    Map,
    Scalar,
    ScalarKind,
    Struct,
    kept_on_node,
)

BODY = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "a", "labels": {"b": "c"}},
    "spec": {"items": [{"name": "x", "size": 1}], "parameters": {"any": [1]}, "next": {"items": []}},
}


def string() -> Scalar:
    return Scalar(ScalarKind.STRING, "string")


def widget() -> Struct:
    """Returns a new schema that shares no schema nodes with other schemas.

    One of its types contains itself.
    """

    def struct(go: str, /, **fields: object) -> Struct:
        made = Struct(go)
        for number, (field, node) in enumerate(fields.items()):
            made.fields[field] = Field(field, node, protobuf_path=(number + 1,))  # type: ignore[arg-type]
        return made

    item = struct("v1.Item", name=string(), size=Scalar(ScalarKind.INTEGER, "int64"))
    spec = struct(
        "v1.Spec",
        items=List(item, "[]v1.Item", ListType.MAP, ("name",)),
        parameters=AnyValue("runtime.RawExtension"),
    )
    spec.fields["next"] = Field("next", spec, pointer=True)
    metadata = struct(
        "v1.ObjectMeta",
        name=string(),
        labels=Map(string(), "map[string]string"),
        creationTimestamp=Scalar(ScalarKind.TIME, "v1.Time"),
        managedFields=List(AnyValue("v1.ManagedFieldsEntry"), "[]v1.ManagedFieldsEntry"),
    )
    return struct("v1.Widget", apiVersion=string(), kind=string(), metadata=metadata, spec=spec)


def use_every_walk(schema: Struct) -> None:
    obj, _ = decode(BODY, schema)
    raw_extension.as_written(obj, json.dumps(BODY).encode(), schema)
    field_set_of(obj, schema)
    present_walk(schema)(obj)
    for typed in (True, False):
        compare(obj, {**obj, "spec": {}}, schema, typed=typed)
    manager = FieldManager(schema, "example.com/v1", "Widget")
    applied = manager.apply(None, BODY, "tester", "2024-01-01T00:00:00Z")
    manager.update(applied, decode(BODY, schema)[0], "other", "2024-01-01T00:00:01Z")
    protobuf.decode(b"\n\x01a", schema)


def test_a_schema_that_was_dropped_is_freed_with_all_that_was_compiled_for_it() -> None:
    schema = widget()
    use_every_walk(schema)
    seen = weakref.ref(schema)
    del schema
    gc.collect()
    assert seen() is None


def test_schemas_that_come_and_go_leave_no_memory_behind() -> None:
    def rounds(count: int) -> int:
        for _ in range(count):
            use_every_walk(widget())
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = rounds(20)
        grown = rounds(200) - before
    finally:
        tracemalloc.stop()
    assert grown < 20_000  # A round leaves 100 bytes. A compiled schema has more than 20,000.


def test_a_walk_is_compiled_once_for_each_node() -> None:
    built: list[str] = []

    @kept_on_node
    def walk(node: Struct) -> str:
        built.append(node.go_type)
        return node.go_type

    one, other = Struct("v1.A"), Struct("v1.A")
    assert [walk(one), walk(one), walk(other)] == ["v1.A", "v1.A", "v1.A"]
    assert built == ["v1.A", "v1.A"]
