"""Users with few permissions write RBAC roles and bindings, but cannot grant permissions that they lack.

The server and a Python model of Kubernetes' rules (`tests.torture.rights`) must accept or refuse the same
writes. After each write they must also give the same results for some access reviews.
"""

import tempfile
from pathlib import Path
from random import Random
from typing import Any

from tests.differential.rbac.servers import APPLY, Answer, Client, Request, Server
from tests.differential.rbac.world import GROUP, RBAC, reference
from tests.torture.budget import Budget, Finding
from tests.torture.rights import EVERYTHING, Model
from tests.torture.servers import serving

ADMIN = "administrator"
WRITES = 40
"""Number of writes to roles and bindings in each round."""
REVIEWS = 3
"""Number of access reviews after each write."""
_KINDS = ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
_VERBS = ("get", "list", "create", "escalate", "bind")
_RESOURCES = ("pods", "pods/status", "secrets", "clusterroles", "roles")
_WRITER = {"apiGroups": [GROUP], "resources": [*_KINDS], "verbs": ["create", "get", "patch", "update"]}


class Round:
    """A round of the privilege-escalation test. The names of its users, roles and bindings are unique."""

    def __init__(self, server: Server, number: int, chance: Random) -> None:
        self.server = server
        self.random = chance
        self.model = Model()
        self._label = f"to-{number}"
        self.users = [Client(f"user-{number}-{each}") for each in range(4)]
        self._roles = [f"role-{number}-{each}" for each in range(5)]
        self._bindings = [f"binding-{number}-{each}" for each in range(5)]
        self.refused = self.allowed = 0
        self._prepare()

    def _prepare(self) -> None:
        """Permits every user to write roles and bindings, and gives some users more permissions."""
        self._note("", {**self._named("cluster-admin"), "rules": EVERYTHING})
        writer = {**self._named(self._roles[0] + "-writer"), "rules": [_WRITER]}
        self._store("clusterroles", "", writer)
        self._store("clusterrolebindings", "", self._binding(writer["metadata"]["name"], self.users))
        for user in self.users[1:]:
            name = f"own-of-{user.name}"
            rules = [self._rule() for _ in range(3)]
            self._store("clusterroles", "", {**self._named(name), "rules": rules})
            self._store("clusterrolebindings", "", self._binding(name, [user]))

    def _store(self, kind: str, namespace: str, body: Any) -> None:
        self.server.must("POST", _place(kind, namespace), body)
        self._note(namespace, body)

    def _note(self, namespace: str, body: Any) -> None:
        into = self.model.bindings if "roleRef" in body else self.model.roles
        into[namespace, body["metadata"]["name"]] = body

    def _named(self, name: str) -> dict[str, Any]:
        return {"metadata": {"name": name}}

    def _rule(self, *, namespaced: bool = False) -> dict[str, Any]:
        random = self.random
        if not namespaced and random.random() < 0.15:
            return {"verbs": ["get"], "nonResourceURLs": [random.choice(("/x", "/x/*", "*"))]}
        rule: dict[str, Any] = {
            "verbs": random.sample(_VERBS, random.randint(1, 3)),
            "apiGroups": [random.choice(("", GROUP))],
            "resources": random.sample(_RESOURCES, random.randint(1, 2)),
        }
        for name, wildcard in (
            ("verbs", "*"),
            ("apiGroups", "*"),
            ("resources", "*"),
            ("resources", "*/status"),
        ):
            if random.random() < 0.12:
                rule[name] = [wildcard]
        if random.random() < 0.2:
            rule["resourceNames"] = [random.choice((*self._roles, "x"))]
        return rule

    def _binding(self, role: str, users: list[Client], kind: str = "ClusterRole") -> dict[str, Any]:
        subjects = [{"apiGroup": GROUP, "kind": "User", "name": user.name} for user in users]
        return {**self._named(role), "roleRef": reference(kind, role), "subjects": subjects}

    def write(self) -> None:
        """Sends a random write of a role or binding as a random user.

        Raises Finding if the server decides differently from the model.
        """
        random = self.random
        user, namespace = random.choice(self.users), random.choice(("", "default"))
        is_role = random.random() < 0.5
        body = self._role(namespace) if is_role else self._new_binding(namespace)
        kind = ("" if namespace else "cluster") + ("roles" if is_role else "rolebindings")
        name = body["metadata"]["name"]
        old = (self.model.roles if is_role else self.model.bindings).get((namespace, name))
        if old is not None and not is_role:
            body["roleRef"] = old["roleRef"]  # an update cannot change it
        expected = self._expected(user, kind, namespace, body, is_role=is_role)
        request = self._request(kind, namespace, body, exists=old is not None)
        answer = self.server.ask(user, request)
        self._judge(answer, expected, f"{user.name}: {request}")
        if answer.code < 300 and "dryRun" not in request.path:
            self._note(namespace, body)

    def _role(self, namespace: str) -> dict[str, Any]:
        random = self.random
        rules = [self._rule(namespaced=bool(namespace)) for _ in range(random.randint(0, 2))]
        body: dict[str, Any] = {**self._named(random.choice(self._roles)), "rules": rules}
        if not namespace and random.random() < 0.3:
            body["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": {self._label: "true"}}]}
        elif not namespace and random.random() < 0.5:
            body["metadata"]["labels"] = {self._label: "true"}
        return body

    def _new_binding(self, namespace: str) -> dict[str, Any]:
        random = self.random
        kind = random.choice(("Role", "ClusterRole")) if namespace else "ClusterRole"
        users = random.sample(self.users, random.randint(1, 2))
        body = self._binding(random.choice((*self._roles, "cluster-admin")), users, kind)
        body["metadata"] = {"name": random.choice(self._bindings)}
        return body

    def _expected(self, user: Client, kind: str, namespace: str, body: Any, *, is_role: bool) -> set[int]:
        """Returns the status codes that the model allows for the write.

        - privilege escalation: 403
        - binding to a missing role: 404
        - all other writes: 200 and 201

        `is_role`: whether `body` is a role, not a binding.
        """
        if is_role:
            name = body["metadata"]["name"]
            escalation = ("escalate", GROUP, kind, name)
            return {200, 201} if self.model.may_write_role(user.name, namespace, body, escalation) else {403}
        role = body["roleRef"]
        resource = "clusterroles" if role["kind"] == "ClusterRole" else "roles"
        if self.model.may(user.name, namespace, ("bind", GROUP, resource, role["name"])):
            return {200, 201}
        rules = self.model.rules_of(role, namespace)
        if rules is None:
            return {404}
        return {200, 201} if self.model.covers(user.name, namespace, rules) else {403}

    def _request(self, kind: str, namespace: str, body: Any, *, exists: bool) -> Request:
        """Returns a PUT or a server-side apply request that writes the object `body`.

        - `kind`: the resource of the object, such as "roles".
        - `exists`: whether the object exists.

        Never returns a POST, whose path lacks the object's name: a role can grant `escalate` for one name.
        """
        path = f"{_place(kind, namespace)}/{body['metadata']['name']}"
        query = self.random.choice(("", "", "?dryRun=All"))
        if exists or self.random.random() < 0.5:
            return Request("PUT", path + query, body)
        name = {"roles": "Role", "clusterroles": "ClusterRole", "rolebindings": "RoleBinding"}
        typed = {"apiVersion": f"{GROUP}/v1", "kind": name.get(kind, "ClusterRoleBinding"), **body}
        return Request("PATCH", f"{path}{query or '?x=y'}&fieldManager=m", typed, APPLY)

    def _judge(self, answer: Answer, expected: set[int], what: str) -> None:
        if answer.code not in expected:
            raise Finding(f"answered {answer.code} ({answer.message}) and not {expected}: {what}")
        if answer.code == 403:
            self.refused += 1
        elif answer.code < 300:
            self.allowed += 1

    def review(self) -> None:
        """Asks the server with an access review whether a random user has a random permission.

        Raises Finding if the model decides differently.
        """
        random = self.random
        user, namespace = random.choice(self.users), random.choice(("", "default"))
        right = (
            random.choice(_VERBS),
            random.choice(("", GROUP)),
            random.choice(_RESOURCES),
            random.choice(("x", "y")),
        )
        resource, _, subresource = right[2].partition("/")
        attributes = {
            "verb": right[0], "group": right[1], "resource": resource, "subresource": subresource,
            "name": right[3], "namespace": namespace,
        }  # fmt: skip
        spec = {"user": user.name, "resourceAttributes": attributes}
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        is_allowed = self.server.must("POST", path, {"spec": spec})["status"]["allowed"]
        if is_allowed != self.model.may(user.name, namespace, right):
            raise Finding(f"{user.name} is allowed {attributes}: {is_allowed}")


def _place(kind: str, namespace: str) -> str:
    return f"{RBAC}/namespaces/{namespace}/{kind}" if namespace else f"{RBAC}/{kind}"


def run(budget: Budget) -> dict[str, float]:
    figures = {"rounds": 0, "refused writes": 0, "allowed writes": 0, "reviews": 0}
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        with serving(directory, "--authorization", "rbac", "--token", ADMIN) as process:
            server = Server(f"http://127.0.0.1:{process.port}", ADMIN, impersonates=True)
            for number in budget.rounds():
                one = Round(server, number, budget.random)
                for _ in range(WRITES):
                    one.write()
                    for _ in range(REVIEWS):
                        one.review()
                figures["rounds"] += 1
                figures["refused writes"] += one.refused
                figures["allowed writes"] += one.allowed
                figures["reviews"] += WRITES * REVIEWS
            server.close()
            process.check_log()
    return dict(figures)
