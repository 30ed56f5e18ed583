"""The group authorization.k8s.io: reviews, which return whether a user may make a request."""

from fakeapi.kinds.authorization.access_review import (
    LOCAL_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_ACCESS_REVIEW,
    SUBJECT_ACCESS_REVIEW,
)
from fakeapi.kinds.authorization.rules_review import SELF_SUBJECT_RULES_REVIEW

KINDS = (
    LOCAL_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_RULES_REVIEW,
    SUBJECT_ACCESS_REVIEW,
)
