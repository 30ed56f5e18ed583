"""Finds the user of a request from its client certificate, its token, or the headers of a front proxy."""
