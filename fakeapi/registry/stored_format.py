"""The format of keys and values in the database, and the migrations from older ones.

`fakeapi_storage` records it in the database, and migrates an older one when it is opened. A change of the
keys or values of objects that databases may hold needs a new format, and a migration from the last one.
"""

from fakeapi.registry.stored_form import AS_WRITTEN
from fakeapi_storage import Format


def _from_format_1(key: str, value: bytes) -> tuple[str, bytes]:
    """Format 1 marked an object with a driver's value as it was written by a blank at its end."""
    return key, AS_WRITTEN + value[:-1] if value.endswith(b" ") else value


STORED_FORMAT = Format(version=2, migrations={1: _from_format_1})
"""What this version of the registry writes."""
