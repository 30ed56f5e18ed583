"""The stored form of objects, their storage keys, and cached bytes of lists."""
