"""One generated fault at a time in the correct shop, and what each front end says of it.

An operator says from the meaning of its change which rule is broken and where; it never asks a front end.
`python -m tests.mutations` prints the share that each front end catches.
"""
