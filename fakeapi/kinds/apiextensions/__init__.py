"""The group apiextensions.k8s.io: CustomResourceDefinitions."""

from fakeapi.kinds.apiextensions.custom_resource_definition import (
    CUSTOM_RESOURCE_DEFINITION,
)

KINDS = (CUSTOM_RESOURCE_DEFINITION,)
