"""The group resource.k8s.io: Dynamic Resource Allocation."""

from fakeapi.kinds.resource.claim import CLAIM
from fakeapi.kinds.resource.claim_template import CLAIM_TEMPLATE
from fakeapi.kinds.resource.device_class import DEVICE_CLASS
from fakeapi.kinds.resource.device_taint_rule import DEVICE_TAINT_RULE
from fakeapi.kinds.resource.legacy_v1alpha2.claim import CLASSIC_CLAIM
from fakeapi.kinds.resource.legacy_v1alpha2.claim_template import CLASSIC_CLAIM_TEMPLATE
from fakeapi.kinds.resource.legacy_v1alpha2.parameters import (
    CLAIM_PARAMETERS,
    CLASS_PARAMETERS,
)
from fakeapi.kinds.resource.legacy_v1alpha2.resource_class import RESOURCE_CLASS
from fakeapi.kinds.resource.legacy_v1alpha2.resource_slice import CLASSIC_RESOURCE_SLICE
from fakeapi.kinds.resource.resource_pool_status_request import (
    RESOURCE_POOL_STATUS_REQUEST,
)
from fakeapi.kinds.resource.resource_slice import RESOURCE_SLICE
from fakeapi.kinds.resource.scheduling_context import (
    CLASSIC_SCHEDULING_CONTEXT,
    SCHEDULING_CONTEXT,
)

KINDS = (
    CLASSIC_CLAIM,
    CLASSIC_CLAIM_TEMPLATE,
    CLASSIC_RESOURCE_SLICE,
    CLASSIC_SCHEDULING_CONTEXT,
    CLAIM_PARAMETERS,
    CLASS_PARAMETERS,
    RESOURCE_CLASS,
    CLAIM,
    CLAIM_TEMPLATE,
    DEVICE_CLASS,
    RESOURCE_SLICE,
    SCHEDULING_CONTEXT,
    DEVICE_TAINT_RULE,
    RESOURCE_POOL_STATUS_REQUEST,
)
"""Definitions of the kinds of resource.k8s.io.

Definitions for a single API version come first, because `definition_of` returns the first match.
"""
