"""Replaces recorded times of the server in a request by the times on the replay target."""

from fakeapi.clients.http import HttpClient
from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.analysis.plan import Step
from fakeapi.traces.analysis.server_times import ServerTimesScan, kind_of, server_times

_HEADERS = (("accept", "application/json"), ("user-agent", "fakeapi-replay"))


class ServerTimeRewriter:
    """Rewrites the times of the server in the bodies of updates and patches.

    A time is rewritten only if the recorded client can have read it: an earlier response of the trace shows
    the same time in the same field of the object. Times that the client itself chose stay.
    """

    def __init__(self, client: HttpClient, identities: IdentityMap, seen: ServerTimesScan) -> None:
        self._client = client
        self._identities = identities
        self._seen = seen

    async def rewritten(self, step: Step, body: bytes) -> bytes:
        """Returns the body with the times of the object on the replay target.

        Asks the target for the object if the body contains a time of the server. Returns the body unchanged
        if it contains none, and for JSON patches. Raises TargetError if the target does not respond.
        """
        path, verb = step.facts.path, step.facts.verb
        kind = kind_of(*path.group_resource)
        if not kind or not body or not path.name or verb not in {"update", "patch"}:
            return body
        try:
            recorded, value = decode(step.exchange.request.body), decode(body)
        except JsonError:
            return body
        # Places can contain generated names, so look up the recorded places.
        pairs = zip(server_times(kind, recorded), server_times(kind, value), strict=False)
        offset = step.exchange.offset
        copied = [time for old, time in pairs if self._seen.was_read(old, step.facts, offset)]
        if not copied:
            return body
        target = self._identities.target(f"{path.collection}/{path.name}")
        answer = await self._client.send("GET", target, _HEADERS, b"")
        try:
            present = {time.place: time.value for time in server_times(kind, decode(answer.body))}
        except JsonError:
            return body
        for time in copied:
            time.holder[time.key] = present.get(time.place, time.value)
        return encode(value)
