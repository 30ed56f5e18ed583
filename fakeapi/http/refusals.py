"""The router's errors 404 and 405."""

from fakeapi.machinery.errors import ApiError, Details


def no_such_resource() -> ApiError:
    """Returns 404 for a path below a served group that leads to no resource."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", Details())


def method_not_allowed() -> ApiError:
    """Returns 405 for a resource without the verb."""
    return ApiError(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource", Details()
    )
