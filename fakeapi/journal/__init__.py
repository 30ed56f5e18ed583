"""The journal of a server: records requests, filters and verifies them. Does not depend on HTTP."""
