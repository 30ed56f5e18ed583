"""The group apiregistration.k8s.io: the APIs that a server has."""

from fakeapi.kinds.apiregistration.api_service import API_SERVICE

KINDS = (API_SERVICE,)
