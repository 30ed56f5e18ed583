"""NamespaceLifecycle: refuses new objects in namespaces that do not exist or are being deleted.

Follows k8s.io/apiserver `pkg/admission/plugin/namespace/lifecycle`. The kind's definition lists the
namespaces that cannot be deleted (`KindDefinition.immortal`).
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
        """Raises ApiError 403, 404 or 500 if the namespace does not accept new objects."""
        obj = attributes.new_object()
        self._namespaces.check_creation(attributes.resource, attributes.target, obj["metadata"])
