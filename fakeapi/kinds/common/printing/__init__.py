"""Formats rejected values as the field errors of a release print them.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`. Errors print values
in Go syntax (`%#v`) up to 1.33, and as JSON from 1.34 on. Both forms have the fields of the internal version.
"""
