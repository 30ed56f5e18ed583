"""Checks the settings of servers that share one database."""

import re
import zlib
from pathlib import Path

from fakeapi.settings import Settings

_POSTGRESQL = re.compile(r"postgres(ql)?://")

COMMON = (
    "release",
    "feature_gates",
    "runtime_config",
    "enable_admission_plugins",
    "disable_admission_plugins",
    "authorization",
)
"""Settings by which servers answer differently: all of one database have the same."""


def is_shared_database(database: str | Path | None) -> bool:
    """Whether several servers can have the database open."""
    return isinstance(database, str) and _POSTGRESQL.match(database) is not None


def check_shareable(settings: Settings) -> None:
    """Raises ValueError, in one line, for what servers that share a database cannot have."""
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
    """A short text that is the same for servers that answer alike: the release, and a digest of the rest.

    Empty where the database is of one server.
    """
    if not is_shared_database(settings.database):
        return ""
    gates = settings.feature_gates
    named = {name: getattr(settings, name) for name in COMMON}
    named["feature_gates"] = gates if isinstance(gates, str) or gates is None else sorted(gates.items())
    digest = zlib.crc32(repr(sorted(named.items())).encode())
    return f"{settings.release or 'all-releases'} {digest:08x}"
