"""Waits until the authorizers of both servers have seen all changes of roles and bindings."""

from tests.differential.rbac import world
from tests.differential.rbac.servers import Server

_NAME = "marker"


class Settling:
    """Waits until the authorizers of both servers have seen all earlier changes of roles and bindings.

    Writes a new Role, RoleBinding, ClusterRole and ClusterRoleBinding, and waits until the authorizers use
    them. An informer delivers the changes of a kind in order, so the authorizers have then seen all earlier
    changes.
    """

    def __init__(self, servers: tuple[Server, ...]) -> None:
        self._servers = servers
        self._number = 0

    def settle(self) -> None:
        """Writes new roles and bindings, and waits until the authorizers of all servers use them.

        Raises RuntimeError if a server does not use a new role or binding within SETTLE_SECONDS.
        """
        self._number += 1
        for server in self._servers:
            for namespace in ("", "default"):
                self._mark(server, namespace)
        for server in self._servers:
            for namespace in ("", "default"):
                resource = f"{_NAME}-{self._number}"
                server.await_access(
                    f"{_NAME}-{self._number}",
                    verb="get",
                    group="example.com",
                    resource=resource,
                    namespace=namespace,
                )

    def _mark(self, server: Server, namespace: str) -> None:
        place = f"{world.RBAC}/namespaces/{namespace}/" if namespace else f"{world.RBAC}/cluster"
        kind = "Role" if namespace else "ClusterRole"
        name = f"{_NAME}-{self._number}"
        rule = {"apiGroups": ["example.com"], "resources": [name], "verbs": ["get"]}
        subject = {"apiGroup": world.GROUP, "kind": "User", "name": name}
        metadata = {"name": f"{_NAME}-of-{kind.lower()}s"}
        server.must("PUT", f"{place}roles/{metadata['name']}", {"metadata": metadata, "rules": [rule]})
        binding = {
            "metadata": metadata,
            "roleRef": world.reference(kind, metadata["name"]),
            "subjects": [subject],
        }
        server.must("PUT", f"{place}rolebindings/{metadata['name']}", binding)
