"""Users: who sends a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class User:
    """The client that sent a request, as k8s.io/apiserver `pkg/authentication/user` describes one."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)


ANYBODY = "anybody"
"""The token in a kubeconfig of a server with TLS and without a token of its own. It says nothing about the
client: kubectl asks for a user name where a kubeconfig has no credentials.
"""

# Kubernetes' own names: a client that has not said who it is, an administrator, and the server itself.
ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))
TOKEN_HOLDER = User("kubernetes-admin", ("system:masters", "system:authenticated"))
THE_SERVER = User("system:apiserver", ("system:masters", "system:authenticated"))
