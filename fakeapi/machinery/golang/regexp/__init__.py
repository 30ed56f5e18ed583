"""Regular expressions like Go's package regexp; matching takes time linear in the length of the text.

Other packages use `matching.compile_regexp`. `syntax` has the parser, `classes` the sets of characters.
"""
