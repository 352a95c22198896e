"""Configuration: sources are read, keys get their meaning, layers are resolved.

`properties` and `toml` know the formats, `tree` knows what keys mean, `sources` does all input and output, `resolve` is
pure. Nothing here judges: rules do.
"""
