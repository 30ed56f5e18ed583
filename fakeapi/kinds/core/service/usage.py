"""UsageTracker: reads the cluster IPs and node ports of stored Services."""

from collections.abc import Iterable, Iterator

import msgspec

from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.pools import Network
from fakeapi.machinery.golang.ip_addresses import parse_cidr, parse_ip
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import StoredEntries
from fakeapi.registry.stored import form as stored_form
from fakeapi_storage import Entry

SERVICES = "/core/services/"
IP_ADDRESSES = "/networking.k8s.io/ipaddresses/"
SERVICE_CIDRS = "/networking.k8s.io/servicecidrs/"

RECENT_MAX = 1024
"""Maximum number of Services that the tracker remembers because their last write may be uncommitted.

The server handles fewer than 1024 writes at the same time, so all older writes are committed.
"""


class Usage(msgspec.Struct, frozen=True):
    """The cluster IPs, in canonical form, and the node ports of one Service or of all Services."""

    addresses: frozenset[str]
    ports: frozenset[int]


class UsageTracker:
    """Reads the cluster IPs and node ports of Services from the storage. Caches entries until they change.

    `own`: the range of cluster IPs that the cluster has without any ServiceCIDR.
    """

    def __init__(self, entries: StoredEntries, own: Network) -> None:
        self._entries = entries
        self._own = own
        self._read: dict[str, tuple[bytes, Usage]] = {}
        self._recent: dict[str, None] = {}

    def expect(self, namespace: str, name: str) -> None:
        """Remembers that a write of a Service is in progress.

        Later, `taken` also reads this Service if the write is not yet committed.
        """
        self._recent[f"{SERVICES}{namespace}/{name}"] = None
        while len(self._recent) > RECENT_MAX:
            del self._recent[next(iter(self._recent))]

    def taken(self) -> Usage:
        """Returns the cluster IPs and node ports of all Services, including writes not yet committed."""
        self._read = {entry.key: (entry.value, self._usage_of(entry)) for entry in self._newest()}
        usages = [usage for _, usage in self._read.values()]
        return Usage(
            frozenset(address for usage in usages for address in usage.addresses),
            frozenset(port for usage in usages for port in usage.ports),
        )

    def addresses_in_use(self) -> frozenset[str]:
        """Returns the names of all IPAddresses. An IPAddress reserves an address even without a Service."""
        return frozenset(entry.key.removeprefix(IP_ADDRESSES) for entry in self._entries.list(IP_ADDRESSES))

    def networks(self, *, several: bool) -> tuple[Network, ...]:
        """Returns the IPv4 ranges of cluster IPs. The first range is the cluster's own.

        `several`: whether to include the ranges of ready ServiceCIDRs
        """
        cidrs = [str(self._own)]
        for entry in self._entries.list(SERVICE_CIDRS) if several else ():
            obj = stored_form.decode(entry)
            if _is_ready(obj):
                cidrs += obj["spec"].get("cidrs") or ()
        parsed = [parse_cidr(text) for text in dict.fromkeys(cidrs)]
        return tuple(cidr.network for cidr in parsed if cidr is not None and cidr.address.family == "IPv4")

    def _newest(self) -> Iterator[Entry]:
        for entry in self._entries.list(SERVICES):
            if entry.key not in self._recent:
                yield entry
        for key in self._recent:
            newest = self._entries.newest(key)
            if newest is not None:
                yield newest

    def _usage_of(self, entry: Entry) -> Usage:
        known = self._read.get(entry.key)
        if known is not None and known[0] == entry.value:
            return known[1]
        spec = stored_form.decode(entry)["spec"]
        ports = [*specs.node_ports(spec), spec.get("healthCheckNodePort", 0)]
        return Usage(_addresses(specs.cluster_ips(spec)), frozenset(filter(None, ports)))


def _addresses(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(str(ip) for ip in map(parse_ip, texts) if ip is not None)


def _is_ready(obj: Object) -> bool:
    """Whether the server may allocate addresses from a ServiceCIDR.

    The ServiceCIDR must not have a deletionTimestamp. The condition Ready must be True or missing.
    """
    if obj["metadata"].get("deletionTimestamp") is not None:
        return False
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return all(
        condition.get("status") == "True" for condition in conditions if condition.get("type") == "Ready"
    )
