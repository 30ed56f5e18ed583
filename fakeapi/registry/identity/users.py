"""Users: the clients that send requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class User:
    """The client that sent a request, as `user.Info` of k8s.io/apiserver `pkg/authentication/user`."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)


ANYBODY = "anybody"
"""The token in the kubeconfig of a server with TLS that does not require a token.

The token identifies nobody. Without any credentials in the kubeconfig, kubectl would prompt for a user name.
"""

# The names that Kubernetes uses: an unauthenticated client, an administrator, and the server itself.
ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))
TOKEN_HOLDER = User("kubernetes-admin", ("system:masters", "system:authenticated"))
THE_SERVER = User("system:apiserver", ("system:masters", "system:authenticated"))
