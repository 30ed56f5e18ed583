"""With `authorization="rbac"`, the server decides about requests by roles and bindings."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.http.filters.users import CORE, RBAC, bearer, token_of

GROUP = "rbac.authorization.k8s.io"
REVIEWS = "/apis/authorization.k8s.io/v1"
BOB = {"impersonate_user": "bob"}


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.33", authorization="rbac")


def bind(
    api: FakeAPI, role: str, *subjects: dict[str, str], namespace: str = "", kind: str = "ClusterRole"
) -> None:
    place = f"{RBAC}/namespaces/{namespace}/rolebindings" if namespace else f"{RBAC}/clusterrolebindings"
    reference = {"apiGroup": GROUP, "kind": kind, "name": role}
    answer = ask(
        api, place, "POST", {"metadata": {"generateName": "b"}, "roleRef": reference, "subjects": subjects}
    )
    assert answer.code == 201, answer.body


def user(name: str) -> dict[str, str]:
    return {"apiGroup": GROUP, "kind": "User", "name": name}


def refusal(api: FakeAPI, path: str, method: str = "GET", body: Any = None, **headers: str) -> str:
    answer = ask(api, path, method, body, **headers)
    assert (answer.code, answer.json()["reason"]) == (403, "Forbidden"), answer.body
    message: str = answer.json()["message"]
    return message


IN_DEFAULT = 'in the namespace "default"'
CORE_GROUP, CLAIMS_GROUP = 'in API group ""', 'in API group "resource.k8s.io"'


@pytest.mark.parametrize(
    ("path", "method", "what", "wish"),
    [
        ("/api/v1/pods", "GET", "pods is ", f'list resource "pods" {CORE_GROUP} at the cluster scope'),
        (f"{CORE}/pods/p/log", "GET", 'pods "p" is ', f'get resource "pods/log" {CORE_GROUP} {IN_DEFAULT}'),
        (
            f"{CORE}/pods?watch=1&fieldSelector=metadata.name%3Dp",
            "GET",
            'pods "p" is ',
            f'watch resource "pods" {CORE_GROUP} {IN_DEFAULT}',
        ),
        (
            "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims",
            "DELETE",
            "resourceclaims.resource.k8s.io is ",
            f'deletecollection resource "resourceclaims" {CLAIMS_GROUP} {IN_DEFAULT}',
        ),
        (CORE, "GET", 'namespaces "default" is ', f'get resource "namespaces" {CORE_GROUP} {IN_DEFAULT}'),
        ("/metrics", "GET", "", 'get path "/metrics"'),
        ("/x%3Cy%3E", "GET", "", 'get path "/x&lt;y&gt;"'),
    ],
)
def test_what_no_role_allows_is_refused(api: FakeAPI, path: str, method: str, what: str, wish: str) -> None:
    assert refusal(api, path, method, **BOB) == f'{what}forbidden: User "bob" cannot {wish}'


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/version", "/api", "/apis/apps/v1", "/openapi/v2"])
def test_health_and_discovery_are_for_everybody_who_is_known(api: FakeAPI, path: str) -> None:
    assert ask(api, path, **BOB).code == 200


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/readyz/ping"), ("POST", "/healthz"), ("HEAD", "/livez")]
)
def test_health_is_authorized_by_roles(api: FakeAPI, method: str, path: str) -> None:
    assert ask(api, path, method, **BOB).code == 403
    bind(api, "system:monitoring", user("bob"))
    assert ask(api, path, method, **BOB).code == (200 if method == "GET" else 403)


def test_an_administrator_may_do_everything(api: FakeAPI) -> None:
    assert ask(api, "/api/v1/pods").code == 200
    assert ask(api, "/api/v1/pods", impersonate_user="a", impersonate_group="system:masters").code == 200


def test_a_binding_gives_the_rules_of_its_role_in_its_namespace(api: FakeAPI) -> None:
    bind(api, "view", user("bob"), namespace="default")
    assert ask(api, f"{CORE}/configmaps", **BOB).code == 200
    assert ask(api, f"{CORE}/pods/p/log", **BOB).code != 403
    refusal(api, "/api/v1/configmaps", **BOB)
    refusal(api, "/api/v1/namespaces/kube-system/configmaps", **BOB)
    refusal(api, f"{CORE}/configmaps", "POST", {"metadata": {"name": "x"}}, **BOB)
    refusal(api, f"{CORE}/secrets", **BOB)


@pytest.mark.parametrize(
    "subject",
    [
        user("bob"),
        {"apiGroup": GROUP, "kind": "Group", "name": "dev"},
        {"kind": "ServiceAccount", "name": "sa", "namespace": "default"},
    ],
)
def test_subjects_are_users_groups_and_service_accounts(api: FakeAPI, subject: dict[str, str]) -> None:
    bind(api, "cluster-admin", subject)
    who = {
        "User": BOB,
        "Group": {"impersonate_user": "a", "impersonate_group": "dev"},
        "ServiceAccount": bearer(token_of(api)),
    }
    for kind, headers in who.items():
        assert ask(api, "/api/v1/secrets", **headers).code == (200 if kind == subject["kind"] else 403)


def test_a_rule_may_name_objects_and_subresources(api: FakeAPI) -> None:
    rules = [
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get", "list"]},
        {"apiGroups": ["*"], "resources": ["*/status"], "verbs": ["*"]},
        {"nonResourceURLs": ["/logs/*"], "verbs": ["get"]},
    ]
    ask(api, f"{RBAC}/clusterroles", "POST", {"metadata": {"name": "r"}, "rules": rules})
    bind(api, "r", user("bob"))
    assert ask(api, f"{CORE}/configmaps/a", **BOB).code == 404
    assert ask(api, f"{CORE}/configmaps?fieldSelector=metadata.name%3Da", **BOB).code == 200
    assert ask(api, f"{CORE}/pods/p/status", **BOB).code == 404
    assert ask(api, "/logs/x", **BOB).code == 404
    for path in ("configmaps/b", "configmaps", "pods/p"):
        refusal(api, f"{CORE}/{path}", **BOB)
    refusal(api, "/logs", **BOB)


def test_a_role_that_is_not_there_is_named(api: FakeAPI) -> None:
    bind(api, "absent", user("bob"))
    bind(api, "missing", user("bob"), namespace="default", kind="Role")
    assert refusal(api, f"{CORE}/pods", **BOB).endswith(
        ': RBAC: [clusterrole.rbac.authorization.k8s.io "absent" not found, role.rbac.authorization.k8s.io '
        '"missing" not found]'
    )


def test_what_a_binding_gave_ends_with_it(api: FakeAPI) -> None:
    bind(api, "view", user("bob"), namespace="default")
    assert ask(api, f"{CORE}/pods", **BOB).code == 200
    ask(api, f"{RBAC}/namespaces/default/rolebindings", "DELETE")
    refusal(api, f"{CORE}/pods", **BOB)


def test_nothing_of_the_roles_is_left_after_a_reset(api: FakeAPI) -> None:
    bind(api, "view", user("bob"))
    assert ask(api, f"{CORE}/pods", **BOB).code == 200
    api.reset()
    refusal(api, f"{CORE}/pods", **BOB)


def test_reviews_say_what_is_allowed_and_why(api: FakeAPI) -> None:
    bind(api, "view", user("bob"), namespace="default")
    wish = {"verb": "list", "resource": "pods", "namespace": "default"}
    own = ask(
        api, f"{REVIEWS}/selfsubjectaccessreviews", "POST", {"spec": {"resourceAttributes": wish}}, **BOB
    )
    status = own.json()["status"]
    assert status["allowed"] is True
    assert status["reason"].startswith('RBAC: allowed by RoleBinding "b')
    assert status["reason"].endswith('/default" of ClusterRole "view" to User "bob"')
    spec = {"user": "jane", "resourceAttributes": wish}
    assert ask(api, f"{REVIEWS}/subjectaccessreviews", "POST", {"spec": spec}).json()["status"] == {
        "allowed": False
    }
    path = {"spec": {"user": "jane", "nonResourceAttributes": {"path": "/version", "verb": "get"}}}
    assert ask(api, f"{REVIEWS}/subjectaccessreviews", "POST", path).json()["status"] == {"allowed": False}
    rules = ask(api, f"{REVIEWS}/selfsubjectrulesreviews", "POST", {"spec": {"namespace": "default"}}, **BOB)
    found = rules.json()["status"]
    assert found["incomplete"] is False
    assert any("pods" in rule["resources"] and "list" in rule["verbs"] for rule in found["resourceRules"])


def test_an_aggregated_rule_is_listed_once(api: FakeAPI) -> None:
    same = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["watch"]}
    part = {"metadata": {"name": "part", "labels": {"to": "whole"}}, "rules": [same, same]}
    selectors = {"clusterRoleSelectors": [{"matchLabels": {"to": "whole"}}]}
    for role in (part, {"metadata": {"name": "whole"}, "aggregationRule": selectors}):
        assert ask(api, f"{RBAC}/clusterroles", "POST", role).code == 201
    bind(api, "whole", user("bob"))
    review = {"spec": {"namespace": "default"}}
    status = ask(api, f"{REVIEWS}/selfsubjectrulesreviews", "POST", review, **BOB).json()["status"]
    assert status["resourceRules"].count(same) == 1


MANAGERS = [{"apiGroups": [GROUP], "resources": ["*"], "verbs": ["create", "get", "update"]}]


def test_nobody_gives_more_than_they_have(api: FakeAPI) -> None:
    ask(api, f"{RBAC}/clusterroles", "POST", {"metadata": {"name": "manager"}, "rules": MANAGERS})
    bind(api, "manager", user("bob"))
    rules = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "get"]},
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["get"]},
        {"apiGroups": [GROUP], "resources": ["roles"], "verbs": ["get"]},
    ]
    role = {"metadata": {"name": "r"}, "rules": rules}
    assert refusal(api, f"{RBAC}/namespaces/default/roles", "POST", role, **BOB) == (
        'roles.rbac.authorization.k8s.io "r" is forbidden: user "bob" (groups=["system:authenticated"]) is '
        "attempting to grant RBAC permissions not currently held:\n"
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "get"]}\n'
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}'
    )
    held = {"metadata": {"name": "r"}, "rules": rules[2:]}
    assert ask(api, f"{RBAC}/namespaces/default/roles", "POST", held, **BOB).code == 201
    reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "cluster-admin"}
    binding: dict[str, Any] = {"metadata": {"name": "b"}, "roleRef": reference, "subjects": [user("bob")]}
    assert "not currently held" in refusal(api, f"{RBAC}/clusterrolebindings", "POST", binding, **BOB)
    binding["roleRef"] = {**reference, "name": "absent"}
    assert ask(api, f"{RBAC}/clusterrolebindings", "POST", binding, **BOB).code == 404
    assert ask(api, f"{RBAC}/clusterrolebindings", "POST", binding).code == 201


def test_the_verbs_bind_and_escalate_let_somebody_give_more(api: FakeAPI) -> None:
    more = [{"apiGroups": [GROUP], "resources": ["clusterroles"], "verbs": ["bind", "escalate"]}]
    ask(api, f"{RBAC}/clusterroles", "POST", {"metadata": {"name": "manager"}, "rules": MANAGERS + more})
    bind(api, "manager", user("bob"))
    role = {"metadata": {"name": "r"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}
    assert ask(api, f"{RBAC}/clusterroles", "POST", role, **BOB).code == 201
    reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "cluster-admin"}
    binding = {"metadata": {"name": "b"}, "roleRef": reference, "subjects": [user("bob")]}
    assert ask(api, f"{RBAC}/clusterrolebindings", "POST", binding, **BOB).code == 201


NODE = {"impersonate_user": "system:node:n1", "impersonate_group": "system:nodes"}
SLICES = "/apis/resource.k8s.io/v1beta1/resourceslices"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/api/v1/nodes/n1", 404, ""),
        ("/api/v1/nodes/n2", 403, "node 'n1' cannot read 'n2', only its own Node object"),
        ("/api/v1/nodes", 403, "node 'n1' cannot read all nodes, only its own Node object"),
        ("/api/v1/pods", 403, "can only list/watch pods with spec.nodeName field selector"),
        ("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1", 200, ""),
        (SLICES, 403, "can only list/watch/deletecollection resourceslices with nodeName field selector"),
        (f"{SLICES}?fieldSelector=spec.nodeName%3Dn1", 200, ""),
        (f"{SLICES}/s", 403, "no relationship found between node 'n1' and this object"),
        (f"{LEASES}/n1", 404, ""),
        (f"{LEASES}/n2", 403, "can only access node lease with the same name as the requesting node"),
        ("/apis/storage.k8s.io/v1/csidrivers", 200, ""),
        ("/api/v1/namespaces/default/serviceaccounts/a", 403, "not allowed to get service accounts"),
        (
            "/api/v1/namespaces/default/serviceaccounts",
            403,
            "can only create tokens for individual service accounts",
        ),
        (
            "/apis/storage.k8s.io/v1/csinodes/n2",
            403,
            "can only access CSINode with the same name as the requesting node",
        ),
        ("/apis/apps/v1/deployments", 403, ""),
    ],
)
def test_a_node_may_do_what_concerns_itself(api: FakeAPI, path: str, code: int, words: str) -> None:
    answer = ask(api, path, **NODE)
    assert answer.code == code, answer.body
    if code == 403:
        assert answer.json()["message"].endswith(f": {words}" if words else "at the cluster scope")


CORE = "/api/v1/namespaces/default"
USED = {
    "volumes": [
        {"name": "s", "secret": {"secretName": "volume"}},
        {"name": "c", "configMap": {"name": "volume"}},
        {"name": "p", "projected": {"sources": [{"secret": {"name": "projected"}}]}},
        {"name": "d", "persistentVolumeClaim": {"claimName": "claim"}},
    ],
    "imagePullSecrets": [{"name": "pulled"}],
    "containers": [
        {
            "name": "c",
            "image": "i",
            "envFrom": [{"configMapRef": {"name": "all"}}],
            "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "one", "key": "k"}}}],
        }
    ],
}
UNRELATED = "no relationship found between node 'n1' and this object"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("secrets/volume", ""),
        ("secrets/projected", ""),
        ("secrets/pulled", ""),
        ("secrets/one", ""),
        ("secrets/all", UNRELATED),
        ("secrets/of-n2", UNRELATED),
        ("secrets", "No Object name found"),
        ("configmaps/volume", ""),
        ("configmaps/all", ""),
        ("configmaps/one", UNRELATED),
        ("persistentvolumeclaims/claim", ""),
        ("persistentvolumeclaims/other", UNRELATED),
        ("persistentvolumeclaims", "can only get individual resources of this type"),
    ],
)
def test_a_node_reads_what_its_pods_lead_to(api: FakeAPI, path: str, words: str) -> None:
    pulled = {**USED, "volumes": [], "imagePullSecrets": [{"name": "of-n2"}]}
    for node, spec in (("n1", USED), ("n2", pulled)):
        pod = {"metadata": {"name": f"on-{node}"}, "spec": {**spec, "nodeName": node}}
        assert ask(api, f"{CORE}/pods", "POST", pod).code == 201
    answer = ask(api, f"{CORE}/{path}", **NODE)
    assert answer.code == (403 if words else 404), answer.body
    if words:
        assert answer.json()["message"].endswith(f": {words}")


def test_a_node_reads_the_volumes_of_the_claims_of_its_pods(api: FakeAPI) -> None:
    pod = {"metadata": {"name": "on-n1"}, "spec": {**USED, "nodeName": "n1"}}
    assert ask(api, f"{CORE}/pods", "POST", pod).code == 201
    for name, claim in (("mine", "claim"), ("other", "other")):
        reference = {"namespace": "default", "name": claim}
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "claimRef": reference}
        volume = {"metadata": {"name": name}, "spec": {**spec, "hostPath": {"path": "/x"}}}
        assert ask(api, "/api/v1/persistentvolumes", "POST", volume).code == 201
    assert ask(api, "/api/v1/persistentvolumes/mine", **NODE).code == 200
    refused = ask(api, "/api/v1/persistentvolumes/other", **NODE)
    assert refused.json()["message"].endswith(UNRELATED)


def test_a_server_that_was_not_asked_for_it_refuses_nothing(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.33")
    assert ask(api, "/api/v1/secrets", **BOB).code == 200
    assert ask(api, "/api/v1/secrets", **bearer(token_of(api))).code == 200


def test_a_node_creates_tokens_of_the_service_accounts_of_its_pods(api: FakeAPI) -> None:
    for name in ("mine", "other"):
        assert ask(api, f"{CORE}/serviceaccounts", "POST", {"metadata": {"name": name}}).code == 201
    pod = {"metadata": {"name": "on-n1"}, "spec": {**USED, "nodeName": "n1", "serviceAccountName": "mine"}}
    assert ask(api, f"{CORE}/pods", "POST", pod).code == 201
    assert ask(api, f"{CORE}/serviceaccounts/mine/token", "POST", {"spec": {}}, **NODE).code == 201
    refused = refusal(api, f"{CORE}/serviceaccounts/other/token", "POST", {"spec": {}}, **NODE)
    assert refused.endswith(UNRELATED)
    refused = refusal(api, f"{CORE}/serviceaccounts/mine", "DELETE", **NODE)
    assert refused.endswith("can only create tokens for individual service accounts")


@pytest.mark.parametrize(
    ("path", "method", "words"),
    [
        ("", "GET", "can only list/watch podcertificaterequests with nodeName field selector"),
        ("?fieldSelector=spec.nodeName%3Dn1", "GET", ""),
        ("/x", "GET", UNRELATED),
        ("/x", "DELETE", "nodes may not delete podcertificaterequests"),
        ("/x/status", "GET", "nodes may not access the status subresource of PodCertificateRequests"),
    ],
)
def test_a_node_requests_certificates_of_its_own_pods(
    fakeapi_factory: Callable[..., FakeAPI], path: str, method: str, words: str
) -> None:
    api = fakeapi_factory(release="1.37", authorization="rbac")
    place = f"/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests{path}"
    answer = ask(api, place, method, **NODE)
    assert answer.code == (403 if words else 200), answer.body
    if words:
        assert answer.json()["message"].endswith(f": node: {words}")
