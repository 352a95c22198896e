"""The version, in the one place that the build and the front ends read."""

__version__ = "0.1.0"
