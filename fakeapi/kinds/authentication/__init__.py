"""The group authentication.k8s.io: reviews that say who somebody is."""

from fakeapi.kinds.authentication.self_subject_review import SELF_SUBJECT_REVIEW
from fakeapi.kinds.authentication.token_review import TOKEN_REVIEW

KINDS = (
    SELF_SUBJECT_REVIEW,
    TOKEN_REVIEW,
)
