"""The group certificates.k8s.io: certificate signing requests and trust bundles."""

from fakeapi.kinds.certificates.certificate_signing_request import (
    CERTIFICATE_SIGNING_REQUEST,
)
from fakeapi.kinds.certificates.cluster_trust_bundle import CLUSTER_TRUST_BUNDLE
from fakeapi.kinds.certificates.pod_certificate_request import POD_CERTIFICATE_REQUEST

KINDS = (
    CERTIFICATE_SIGNING_REQUEST,
    CLUSTER_TRUST_BUNDLE,
    POD_CERTIFICATE_REQUEST,
)
