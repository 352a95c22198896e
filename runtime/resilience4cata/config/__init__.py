"""Configuration: sources are read, keys get their meaning, layers are resolved.

`properties`, `toml` and `yaml` know the formats, `reading` turns bytes into keys with places, `environment` looks
variables up, `tree` and `grammar` know what keys mean, `sources` does all input and output. `layers` and `resolve` are
pure, `instances` says what can be tuned, `description` puts the outcome into words. Nothing here judges: rules do.
"""
