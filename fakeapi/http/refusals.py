"""The router's refusals: what no resource, or no verb of it, is there for."""

from fakeapi.machinery.errors import ApiError, Details


def no_such_resource() -> ApiError:
    """404 below a group that is served."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", Details())


def method_not_allowed() -> ApiError:
    """405 for a path that does not have the verb."""
    return ApiError(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource", Details()
    )
