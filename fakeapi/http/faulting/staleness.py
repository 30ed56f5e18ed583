"""Stale reads: a fault that lets lists and watches read older objects."""

from urllib.parse import urlencode

from fakeapi.http.context import RequestContext
from fakeapi.http.query import Query


def show_stale_state(ctx: RequestContext, revision: int) -> bool:
    """Changes a list or watch to read the objects at an older revision.

    - Lists: the fault affects only lists at resourceVersion 0, which kube-apiserver serves from its watch
      cache. A stale list ignores its limit. Lists with a continue token or resourceVersionMatch=Exact stay
      unchanged.
    - Watches without a resourceVersion, or at 0: the watch starts at the older revision.
    - Other watches: unchanged here, because the fault only delays their events.

    Returns whether the fault affects the request.
    """
    first = ctx.request.query.first
    version = first.get("resourceVersion", "")
    if ctx.verb == "watch":
        if version not in ("", "0"):
            return True  # the watch starts at its own version, and the fault delays its events
        ctx.stale_at = revision
        return True
    if version != "0" or first.get("resourceVersionMatch", "") == "Exact" or first.get("continue"):
        return False
    changed = {name: value for name, value in first.items() if name != "limit"}
    changed |= {"resourceVersion": str(revision), "resourceVersionMatch": "Exact"}
    ctx.request.query = Query(urlencode(changed).encode())
    return True
