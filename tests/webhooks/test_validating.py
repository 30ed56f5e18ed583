"""The server calls validating webhooks over HTTPS when clients write objects."""

import asyncio
import base64
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.admission.policies.expressions import Expressions
from fakeapi.machinery.cel.evaluation import Outcome
from fakeapi.testing.server import FakeAPI
from tests.webhooks.conftest import RULE, config_map, configure, refusal, webhook
from tests.webhooks.server import WebhookServer, allowed, denied


def failure(api: FakeAPI, body: Any = None) -> str:
    """Creates an object that a webhook must refuse; returns the error message.

    `body`: the object; None means a ConfigMap.
    """
    return refusal(lambda: api.create(body or config_map())).message


def test_a_webhook_sees_the_write_as_upstream_tells_it(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config("/v")))
    created = api.create(config_map(data={"a": "b"}), fieldManager="me", fieldValidation="Strict")
    ((path, request),) = hook.asked
    assert path == "/v"
    kind = {"group": "", "version": "v1", "kind": "ConfigMap"}
    resource = {"group": "", "version": "v1", "resource": "configmaps"}
    metadata = {name: created["metadata"][name] for name in ("name", "namespace", "uid", "creationTimestamp")}
    shown = request["object"]
    assert shown["metadata"].pop("managedFields")[0]["manager"] == "me"
    assert request.pop("uid") != created["metadata"]["uid"]
    assert request == {
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "name": "m",
        "namespace": "default",
        "operation": "CREATE",
        "userInfo": {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]},
        "object": {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"a": "b"}},
        "oldObject": None,
        "dryRun": False,
        "options": {
            "kind": "CreateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "fieldManager": "me",
            "fieldValidation": "Strict",
        },
    }


def test_the_request_is_sent_as_client_go_sends_it(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config("/a/b/"), timeoutSeconds=7))
    api.create(config_map())
    assert hook.targets == ["/a/b?timeout=7s"]
    (headers,) = hook.headers
    assert headers["User-Agent"] == "kube-apiserver-admission"
    assert (headers["Accept"], headers["Content-Type"]) == ("application/json, */*", "application/json")
    assert headers["Host"] == f"127.0.0.1:{hook.port}"


