"""Authorization: decides who may do what. It is off by default: see `fakeapi.settings`."""
