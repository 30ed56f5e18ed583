"""Limits of exports and imports when they read from a server."""

OBJECTS_MAX = 10_000
"""Default maximum number of selected objects; more objects raise TooManyObjects."""

PAGE_OBJECTS = 500
"""Maximum number of objects in a page of a list; kubectl requests the same number."""

LIST_ATTEMPTS = 3
"""Maximum number of attempts to read a list whose continue token expires (410).

After the last attempt, the list is reported as a problem.
"""

VERSIONS_MAX = 1_000
"""Maximum number of group versions in discovery; a server with more raises StatusError."""

RESOURCES_MAX = 10_000
"""Maximum number of resources in discovery, in all versions; further versions are reported as problems."""

PAGES_MAX = 10_000
"""Maximum number of pages of one list; a list with more pages is reported as a problem."""
