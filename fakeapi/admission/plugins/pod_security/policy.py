"""Policy: the Pod Security levels in the labels of a namespace.

Follows k8s.io/pod-security-admission `api/helpers.go`.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.lazy_pattern import lazy_pattern

PREFIX: Final = "pod-security.kubernetes.io/"
PRIVILEGED, BASELINE, RESTRICTED = LEVELS = ("privileged", "baseline", "restricted")
LATEST: Final = "latest"

_VERSION = lazy_pattern(r"v1\.(0|[1-9][0-9]*)")


class LevelVersion(msgspec.Struct, frozen=True):
    """A Pod Security level with its version. The version is "latest", or a release such as "v1.30"."""

    level: str = PRIVILEGED
    version: str = LATEST

    def __str__(self) -> str:
        return f"{self.level}:{self.version}"

    def minor(self, newest: int) -> int:
        """Returns the minor version of the release whose checks apply.

        `newest`: the minor version of the server's release. Later versions count as this release.
        """
        matched = _VERSION.fullmatch(self.version)
        return newest if matched is None else min(int(matched[1]), newest)


class Policy(msgspec.Struct, frozen=True):
    enforce: LevelVersion
    warn: LevelVersion

    @property
    def is_privileged(self) -> bool:
        """Whether the policy neither forbids pods nor warns about pods."""
        return self.enforce.level == self.warn.level == PRIVILEGED


def policy_of(labels: Mapping[str, str]) -> Policy:
    """Returns the Pod Security policy in the labels of a namespace.

    An invalid level counts as restricted for `enforce`, and as privileged for `warn`. Without a label for
    `warn`, a valid level of `enforce` applies to `warn` too.
    """
    level, warned = labels.get(f"{PREFIX}enforce"), labels.get(f"{PREFIX}warn")
    enforce = LevelVersion(_level(level, RESTRICTED), _version(labels, "enforce"))
    warn = LevelVersion(_level(warned, PRIVILEGED), _version(labels, "warn"))
    if warned is None and level in (BASELINE, RESTRICTED):
        version = warn.version if f"{PREFIX}warn-version" in labels else enforce.version
        warn = LevelVersion(enforce.level, version)
    return Policy(enforce, warn)


def label_errors(labels: Mapping[str, str]) -> list[FieldError]:
    """Validates the Pod Security labels of a namespace. Returns the errors."""
    errors = []
    for mode in ("enforce", "audit", "warn"):
        for name, is_valid, why in (
            (f"{PREFIX}{mode}", LEVELS.__contains__, f"must be one of {', '.join(LEVELS)}"),
            (f"{PREFIX}{mode}-version", _is_version, 'must be "latest" or "v1.x"'),
        ):
            if name in labels and not is_valid(labels[name]):
                errors.append(invalid(f"metadata.labels[{name}]", labels[name], why))
    return errors


def _level(text: str | None, otherwise: str) -> str:
    if text is None:
        return PRIVILEGED
    return text if text in LEVELS else otherwise


def _version(labels: Mapping[str, str], mode: str) -> str:
    text = labels.get(f"{PREFIX}{mode}-version", LATEST)
    return text if _is_version(text) else LATEST


def _is_version(text: object) -> bool:
    return text == LATEST or (isinstance(text, str) and _VERSION.fullmatch(text) is not None)
