"""The group apiregistration.k8s.io: the APIs that a server has."""

from fakeapi.registry.groups.apiregistration_k8s_io.api_service import API_SERVICE

KINDS = (API_SERVICE,)
