"""Validates names of certificate signers, and of the ClusterTrustBundles that signers publish.

Follows `ValidateSignerName` and `ValidateClusterTrustBundleName` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from fakeapi.machinery.field_errors import FieldError, invalid, required, too_long
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.wording import Wording

SIGNER_PATH_MAX_LENGTH = names.DNS1123_SUBDOMAIN_MAX_LENGTH + names.DNS1123_LABEL_MAX_LENGTH + 1
SIGNER_NAME_MAX_LENGTH = names.DNS1123_SUBDOMAIN_MAX_LENGTH + SIGNER_PATH_MAX_LENGTH + 1


def is_kubernetes_signer(name: str) -> bool:
    """Whether the domain of a signer's name is `kubernetes.io` or one of its subdomains."""
    return f".{name.partition('/')[0]}".endswith(".kubernetes.io")


def validate_signer_name(name: str, path: str, wording: Wording) -> list[FieldError]:
    """Validates a signer name: a domain and a path, such as `example.com/signer-name`."""
    if not name:
        return [required(path)]
    domain, _, rest = name.partition("/")
    if name.count("/") != 1:
        shape = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        return [invalid(path, name, shape)]
    errors = []
    if names.byte_length(domain) > names.DNS1123_SUBDOMAIN_MAX_LENGTH:
        errors.append(too_long(path, names.DNS1123_SUBDOMAIN_MAX_LENGTH, wording.too_long))
    labels = domain.split(".")
    wrong = next((label for label in labels if names.is_dns1123_label(label)), None)
    if wrong is not None:
        messages = names.is_dns1123_label(wrong)
        errors += [
            invalid(path, domain, f"validating label {quote(wrong)}: {message}") for message in messages
        ]
    if len(labels) < 2:
        shape = "should be a domain with at least two segments separated by dots"
        errors.append(invalid(path, domain, shape))
    wrong = next((label for label in rest.split(".") if names.is_dns1123_subdomain(label)), None)
    if wrong is not None:
        messages = names.is_dns1123_subdomain(wrong)
        errors += [invalid(path, rest, f"validating label {quote(wrong)}: {message}") for message in messages]
    if names.byte_length(name) > SIGNER_NAME_MAX_LENGTH:
        errors.append(too_long(path, SIGNER_NAME_MAX_LENGTH, wording.too_long))
    return errors


def signer_of_bundle(name: str) -> str | None:
    """Returns the signer in the name of a ClusterTrustBundle; None for a name without a colon.

    `example.com:a:b` has the signer `example.com/a`.
    """
    signer, colon, _ = name.rpartition(":")
    return signer.replace(":", "/") if colon else None


def is_bundle_name(name: str, signer: str) -> list[str]:
    """Returns messages if the name of a ClusterTrustBundle is not valid for its signer.

    `signer`: the name of the signer; "" for a bundle without a signer
    """
    if not signer:
        if ":" in name:
            return ['ClusterTrustBundle without signer name must not have ":" in its name']
        return names.name_is_dns_subdomain(name, False)
    prefix = f"{signer.replace('/', ':')}:"
    if not name.startswith(prefix):
        return [f"ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}"]
    return names.name_is_dns_subdomain(name.removeprefix(prefix), False)
