"""Checks whether a CA bundle contains certificates.

Follows ValidateCABundle of k8s.io/apiserver `pkg/util/webhook`, on Go's crypto/x509.
"""

import base64
import binascii
import re

from fakeapi.machinery.lazy_pattern import lazy_pattern

_BLOCK = lazy_pattern(rb"-----BEGIN CERTIFICATE-----\s+(.*?)-----END CERTIFICATE-----", re.DOTALL)
NOT_USABLE = "unable to load root certificates: unable to parse bytes as PEM block"


def bundle_problem(bundle: str) -> str:
    """Returns upstream's error for a base64 CA bundle that contains no PEM certificate.

    Returns "" if the bundle contains a certificate or is empty.
    """
    try:
        text = base64.b64decode(bundle)
    except (binascii.Error, ValueError):
        return NOT_USABLE
    return "" if not text or _BLOCK.search(text) else NOT_USABLE
