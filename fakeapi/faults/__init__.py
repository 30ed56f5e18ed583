"""Faults: rules that say which requests fail, and how. Knows no HTTP; `fakeapi.http.faulting` acts."""
