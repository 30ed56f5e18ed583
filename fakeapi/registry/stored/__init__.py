"""The stored form of objects: bytes, keys, and cached bytes of lists."""
