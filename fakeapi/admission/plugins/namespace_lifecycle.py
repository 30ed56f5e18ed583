"""NamespaceLifecycle: rejects new objects in namespaces that do not exist or are being deleted.

Follows k8s.io/apiserver `pkg/admission/plugin/namespace/lifecycle`. `KindDefinition.immortal` lists the
namespaces that cannot be deleted.
"""

from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.kinds.core.namespace.lookup import Namespaces
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.server import Server


class NamespaceLifecycle(AdmissionPlugin):
    operations = CREATE_ONLY

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._namespaces = Namespaces(server.store.storage)

    def mutate(self, attributes: Attributes) -> None:
        """Raises ApiError 404 if the namespace does not exist, and 403 if the namespace is Terminating.

        Raises ApiError 500 if the name of the namespace is invalid.
        """
        obj = attributes.new_object()
        self._namespaces.check_creation(attributes.resource, attributes.target, obj["metadata"])
