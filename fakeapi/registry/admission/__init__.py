"""Admission: what may change or refuse a write between its decoding and the registry.

Follows k8s.io/apiserver `pkg/admission`. `chain` holds the order of the steps of a resource, `plugin` what a
plugin is, `attributes` what it is told, `objects` how it reads and writes other objects; the plugins stand in
`plugins/`, a module each.

Where the steps stand in a write, as in upstream's handlers:

    create    decode, managed fields, mutate, prepare and validate, validating steps, store
    update    decode, read, managed fields, mutate, prepare and validate, validating steps, store
    patch     read, patch, managed fields, mutate, prepare and validate, validating steps, store
    apply     as patch; one that creates is a create
    delete    read, preconditions, mutating and validating steps, delete
    action    decode the body of a subresource such as binding, mutating and validating steps, the action
"""
