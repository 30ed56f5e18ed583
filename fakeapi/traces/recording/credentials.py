"""Recognizes credentials by the name of a field, header, parameter or variable, or by their syntax.

All functions take linear time, because clients choose their input.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus

from fakeapi.machinery.lazy_pattern import lazy_pattern

REDACTED = "redacted"
_WORD = REDACTED.encode()

_NAME = lazy_pattern(
    r"(?:tokens?|passw(?:or)?ds?|passphrase|authorization|credentials?|secret"
    r"|(?:secret|access|api|private|ssh|encryption|signing)key(?:id)?|clientkeydata|clientcertificatedata"
    r"|dockerconfigjson|dockercfg|\Aauth)\Z"
)
"""Matches the end of a field name whose value is a credential.

The name must be in lower case, without `-` and `_`.
"""

_VARIABLE = lazy_pattern(r"passw|token|secret|credential|authorization|api_?key|private_?key|access_?key")
"""Matches a part of a variable's name, in lower case, if the value of the variable is a credential."""

_SIGNATURE = lazy_pattern(r"\A(?:sig|(?:.*)signature)\Z")
"""Matches the name of a query parameter that contains the signature of a URL.

The name must be in lower case, without `-` and `_`.
"""

_SCHEMA_TYPES = ("string", "integer", "number", "boolean", "object", "array")

_SEPARATORS = str.maketrans("", "", "-_")
CACHED_MAX = 200
"""Maximum length, in characters, of a header value for which `clean_header` caches its result."""

NAME_MAX = 200
"""Maximum number of characters of a name to examine. Of a longer name, the functions examine the end."""

_NEEDLES = (
    b"oken",
    b"passw",
    b"passph",
    b"uthorization",
    b"redential",
    b"secret",
    b"bearer",
    b"eyj",
    b"dockerc",
    b'auth"',
)
_KEY_NEEDLES = tuple(
    f"{first}{separator}{second}".encode()
    for first, second in (
        *(("api", "key"), ("access", "key"), ("private", "key"), ("ssh", "key")),
        *(("encryption", "key"), ("signing", "key"), ("client", "key"), ("client", "cert")),
    )
    for separator in ("", "-", "_", " ")
)
"""Parts of field names such as "apikey", in lower case.

Data without these parts and without _NEEDLES contain no credential, except perhaps a user in a URL.
"""

