"""The webhook stories: rules of the endpoint, and the comparison of the reviews that two servers send."""

import json
import ssl
import urllib.request
from random import Random
from typing import Any

import pytest

from fakeapi.releases import load_release
from tests.conformance.world import WorldIdentities
from tests.differential.exchanges.bases import driven_kinds
from tests.differential.exchanges.reviews import in_order, review_differences
from tests.differential.exchanges.sorts import SORTS
from tests.differential.exchanges.subjects import BuiltIn
from tests.differential.exchanges.webhook_answers import PROBE, RULES, respond
from tests.differential.exchanges.webhook_endpoint import AUTHORITY, URL, Asked, WebhookEndpoint
from tests.differential.exchanges.webhooks import REVIEWED, webhook_story
from tools.strategy_samples import Generator

KINDS = driven_kinds([*load_release("1.37").kinds])
REVIEW = {
    "kind": "AdmissionReview",
    "apiVersion": "admission.k8s.io/v1",
    "request": {"uid": "u", "operation": "CREATE"},
}


def asked(target: str, review_uid: str = "u", **metadata: Any) -> Asked:
    request = {"uid": review_uid, "operation": "CREATE", "object": {"metadata": {"name": "a", **metadata}}}
    return Asked(target, {"kind": "AdmissionReview", "request": request})


def configurations(story: Any) -> list[Any]:
    """Returns the webhook configurations that a story creates."""
    creates = [request for request in story if request["method"] == "POST"]
    return [request["body"] for request in creates if "webhookconfigurations" in request["target"]]


@pytest.mark.parametrize("name", [name for name in RULES if name != "slow"])
def test_a_rule_gives_equal_reviews_equal_responses(name: str) -> None:
    assert respond(f"/m/{name}", REVIEW) == respond(f"/m/{name}", REVIEW)


def test_a_rule_answers_with_the_uid_of_the_review() -> None:
    verdict = json.loads(respond("/0/deny-code", REVIEW).body)["response"]
    assert verdict["uid"] == "u"
    assert verdict["status"]["code"] == 409
    assert respond("/0/none", REVIEW).status == 404


def test_the_endpoint_keeps_reviews_but_no_probes() -> None:
    endpoint = WebhookEndpoint()
    try:
        context = ssl.create_default_context(cadata=endpoint.certificate.decode())
        for path in ("/m/allow?timeout=1s", f"/{PROBE}"):
            sent = urllib.request.Request(f"{endpoint.url}{path}", json.dumps(REVIEW).encode())
            urllib.request.urlopen(sent, context=context).read()
        assert endpoint.take() == [Asked("/m/allow?timeout=1s", REVIEW)]
        assert endpoint.take() == []
        placed = endpoint.placed([{"url": f"{URL}/m/allow", "caBundle": AUTHORITY}])[0]
        assert placed["url"] == f"{endpoint.url}/m/allow"
        assert endpoint.shortened(placed["caBundle"]) == AUTHORITY
    finally:
        endpoint.close()


def test_validating_reviews_may_arrive_in_any_order() -> None:
    one = [asked("/m/allow"), asked("/1/allow"), asked("/0/allow"), asked("/m/label")]
    assert [review.target for review in in_order(one)] == ["/m/allow", "/0/allow", "/1/allow", "/m/label"]
    assert review_differences(one, [one[0], one[2], one[1], one[3]], WorldIdentities()) == []


def test_reviews_may_differ_only_in_identities() -> None:
    uids = ["0a4b1c2d-0000-4000-8000-00000000000" + digit for digit in "1234"]
    one, other = asked("/m/allow", uids[0], uid=uids[1]), asked("/m/allow", uids[2], uid=uids[3])
    assert review_differences([one], [other], WorldIdentities()) == []
    changed = asked("/m/allow", uids[2], uid=uids[3], labels={"a": "b"})
    (line,) = review_differences([one], [changed], WorldIdentities())
    assert line.startswith(".reviews[0]/m/allow.review.request.object.metadata.labels: recorded nothing")


def test_a_missing_review_is_a_difference() -> None:
    (line,) = review_differences([asked("/m/allow")], [], WorldIdentities())
    assert line == ".reviews.names: recorded '/m/allow CREATE', got ''"


@pytest.mark.parametrize("resource", REVIEWED)
def test_webhooks_review_only_the_objects_of_their_story(resource: str) -> None:
    kind = next(kind for kind in KINDS if kind.resource == resource)
    for number in range(1, 6):
        story = webhook_story(Random(number), BuiltIn(Generator(number), kind), number)
        webhooks = [webhook for body in configurations(story) for webhook in body["webhooks"]]
        assert webhooks
        assert all(each["objectSelector"]["matchLabels"]["story"] == f"q{number}" for each in webhooks)


def test_a_webhook_story_deletes_its_configurations() -> None:
    write = SORTS["webhooks"](KINDS, 7)
    for number in range(1, 20):
        story = write(number).story
        created = {body["metadata"]["name"] for body in configurations(story)}
        deleted = {request["target"].rpartition("/")[2] for request in story if request.get("silent")}
        assert created == deleted
