"""Regular expressions with the syntax and semantics of Go's package regexp, in time linear in the text.

Other packages use `matching.compile_regexp`. `syntax` parses, and `classes` has sets of characters.
"""
