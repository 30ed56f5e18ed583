"""Changes fields of objects during admission, and sorts fields in the order in which Go encodes them."""

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, Struct
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.model.object_meta import in_order


def sort_spec(attributes: Attributes) -> None:
    """Sorts the fields in the `spec` of the new object, in the order in which Go encodes them."""
    obj = attributes.new_object()
    sort_fields(obj["spec"], attributes.resource.schema, "spec")


def sort_fields(part: Object, schema: Struct, *path: str) -> None:
    """Sorts the fields of a struct in place, in the order in which Go encodes them.

    - `part`: the struct, as decoded JSON.
    - `schema`: the schema of the object that contains the struct.
    - `path`: the field names that lead from the object to the struct, through the items of lists.
    """
    for name in path:
        node = schema.fields[name].node
        node = node.items if isinstance(node, List) else node
        assert isinstance(node, Struct), f"{name} is not a struct"
        schema = node
    members = [(name, part[name]) for name in schema.fields if name in part]
    part.clear()
    part.update(members)


def set_annotation(obj: Object, name: str, value: str) -> None:
    """Sets an annotation of an object, and sorts its annotations by name."""
    _set_in_metadata(obj, "annotations", {**(obj["metadata"].get("annotations") or {}), name: value})


def set_labels(obj: Object, labels: dict[str, str]) -> None:
    """Adds labels to an object, and sorts its labels by name."""
    _set_in_metadata(obj, "labels", {**(obj["metadata"].get("labels") or {}), **labels})


def add_finalizer(obj: Object, name: str) -> None:
    """Appends a finalizer, unless the object already has this finalizer."""
    present: list[str] = obj["metadata"].get("finalizers") or []
    if name not in present:
        obj["metadata"] = in_order({**obj["metadata"], "finalizers": [*present, name]})


def _set_in_metadata(obj: Object, field: str, values: dict[str, str]) -> None:
    obj["metadata"] = in_order({**obj["metadata"], field: dict(sorted(values.items()))})
