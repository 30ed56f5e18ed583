"""The group authentication.k8s.io: reviews that say who somebody is."""

from fakeapi.registry.groups.authentication_k8s_io.self_subject_review import SELF_SUBJECT_REVIEW
from fakeapi.registry.groups.authentication_k8s_io.token_review import TOKEN_REVIEW

KINDS = (
    SELF_SUBJECT_REVIEW,
    TOKEN_REVIEW,
)
