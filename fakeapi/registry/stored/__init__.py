"""How objects are stored: bytes, keys, the format of a database, and cached bytes of lists."""
