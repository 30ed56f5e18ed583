"""Malformed headers: invalid media types, and headers that HTTP does not allow."""

from tests.http.malformed.case import ABSENT, CLAIMS, HELD, JSON, Case, claim, encoded

BODY = encoded(claim())


def accept(value: str, answers: int = 406, path: str = HELD) -> Case:
    short_value = value if len(value) < 60 else f"{value[:20]}…"
    where = " of a watch" if "watch" in path else ""
    return Case(f"Accept{where}: {short_value}", answers, "GET", path, None, (("Accept", value),))


def content_type(value: str, answers: int = 415) -> Case:
    short_value = value if len(value) < 60 else f"{value[:20]}…"
    return Case(f"Content-Type: {short_value}", answers, "POST", CLAIMS, BODY, (("Content-Type", value),))


MEDIA_TYPES = (
    accept("text/plain"),
    accept("text/html"),
    accept("application/xml"),
    accept("garbage"),
    accept(";;;,,,"),
    accept("application/"),
    accept("/json"),
    accept("application/json/extra"),
    accept("application/jsonx"),
    accept("application/json;as=Surprise;v=v1;g=meta.k8s.io"),
    accept("application/json;as=Table;v=v9;g=meta.k8s.io"),
    accept("application/json;stream=surprise"),
    accept("application/json;sv=v9"),
    accept("application/json;sv=v1", 200),
    accept("," * 10_000),
    accept(",".join(["a/b"] * 5000)),
    accept("text/plain", path=f"{CLAIMS}?watch=1"),
    accept("application/json;stream=surprise", path=f"{CLAIMS}?watch=1"),
    accept("application/json;q=abc", 200),
    accept("application/json;q=-1", 200),
    accept("text/plain, */*;q=0.1", 200),
    accept("application/json;pretty=surprise", 200),
    content_type("text/plain"),
    content_type("text/html; charset=utf-8"),
    content_type("application/x-www-form-urlencoded"),
    content_type("multipart/form-data; boundary=x"),
    content_type("application/merge-patch+json"),
    content_type("application/jsonx"),
    content_type("application/json/extra"),
    content_type("json"),
    content_type("garbage;;;"),
    content_type(";"),
    content_type("a" * 10_000),
    content_type("application/json, application/json"),
    content_type("application/json;charset"),
    content_type("application/json;a=1;a=2"),
    content_type('application/json;a="b'),
    content_type("application/*"),
    Case("two different Content-Types, the bad one first", 415, "POST", CLAIMS, BODY,
         (("Content-Type", "text/plain"), ("Content-Type", JSON))),
    Case("gzip that a header names", 400, "POST", CLAIMS, b"\x1f\x8b\x08\0\0",
         (("Content-Type", JSON), ("Content-Encoding", "gzip"))),
)  # fmt: skip


def http(
    name: str, *headers: tuple[str, str], code: int = 400, method: str = "POST", body: bytes = BODY
) -> Case:
    return Case(f"HTTP: {name}", code, method, CLAIMS, body, (("Content-Type", JSON), *headers), plain=True)


BROKEN_HTTP = (
    http("a length in letters", ("Content-Length", "x")),
    http("a negative length", ("Content-Length", "-1")),
    http("a length with a plus sign", ("Content-Length", "+5")),
    http("a length in hexadecimal", ("Content-Length", "0x10")),
    http("two lengths", ("Content-Length", "5"), ("Content-Length", "6")),
    http("a length of thirty digits", ("Content-Length", "9" * 30)),
    http("a transfer encoding that nobody knows", ("Transfer-Encoding", "surprise"), code=501),
    http("chunks without a size", ("Transfer-Encoding", "chunked"), body=b"x\r\n\r\n"),
    http("a chunk of endless size", ("Transfer-Encoding", "chunked"), body=b"f" * 40 + b"\r\n"),
    http("no host", ("Host", ABSENT)),
    http("two hosts", ("Host", "other")),
    http("a header with a space in its name", ("A B", "c")),
    http("a header without a name", ("", "c")),
    http("a method with a bracket", method="GE(T"),
    http("a header with a NUL", ("A", "b\0c")),
    http("a header with a line break inside", ("A", "b\nc d")),
    http("a header of two megabytes", ("A", "b" * 2_000_000), code=431),
)

CASES = (*MEDIA_TYPES, *BROKEN_HTTP)
