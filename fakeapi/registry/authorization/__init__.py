"""Authorization: decides which users may send which requests. It is off by default: see
`fakeapi.settings`.
"""
