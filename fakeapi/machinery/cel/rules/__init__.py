"""Compiles and evaluates the x-kubernetes-validations of custom resources.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel` and the CEL parts of
`pkg/apis/apiextensions/validation`. Pure: what differs between releases comes in as `settings.RuleSettings`,
which `fakeapi.releases.rule_settings` makes.

- `definition.RuleChecker`: what is wrong with the rules of a CustomResourceDefinition
- `validator.rule_validator`: what is wrong with an object by the rules of its schema

Without the extra `cel` neither finds anything; `definition.unchecked_warning` is what clients are told then.
"""
