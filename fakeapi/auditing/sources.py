"""The addresses from which a request came, for audit events.

Follows `SourceIPs` of k8s.io/apimachinery `pkg/util/net/http.go`.
"""

from collections.abc import Mapping
from functools import lru_cache

from fakeapi.machinery.golang.ip_addresses import parse_ip

_ADDRESSES_CACHED = 256


def source_addresses(headers: Mapping[bytes, bytes], remote: str) -> list[str]:
    """Returns the addresses in the headers X-Forwarded-For and X-Real-Ip, then the address of the client.

    Ignores text that is not an IP address. Omits X-Real-Ip if the address is listed already, and the address
    of the client if the last address is the same. `remote`: the address of the client; "" for a client in
    this process.
    """
    forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1")
    sources = [source for part in forwarded.split(",") if (source := _address(part.strip()))]
    real = _address(headers.get(b"x-real-ip", b"").decode("latin-1"))
    if real and real not in sources:
        sources.append(real)
    own = _address(remote)
    if own and sources[-1:] != [own]:
        sources.append(own)
    return sources


@lru_cache(_ADDRESSES_CACHED)
def _address(text: str) -> str:
    """Returns an IP address as Go prints it; "" for other text."""
    address = parse_ip(text) if text else None
    return "" if address is None else str(address)
