"""The errors 404 and 405 of kube-apiserver's router."""

from fakeapi.machinery.errors import ApiError, Details


def no_such_resource() -> ApiError:
    """Returns the error 404 for a resource that its API group does not have."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", Details())


def method_not_allowed() -> ApiError:
    """Returns the error 405 for a method that the resource does not support."""
    return ApiError(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource", Details()
    )
