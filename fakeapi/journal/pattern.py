"""RequestPattern: selects requests by verb, resource, object and sender."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from typing import Any, Protocol, Self, TypedDict

from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.meta.request_info import RequestInfo
from fakeapi.machinery.suggestions import did_you_mean

VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
WRITES = ("create", "update", "patch", "delete", "deletecollection")
READS = ("get", "list", "watch")
_SHORT = {"*": (), "write": WRITES, "read": READS}


class PatternError(FakeAPIError, ValueError):
    """Raised for a pattern with invalid syntax. The error message is one line."""


class Described(Protocol):
    """The properties of a request that a RequestPattern compares."""

    @property
    def verb(self) -> str: ...
    @property
    def info(self) -> RequestInfo | None: ...
    @property
    def user(self) -> str: ...
    @property
    def agent(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPattern:
    """A pattern for requests. A field with its default value matches everything.

    - `verb`: one verb, or several separated by commas. `read` means get, list and watch; `write` means all
      other verbs.
    - `group`: the API group. "" is the core group; None matches every group.
    - `resource`: a resource as in a role, such as `resourceclaims`, `resourceclaims/status`, `pods/*` for any
      subresource, or `*` for all. It can include the group: `resourceclaims.resource.k8s.io/status`.
    - `namespace`, `name`, `user` and `agent`: text that can contain the wildcards * and ?.
    """

    verb: str = ""
    group: str | None = None
    resource: str = ""
    namespace: str = ""
    name: str = ""
    user: str = ""
    agent: str = ""
    _verbs: tuple[str, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        """Splits `verb` and `resource` into their parts.

        Raises PatternError if a field is not text, a verb is unknown, or the resource contradicts `group`.
        """
        for member in fields(self):
            value = getattr(self, member.name)
            if member.name != "_verbs" and not isinstance(value, str | None):
                raise PatternError(f"{member.name} is text, not {value!r}")
        verbs: list[str] = []
        for word in filter(None, (part.strip().lower() for part in self.verb.split(","))):
            if word not in VERBS and word not in _SHORT:
                hint = did_you_mean(word, VERBS) or f"; there are {', '.join(VERBS)}, read and write"
                raise PatternError(f"no verb {word!r}{hint}")
            verbs.extend(_SHORT.get(word, (word,)))
        object.__setattr__(self, "_verbs", tuple(verbs))
        resource, _, rest = self.resource.partition("/")
        name, dot, group = resource.partition(".")
        if dot:
            if self.group is not None and self.group != group:
                raise PatternError(f"resource {self.resource} is not of the group {self.group!r}")
            object.__setattr__(self, "group", group)
            object.__setattr__(self, "resource", f"{name}/{rest}" if rest else name)

    @classmethod
    def parse(cls, text: str, **more: Any) -> Self:
        """Parses a pattern `VERB [RESOURCE[/SUBRESOURCE] [[NAMESPACE/]NAME]]`.

        For example, the text can be `update resourceclaims/status default/gpu`. `more`: other fields of the
        pattern, which override the text. Raises PatternError for invalid text or fields.
        """
        words = text.split()
        if not 0 < len(words) <= 3:
            raise PatternError(f"{text!r} is not of the form VERB RESOURCE[/SUBRESOURCE] [NAMESPACE/]NAME")
        members: dict[str, Any] = {"verb": words[0]}
        if len(words) > 1:
            members["resource"] = words[1]
        if len(words) > 2:
            namespace, slash, name = words[2].rpartition("/")
            members |= {"namespace": namespace, "name": name} if slash else {"name": name}
        return cls(**{**members, **more})

    @classmethod
    def of(cls, text: str, members: Mapping[str, Any]) -> Self:
        """Returns the pattern that `text` describes. An empty text matches all requests.

        `members`: further fields of the pattern, which override those in the text.

        Raises PatternError for invalid text or fields, and TypeError for an unknown field.
        """
        for name in members:
            if name not in _FIELDS:
                hint = did_you_mean(name, _FIELDS) or f"; it has {', '.join(_FIELDS)}"
                raise TypeError(f"a pattern for requests has no field {name!r}{hint}")
        return cls.parse(text, **members) if text else cls(**members)

    @property
    def verbs(self) -> tuple[str, ...]:
        """The verbs that the pattern matches; empty if it matches all verbs."""
        return self._verbs

    @property
    def resource_parts(self) -> tuple[str, str]:
        """The resource without its subresource, and the subresource. Both can be empty."""
        resource, _, subresource = self.resource.partition("/")
        return resource, subresource

    def matches(self, request: Described) -> bool:
        """Whether a request matches all fields of the pattern."""
        if self._verbs and request.verb not in self._verbs:
            return False
        if (self.resource or self.group is not None or self.namespace) and not self._matches_path(
            request.info
        ):
            return False
        if self.name and not fnmatchcase(request.name, self.name):
            return False
        if self.user and not fnmatchcase(request.user, self.user):
            return False
        return not self.agent or fnmatchcase(request.agent, self.agent)

    def likeness(self, request: Described) -> int:
        """Returns how similar a request is to the pattern: the number of fields that match.

        A matching resource or name counts twice.
        """
        count = 0
        for member in fields(self):
            value = getattr(self, member.name)
            is_given = bool(value) or (member.name == "group" and value is not None)  # "" is the core group
            if member.name.startswith("_") or not is_given:
                continue
            weight = 2 if member.name in ("resource", "name") else 1
            count += weight if RequestPattern(**{member.name: value}).matches(request) else 0
        return count

    @property
    def qualified_resource(self) -> str:
        """The resource with its group, such as `resourceclaims.resource.k8s.io/status`; "" for all."""
        if not self.group:
            return self.resource
        name, slash, rest = (self.resource or "*").partition("/")
        return f"{name}.{self.group}{slash}{rest}"

    def __str__(self) -> str:
        words = [self.verb or "*", self.qualified_resource or "*"]
        if self.namespace or self.name:
            words.append("/".join(part for part in (self.namespace, self.name or "*") if part))
        words += [f"{name}={getattr(self, name)}" for name in ("user", "agent") if getattr(self, name)]
        return " ".join(words)

    def _matches_path(self, info: RequestInfo | None) -> bool:
        if self.resource and not self._matches_resource(info):
            return False
        if self.group is not None and (info is None or info.group != self.group):
            return False
        return not self.namespace or fnmatchcase("" if info is None else info.namespace, self.namespace)

    def _matches_resource(self, info: RequestInfo | None) -> bool:
        if info is None or not info.resource:
            return False
        if self.resource == "*":
            return True
        resource, subresource = self.resource_parts
        if resource not in ("*", info.resource):
            return False
        return bool(info.subresource) if subresource == "*" else info.subresource == subresource


_FIELDS = [member.name for member in fields(RequestPattern) if member.init]


class PatternFields(TypedDict, total=False):
    """The types of keyword arguments with the fields of a RequestPattern."""

    verb: str
    group: str | None
    resource: str
    namespace: str
    name: str
    user: str
    agent: str
