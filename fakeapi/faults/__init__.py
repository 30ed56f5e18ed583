"""Faults: rules that make requests fail, to test clients. `fakeapi.http.faulting` applies these rules."""
