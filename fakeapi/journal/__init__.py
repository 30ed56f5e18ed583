"""The journal of a server: records the requests of clients, so that tests can filter and verify them."""
