"""The group events.k8s.io, which serves the same events as the core group."""

from fakeapi.kinds.core.event import EVENT

KINDS = (EVENT,)
