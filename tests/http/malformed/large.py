"""Requests of the maximum size. A careless parser would need quadratic time for them."""

from tests.http.malformed.bodies import VALID
from tests.http.malformed.case import APPLY, CLAIMS, HELD, STRATEGIC, Case, get, patch, post

DRY = "?dryRun=All"


def listed(item: bytes, count: int) -> bytes:
    """Returns a JSON list of `count` items. `item`: a %-format for an item that contains its number."""
    return b"[" + b",".join(item % number for number in range(count)) + b"]"


def in_metadata(members: bytes) -> bytes:
    return VALID.replace(b'"name": "new"', b'"name": "new", ' + members, 1)


LABELS = b"{" + b",".join(b'"k%d":""' % number for number in range(150_000)) + b',"k0":""}'
OWNERS = listed(b'{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u%d"}', 40_000)
FINALIZERS = listed(b'"a.example/f%d"', 60_000)
REQUESTS = listed(b'{"name":"r%d","deviceClassName":"c"}', 60_000)
CONFIGURATION = (
    b'{"apiVersion":"resource.k8s.io/v1alpha3","kind":"ResourceClaim","metadata":{"name":"held",%b}}'
)
ORDERED = b'{"metadata":{"$setElementOrder/finalizers":%b,"finalizers":%b}}' % (FINALIZERS, FINALIZERS)
VALUES = ",".join(map(str, range(100_000)))
NAMED = ",".join(["metadata.name%3Da"] * 20_000)

CASES = (
    Case("Accept with 30,000 clauses, the best one last", 200, "GET", HELD, None,
         (("Accept", ",".join(f"application/json;q=0.{number:06}" for number in range(30_000))),)),
    get("100,000 label requirements", 200, f"{CLAIMS}?labelSelector={'a,' * 100_000}a"),
    get("a set of 100,000 values", 200, f"{CLAIMS}?labelSelector=a+in+({VALUES})"),
    get("20,000 field requirements", 200, f"{CLAIMS}?fieldSelector={NAMED}"),
    get("a path of 300,000 parts", 404, f"{CLAIMS}{'/a' * 300_000}"),
    post("150,000 labels and one of them again", 201, in_metadata(b'"labels":' + LABELS), query=DRY),
    post("150,000 unknown fields and one of them again", 201, VALID[:-1] + b"," + LABELS[1:], query=DRY),
    post("40,000 owners", 201, in_metadata(b'"ownerReferences":' + OWNERS), query=DRY),
    post("60,000 finalizers", 201, in_metadata(b'"finalizers":' + FINALIZERS), query=DRY),
    post("a name of three million characters", 422, in_metadata(b'"name":"' + b"a-" * 1_500_000 + b'!"')),
    post("60,000 device requests", 422,
         VALID.replace(b'[{"name": "gpu", "deviceClassName": "gpu.example.com"}]', REQUESTS)),
    patch("strategic patch: an order of 60,000 finalizers", 200, STRATEGIC, ORDERED, query=DRY),
    patch("strategic patch: 40,000 owners", 200, STRATEGIC, b'{"metadata":{"ownerReferences":%b}}' % OWNERS,
          query=DRY),
    patch("apply: 40,000 owners", 200, APPLY, CONFIGURATION % (b'"ownerReferences":' + OWNERS),
          query=f"{DRY}&fieldManager=m"),
)  # fmt: skip
