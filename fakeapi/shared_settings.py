"""Checks the settings of servers that share one database."""

import zlib
from pathlib import Path

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.settings import Settings

_POSTGRESQL = lazy_pattern(r"postgres(ql)?://")

COMMON = (
    "release",
    "feature_gates",
    "runtime_config",
    "enable_admission_plugins",
    "disable_admission_plugins",
    "authorization",
    "node_authorization",
    "service_cluster_ip_range",
    "service_node_port_range",
)
"""Settings that change responses. Servers that share a database must agree in all of them."""


def is_shared_database(database: str | Path | None) -> bool:
    """Whether several servers can open the database at once. True only for PostgreSQL URLs.

    `database`: a URL or path; None for a database in memory.
    """
    return isinstance(database, str) and _POSTGRESQL.match(database) is not None


def check_shareable(settings: Settings) -> None:
    """Raises ValueError if the database is shared and another setting works for only one server.

    Examples are `seed`, `frozen_at`, `clock`, and `tls` without `tls_directory`.
    """
    if not is_shared_database(settings.database):
        return
    for name, flag in (("seed", "--seed"), ("frozen_at", "--frozen-at"), ("clock", "clock")):
        if getattr(settings, name) is not None:
            raise ValueError(f"{flag} is of one server; servers that share a database have the machine's")
    if settings.tls and settings.tls_directory is None:
        raise ValueError(
            "--tls makes a CA of one server; give all servers that share a database one --tls-directory, "
            "or end TLS in front of them"
        )


def common_settings(settings: Settings) -> str:
    """Returns the release and a digest of the settings in COMMON, as one text.

    Servers that share a database must have equal texts. Returns "" if the database is not shared.
    """
    if not is_shared_database(settings.database):
        return ""
    gates = settings.feature_gates
    named = {name: getattr(settings, name) for name in COMMON}
    named["feature_gates"] = gates if isinstance(gates, str) or gates is None else sorted(gates.items())
    digest = zlib.crc32(repr(sorted(named.items())).encode())
    return f"{settings.release or 'all-releases'} {digest:08x}"
