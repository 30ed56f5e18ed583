"""The group authentication.k8s.io: reviews that identify a user."""

from fakeapi.kinds.authentication.self_subject_review import SELF_SUBJECT_REVIEW
from fakeapi.kinds.authentication.token_review import TOKEN_REVIEW

KINDS = (
    SELF_SUBJECT_REVIEW,
    TOKEN_REVIEW,
)
