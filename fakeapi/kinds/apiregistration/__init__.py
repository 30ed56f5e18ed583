"""The group apiregistration.k8s.io: APIServices, which list the served API versions."""

from fakeapi.kinds.apiregistration.api_service import API_SERVICE

KINDS = (API_SERVICE,)
