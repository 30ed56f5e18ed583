"""The group authorization.k8s.io: reviews that say who may do what."""

from fakeapi.registry.groups.authorization_k8s_io.access_review import (
    LOCAL_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_ACCESS_REVIEW,
    SUBJECT_ACCESS_REVIEW,
)
from fakeapi.registry.groups.authorization_k8s_io.rules_review import SELF_SUBJECT_RULES_REVIEW

KINDS = (
    LOCAL_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_RULES_REVIEW,
    SUBJECT_ACCESS_REVIEW,
)
