"""The live page of a server: static files at /_fakeapi/ui/ whose scripts call the control API."""
