"""The ConfigMap that tells other API servers how this server authenticates users.

Follows k8s.io/kubernetes `pkg/controlplane/controller/clusterauthenticationtrust`. API servers behind an
APIService read the ConfigMap, and then trust this server's headers and the client certificates of users.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fakeapi.authentication.settings import FrontProxySettings
from fakeapi.machinery.codec import encode
from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

NAME = "extension-apiserver-authentication"
NAMESPACE = "kube-system"
_UID_GATE = "RemoteRequestHeaderUID"


@dataclass(frozen=True, slots=True)
class AuthenticationTrust:
    """The CAs and the authenticating proxies that a server trusts.

    - `client_authority`: the CA certificates of users in PEM; "" for none.
    - `proxy_authority`: the CA certificates of proxies in PEM; "" for none.
    - `proxies`: the names and the headers of these proxies; None for none.
    """

    client_authority: str = ""
    proxy_authority: str = ""
    proxies: FrontProxySettings | None = None

    def objects(self, resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
        """Yields the ConfigMap; nothing if the server trusts no CA."""
        data: Object = {}
        if self.client_authority:
            data["client-ca-file"] = self.client_authority
        if self.proxies is not None:
            data["requestheader-client-ca-file"] = self.proxy_authority
            data |= _headers(self.proxies, with_uid=resource.release.gates.enabled(_UID_GATE))
        if data:
            yield BootstrapObject(NAME, {"data": data}, NAMESPACE)


def _headers(proxies: FrontProxySettings, *, with_uid: bool) -> Object:
    lists = {
        "username-headers": proxies.user_headers,
        "group-headers": proxies.group_headers,
        "extra-headers-prefix": proxies.extra_prefixes,
        "allowed-names": proxies.allowed_names,
    }
    if with_uid and proxies.uid_headers:
        lists["uid-headers"] = proxies.uid_headers
    return {
        f"requestheader-{name}": encode(list(dict.fromkeys(values))).decode()
        for name, values in lists.items()
    }
