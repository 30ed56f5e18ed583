"""The group admissionregistration.k8s.io: admission webhooks, admission policies and their bindings."""

from fakeapi.kinds.admissionregistration.mutating_policy import MUTATING_POLICY
from fakeapi.kinds.admissionregistration.policy_binding import (
    MUTATING_POLICY_BINDING,
    VALIDATING_POLICY_BINDING,
)
from fakeapi.kinds.admissionregistration.validating_policy import VALIDATING_POLICY
from fakeapi.kinds.admissionregistration.webhook_configuration import (
    MUTATING_WEBHOOK_CONFIGURATION,
    VALIDATING_WEBHOOK_CONFIGURATION,
)

KINDS = (
    MUTATING_POLICY,
    MUTATING_POLICY_BINDING,
    MUTATING_WEBHOOK_CONFIGURATION,
    VALIDATING_POLICY,
    VALIDATING_POLICY_BINDING,
    VALIDATING_WEBHOOK_CONFIGURATION,
)
