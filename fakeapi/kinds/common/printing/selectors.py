"""Prints label selectors in the form of Go, for messages and tables."""

from fakeapi.machinery.json_types import Object


def selector_string(selector: Object | None) -> str:
    """Returns a label selector in the form of the generated Go method LabelSelector.String.

    `printing.values.printed_selector` prints a selector in errors.
    """
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{expression['key']},Operator:{expression['operator']},"
        f"Values:[{' '.join(expression.get('values') or ())}],}},"
        for expression in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