_SEGMENT = lazy_pattern(rb"[\w-]+")
_PEM = lazy_pattern(
    rb"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)
_URL_USER = lazy_pattern(rb"(://)[^\s/@\"'<>]{1,512}@")
_BEARER = lazy_pattern(rb"(\bbearer[ \t]{1,8})(?=[A-Za-z]*[\d._~+/=-])[\w.~+/=-]{12,}", re.IGNORECASE)
_WEBSOCKET_BEARER = lazy_pattern(r"(base64url\.bearer\.authorization\.k8s\.io\.)[^\s,]+", re.IGNORECASE)
_KEYWORD = (
    rb"(?:token|passw(?:or)?d|passphrase|(?:secret|access|api|private)[_-]?key(?:[_-]?id)?|client[_-]?secret"
    rb"|credentials?)"
)
_ASSIGNED = lazy_pattern(
    _KEYWORD + rb"=(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[\"']?[^\s&\"',;{}\]]+)", re.IGNORECASE
)
_OPTION = lazy_pattern(
    rb"(?<![\w-])--?[\w-]{0,40}?" + _KEYWORD + rb"[ \t]+(?P<value>[^\s-]\S*)", re.IGNORECASE
)
_ENTRY = lazy_pattern(
    rb"(?:^(?P<indent>[ \t]*)(?:-[ \t]+)*|[{,\[\"']\s{0,8})"
    rb"(?:\\{0,4}[\"'](?P<quoted>[\w.-]{1,100})\\{0,4}[\"'][ \t]{0,8}:[ \t]{0,8}"
    rb"|(?P<plain>[\w.-]{1,100})[ \t]{0,8}:[ \t]{1,8})"
    rb"(?P<value>[|>][-+0-9]{0,2}[ \t]*$|\\{1,4}\"[^\"\\\n]*\\{1,4}\"|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'"
    rb"|[^\s\"'{\[,}|>\\][^\n,{}\[\]\"']*)",
    re.MULTILINE,
)
"""Matches a key of YAML or JSON with its value. The key is at the start of a line, in braces or in quotes.

Quotes can be escaped, as in JSON inside a JSON string.
"""

_BINARY_ENTRY = lazy_pattern(rb"(?<![\w.-])(?P<plain>[\w.-]{1,100})[ \t]{0,8}:[ \t]{1,8}(?P<value>[!-~]+)")
"""Matches a key of YAML with its value, in binary data."""

_QUOTE = lazy_pattern(rb"\\{0,4}[\"']")


def is_credential(name: str) -> bool:
    """Whether the value of a field, header or parameter with this name is a credential."""
    return _is_credential(name[-NAME_MAX:])


@lru_cache(maxsize=4096)
def _is_credential(name: str) -> bool:
    return _NAME.search(name.lower().translate(_SEPARATORS)) is not None


def is_credential_variable(name: str) -> bool:
    """Whether the value of an environment variable or parameter with this name is a credential."""
    return _VARIABLE.search(name[-NAME_MAX:].lower()) is not None


def is_credential_header(name: str) -> bool:
    """Whether the value of a header with this name is a credential. `name` must be in lower case."""
    return (
        name in _HEADERS
        or name.startswith("x-remote-extra-")
        or name.endswith(("-auth", "authentication"))
        or is_credential(name)
    )


_HEADERS = frozenset({"cookie", "set-cookie", "x-forwarded-client-cert"})


def may_hold_credentials(data: bytes) -> bool:
    """Whether data can contain a credential. This fast check returns False for most bodies."""
    if b"@" in data and b"://" in data:
        return True
    lowered = data.lower()
    for needle in _NEEDLES:  # a loop takes a third of the time that `any` takes
        if needle in lowered:
            return True
    if b"key" not in lowered and b"cert" not in lowered:
        return False
    return any(needle in lowered for needle in _KEY_NEEDLES)


def clean_header(name: str, value: str) -> str:
    """Returns the value of a header without credentials. An Authorization header keeps its scheme.

    `name`: the name of the header in lower case.
    """
    if is_credential_header(name):
        scheme, space, rest = value.partition(" ")
        return f"{scheme} {REDACTED}" if space and rest and "=" not in scheme else REDACTED
    if name == "sec-websocket-protocol":
        return _WEBSOCKET_BEARER.sub(rf"\g<1>{REDACTED}", value)
    return _clean_value(value) if len(value) <= CACHED_MAX else _clean_value.__wrapped__(value)


@lru_cache(maxsize=1024)
def _clean_value(value: str) -> str:
    data = value.encode("utf-8", "surrogatepass")
    clean = clean_text(data) if may_hold_credentials(data) else data
    return value if clean == data else clean.decode("utf-8", "surrogatepass")


def clean_target(target: str) -> str:
    """Returns the path and query of a request with credentials replaced.

    Credentials are JSON Web Tokens, and values of parameters whose names mean a credential.
    """
    path, mark, query = target.partition("?")
    if mark:
        parts = []
        for part in query.split("&"):
            name, equals, value = part.partition("=")
            secret = value and value != REDACTED and _is_credential_parameter(unquote_plus(name))
            parts.append(f"{name}{equals}{REDACTED}" if secret else part)
        target = path + mark + "&".join(parts)
    if "eyJ" not in target:
        return target
    return _without_tokens(target.encode("utf-8", "surrogatepass"), _hidden).decode("utf-8", "surrogatepass")


def _is_credential_parameter(name: str) -> bool:
    signs = _SIGNATURE.search(name[-NAME_MAX:].lower().translate(_SEPARATORS)) is not None
    return signs or is_credential(name)


def holds_credentials(name: str, value: "dict[str, Any] | list[Any]") -> bool:
    """Whether all strings in a list or object are credentials, as in `tokens: […]` or `token: {…}`.

    `name`: the name of the field that contains the list or object. Returns False for a reference to a Secret,
    for the field `serviceAccountToken` of Kubernetes, and for the schema of a field.
    """
    if not is_credential(name) or name.lower().endswith(("secret", "serviceaccounttoken")):
        return False
    return isinstance(value, list) or not (value.get("type") in _SCHEMA_TYPES or "$ref" in value)


def clean_text(data: bytes) -> bytes:
    """Returns text with credentials replaced.

    Credentials are JSON Web Tokens, private keys, users in URLs, and values of keys whose names mean a
    credential.
    """
    if b"eyJ" in data:
        data = _without_tokens(data, _hidden)
    if b"PRIVATE KEY" in data:
        data = _PEM.sub(_WORD, data)
    if b"@" in data and b"://" in data:
        data = _URL_USER.sub(rb"\g<1>" + _WORD + b"@", data)
    data = _BEARER.sub(rb"\g<1>" + _WORD, data)
    if b"=" in data:
        data = _ASSIGNED.sub(_without_value, data)
    if b"-" in data:
        data = _OPTION.sub(_without_value, data)
    return _clean_entries(data, _hidden) if b":" in data else data


def clean_binary(data: bytes) -> bytes:
    """Returns binary data, such as protobuf, with each byte of a credential replaced by "x".

    The length of the data does not change, so lengths inside the data stay valid.
    """
    if b"eyJ" in data:
        data = _without_tokens(data, _crossed_out)
    data = _PEM.sub(lambda match: _crossed_out(match[0]), data)
    if b"=" in data:
        data = _ASSIGNED.sub(_crossed_out_value, data)
    if b":" not in data:
        return data
    return _BINARY_ENTRY.sub(_crossed_out_entry, _clean_entries(data, _crossed_out))


def is_option(text: str) -> bool:
    """Whether an argument of a command line is an option for a credential, such as --token.

    If so, the next argument is the credential.
    """
    return text.startswith("-") and "=" not in text and is_credential(text)


def _hidden(_: bytes) -> bytes:
    return _WORD


def _crossed_out(data: bytes) -> bytes:
    return b"x" * len(data)


def _without_tokens(data: bytes, replacement: Callable[[bytes], bytes]) -> bytes:
    """Returns data in which `replacement` has replaced each JSON Web Token.

    A token has three segments of at least five characters after the prefix eyJ. The function reads each
    segment only once: if no token begins at the first eyJ in a segment, no token begins at a later eyJ.
    """
    parts: list[bytes] = []
    done = place = 0
    while (begin := data.find(b"eyJ", place)) >= 0:
        end = _end_of_token(data, begin)
        if end > 0:
            parts += (data[done:begin], replacement(data[begin:end]))
            done = place = end
        else:
            place = -end
    return b"".join((*parts, data[done:])) if parts else data


def _end_of_token(data: bytes, begin: int) -> int:
    """Returns the index at which the JSON Web Token that starts at `begin` ends.

    If the token is incomplete, returns the index at which its first segment ends, as a negative number.
    """
    first = _end_of_segment(data, begin)
    end = first
    long_enough = first - begin >= len("eyJ") + 5
    for _ in range(2):
        if not long_enough or data[end : end + 1] != b".":
            return -first
        before = end + 1
        end = _end_of_segment(data, before)
        long_enough = end - before >= 5
    return end if long_enough else -first


def _end_of_segment(data: bytes, begin: int) -> int:
    match = _SEGMENT.match(data, begin)
    return begin if match is None else match.end()


def _without_value(match: "re.Match[bytes]") -> bytes:
    begin, end = match.span("value")
    value = match["value"]
    quote = value[:1] if value[:1] in b"\"'" else b""
    return match.string[match.start() : begin] + quote + _WORD + quote + match.string[end : match.end()]


def _crossed_out_value(match: "re.Match[bytes]") -> bytes:
    begin, end = match.span("value")
    return (
        match.string[match.start() : begin] + _crossed_out(match["value"]) + match.string[end : match.end()]
    )


def _crossed_out_entry(match: "re.Match[bytes]") -> bytes:
    return _crossed_out_value(match) if is_credential(match["plain"].decode("latin-1")) else match[0]


def _clean_entries(data: bytes, replacement: Callable[[bytes], bytes]) -> bytes:
    parts: list[bytes] = []
    done = place = 0
    while (match := _ENTRY.search(data, place)) is not None:
        begin, end = match.span("value")
        place = begin
        if is_credential((match["quoted"] or match["plain"]).decode("latin-1")):
            quoted = _QUOTE.match(match["value"])
            quote = quoted[0] if quoted else b""
            if not quote and match["indent"] is not None:
                end = _end_of_scalar(data, begin, end, len(match["indent"]))
            hidden = replacement(data[begin + len(quote) : end - len(quote)])
            parts += (data[done:begin], quote, hidden, quote)
            done = place = end
    return b"".join((*parts, data[done:])) if parts else data


def _end_of_scalar(data: bytes, begin: int, end: int, indent: int) -> int:
    """Returns the index at which a YAML scalar ends.

    The scalar ends at the end of its line, or after the indented lines that follow `|` or `>`.

    - `begin` and `end`: the start and end of the value on its first line, as indexes.
    - `indent`: the indentation of its key.
    """
    line_end = data.find(b"\n", end)
    line_end = len(data) if line_end < 0 else line_end
    if data[begin : begin + 1] not in b"|>":
        return end if b"}" in data[end:line_end] else line_end
    while line_end < len(data):
        following = data.find(b"\n", line_end + 1)
        following = len(data) if following < 0 else following
        line = data[line_end + 1 : following]
        if line.strip() and len(line) - len(line.lstrip(b" \t")) <= indent:
            break
        line_end = following
    return line_end
