"""The live page of a server: static files at /_fakeapi/ui/, clients of the control API."""
