"""Shortens texts of drivers, such as errors, for events, statuses and the log."""

TEXT_BYTES_MAX = 4096
"""Maximum bytes of a driver's text in events, statuses and logs; equal to that of termination messages."""


def shortened(text: str, bytes_max: int = TEXT_BYTES_MAX) -> str:
    """Returns the text; if it is longer than `bytes_max` bytes in UTF-8, its beginning and three dots."""
    encoded = text[: bytes_max + 1].encode(errors="replace")
    if len(encoded) <= bytes_max:
        return text
    return encoded[: bytes_max - 3].decode(errors="replace") + "..."
