"""While webhooks send random responses, clients get responses, and every listed object can be read.

One hostile server acts as all admission webhooks and as a conversion webhook.
"""

import base64
import http.client
import json
import random
import socket
import tempfile
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from tests.torture import junk
from tests.torture.budget import Budget, Finding, patience
from tests.torture.servers import Server, serving

ANSWER_SECONDS = 30.0
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
WIDGETS = "/apis/example.com/{}/namespaces/default/widgets"
UNEXPECTED = b"fakeapi: unexpected"
PATHS = (
    "", "/", "/data", "/data/a", "/data/-", "/metadata", "/metadata/name", "/metadata/namespace",
    "/metadata/uid", "/metadata/labels", "/metadata/annotations/a", "/metadata/managedFields",
    "/metadata/finalizers", "/kind",
)  # fmt: skip
Object = dict[str, Any]


class HostileWebhook:
    """A webhook server that sends random responses.

    `sent_large_code`: whether it has sent a status code over 999. The client of the test resets this flag.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.asked = 0
        self.sent_large_code = False
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with closing(connection), suppress(OSError, ValueError):
            connection.settimeout(patience(ANSWER_SECONDS))
            file = connection.makefile("rb")
            while file.readline():
                length = 0
                while header := file.readline().strip():
                    if header.lower().startswith(b"content-length:"):
                        length = int(header.partition(b":")[2])
                review = json.loads(file.read(length))
                with self._lock:
                    self.asked += 1
                    answer, is_whole = self._answer(review)
                connection.sendall(answer)
                if not is_whole and review["kind"] == "ConversionReview":
                    connection.shutdown(socket.SHUT_RDWR)  # a conversion call may wait 30 s
                    return

    def _answer(self, review: Object) -> tuple[bytes, bool]:
        """Returns a random webhook response, and whether the client can recognize its end.

        The client cannot recognize the end of some responses while the connection is open.
        """
        chance = self.chance
        body = self._body(review)
        way = chance.randrange(12)
        if way == 0:
            return chance.randbytes(chance.randrange(1, 200)), False
        if way == 1:
            return b"HTTP/1.1 100 Continue\r\n\r\n" * chance.choice([1, 20_000]) + _head(body) + body, True
        if way == 2:
            chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
            return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, True
        if way == 3:
            status = chance.choice(
                [b"307 T\r\nLocation: /other", b"500 No", b"204 Empty", b"999 X", b"1000 X"]
            )
            return b"HTTP/1.1 " + status + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body, False
        if way == 4:
            return _head(body + b"missing") + body + b"\r\n\r\n"[: chance.randrange(5)], False
        return _head(body) + body, True

    def _body(self, review: Object) -> bytes:
        chance = self.chance
        response = self._conversion(review) if review["kind"] == "ConversionReview" else self._admission()
        response["uid"] = review["request"]["uid"]
        answer = {"kind": review["kind"], "apiVersion": review["apiVersion"], "response": response}
        return junk.encoded(chance, junk.changed(chance, answer) if chance.random() < 0.3 else answer)

    def _admission(self) -> Object:
        chance = self.chance
        if chance.random() < 0.3:
            code = chance.choice([0, -1, 7, 200, 403, 422, 599, 600, 999, 1000, 99_999])
            self.sent_large_code |= code > 999
            text = chance.choice(junk.TEXTS)
            return {"allowed": False, "status": {"code": code, "reason": text, "message": text}}
        warnings = [chance.choice(junk.TEXTS) for _ in range(chance.randrange(3))]
        if chance.random() < 0.3:
            return {"allowed": True, "warnings": warnings}
        operations = [self._operation() for _ in range(chance.choice([1, 2, 3, 500]))]
        patch = base64.b64encode(junk.encoded(chance, operations)).decode()
        return {"allowed": True, "warnings": warnings, "patchType": "JSONPatch", "patch": patch}

    def _operation(self) -> Object:
        chance = self.chance
        kind = chance.choice(["add", "add", "replace", "remove", "copy", "move", "test", "none"])
        operation: Object = {"op": kind, "path": chance.choice(PATHS), "from": chance.choice(PATHS)}
        operation["value"] = chance.choice([junk.value(chance), "kube-system", {"a": "b"}])
        return operation

    def _conversion(self, review: Object) -> Object:
        api_version = review["request"]["desiredAPIVersion"]
        objects = [{**obj, "apiVersion": api_version} for obj in review["request"]["objects"]]
        if self.chance.random() < 0.5:
            objects = junk.changed(self.chance, objects)
        return {
            "convertedObjects": objects,
            "result": {"status": self.chance.choice(["Success"] * 4 + ["No"])},
        }


def _head(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)


class Writers:
    """Writes objects that the hostile webhook reviews, and checks the server's responses."""

    def __init__(self, server: Server, webhook: HostileWebhook, chance: random.Random) -> None:
        self.server = server
        self.webhook = webhook
        self.chance = chance
        self.asked = self.accepted = 0

    def ask(
        self, method: str, target: str, body: Any = None, media: str = "application/json"
    ) -> tuple[int, Any]:
        """Sends a request to the server; returns the status code and the decoded body.

        Returns code 0 if the server dropped the connection because the webhook sent a status code over 999.
        Raises Finding if the server does not respond in time, or responds with an unexpected error.
        """
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=patience(ANSWER_SECONDS)
        )
        content = None if body is None else json.dumps(body).encode()
        self.webhook.sent_large_code = False
        try:
            connection.request(method, target, content, {"Content-Type": media} if content else {})
            response = connection.getresponse()
            code, data = response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, http.client.RemoteDisconnected) and self.webhook.sent_large_code:
                return 0, {}
            raise Finding(f"{method} {target} {content!r}: {error!r}; {self._log()}") from error
        finally:
            connection.close()
        self.asked += 1
        self.accepted += code < 300
        if UNEXPECTED in data:
            raise Finding(f"{method} {target} {content!r} is answered {code} {data[:500]!r}; {self._log()}")
        return code, json.loads(data)

    def install(self) -> None:
        config = {"service": {"namespace": "default", "name": "hook"}}
        rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}]
        hook = {"name": "a.example.com", "clientConfig": config, "rules": rules, "sideEffects": "None",
                "admissionReviewVersions": ["v1", "v1beta1"], "timeoutSeconds": 1}  # fmt: skip
        for kind in ("mutating", "validating"):
            again = {"reinvocationPolicy": "IfNeeded"} if kind == "mutating" else {}
            body = {"metadata": {"name": "h"}, "webhooks": [{**hook, **again}]}
            self._install(f"{ADMISSION}/{kind}webhookconfigurations", body)
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        versions = [
            {"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in ("v1", "v2")
        ]
        webhook = {"clientConfig": config, "conversionReviewVersions": ["v1"]}
        names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
        spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions,
                "conversion": {"strategy": "Webhook", "webhook": webhook}}  # fmt: skip
        definition = {"metadata": {"name": "widgets.example.com"}, "spec": spec}
        self._install("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)

    def _install(self, target: str, body: Any) -> None:
        code, answer = self.ask("POST", target, body)
        if code != 201:
            raise Finding(f"{target} is answered {code}: {answer}")

    def work(self, number: int) -> None:
        name = f"c{number}"
        obj = {"metadata": {"name": name}, "data": {"a": "b"}}
        self.ask("POST", CONFIG_MAPS, obj)
        self.ask("PATCH", f"{CONFIG_MAPS}/{name}", {"data": {"c": "d"}}, "application/merge-patch+json")
        applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}a"}}
        self.ask(
            "PATCH",
            f"{CONFIG_MAPS}/{name}a?fieldManager=m&force=true",
            applied,
            "application/apply-patch+yaml",
        )
        self.ask("POST", WIDGETS.format("v2"), {"apiVersion": "example.com/v2", "kind": "Widget",
                 "metadata": {"name": name}, "spec": {"a": 1}})  # fmt: skip
        for version in ("v1", "v2"):
            self.ask("GET", f"{WIDGETS.format(version)}/{name}")
            self.ask("GET", WIDGETS.format(version))

    def check(self) -> None:
        """Checks that each listed ConfigMap can also be read alone.

        Raises Finding if a ConfigMap cannot be read, or if the server's log has a traceback.
        """
        for item in self.ask("GET", "/api/v1/configmaps")[1]["items"]:
            namespace, name = item["metadata"]["namespace"], item["metadata"]["name"]
            code, _ = self.ask("GET", f"/api/v1/namespaces/{namespace}/configmaps/{name}")
            if code != 200:
                raise Finding(f"a list shows {namespace}/{name}, and GET answers {code}")
        self.server.check_log()

    def _log(self) -> str:
        return self.server.log.read_text()[-3_000:]


def run(budget: Budget) -> dict[str, float]:
    webhook = HostileWebhook(budget.seed)
    service = f"default/hook=http://127.0.0.1:{webhook.port}"
    with closing(webhook), tempfile.TemporaryDirectory(prefix="fakeapi-torture-") as place:
        with serving(Path(place), "--release", "1.33", "--webhook-service", service) as server:
            writers = Writers(server, webhook, budget.random)
            writers.install()
            for number in budget.rounds():
                writers.work(number)
                if number % 20 == 0:
                    writers.check()
            writers.check()
        return {
            "requests": writers.asked,
            "accepted": writers.accepted,
            "calls of the webhook": webhook.asked,
        }
