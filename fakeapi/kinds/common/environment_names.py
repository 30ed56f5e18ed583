"""Validates names of environment variables and of HTTP headers.

Follows `IsEnvVarName`, `IsRelaxedEnvVarName` and `IsHTTPHeaderName` of k8s.io/apimachinery
`pkg/util/validation`. Every release that has these functions returns the same messages.
"""

import re

from fakeapi.machinery.meta.names import regex_error

_VARIABLE = "[-._a-zA-Z][-._a-zA-Z0-9]*"
_is_variable = re.compile(_VARIABLE).fullmatch
_VARIABLE_ERROR = regex_error(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', "
    "and must not start with a digit",
    _VARIABLE,
    "my.env-name",
    "MY_ENV.NAME",
    "MyEnvName1",
)
_RELAXED_ERROR = (
    "a valid environment variable name must consist only of printable ASCII characters other than '='"
)

_HEADER = "[-A-Za-z0-9]+"
_is_header = re.compile(_HEADER).fullmatch
_HEADER_ERROR = regex_error(
    "a valid HTTP header must consist of alphanumeric characters or '-'", _HEADER, "X-Header-Name"
)


def is_environment_name(name: str) -> list[str]:
    """Returns messages if a name breaks the strict rules for environment variables.

    Releases up to 1.29 do not have relaxed rules.
    """
    errors = [] if _is_variable(name) else [_VARIABLE_ERROR]
    if name in (".", ".."):
        errors.append(f"must not be '{name}'")
    elif name.startswith(".."):
        errors.append("must not start with '..'")
    return errors


def is_relaxed_environment_name(name: str) -> list[str]:
    """Returns a message if the name of an environment variable breaks the relaxed rules.

    The name must not be empty, must not contain `=`, and must be printable ASCII.
    """
    if not name:
        return ["environment variable name must be non-empty"]
    if all(" " <= character <= "~" and character != "=" for character in name):
        return []
    return [_RELAXED_ERROR]


def is_http_header_name(name: str) -> list[str]:
    return [] if _is_header(name) else [_HEADER_ERROR]
