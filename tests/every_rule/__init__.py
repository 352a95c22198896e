"""Everything that runs the rules' fixtures through the three front ends; see `tests/test_every_rule.py`."""
