"""NamespaceLifecycle: a namespaced object is only created in a namespace that exists and stays.

Follows k8s.io/apiserver `pkg/admission/plugin/namespace/lifecycle`. The namespaces that can not be deleted
are part of the kind's definition (`KindDefinition.immortal`).
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
        """Raises ApiError 403, 404, 500."""
        obj = attributes.new_object()
        self._namespaces.check_creation(attributes.resource, attributes.target, obj["metadata"])
