"""The controllers of Jobs: running them to completion, and deleting them some time later."""
