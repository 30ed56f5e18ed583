"""The live page of a server: static files at /_fakeapi/ui/ that use the control API."""
