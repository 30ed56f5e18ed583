"""DefaultStorageClass and DefaultIngressClass: set the default class of objects that name no class.

Follows k8s.io/kubernetes `plugin/pkg/admission/storage/storageclass/setdefault` and
`plugin/pkg/admission/network/defaultingressclass`.
"""

from collections.abc import Iterable

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.kinds.core.storage_class_name import CLASS_ANNOTATION
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes

_DEFAULT_STORAGE = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_DEFAULT_INGRESS = ("ingressclass.kubernetes.io/is-default-class",)
_INGRESS_CLASS = "kubernetes.io/ingress.class"


class DefaultStorageClass(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        claim = attributes.new_object()
        if CLASS_ANNOTATION in _annotations(claim) or claim["spec"].get("storageClassName") is not None:
            return
        name = default_class(self.objects.list("storage.k8s.io", "storageclasses"), _DEFAULT_STORAGE)
        if name is not None:
            claim["spec"]["storageClassName"] = name
            sort_spec(attributes)


class DefaultIngressClass(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        ingress = attributes.new_object()
        if _INGRESS_CLASS in _annotations(ingress) or ingress["spec"].get("ingressClassName") is not None:
            return
        name = default_class(self.objects.list("networking.k8s.io", "ingressclasses"), _DEFAULT_INGRESS)
        if name is not None:
            ingress["spec"]["ingressClassName"] = name
            sort_spec(attributes)


def default_class(classes: Iterable[Object], marks: Iterable[str]) -> str | None:
    """Returns the name of the default class; None if no class is marked as default.

    `marks`: the annotations that mark a default class. Of several default classes, returns the newest; of
    equally old classes, the first by name.
    """
    named = sorted(
        (
            candidate["metadata"]
            for candidate in classes
            if any(_annotations(candidate).get(mark) == "true" for mark in marks)
        ),
        key=lambda meta: str(meta["name"]),
    )
    newest = max(named, key=lambda meta: str(meta["creationTimestamp"]), default=None)
    return None if newest is None else str(newest["name"])


def _annotations(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("annotations") or {}
