"""Authorization: who may do what. Off unless asked for: see `fakeapi.settings`."""
