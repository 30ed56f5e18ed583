"""The journal of a server: records requests, so that tests can filter and verify them."""
