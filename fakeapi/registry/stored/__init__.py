"""The stored form of objects, their storage keys, and caches of encoded list items."""
