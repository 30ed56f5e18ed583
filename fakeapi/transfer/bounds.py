"""Bounds of what is read from a server, and what happens there."""

OBJECTS_MAX = 10_000
"""Objects that are read unless somebody says another number; with more, nothing is taken."""

READ_BYTES_MAX = 512 * 1024 * 1024
"""Bytes of all answers to one client; beyond, TargetError."""

PAGE_OBJECTS = 500
"""Objects that are asked for in one page, as kubectl does."""

LIST_ATTEMPTS = 3
"""Times that a list is begun whose continue token expires; then it is told as refused."""

RETRIES_MAX = 5
"""Times that a request is sent again which was answered 429 or 503 with Retry-After; then it is refused."""

RETRY_SECONDS_MAX = 10.0
"""Waited for one retry, whatever the server asks for."""

VERSIONS_MAX = 1_000
"""Group versions that discovery may list; a server with more is refused."""

RESOURCES_MAX = 10_000
"""Resources that discovery may list, in all versions; further ones are told as refused."""

PAGES_MAX = 10_000
"""Pages of one list; a longer list is told as refused."""
