"""Bad requests to the control API (`/_fakeapi`) get a one-line error and change nothing."""

import http.client
import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from tests.torture import junk
from tests.torture.budget import Budget, Finding, patience
from tests.torture.servers import Server, serving

ANSWER_SECONDS = 30.0
BASE = "/_fakeapi"
MEDIA_TYPES = ("application/json",) * 8 + ("text/plain", "application/x-www-form-urlencoded", "", "é")
STREAM = "text/event-stream"


class Requests:
    """Sends random requests. They follow or violate the OpenAPI document of the control API."""

    def __init__(self, server: Server, chance: random.Random) -> None:
        self.server = server
        self.chance = chance
        self.asked = self.refused = self.accepted = 0
        document = json.loads(self.ask("GET", "/openapi.json")[1])
        self.schemas = document["components"]["schemas"]
        self.routes = [
            (method.upper(), path, operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
            if STREAM not in operation["responses"].get("200", {}).get("content", {})
        ]

    def ask(self, method: str, target: str, body: bytes | None = None, media: str = "") -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=patience(ANSWER_SECONDS)
        )
        headers = {"Content-Type": media.encode().decode("latin-1")} if media else {}
        try:
            connection.request(method, BASE + target, body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Finding(f"{method} {target} {body!r}: {error!r}; {self._log()}") from error
        finally:
            connection.close()

    def work(self) -> None:
        """Sends one random request to each route of the control API.

        Raises Finding if the status is 5xx, or if a refused request changed the faults.
        """
        for method, path, operation in self.routes:
            armed = self.ask("GET", "/faults")[1]
            target, body = self._target(path, operation), self._body(operation)
            media = self.chance.choice(MEDIA_TYPES)
            code, answer = self.ask(method, target, body, media)
            self.asked += 1
            request = f"{method} {target} {media!r} {body!r}"
            if code >= 500:
                raise Finding(f"{request} is answered {code}: {answer!r}; {self._log()}")
            if code >= 400:
                self.refused += 1
                self._check_refusal(request, code, answer)
                if self.ask("GET", "/faults")[1] != armed:
                    raise Finding(f"{request} is answered {code}, and changed what is armed")
            else:
                self.accepted += 1
        self.ask("DELETE", "/faults")

    def _check_refusal(self, request: str, code: int, answer: bytes) -> None:
        try:
            status = json.loads(answer)
        except ValueError:
            raise Finding(f"{request} is answered {code} without a Status: {answer!r}") from None
        if status["code"] != code or not status["message"] or "\n" in status["message"]:
            raise Finding(f"{request} is answered {code} with {answer!r}")

    def _target(self, path: str, operation: Any) -> str:
        named = re.sub(r"\{[^}]*\}", lambda _: self._segment(), path)
        query = {}
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and self.chance.random() < 0.5:
                query[parameter["name"]] = self._text(parameter.get("schema", {}))
        if self.chance.random() < 0.1:
            query["unknown"] = "1"
        return f"{named}?{urlencode(query, errors='replace')}" if query else named

    def _segment(self) -> str:
        return quote(self.chance.choice(junk.TEXTS[1:]), safe="", errors="replace")

    def _text(self, schema: Any) -> str:
        text = self._value(schema)
        return text if isinstance(text, str) else json.dumps(text)

    def _body(self, operation: Any) -> bytes | None:
        described = operation.get("requestBody")
        if described is None:
            return junk.encoded(self.chance, junk.value(self.chance)) if self.chance.random() < 0.1 else None
        schema = next(iter(described["content"].values()))["schema"]
        return junk.encoded(self.chance, junk.changed(self.chance, self._value(schema)))

    def _value(self, schema: Any, depth: int = 0) -> Any:
        """Returns a random value that mostly conforms to the OpenAPI schema.

        `depth`: the depth of nesting so far.
        """
        chance = self.chance
        if chance.random() < 0.1 or depth > 6:
            return junk.value(chance)
        if "$ref" in schema:
            return self._value(self.schemas[schema["$ref"].rpartition("/")[2]], depth + 1)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._value(chance.choice(schema[several]), depth + 1)
        if "enum" in schema:
            return chance.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                members = schema.get("properties", {}).items()
                return {name: self._value(item, depth + 1) for name, item in members if chance.random() < 0.7}
            case "array":
                return [self._value(schema.get("items", {}), depth + 1) for _ in range(chance.randrange(3))]
            case "integer" | "number":
                return chance.choice([*junk.NUMBERS, 1, 2])
            case "boolean":
                return chance.choice([True, False])
            case "string":
                return chance.choice(junk.TEXTS)
        return chance.choice([junk.value(chance), {"conflict": {"target": "pods"}}, [{"drop": {}}]])

    def _log(self) -> str:
        return self.server.log.read_text()[-3_000:]


def run(budget: Budget) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="fakeapi-torture-") as place:
        with serving(Path(place), "--release", "1.33") as server:
            requests = Requests(server, budget.random)
            requests.ask("PUT", "/snapshots/kept")
            for _ in budget.rounds():
                requests.work()
                server.check_log()
        return {"requests": requests.asked, "refused": requests.refused, "accepted": requests.accepted}
