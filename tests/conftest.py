"""What all tests share: pytest's own test helper, and property tests that are the same in every run."""

import hypothesis

pytest_plugins = ("pytester",)

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
hypothesis.settings.load_profile("repeatable")
