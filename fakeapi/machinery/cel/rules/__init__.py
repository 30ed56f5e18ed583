"""Compiles and evaluates the x-kubernetes-validations of custom resources.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel` and the CEL parts of
`pkg/apis/apiextensions/validation`. `settings.RuleSettings` has the differences between releases;
`fakeapi.releases.rule_settings` creates the settings of a release.

- `definition.DefinitionRules` validates the CEL rules of a CustomResourceDefinition.
- `validator.rule_validator` returns a validator of objects by the rules of their schema.

Without the extra `cel` (`pip install 'fakeapi-k8s[cel]'`), rules are neither checked nor evaluated. Clients
then receive the warning of `definition.unchecked_warning`.
"""
