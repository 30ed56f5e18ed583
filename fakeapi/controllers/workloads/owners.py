"""Owner references to controllers, and an index of objects by their controller.

Follows k8s.io/kubernetes `pkg/controller/controller_utils.go` and k8s.io/apimachinery
`pkg/apis/meta/v1/controller_ref.go`.
"""

from fakeapi.controllers.informer import Handler, Informer
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import label_selector
from fakeapi.machinery.meta.label_selector import Selector

NOTHING = Selector((label_selector.Requirement("", label_selector.Operator.IN, ("",)),))
"""A label selector that matches no object, because no label has an empty key."""


def controller_of(obj: Object) -> Object | None:
    """Returns the owner reference to the controller of an object; None if no controller owns the object."""
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            reference: Object = owner
            return reference
    return None


def is_controlled_by(obj: Object, owner: Object) -> bool:
    """Whether `owner` is the controller of an object."""
    reference = controller_of(obj)
    return reference is not None and reference["uid"] == owner["metadata"]["uid"]


def controller_reference(owner: Object) -> Object:
    """Returns an owner reference that makes `owner` the controller of an object."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def selector_of(owner: Object) -> Selector:
    """Returns the label selector in the spec of a workload.

    Returns a selector that matches nothing if the selector is missing or not valid.
    """
    try:
        selector = label_selector.of_object(owner["spec"].get("selector"))
    except ValueError:
        return NOTHING
    return NOTHING if selector is None else selector


def labels_of(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


class OwnedObjects:
    """The objects of an informer, by the uid of their controller."""

    def __init__(self, informer: Informer) -> None:
        self.informer = informer
        self._owned: dict[str, dict[str, Object]] = {}
        informer.on_change(self._update)

    def on_change(self, handler: Handler) -> None:
        """Registers a handler for changes of the objects; see `Informer.on_change`."""
        self.informer.on_change(handler)

    def of(self, owner: Object) -> list[Object]:
        """Returns the objects whose controller is `owner`."""
        return self.of_uid(owner["metadata"]["uid"])

    def of_uid(self, uid: str) -> list[Object]:
        """Returns the objects whose controller has this uid."""
        return list(self._owned.get(uid, {}).values())

    def orphans(self, namespace: str) -> list[Object]:
        """Returns the objects of a namespace that have no controller."""
        return list(self._owned.get(f"/{namespace}", {}).values())

    def _update(self, old: Object | None, new: Object | None) -> None:
        if old is not None:
            key = _index_key(old)
            objects = self._owned.get(key, {})
            objects.pop(old["metadata"]["name"], None)
            if not objects:
                self._owned.pop(key, None)
        if new is not None:
            self._owned.setdefault(_index_key(new), {})[new["metadata"]["name"]] = new


def _index_key(obj: Object) -> str:
    owner = controller_of(obj)
    return f"/{obj['metadata'].get('namespace', '')}" if owner is None else str(owner["uid"])
