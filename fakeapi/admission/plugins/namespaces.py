"""NamespaceExists and NamespaceAutoProvision: require or create the namespace of a written object.

Follows k8s.io/kubernetes `plugin/pkg/admission/namespace`.
"""

from collections.abc import Awaitable

from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.requests.options import ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.verbs.creating import create


class NamespaceExists(AdmissionPlugin):
    operations = frozenset((Operation.CREATE, Operation.UPDATE, Operation.DELETE))

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 404 if the namespace of the object does not exist."""
        if _is_missing(self.objects, attributes.namespace):
            raise errors.not_found(Qualified("", "namespaces"), attributes.namespace)


class NamespaceAutoProvision(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Creates the missing namespace of a new object, except in a dry run.

        Raises ApiError 403 if the namespace cannot be created.
        """
        if attributes.dry_run or not _is_missing(self.objects, attributes.namespace):
            return None
        return self._make(attributes)

    async def _make(self, attributes: Attributes) -> None:
        resource = self.objects.find("", "v1", "namespaces")
        assert resource is not None, "every server has namespaces"
        body = resource.empty_object()
        body["metadata"]["name"] = attributes.namespace
        obj = resource.body_type.default(body)
        options = WriteOptions(manager="kube-apiserver")
        target = ObjectReference(name=attributes.namespace)
        try:
            await create(WriteRequest(self.server, resource, target, options), obj)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise attributes.forbidden(error.message) from None


def _is_missing(objects: ClusterObjects, namespace: str) -> bool:
    return bool(namespace) and objects.get("", "namespaces", "", namespace) is None
