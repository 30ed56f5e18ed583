"""The group certificates.k8s.io: requests for certificates, and bundles of those that are trusted."""

from fakeapi.registry.groups.certificates_k8s_io.certificate_signing_request import (
    CERTIFICATE_SIGNING_REQUEST,
)
from fakeapi.registry.groups.certificates_k8s_io.cluster_trust_bundle import CLUSTER_TRUST_BUNDLE
from fakeapi.registry.groups.certificates_k8s_io.pod_certificate_request import POD_CERTIFICATE_REQUEST

KINDS = (
    CERTIFICATE_SIGNING_REQUEST,
    CLUSTER_TRUST_BUNDLE,
    POD_CERTIFICATE_REQUEST,
)
