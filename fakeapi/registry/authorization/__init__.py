"""Authorization: decides which users may send which requests.

Authorization is off by default: see `fakeapi.settings`.
"""
