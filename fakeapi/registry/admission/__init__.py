"""Admission: steps that may change or reject a write after it is decoded and before it is stored.

Follows k8s.io/apiserver `pkg/admission`. `attributes` describes a write, and `steps` runs the admission steps
of a resource. `fakeapi.admission` contains the chain of steps (`chain`), the base class of plugins
(`plugin`), and a module for each plugin. Plugins read other objects through `fakeapi.registry.objects`.

The order of the steps in a write, as in upstream's handlers:

    create    decode, managed fields, mutate, prepare and validate, validating steps, store
    update    decode, read, managed fields, mutate, prepare and validate, validating steps, store
    patch     read, patch, managed fields, mutate, prepare and validate, validating steps, store
    apply     like patch; an apply that creates an object is a create
    delete    read, preconditions, mutating and validating steps, delete
    action    decode the body of a subresource such as binding, mutating and validating steps, the action
"""
