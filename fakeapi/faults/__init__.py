"""Faults: rules that let requests fail. `fakeapi.http.faulting` applies them to HTTP requests."""
