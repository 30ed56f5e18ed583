"""Limits of reading from a server."""

OBJECTS_MAX = 10_000
"""Default for the most objects to read; if a cluster has more, TooManyObjects is raised."""

READ_BYTES_MAX = 512 * 1024 * 1024
"""Maximum number of bytes of all responses to one client; more raise TargetError."""

PAGE_OBJECTS = 500
"""Objects in each page of a list; kubectl uses the same number."""

LIST_ATTEMPTS = 3
"""Attempts to read a list whose continue token expires; then the list counts as refused."""

RETRIES_MAX = 5
"""Maximum number of retries after 429 or 503 with Retry-After; then the request counts as refused."""

RETRY_SECONDS_MAX = 10.0
"""Longest wait before a retry, even if the server demands more."""

VERSIONS_MAX = 1_000
"""Maximum number of group versions in discovery; a server with more raises Refused."""

RESOURCES_MAX = 10_000
"""Maximum number of resources in discovery, in all versions; versions beyond it become problems."""

PAGES_MAX = 10_000
"""Maximum number of pages of one list; a longer list counts as refused."""
