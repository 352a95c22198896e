"""Edits that repair findings: what they are, and applying them until there is nothing left to apply.

A rule says what is offered (`resilience4cata.diagnostics.Fix`); here it becomes edits of a text. Edits replace spans of
the file as it is, so that everything else keeps its form. Where a form is not certain to be understood (an f-string,
texts that are joined, a comment in the way), nothing is offered.
"""
