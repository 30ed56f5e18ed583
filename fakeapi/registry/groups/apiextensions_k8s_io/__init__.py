"""The group apiextensions.k8s.io: definitions of custom resources."""

from fakeapi.registry.groups.apiextensions_k8s_io.custom_resource_definition import (
    CUSTOM_RESOURCE_DEFINITION,
)

KINDS = (CUSTOM_RESOURCE_DEFINITION,)
