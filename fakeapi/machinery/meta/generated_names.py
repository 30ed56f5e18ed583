"""Generates names from `generateName`: the prefix and a random suffix.

Follows k8s.io/apiserver `pkg/storage/names`. `fakeapi.clock.clocks` draws the suffix of five characters.
"""

GENERATE_NAME_MAX_LENGTH = 58
"""Maximum length of a `generateName` prefix in bytes; longer prefixes are truncated.

A suffix of five bytes follows, so the name has at most 63 bytes like a DNS label.
"""


def generated_name(prefix: str, suffix: str) -> str:
    """Returns the name for a generateName prefix and a random suffix, such as `web-` and `x7k2p`.

    Truncates a prefix that is longer than GENERATE_NAME_MAX_LENGTH bytes.
    """
    if len(prefix) <= GENERATE_NAME_MAX_LENGTH and prefix.isascii():
        return prefix + suffix
    return prefix.encode("utf-8", "replace")[:GENERATE_NAME_MAX_LENGTH].decode("utf-8", "replace") + suffix
