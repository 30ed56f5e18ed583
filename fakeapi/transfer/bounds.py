"""Limits how much an export or import reads from a server."""

OBJECTS_MAX = 10_000
"""Default maximum number of objects to read; more selected objects raise TooManyObjects."""

PAGE_OBJECTS = 500
"""Maximum number of objects in a page of a list; kubectl requests the same number."""

LIST_ATTEMPTS = 3
"""Maximum number of attempts to read a list whose continue token expires (410).

If the last attempt fails too, the list becomes a problem of the result.
"""

VERSIONS_MAX = 1_000
"""Maximum number of group versions in discovery; discovery of more versions raises StatusError."""

RESOURCES_MAX = 10_000
"""Maximum number of resources to discover, counted in all their versions.

An API version that exceeds the maximum is not discovered, and becomes a problem of the result.
"""

PAGES_MAX = 10_000
"""Maximum number of pages of one list; a list with more pages becomes a problem of the result."""
