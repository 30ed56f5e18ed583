"""Compiles and evaluates the x-kubernetes-validations of custom resources.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel` and the CEL parts of
`pkg/apis/apiextensions/validation`. Pure functions: `settings.RuleSettings` holds the differences between
releases, and `fakeapi.releases.rule_settings` makes it.

- `definition.DefinitionRules`: validates the rules of a CustomResourceDefinition
- `validator.rule_validator`: validates an object by the rules of its schema

Without the extra `cel` neither reports errors; clients then receive `definition.unchecked_warning`.
"""
