"""Shortens texts from drivers, such as errors, for events, statuses and the log."""

TEXT_BYTES_MAX = 4096
"""Maximum size of a driver's text in bytes, for events, statuses and logs.

Termination messages have the same limit.
"""


def shortened(text: str, bytes_max: int = TEXT_BYTES_MAX) -> str:
    """Returns a text unchanged if it has at most `bytes_max` bytes in UTF-8.

    Returns the beginning of a longer text with "..." at its end, without a character that does not fit.
    """
    encoded = text[: bytes_max + 1].encode(errors="replace")
    if len(encoded) <= bytes_max:
        return text
    return encoded[: bytes_max - 3].decode(errors="ignore") + "..."
