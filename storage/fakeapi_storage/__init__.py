"""Keys, bytes and revisions in SQLite. Knows neither Kubernetes nor HTTP; see `fakeapi_storage.interface`."""
