"""Validates iSCSI names and host:port pairs in volumes.

Follows `validateISCSIVolumeSource` and `validateISCSIPersistentVolumeSource` of k8s.io/kubernetes
`pkg/apis/core/validation`, and Go's `net.SplitHostPort`.
"""

import re

_NAMES = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]+:[^,;*&$|\s]+\Z", re.ASCII).search,
    "eui": re.compile("eui.[0-9A-Za-z]{16}").fullmatch,
    "naa": re.compile("naa.[0-9A-Za-z]{32}").fullmatch,
}


def iscsi_name_problem(name: str) -> str:
    """Returns the reason why the name of an iSCSI target or initiator is invalid; "" for a valid name."""
    is_valid = _NAMES.get(name[:3])
    if is_valid is None:
        return "must be valid format starting with iqn, eui, or naa"
    return "" if is_valid(name) else "must be valid format"


def is_host_port(text: str) -> bool:
    """Whether Go's net.SplitHostPort accepts a string. An IPv6 address must be in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or "[" in port or "]" in port:
        return False
    if host.startswith("["):
        return host.endswith("]") and not set("[]") & set(host[1:-1])
    return not set(":[]") & set(host)