def test_updates_patches_and_deletes_are_told_with_both_objects(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    created = api.create(config_map(data={"a": "1"}))
    api.update({**created, "data": {"a": "2"}})
    api.patch("ConfigMap", "m", {"data": {"a": "3"}}, fieldManager="p")
    options = {"gracePeriodSeconds": 0, "preconditions": {"uid": created["metadata"]["uid"]}}
    api.delete("ConfigMap", "m", options=options)
    told = [
        (
            request["operation"],
            (request["oldObject"] or {}).get("data", {}).get("a"),
            (request["object"] or {}).get("data", {}).get("a"),
            request["options"]["kind"],
        )
        for _, request in hook.asked
    ]
    assert told == [
        ("CREATE", None, "1", "CreateOptions"),
        ("UPDATE", "1", "2", "UpdateOptions"),
        ("UPDATE", "2", "3", "UpdateOptions"),
        ("DELETE", "3", None, "DeleteOptions"),
    ]
    last = hook.asked[-1][1]
    assert last["oldObject"]["kind"] == "ConfigMap"
    assert last["oldObject"]["apiVersion"] == "v1"
    assert last["options"] == {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", **options}


@pytest.mark.parametrize("code", [1000, 99999])
def test_a_refusal_with_a_status_code_that_http_cannot_say_drops_the_connection(
    api: FakeAPI, hook: WebhookServer, code: int
) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = denied(code=code)
    with pytest.raises(ConnectionError):
        api.create(config_map())
    hook.answers["/"] = denied(code=999)
    assert refusal(lambda: api.create(config_map())).code == 999


@pytest.mark.parametrize(
    ("status", "code", "reason", "message"),
    [
        ({}, 400, "", "without explanation"),
        ({"message": "no"}, 400, "", ": no"),
        ({"reason": "NotFound", "code": 404}, 404, "NotFound", ": NotFound"),
        ({"message": "no", "code": 200, "status": "Success"}, 400, "", ": no"),
        ({"message": "no", "code": 422, "reason": "Invalid"}, 422, "Invalid", ": no"),
    ],
)
def test_a_refusal_is_told_with_the_webhook_s_own_status(
    api: FakeAPI, hook: WebhookServer, status: dict[str, Any], code: int, reason: str, message: str
) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = denied(**status)
    refused = refusal(lambda: api.create(config_map()))
    start = 'admission webhook "hook.example.com" denied the request'
    told = f"{start}{message}" if message.startswith(":") else f"{start} {message}"
    assert (refused.code, refused.reason, refused.message) == (code, reason, told)
    assert not api.list("ConfigMap", field_selector="metadata.name=m")


def test_details_of_a_refusal_reach_the_client(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    details = {"name": "m", "kind": "configmaps", "causes": [{"reason": "r", "message": "m", "field": "f"}]}
    hook.answers["/"] = denied(code=409, details=details)
    assert refusal(lambda: api.create(config_map())).status["details"] == details


def test_warnings_become_warning_headers(api: FakeAPI, hook: WebhookServer) -> None:
    import http.client

    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = allowed(warnings=["mind the gap", "mind the gap", "and the step"])
    connection = http.client.HTTPConnection("127.0.0.1", api.port)
    body = json.dumps(config_map())
    connection.request(
        "POST", "/api/v1/namespaces/default/configmaps", body, {"Content-Type": "application/json"}
    )
    answer = connection.getresponse()
    connection.close()
    assert answer.status == 201
    assert answer.headers.get_all("Warning") == ['299 - "mind the gap"', '299 - "and the step"']


def test_rules_choose_what_is_asked_about(api: FakeAPI, hook: WebhookServer) -> None:
    def rule(**more: Any) -> dict[str, Any]:
        return {**RULE, **more}

    configure(
        api,
        "Validating",
        webhook(hook.client_config("/all"), "all.example.com", rules=[rule(resources=["*"])]),
        webhook(hook.client_config("/deep"), "deep.example.com", rules=[rule(resources=["*/*"])]),
        webhook(hook.client_config("/status"), "status.example.com", rules=[rule(resources=["*/status"])]),
        webhook(
            hook.client_config("/cluster"),
            "cluster.example.com",
            rules=[rule(resources=["*"], scope="Cluster")],
        ),
        webhook(
            hook.client_config("/updates"),
            "updates.example.com",
            rules=[rule(operations=["UPDATE"], resources=["*/*"])],
        ),
        webhook(
            hook.client_config("/apps"), "apps.example.com", rules=[rule(apiGroups=["apps"], resources=["*"])]
        ),
    )
    namespace = api.create_namespace("team")
    assert sorted(set(hook.names_asked())) == ["/all", "/cluster", "/deep"]
    hook.asked.clear()
    api.update_status(namespace)
    assert sorted(set(hook.names_asked())) == ["/deep", "/status", "/updates"]
    hook.asked.clear()
    api.create(config_map())
    assert sorted(set(hook.names_asked())) == ["/all", "/deep"]


def test_selectors_choose_by_labels_of_the_namespace_and_of_either_object(
    api: FakeAPI, hook: WebhookServer
) -> None:
    of_team = {"matchLabels": {"team": "a"}}
    everything = [{**RULE, "resources": ["configmaps", "namespaces"]}]
    configure(
        api,
        "Validating",
        webhook(hook.client_config("/ns"), "ns.example.com", rules=everything, namespaceSelector=of_team),
        webhook(hook.client_config("/obj"), "obj.example.com", rules=everything, objectSelector=of_team),
    )
    team = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team", "labels": {"team": "a"}}}
    api.create(team)
    assert sorted(hook.names_asked()) == ["/ns", "/obj"]
    hook.asked.clear()
    api.create(config_map(), namespace="team")
    api.create(config_map())
    assert hook.names_asked() == ["/ns"]
    hook.asked.clear()
    labelled = api.create(config_map("labelled", labels={"team": "a"}))
    api.update({**labelled, "metadata": {**labelled["metadata"], "labels": {}}})
    assert hook.names_asked() == ["/obj", "/obj"]


def test_match_conditions_choose_by_cel(api: FakeAPI, hook: WebhookServer) -> None:
    pytest.importorskip("cel_expr_python", reason="conditions are evaluated with the extra cel")
    conditions = [
        {"name": "named", "expression": "object.metadata.name.startsWith('x')"},
        {"name": "sent", "expression": "request.operation == 'CREATE' && !request.dryRun"},
    ]
    configure(api, "Validating", webhook(hook.client_config(), matchConditions=conditions))
    api.create(config_map("x1"))
    api.create(config_map("y1"))
    assert [request["name"] for _, request in hook.asked] == ["x1"]


def test_a_condition_that_grows_without_bound_refuses_the_write(api: FakeAPI, hook: WebhookServer) -> None:
    pytest.importorskip("cel_expr_python", reason="conditions are evaluated with the extra cel")
    text = "['aa']" + ".map(a, [a, a, a, a].join(a))" * 12 + "[0].size() > 0"
    conditions = [{"name": "growing", "expression": text}]
    configure(api, "Validating", webhook(hook.client_config(), matchConditions=conditions))
    refused = refusal(lambda: api.create(config_map()))
    assert (refused.code, hook.asked) == (403, [])
    assert "running out of cost budget" in refused.message


def test_a_condition_that_fails_follows_the_failure_policy(api: FakeAPI, hook: WebhookServer) -> None:
    pytest.importorskip("cel_expr_python", reason="conditions are evaluated with the extra cel")
    conditions = [{"name": "odd", "expression": "object.data.missing == 'x'"}]
    configure(api, "Validating", webhook(hook.client_config(), matchConditions=conditions))
    refused = refusal(lambda: api.create(config_map(data={"a": "b"})))
    assert refused.code == 403
    expression = "expression 'object.data.missing == 'x'' resulted in error: no such key: missing"
    assert refused.message == f'configmaps "m" is forbidden: {expression}'
    api.delete("ValidatingWebhookConfiguration", "hooks")
    configure(
        api, "Validating", webhook(hook.client_config(), matchConditions=conditions, failurePolicy="Ignore")
    )
    api.create(config_map(data={"a": "b"}))
    assert hook.asked == []


@pytest.mark.parametrize("kind", ["Validating", "Mutating"])
def test_a_costly_condition_is_evaluated_beside_the_event_loop(
    api: FakeAPI, hook: WebhookServer, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    pytest.importorskip("cel_expr_python", reason="conditions are evaluated with the extra cel")
    on_loop: list[bool] = []
    outcome = Expressions.outcome

    def noting(self: Expressions, text: str) -> Outcome:
        on_loop.append(_has_loop())
        return outcome(self, text)

    monkeypatch.setattr(Expressions, "outcome", noting)
    numbers = "[1,2,3,4,5,6,7,8,9,0]"
    text = f"{numbers}.all(a, {numbers}.all(b, {numbers}.all(c, {numbers}.all(d, a + b + c + d >= 0))))"
    conditions = [{"name": "costly", "expression": text}]
    configure(api, kind, webhook(hook.client_config(), matchConditions=conditions))
    api.create(config_map())
    assert hook.names_asked() == ["/"]
    assert on_loop == [True, False]


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def test_a_condition_asks_the_roles_of_a_cluster(
    fakeapi_factory: Callable[..., FakeAPI], hook: WebhookServer
) -> None:
    pytest.importorskip("cel_expr_python", reason="conditions are evaluated with the extra cel")
    api = fakeapi_factory(release="1.33", authorization="rbac")
    check = "authorizer.serviceAccount('default', 'robot').path('/healthz').check('get')"
    conditions = [{"name": "asking", "expression": f"!{check}.errored()"}]
    configure(api, "Validating", webhook(hook.client_config(), matchConditions=conditions))
    api.create(config_map())
    assert hook.names_asked() == ["/"]


def test_another_version_is_converted_for_a_webhook_that_accepts_equivalents(
    fakeapi_factory: Callable[..., FakeAPI], hook: WebhookServer
) -> None:
    api = fakeapi_factory(release="1.33")
    rule = {
        **RULE,
        "apiGroups": ["resource.k8s.io"],
        "apiVersions": ["v1beta2"],
        "resources": ["resourceclaims"],
    }
    configure(
        api,
        "Validating",
        webhook(hook.client_config("/equivalent"), rules=[rule]),
        webhook(hook.client_config("/exact"), "exact.example.com", rules=[rule], matchPolicy="Exact"),
    )
    request = {"name": "gpu", "deviceClassName": "gpu.example.com"}
    claim = {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c"},
        "spec": {"devices": {"requests": [request]}},
    }
    api.create(claim)
    ((path, asked),) = hook.asked
    assert path == "/equivalent"
    assert asked["kind"]["version"] == asked["resource"]["version"] == "v1beta2"
    assert asked["requestKind"]["version"] == asked["requestResource"]["version"] == "v1beta1"
    assert asked["object"]["apiVersion"] == "resource.k8s.io/v1beta2"
    shown = asked["object"]["spec"]["devices"]["requests"][0]
    assert shown["exactly"]["deviceClassName"] == "gpu.example.com"


def test_all_webhooks_are_asked_at_once(api: FakeAPI, hook: WebhookServer) -> None:
    together = threading.Barrier(3, timeout=20)

    def wait(path: str) -> None:
        together.wait()

    hook.before = wait
    names = [f"h{index}.example.com" for index in range(3)]
    configure(api, "Validating", *(webhook(hook.client_config(f"/{name}"), name) for name in names))
    api.create(config_map())
    assert sorted(hook.names_asked()) == [f"/{name}" for name in names]


def test_other_requests_are_answered_while_a_webhook_is_asked(api: FakeAPI, hook: WebhookServer) -> None:
    seen: list[str] = []
    hook.before = lambda path: seen.append(api.create_namespace("meanwhile")["metadata"]["name"])
    configure(api, "Validating", webhook(hook.client_config()))
    api.create(config_map())
    assert seen == ["meanwhile"]


def test_a_write_that_came_first_is_seen_by_the_webhook_that_is_asked_again(
    api: FakeAPI, hook: WebhookServer
) -> None:
    api.create(config_map(data={"n": "0"}))
    configure(api, "Validating", webhook(hook.client_config()))
    turns = iter(range(2))

    def write_first(path: str) -> None:
        if next(turns, None) == 0:
            api.patch("ConfigMap", "m", {"data": {"other": "1"}})

    hook.before = write_first
    patched = api.patch("ConfigMap", "m", {"data": {"mine": "1"}})
    assert patched["data"] == {"n": "0", "other": "1", "mine": "1"}
    assert [sorted(request["oldObject"]["data"]) for _, request in hook.asked] == [
        ["n"],
        ["n"],
        ["n", "other"],
    ]


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ({"uid": "other"}, 'expected response.uid="{uid}", got "other"'),
        ({"patch": "W10="}, "validating webhook may not return response.patch"),
        ({"patchType": "JSONPatch"}, "validating webhook may not return response.patchType"),
    ],
)
def test_an_invalid_verdict_fails_the_call(
    api: FakeAPI, hook: WebhookServer, response: dict[str, Any], why: str
) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = allowed(**response)
    refused = refusal(lambda: api.create(config_map()))
    start = 'Internal error occurred: failed calling webhook "hook.example.com": '
    uid = hook.asked[0][1]["uid"]
    expected = f"{start}received invalid webhook response: {why.replace('{uid}', uid)}"
    assert (refused.code, refused.reason, refused.message) == (500, "InternalError", expected)


def test_a_review_of_v1beta1_is_spared_the_checks(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config(), admissionReviewVersions=["v1beta1", "v1"]))
    hook.answers["/"] = allowed(uid="other")
    api.create(config_map())


def test_what_fails_is_ignored_where_the_policy_says_so(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config(), failurePolicy="Ignore"))
    hook.raw["/"] = (500, {"Content-Type": "text/plain"}, b"boom")
    api.create(config_map())
    hook.raw.clear()
    hook.answers["/"] = denied(message="no")
    assert refusal(lambda: api.create(config_map("n"))).code == 400


