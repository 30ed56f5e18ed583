"""Shortens texts from DRA drivers, such as error messages, for events, statuses and the log."""

TEXT_BYTES_MAX = 4096
"""Maximum size in bytes of a text from a DRA driver in events, statuses and logs.

Termination messages of containers have the same maximum size.
"""


def shortened(text: str, bytes_max: int = TEXT_BYTES_MAX) -> str:
    """Returns a text unchanged if it has at most `bytes_max` bytes in UTF-8.

    If the text is longer, returns its beginning with "..." at the end.
    """
    encoded = text[: bytes_max + 1].encode(errors="replace")
    if len(encoded) <= bytes_max:
        return text
    return encoded[: bytes_max - 3].decode(errors="ignore") + "..."
