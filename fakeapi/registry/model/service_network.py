"""ServiceNetwork: the ranges of cluster IPs and node ports of a cluster."""

from ipaddress import IPv4Network
from typing import Final

import msgspec


class ServiceNetwork(msgspec.Struct, frozen=True):
    """The ranges from which Services get addresses.

    - `cluster_ips`: the range of cluster IPs, kube-apiserver's `--service-cluster-ip-range`. Services can
      have IPv4 addresses only.
    - `node_ports`: the range of node ports, kube-apiserver's `--service-node-port-range`.
    """

    cluster_ips: IPv4Network = msgspec.field(default_factory=lambda: IPv4Network("10.0.0.0/24"))
    node_ports: range = range(30000, 32768)

    @classmethod
    def parse(cls, cluster_ips: str, node_ports: str) -> "ServiceNetwork":
        """Reads ranges such as 10.0.0.0/24 and 30000-32767. Raises ValueError for other text.

        The range of cluster IPs must have at least 8 addresses. The address may have host bits, which are
        ignored. `node_ports` may also be FIRST+COUNT, or one port, as in k8s.io/apimachinery `pkg/util/net`.
        """
        try:
            network = IPv4Network(cluster_ips, strict=False)
        except ValueError:
            raise ValueError(f"service cluster IP range: {cluster_ips!r} is not an IPv4 range") from None
        if network.prefixlen > _PREFIX_MAX:
            raise ValueError(f"service cluster IP range: {cluster_ips!r} has fewer than 8 addresses")
        return cls(network, _ports(node_ports))

    @property
    def first_address(self) -> str:
        """The cluster IP of the Service `kubernetes`: the first address of the range."""
        return str(self.cluster_ips.network_address + 1)


_PREFIX_MAX: Final = 29
"""Longest prefix of a range of cluster IPs, as in k8s.io/kubernetes `pkg/controlplane/apiserver/options`."""


def _ports(text: str) -> range:
    first, sign, rest = text.partition("-") if "-" in text else text.partition("+")
    try:
        begin = int(first)
        end = begin if not sign else int(rest) if sign == "-" else begin + int(rest)
    except ValueError:
        raise ValueError(f"service node port range: {text!r} is not a range such as 30000-32767") from None
    if not 0 < begin <= end <= 65535:
        raise ValueError(f"service node port range: {text!r} is not from 1 to 65535")
    return range(begin, end + 1)


DEFAULT_SERVICE_NETWORK: Final = ServiceNetwork()
