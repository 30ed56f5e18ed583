"""Reads the users of bearer tokens from a token file, as kube-apiserver's `--token-auth-file` does."""

import csv
import io
from pathlib import Path

from fakeapi.inputfile import read_regular
from fakeapi.registry.identity.users import ANONYMOUS, AUTHENTICATED, User

TOKEN_FILE_BYTES = 16 * 1024 * 1024
"""Maximum size of a token file in bytes. Reading a longer file raises TokenUsersError."""


class TokenUsersError(ValueError):
    """Raised for an unusable token file. The message is one line and contains no token."""


def read_token_users(path: str | Path) -> dict[str, User]:
    """Returns the users in a CSV file by their tokens.

    Each line is `token,user,uid` or `token,user,uid,"group1,group2"`. If several lines have the same token,
    the last of these lines counts. Lines with an empty token are ignored. `with_authenticated` adds the group
    system:authenticated to the groups.

    Follows k8s.io/apiserver `pkg/authentication/token/tokenfile`. Raises TokenUsersError if the file cannot
    be read, is longer than TOKEN_FILE_BYTES, is not CSV in UTF-8, or has a line with fewer than three
    columns.
    """
    try:
        text = read_regular(Path(path), TOKEN_FILE_BYTES).decode()
    except OSError as error:
        raise TokenUsersError(f"cannot read the token file {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TokenUsersError(f"the token file {path} is not UTF-8") from error
    users: dict[str, User] = {}
    try:
        for record in csv.reader(io.StringIO(text), strict=True):
            if record:
                _add(users, record, path)
    except csv.Error as error:
        raise TokenUsersError(f"the token file {path} is not CSV: {error}") from error
    return users


def _add(users: dict[str, User], record: list[str], path: str | Path) -> None:
    if len(record) < 3:
        columns = "at least 3 columns (token, user name, user uid)"
        raise TokenUsersError(f"token file '{path}' must have {columns}, found {len(record)}")
    token, name, uid = record[:3]
    groups = record[3].split(",") if len(record) > 3 else []
    if token:
        users[token] = User(name, with_authenticated(name, groups), uid)


def with_authenticated(name: str, groups: list[str]) -> tuple[str, ...]:
    """Returns the groups of a user that the server has authenticated: `groups` and system:authenticated.

    Adds nothing for system:anonymous, and for a user who already is in system:authenticated or
    system:unauthenticated. Follows `NewAuthenticatedGroupAdder` of k8s.io/apiserver
    `pkg/authentication/group`.
    """
    is_complete = name == ANONYMOUS.name or any(
        group in groups for group in (AUTHENTICATED, *ANONYMOUS.groups)
    )
    return tuple(groups) if is_complete else (*groups, AUTHENTICATED)