def test_a_dry_run_asks_webhooks_without_side_effects_only(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config(), sideEffects="NoneOnDryRun"))
    api.create(config_map(), dryRun="All")
    ((_, request),) = hook.asked
    assert request["dryRun"] is True
    assert request["options"]["dryRun"] == ["All"]


def test_configurations_of_webhooks_are_exempt(api: FakeAPI, hook: WebhookServer) -> None:
    everything = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]
    configure(api, "Validating", webhook(hook.client_config(), rules=everything))
    hook.answers["/"] = denied(message="no")
    assert "denied" in failure(api)
    api.delete("ValidatingWebhookConfiguration", "hooks")
    api.create(config_map())


def test_a_redirect_is_not_followed(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config("/old")))
    hook.raw["/old"] = (307, {"Location": f"{hook.url}/new"}, b"")
    assert "the server responded with the status code 307 but did not return" in failure(api)
    assert hook.names_asked() == ["/old"]


def test_subresources_are_told_in_their_own_kind(api: FakeAPI, hook: WebhookServer) -> None:
    rule = {**RULE, "apiGroups": ["*"], "resources": ["deployments/scale", "pods/eviction", "pods/binding"]}
    configure(api, "Validating", webhook(hook.client_config(), rules=[rule]))
    labels = {"app": "a"}
    containers = {"spec": {"containers": [{"name": "c", "image": "i"}]}}
    api.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "d"},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, **containers},
            },
        }
    )
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, **containers})
    path = "/apis/apps/v1/namespaces/default/deployments/d/scale"
    api.request("PATCH", path, {"spec": {"replicas": 3}}, content_type="application/merge-patch+json")
    pod = "/api/v1/namespaces/default/pods/p"
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    api.request("POST", f"{pod}/eviction", eviction)
    told = [
        (request["kind"], request["resource"]["resource"], request["subResource"], request["operation"])
        for _, request in hook.asked
    ]
    assert told == [
        ({"group": "autoscaling", "version": "v1", "kind": "Scale"}, "deployments", "scale", "UPDATE"),
        ({"group": "policy", "version": "v1", "kind": "Eviction"}, "pods", "eviction", "CREATE"),
    ]
    assert hook.asked[0][1]["object"]["spec"] == {"replicas": 3}


def test_a_reset_forgets_configurations(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = denied()
    api.reset()
    api.create(config_map())


def test_a_bundle_that_holds_no_certificate_makes_no_client(api: FakeAPI, hook: WebhookServer) -> None:
    config = {"url": f"{hook.url}/", "caBundle": base64.b64encode(b"hello").decode()}
    configure(api, "Validating", webhook(config))
    why = "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block"
    assert failure(api).endswith(why)
