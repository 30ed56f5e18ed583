"""Sets the whole status of an object: an empty status, or the status of another object."""

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import decode
from fakeapi.releases import Kind


def empty_status(kind: Kind) -> Object:
    """Returns `{"status": …}` with only the fields that Go always encodes; `{}` if Go can omit the status."""
    empty, _ = decode({}, kind.schema)
    return {"status": empty["status"]} if "status" in empty else {}


def with_status_of(obj: Object, other: Object) -> Object:
    """Returns `obj` with the status of `other`, or without a status if `other` has no status."""
    rest = {name: value for name, value in obj.items() if name != "status"}
    return {**rest, "status": other["status"]} if "status" in other else rest
