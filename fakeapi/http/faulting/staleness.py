"""Stale reads: lists and watches at resourceVersion 0 that see an older state."""

from urllib.parse import urlencode

from fakeapi.http.context import RequestContext
from fakeapi.http.query import Query


def show_stale_state(ctx: RequestContext, revision: int) -> bool:
    """Makes a list or watch read the state at a revision; returns whether a cache could answer it."""
    first = ctx.request.query.first
    version = first.get("resourceVersion", "")
    if ctx.verb == "watch":
        if version not in ("", "0"):
            return True  # it starts at its own version, and the fault holds back its events
        ctx.stale_at = revision
        return True
    if version != "0" or first.get("resourceVersionMatch", "") == "Exact" or first.get("continue"):
        return False
    changed = {name: value for name, value in first.items() if name != "limit"}
    changed |= {"resourceVersion": str(revision), "resourceVersionMatch": "Exact"}
    ctx.request.query = Query(urlencode(changed).encode())
    return True
