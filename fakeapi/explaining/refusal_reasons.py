"""Explains the last writes of an object that the server refused, by the journal of the server."""

from fakeapi.explaining.model import Reason
from fakeapi.explaining.world import RefusedWrite, World


def refused_reasons(world: World) -> list[Reason]:
    """Returns one reason for each refused write of the explained object, the newest first."""
    reasons = [_reason(refused) for refused in world.refused]
    return list({reason.text: reason for reason in reversed(reasons)}.values())


def _reason(refused: RefusedWrite) -> Reason:
    status = refused.status
    message = str(status.get("message") or f"code {refused.code}")
    causes = (status.get("details") or {}).get("causes") or ()
    details = [
        f"{cause.get('field') or cause.get('reason', '')}: {cause.get('message', '')}" for cause in causes
    ]
    text = f"{refused.verb} of {refused.resource} by {refused.user} was refused ({refused.code}): {message}"
    return Reason("WriteRefused", text, details)
