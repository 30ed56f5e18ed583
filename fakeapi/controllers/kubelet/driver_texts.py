"""Texts of drivers, such as errors, shortened for events, statuses and the log."""

TEXT_BYTES_MAX = 4096
"""Bytes of a driver's text that are shown. Kubernetes shows as much of a container's termination message."""


def shortened(text: str, bytes_max: int = TEXT_BYTES_MAX) -> str:
    """The text, or its beginning and three dots if it has more than `bytes_max` bytes in UTF-8."""
    encoded = text[: bytes_max + 1].encode(errors="replace")
    if len(encoded) <= bytes_max:
        return text
    return encoded[: bytes_max - 3].decode(errors="replace") + "..."
