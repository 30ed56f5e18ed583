"""events.k8s.io, which shows the events of the core group."""

from fakeapi.kinds.core.event import EVENT

KINDS = (EVENT,)
