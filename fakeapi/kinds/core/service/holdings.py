"""Cluster IPs and node ports that stored services use."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.pools import SERVICE_RANGE, Network
from fakeapi.machinery.golang.ip_addresses import parse_cidr, parse_ip
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import StoredEntries
from fakeapi.registry.stored import form as stored_form
from fakeapi_storage import Entry

SERVICES = "/core/services/"
IP_ADDRESSES = "/networking.k8s.io/ipaddresses/"
SERVICE_CIDRS = "/networking.k8s.io/servicecidrs/"

DEFAULT_CIDR = "kubernetes"
"""The ServiceCIDR of the range that the cluster was made with."""

RECENT_MAX = 1024
"""As many keys of writes are remembered that may be accepted and not committed. An older one is committed
long since: no more are accepted at a time."""


@dataclass(frozen=True, slots=True)
class Holding:
    """The canonical addresses and the node ports of one service."""

    addresses: frozenset[str]
    ports: frozenset[int]


class Holdings:
    """Reads what services hold from the storage: an entry that did not change is read once."""

    def __init__(self, entries: StoredEntries) -> None:
        self._entries = entries
        self._read: dict[str, tuple[bytes, Holding]] = {}
        self._recent: dict[str, None] = {}

    def expect(self, namespace: str, name: str) -> None:
        """Remember that the service is being written, before its entry is committed."""
        self._recent[f"{SERVICES}{namespace}/{name}"] = None
        while len(self._recent) > RECENT_MAX:
            del self._recent[next(iter(self._recent))]

    def taken(self) -> Holding:
        """The addresses and ports of all services, in the newest accepted state."""
        self._read = {entry.key: (entry.value, self._holding(entry)) for entry in self._newest()}
        held = [holding for _, holding in self._read.values()]
        return Holding(
            frozenset(address for each in held for address in each.addresses),
            frozenset(port for each in held for port in each.ports),
        )

    def addresses_in_use(self) -> frozenset[str]:
        """The names of IPAddresses, which are held even where no service has them."""
        return frozenset(entry.key.removeprefix(IP_ADDRESSES) for entry in self._entries.list(IP_ADDRESSES))

    def networks(self, *, several: bool) -> tuple[Network, ...]:
        """The IPv4 ranges of services: the cluster's own, and where there may be `several` those of
        ServiceCIDRs that are ready.
        """
        found = [SERVICE_RANGE]
        for entry in self._entries.list(SERVICE_CIDRS) if several else ():
            obj = stored_form.decode(entry)
            if _is_ready(obj):
                found += obj["spec"].get("cidrs") or ()
        parsed = [parse_cidr(text) for text in dict.fromkeys(found)]
        return tuple(each.network for each in parsed if each is not None and each.address.family == "IPv4")

    def _newest(self) -> Iterator[Entry]:
        for entry in self._entries.list(SERVICES):
            if entry.key not in self._recent:
                yield entry
        for key in self._recent:
            newest = self._entries.newest(key)
            if newest is not None:
                yield newest

    def _holding(self, entry: Entry) -> Holding:
        known = self._read.get(entry.key)
        if known is not None and known[0] == entry.value:
            return known[1]
        spec = stored_form.decode(entry)["spec"]
        ports = [*specs.node_ports(spec), spec.get("healthCheckNodePort", 0)]
        return Holding(_addresses(specs.cluster_ips(spec)), frozenset(filter(None, ports)))


def _addresses(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(str(found) for found in map(parse_ip, texts) if found is not None)


def _is_ready(obj: Object) -> bool:
    """Whether addresses are given from a range: one without the condition is ready too."""
    if obj["metadata"].get("deletionTimestamp") is not None:
        return False
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return all(each.get("status") == "True" for each in conditions if each.get("type") == "Ready")
