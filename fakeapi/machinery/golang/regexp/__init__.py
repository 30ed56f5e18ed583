"""Regular expressions as Go's package regexp reads and matches them: in time linear in the text.

`matching.compile_regexp` is what others use; `syntax` parses, `classes` are sets of characters.
"""
