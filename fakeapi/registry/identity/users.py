"""Users: the clients that send requests."""

from collections.abc import Mapping

import msgspec


class User(msgspec.Struct, frozen=True):
    """The user that sent a request, like `user.Info` of k8s.io/apiserver `pkg/authentication/user`."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.name, self.groups, self.uid))


ANYBODY = "anybody"
"""The token in the kubeconfig of a server with TLS, if the server does not require a token.

The token does not identify a user. Without any credentials in the kubeconfig, kubectl would prompt for a user
name.
"""

AUTHENTICATED = "system:authenticated"
"""The group of all users that the server has authenticated."""

CREDENTIAL_ID = "authentication.kubernetes.io/credential-id"
"""The key in a user's `extra` that identifies the token or the client certificate of the request."""

# Kubernetes uses these names for an unauthenticated client, an administrator, and the API server itself.
ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))
TOKEN_HOLDER = User("kubernetes-admin", ("system:masters", AUTHENTICATED))
THE_SERVER = User("system:apiserver", ("system:masters", AUTHENTICATED))
