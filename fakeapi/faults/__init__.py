"""Faults: rules that make requests fail.

This package does not depend on HTTP; `fakeapi.http.faulting` applies them.
"""
