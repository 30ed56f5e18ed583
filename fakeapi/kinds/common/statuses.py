"""The status of an object in strategies that keep or replace it as a whole."""

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import decode
from fakeapi.releases import Kind


def empty_status(kind: Kind) -> Object:
    """Returns an object with the status of a new object: absent, or only fields that Go always encodes."""
    empty, _ = decode({}, kind.schema)
    return {"status": empty["status"]} if "status" in empty else {}


def with_status_of(obj: Object, other: Object) -> Object:
    """Returns `obj` with the status of `other`, or without a status if `other` has none."""
    rest = {name: value for name, value in obj.items() if name != "status"}
    return {**rest, "status": other["status"]} if "status" in other else rest
