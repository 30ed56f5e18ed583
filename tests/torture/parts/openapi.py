"""Tests the server with requests that schemathesis derives from its OpenAPI documents.

All responses must be as documented. This part needs schemathesis, which is not one of the project's own
tools: `.venv/bin/pip install schemathesis`.
"""

import importlib
import importlib.util
import json
import tempfile
import urllib.request
import warnings
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from fakeapi.releases import KNOWN_RELEASES
from tests.torture.budget import Budget, Finding, Unavailable, patience
from tests.torture.servers import Server, serving

UNEXPECTED = b"unexpected error"
EXAMPLES_OF_AN_OPERATION = 10
OPERATIONS_OF_A_ROUND = 20
ANSWER_SECONDS = 30.0
NOT_CALLED = ("/watch/", "/proxy", "/exec", "/attach", "/portforward", "/log")
"""Paths with these parts are not called. Their responses have no schema: streams, or data of the kubelet."""


class Schemas:
    """Tests the operations in a server's OpenAPI documents, one after the other."""

    def __init__(self, server: Server, budget: Budget) -> None:
        self.url = f"http://127.0.0.1:{server.port}"
        self.server = server
        self.budget = budget
        self.asked = self.accepted = 0
        self._openapi = importlib.import_module("schemathesis").openapi

    def work(self) -> None:
        index = self._read("/openapi/v3")["paths"]
        names = [name for name in index if name.startswith(("apis/", "api/")) and name.count("/") > 0]
        name = self.budget.random.choice(names)
        document = self._read(index[name]["serverRelativeURL"])
        allow_nulls(document["components"]["schemas"])
        for path in document["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict):  # a watch would run until its timeout
                    described = operation.get("parameters", [])
                    operation["parameters"] = [each for each in described if each.get("name") != "watch"]
            path["parameters"] = [each for each in path.get("parameters", []) if each.get("name") != "watch"]
        schema = self._openapi.from_dict(document)
        schema.config.update(base_url=self.url)
        api_operations = [each.ok() for each in schema.get_all_operations()]
        operations = [each for each in api_operations if not any(part in each.path for part in NOT_CALLED)]
        self.budget.random.shuffle(operations)
        for operation in operations[:OPERATIONS_OF_A_ROUND]:
            if self.asked and self.budget.left < 0:
                return
            self._fuzz(operation)

    def _read(self, target: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{target}" if target.startswith("/") else target) as answer:
            return json.load(answer)

    def _fuzz(self, operation: Any) -> None:
        def ask(case: Any) -> None:
            response = case.call(timeout=patience(ANSWER_SECONDS))
            self.asked += 1
            self.accepted += response.status_code < 300
            if UNEXPECTED in response.content:
                log = self.server.log.read_text()[-3_000:]
                raise Finding(f"an unexpected error for {case.as_curl_command()}: {log}")
            if response.status_code >= 400 and response.json()["kind"] != "Status":
                raise Finding(f"{response.content!r} for {case.as_curl_command()}")
            if response.status_code in {200, 201}:
                case.validate_response(response)

        how = settings(
            max_examples=EXAMPLES_OF_AN_OPERATION, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=[*HealthCheck],
        )  # fmt: skip
        chosen = self.budget.random.randrange(1 << 31)
        seed(chosen)(how(given(case=operation.as_strategy())(ask)))()


def allow_nulls(schemas: dict[str, Any]) -> None:
    """Changes OpenAPI schemas so that lists, maps and times may be null.

    Go encodes an unset list, map or time without omitempty as null, although Kubernetes' OpenAPI documents do
    not allow null.
    """
    for schema in schemas.values():
        for each in (schema, *schema.get("properties", {}).values()):
            if (
                each.get("type") == "array"
                or each.get("format") == "date-time"
                or "additionalProperties" in each
            ):
                each["nullable"] = True


def run(budget: Budget) -> dict[str, float]:
    if importlib.util.find_spec("schemathesis") is None:
        raise Unavailable("schemathesis is not installed")
    asked = accepted = 0
    for _ in budget.rounds():
        release = budget.random.choice(KNOWN_RELEASES)
        with (
            tempfile.TemporaryDirectory() as place,
            serving(Path(place), "--release", release) as server,
            warnings.catch_warnings(action="ignore"),
        ):
            schemas = Schemas(server, budget)
            try:
                schemas.work()
            except BaseExceptionGroup as problems:
                raise Finding("\n".join(map(str, problems.exceptions))) from problems
            server.check_log()
        asked, accepted = asked + schemas.asked, accepted + schemas.accepted
    return {"requests": asked, "accepted": accepted}
