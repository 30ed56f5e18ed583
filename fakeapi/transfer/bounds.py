"""Limits of reading from a server."""

OBJECTS_MAX = 10_000
"""Default for the most objects to read; if a cluster has more, TooManyObjects is raised."""

PAGE_OBJECTS = 500
"""Objects in each page of a list; kubectl uses the same number."""

LIST_ATTEMPTS = 3
"""Attempts to read a list whose continue token expires; then the list counts as refused."""

VERSIONS_MAX = 1_000
"""Maximum number of group versions in discovery; a server with more raises StatusError."""

RESOURCES_MAX = 10_000
"""Maximum number of resources in discovery, in all versions; versions beyond it become problems."""

PAGES_MAX = 10_000
"""Maximum number of pages of one list; a longer list counts as refused."""
